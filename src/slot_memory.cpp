// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/slot_memory.hpp"

#include <tailrace/view.hpp>

#include "src/driver_error.hpp"
#include "src/free_memory.hpp"
#include "src/poison.hpp"

#include <cstdint>
#include <limits>
#include <utility>

namespace tailrace::inline TAILRACE_ABI {

PinnedSource::~PinnedSource() = default;

namespace detail {

std::size_t SlotMemory::bytes_for(unsigned slots, std::size_t capacity) {
  if (capacity > std::numeric_limits<std::size_t>::max() - alignment)
    static_cast<void>(checked_product(capacity, capacity));
  return checked_product((capacity + alignment - 1) / alignment * alignment, slots);
}

void SlotMemory::open(const Driver& driver, unsigned slots, std::size_t capacity, std::shared_ptr<PinnedSource> source,
                      const std::string& ring) {
  driver_ = &driver;
  source_ = std::move(source);
  bytes_ = bytes_for(slots, capacity);
  stride_ = bytes_ / slots;
  if (source_)
    take_from_source(ring);
  else if (!make_slab(ring))
    allocate(ring);
}

void SlotMemory::take_from_source(const std::string& ring) {
  base_ = static_cast<std::byte*>(source_->allocate(bytes_));
  if (base_ == nullptr) {
    throw refusal(Errc::out_of_pinned_memory, "the pinned-memory source has no memory", ring);
  }
  if (!driver_->pinned_as_a_whole(base_, bytes_)) {
    throw refusal(Errc::wrong_memory, "the pinned-memory source gave memory that is not pinned as a whole", ring);
  }
  if (reinterpret_cast<std::uintptr_t>(base_) % alignment != 0) {
    throw refusal(Errc::wrong_memory, "the pinned-memory source gave memory that is not aligned to 256 bytes", ring);
  }
}

/// False if the ring is to have the driver's allocation instead, which is as good and only takes longer: the ring is
/// small, or the driver or the system does not do its part. Memory that is not there is an error: the driver would have
/// to look for it in the same place.
bool SlotMemory::make_slab(const std::string& ring) {
  if (bytes_ < slab_from || !backend::registers_coherently) return false;
  if (const auto left = free_memory(); left && *left < bytes_) {
    throw refusal(Errc::out_of_pinned_memory,
                  "only " + std::to_string(*left) +
                      " bytes of memory are left to this process, by the machine and its "
                      "control groups",
                  ring);
  }
  DeviceInfo info;
  static_cast<void>(driver_->device_info(info));  // where there is no answer, any node will do
  Slab slab = Slab::map(bytes_, info.numa_node);
  if (!slab || !driver_->pinned_register(slab.data(), bytes_).ok()) return false;
  slab_ = std::move(slab);
  base_ = slab_.data();
  return true;
}

void SlotMemory::allocate(const std::string& ring) {
  void* memory = nullptr;
  const Status status = driver_->pinned_allocate(bytes_, memory);
  if (status.outcome == backend::Outcome::out_of_memory || status.outcome == backend::Outcome::failed) {
    throw refusal(Errc::out_of_pinned_memory, "host memory could not be pinned", ring, status);
  }
  if (!status.ok()) throw driver_error(status, "pinned_allocate", {.operation = "pinned_allocate", .ring = ring});
  base_ = static_cast<std::byte*>(memory);
}

Error SlotMemory::refusal(Errc code, const std::string& what, const std::string& ring, Status status) const {
  ErrorDetails details{.operation = "pinned_allocate", .ring = ring, .native_code = status.code};
  if (status.code != 0) details.native_name = backend::error_name(status.code);
  return {code, what + " (" + std::to_string(bytes_) + " bytes of pinned host memory)",
          "make the ring with fewer or smaller slots, or raise the limit of locked memory (ulimit -l) or of the job's "
          "memory",
          std::move(details)};
}

Status SlotMemory::close() noexcept {
  if (base_ == nullptr) return {};
  unpoison(base_, bytes_);
  std::byte* const memory = std::exchange(base_, nullptr);
  if (source_) {
    source_->deallocate(memory, bytes_);
    return {};
  }
  // Both calls fail on a lost device, which gives the memory back at the end of the process.
  if (!slab_) return driver_->pinned_free(memory);
  const Status unpinned = driver_->pinned_unregister(memory);
  // What is pinned still is known to the device by its physical pages: they must not become anybody else's.
  if (!unpinned.ok()) slab_.keep();
  slab_ = {};
  return unpinned;
}

}  // namespace detail
}  // namespace tailrace::inline TAILRACE_ABI
