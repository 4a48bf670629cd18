// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/enumeration/stage.hpp"

#include <tailrace/error.hpp>
#include <tailrace/host_device.hpp>
#include <tailrace/testing.hpp>

#include <array>
#include <atomic>

namespace enumeration {

namespace host = tailrace::host;

namespace {

std::uint64_t new_value() noexcept {
  static std::atomic<std::uint64_t> last{0x5eed'0000'0000'0000};
  return ++last;
}

/// Of this thread, for the life of the scope.
class Current {
 public:
  explicit Current(int device) : before_{host::current_device()} { host::set_device(device); }
  ~Current() { host::set_device(before_); }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  int before_;
};

}  // namespace

Stage::Stage(int device) : device_{device}, source_{source_bytes}, pinned_{test::pinned_allocate(pinned_bytes)} {}
Stage::~Stage() { test::pinned_free(pinned_); }

Stage::Stamped Stage::stamp(std::size_t words) {
  const std::size_t bytes = words * sizeof(std::uint64_t);
  if (next_ + bytes > source_bytes) next_ = 0;
  const Stamped made{.view = {source_.data(), next_, bytes}, .value = new_value()};
  next_ += bytes;
  launch_stamp(made.view, made.value);
  return made;
}

void Stage::overwrite(const tailrace::DeviceView& view) { launch_stamp(view, new_value()); }

void Stage::launch_stamp(const tailrace::DeviceView& view, std::uint64_t value) {
  try {
    test::stamp(source_, view.offset, view.width / sizeof value, value, producer_);
    // So that it depends on no thread's speed what the library finds done.
    tailrace::control::settle_streams();
  } catch (const tailrace::Error&) {
    host::get_last_error();
  }
}

bool Stage::lost() const {
  const Current current{device_};
  try {
    host::deallocate(host::allocate(1));
    return false;
  } catch (const tailrace::Error&) {
    host::get_last_error();
    return true;
  }
}

Stage& stage(int device) {
  static const std::array<Stage*, 2> stages = [] {
    std::array<Stage*, 2> made{};
    for (int i = 0; i < 2; ++i) {
      const Current current{i};
      made[static_cast<std::size_t>(i)] = new Stage{i};
    }
    return made;
  }();
  return *stages[static_cast<std::size_t>(device)];
}

}  // namespace enumeration
