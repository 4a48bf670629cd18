// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/model/device.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace tailrace::inline TAILRACE_ABI::host {

struct Stream {};
/// Complete when so many copies of the copy stream are done.
struct Event {
  std::size_t copies = 0;
};

}  // namespace tailrace::inline TAILRACE_ABI::host

namespace model {

namespace {

Device* device = nullptr;
tailrace::host::Stream legacy;
tailrace::host::Stream per_thread;

}  // namespace

Device::Device(Faults faults) : faults_{faults} { device = this; }
Device::~Device() { device = nullptr; }

void Device::do_copy() {
  arrive_when([this] { return done_ < copies_.size(); });
  do_next();
  has_written(queue_);
}

void Device::finish() {
  while (done_ < copies_.size()) do_next();
}

void Device::do_next() noexcept {
  const Copy& copy = copies_[done_];
  require(readers_[copy.to] == 0, "no copy writes to a slot that is being read");
  *copy.to = *copy.from;
  ++done_;
}

void Device::begin_reading(const void* bytes) {
  arrive();
  const auto writes = [bytes](const Copy& copy) { return copy.to == bytes; };
  require(std::none_of(copies_.begin() + static_cast<std::ptrdiff_t>(done_), copies_.end(), writes),
          "no slot is read while a copy is on the way to it");
  require(++readers_[bytes] == 1, "a slot has one reader");
  has_written(queue_);
}

void Device::end_reading(const void* bytes) {
  arrive();
  --readers_[bytes];
  has_written(queue_);
}

/// The seam's calls that have to do with the state of the device.
struct Calls {
  using Status = tailrace::backend::Status;
  static constexpr Status failed{tailrace::backend::Outcome::failed, 1};
  static constexpr Status lost{tailrace::backend::Outcome::device_lost, 700};

  static bool happens(unsigned& fault) {
    if (fault == 0 || choose(2) == 0) return false;
    --fault;
    return true;
  }
  static Status copy(void* to, const void* from) {
    arrive();
    Device& d = *device;
    if (d.lost_) return has_read(d.queue_), lost;
    const auto writes = [to](const Device::Copy& copy) { return copy.to == to; };
    require(std::none_of(d.copies_.begin() + static_cast<std::ptrdiff_t>(d.done_), d.copies_.end(), writes),
            "no slot is used again while a copy is on the way to it");
    require(d.readers_[to] == 0, "no slot is used again while it is being read");
    d.copies_.push_back({static_cast<std::uint64_t*>(to), static_cast<const std::uint64_t*>(from)});
    has_written(d.queue_);
    return {};
  }
  static Status record(tailrace::host::Event& event) {
    arrive();
    Device& d = *device;
    has_read(d.queue_);
    if (d.lost_) return lost;
    if (happens(d.faults_.records)) return failed;
    event.copies = d.copies_.size();
    return {};
  }
  static Status query(const tailrace::host::Event& event) {
    arrive();
    Device& d = *device;
    if (!d.lost_ && happens(d.faults_.losses)) {
      d.lost_ = true;
      has_written(d.queue_);
    } else {
      has_read(d.queue_);
    }
    if (d.lost_) return lost;
    if (happens(d.faults_.queries)) return failed;
    if (d.done_ >= event.copies || d.faults_.early_completion) return {};
    return {tailrace::backend::Outcome::not_ready, 2};
  }
};

}  // namespace model

namespace tailrace::inline TAILRACE_ABI::backend {

const char* error_name(int) noexcept { return "modelError"; }
const char* error_text(int) noexcept { return "a fault of the model"; }
std::string runtime_version() { return {}; }
std::string driver_version() { return {}; }

Status device_count(int& count) noexcept { return count = 1, Status{}; }
Status device_info(int, DeviceInfo&) noexcept { return {}; }
Status get_device(int& device) noexcept { return device = 0, Status{}; }
Status set_device(int) noexcept { return {}; }
const CaptureMode relaxed_capture = 0;
Status exchange_capture_mode(CaptureMode&) noexcept { return {}; }

Status memory_info(const void*, Memory& memory) noexcept {
  memory = {.kind = MemoryKind::device, .device = 0};
  return {};
}
bool pinned_as_a_whole(const void*, std::size_t) noexcept { return true; }
Status pinned_allocate(std::size_t bytes, void*& memory) noexcept {
  memory = std::aligned_alloc(256, bytes);
  return memory != nullptr ? Status{} : Status{Outcome::out_of_memory, 3};
}
Status pinned_free(void* memory) noexcept { return std::free(memory), Status{}; }
const bool registers_coherently = false;
Status pinned_register(void*, std::size_t) noexcept { return {Outcome::unsupported, 4}; }
Status pinned_unregister(void*) noexcept { return {}; }

Status device_allocate(std::size_t, void*&) noexcept { return {Outcome::out_of_memory, 3}; }
Status device_free(void*) noexcept { return {}; }

const native_stream legacy_stream = &model::legacy;
const native_stream per_thread_stream = &model::per_thread;
const bool handles_stand_alone = true;
Status stream_create(int, native_stream& stream) noexcept { return stream = new host::Stream, Status{}; }
Status stream_destroy(native_stream stream) noexcept { return delete stream, Status{}; }
Status stream_synchronize(native_stream) noexcept { return {}; }
Status stream_wait(native_stream, native_event) noexcept { return {}; }
bool same_device(native_stream, native_stream) noexcept { return true; }
Status stream_capturing(native_stream, bool& capturing) noexcept { return capturing = false, Status{}; }
Status event_create(native_event& event) noexcept { return event = new host::Event, Status{}; }
Status event_destroy(native_event event) noexcept { return delete event, Status{}; }

Status event_record(native_event event, native_stream stream) noexcept {
  // That of the producer, which has always done its work.
  if (stream == legacy_stream) return {};
  return model::Calls::record(*event);
}
Status event_query(native_event event) noexcept { return model::Calls::query(*event); }
Status copy_to_host(void* destination, const Region& source, native_stream) noexcept {
  return model::Calls::copy(destination, source.data);
}
Status copy_on_device(void*, const Region&, native_stream) noexcept { return {Outcome::unsupported, 4}; }

}  // namespace tailrace::inline TAILRACE_ABI::backend
