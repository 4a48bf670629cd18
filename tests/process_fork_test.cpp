// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// Forks while a readback is in flight: the parent's completes, and the child is refused everything and may exit through
// all destructors, without touching the device.

#include <tailrace/error.hpp>
#include <tailrace/runtime.hpp>
#include <tailrace/testing.hpp>

#include "tests/support/device.hpp"
#include "tests/support/mapping.hpp"
#include "tests/support/process.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace {

using tailrace::Device;
using tailrace::DeviceView;
using tailrace::Errc;
using tailrace::Ticket;

struct Owners {
  tailrace::ReadbackRing ring{Device{0}, {.slots = 4}};
  tailrace::RingSet set{Device{0}, {.slots_per_ring = 4}};
  tailrace::Runtime runtime{Device{0}, {.chunk_bytes = 4096, .chunk_slots = 2}};
};

template <class F>
bool refused(F&& call) {
  try {
    call();
  } catch (const tailrace::Error& error) {
    return error.errc() == Errc::forked;
  }
  return false;
}

bool child_is_refused(Owners& owners, const DeviceView& source, tailrace::StreamRef stream, const Ticket& ticket) {
  std::vector<std::byte> room(source.width);
  return refused([&] { static_cast<void>(owners.ring.collect(ticket)); }) &&
         refused([&] { static_cast<void>(owners.ring.submit(source, stream)); }) &&
         refused([&] { static_cast<void>(owners.set.submit(source, stream)); }) &&
         refused([&] { static_cast<void>(owners.set.ring_for(64)); }) &&
         refused([&] { static_cast<void>(owners.set.existing_ring_for(64)); }) &&
         refused([&] { owners.set.close({}); }) && refused([&] { owners.runtime.read(room, source, stream); }) &&
         refused([&] { owners.runtime.async_read("more", room, source, stream); }) &&
         refused([&] { owners.runtime.async_wait("array"); }) &&
         refused([&] { owners.runtime.guard_source("array", stream); }) &&
         refused([&] { static_cast<void>(owners.runtime.statistics()); }) && refused([&] { owners.runtime.close({}); });
}

/// Made by the library in this process, where the backend counts them.
std::uint64_t driver_calls() {
#ifdef TAILRACE_BACKEND_HOST
  return tailrace::control::calls();
#else
  return 0;
#endif
}

int fork_with_a_pending_ticket() {
  // Never destroyed: the vendors' own objects are not to be touched by the child.
  auto& stream = test::never_destroyed<test::Stream>();
  auto& buffer = test::never_destroyed<test::Buffer>(100'000U);
  const DeviceView source{buffer.data(), buffer.size()};
  static auto owners = std::make_unique<Owners>();
  std::vector<std::byte> array(buffer.size());
  owners->runtime.read(array, source, stream);
  static_cast<void>(owners->set.collect(owners->set.submit({buffer.data(), 64}, stream)));

  test::Hold hold{stream};
  test::stamp(buffer, 0, 100'000 / 8, 42, stream);
  const Ticket ticket = owners->ring.submit({buffer.data(), 64}, stream);
  owners->runtime.async_read("array", array, source, stream);

  const pid_t child = fork();
  if (child == 0) {
    const std::uint64_t calls = driver_calls();
    bool good = child_is_refused(*owners, {buffer.data(), 64}, stream, ticket);
    owners.reset();
    good &= driver_calls() == calls;
    std::exit(good ? test::intended_status : 1);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 2;
  hold.release();
  const bool right = owners->ring.visit<std::uint64_t>(
      ticket, [](std::span<const std::uint64_t> words) { return words.size() == 8 && words[7] == 42; });
  owners->runtime.async_wait("array");
  std::uint64_t last = 0;
  std::memcpy(&last, array.data() + array.size() - sizeof last, sizeof last);
  return right && last == 42 ? WEXITSTATUS(status) : 3;
}

class NoMemory : public tailrace::PinnedSource {
  void* allocate(std::size_t /*bytes*/) override { return nullptr; }
  void deallocate(void* /*memory*/, std::size_t /*bytes*/) noexcept override {}
};

int fork_and_destroy_a_ring_set() {
  auto memory = std::make_shared<NoMemory>();
  const std::weak_ptr<NoMemory> watch = memory;
  auto set =
      std::make_unique<tailrace::RingSet>(Device{0}, tailrace::RingSetOptions{.pinned_source = std::move(memory)});
  const pid_t child = fork();
  if (child == 0) {
    set.reset();
    std::exit(watch.expired() ? 1 : test::intended_status);  // kept with all that it has
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 2;
  set.reset();
  return watch.expired() ? WEXITSTATUS(status) : 3;
}

int fork_with_a_large_ring() {
  auto& stream = test::never_destroyed<test::Stream>();
  auto& buffer = test::never_destroyed<test::Buffer>(64U);
  auto ring = std::make_unique<tailrace::ReadbackRing>(
      Device{0}, tailrace::RingOptions{.slots = 16, .capacity = std::size_t{4} << 20});
  const std::size_t slab = ring->statistics().slab_bytes;
  const std::byte* const memory = ring->visit(ring->submit({buffer.data(), 64}, stream),
                                              [](std::span<const std::byte> bytes) { return bytes.data(); });
  const pid_t child = fork();
  if (child == 0) {
    ring.reset();  // does not touch the slab, which the child does not have
    const bool good = slab == 0 || test::pages_of(memory, slab) == test::Pages::unmapped;
    std::exit(good ? test::intended_status : 1);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 2;
  static_cast<void>(ring->collect(ring->submit({buffer.data(), 64}, stream)));
  ring.reset();
  return slab == 0 || test::pages_of(memory, slab) == test::Pages::unmapped ? WEXITSTATUS(status) : 3;
}

constexpr test::Scenario scenarios[] = {{"fork with a pending ticket", fork_with_a_pending_ticket},
                                        {"fork and destroy a ring set", fork_and_destroy_a_ring_set},
                                        {"fork with a large ring", fork_with_a_large_ring}};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1 && test::device_count() == 0) return 77;
  return test::run_scenarios(argc, argv, scenarios);
}
