// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/self_test_bed.hpp"

#include "src/source_check.hpp"

#include <algorithm>
#include <cstring>

namespace tailrace::inline TAILRACE_ABI::detail {

namespace {

using Word = std::uint64_t;

std::vector<std::byte> random_bytes() {
  static_assert(SelfTestBed::size % sizeof(Word) == 0);
  std::vector<std::byte> bytes(SelfTestBed::size);
  Word state = 0x9e37'79b9'7f4a'7c15;
  for (std::size_t i = 0; i < bytes.size(); i += sizeof state) {
    state ^= state << 13;  // xorshift64
    state ^= state >> 7;
    state ^= state << 17;
    std::memcpy(&bytes[i], &state, sizeof state);
  }
  return bytes;
}

/// The bytes with the stamp in each of them. By words: also a build that is not optimised starts soon.
void stamped(std::span<std::byte> to, const std::byte* base, Stamp stamp) noexcept {
  const Word everywhere = Word{0x0101'0101'0101'0101} * stamp;
  std::size_t i = 0;
  for (; i + sizeof(Word) <= to.size(); i += sizeof(Word)) {
    Word word = 0;
    std::memcpy(&word, base + i, sizeof word);
    word ^= everywhere;
    std::memcpy(to.data() + i, &word, sizeof word);
  }
  for (; i < to.size(); ++i) to[i] = base[i] ^ std::byte{stamp};
}

void note_wrong(SelfTestPath& path, std::span<const std::byte> found, std::size_t offset,
                std::span<const std::byte> expected) {
  const std::byte* const first = found.data() + offset;
  if (path.wrong || std::memcmp(first, expected.data(), expected.size()) == 0) return;
  const auto [right, wrong] = std::ranges::mismatch(expected, std::span{first, expected.size()});
  path.wrong = {.offset = offset + static_cast<std::size_t>(right - expected.begin()),
                .readback = found.size(),
                .expected = *right,
                .found = *wrong};
}

}  // namespace

SelfTestBed::SelfTestBed(Device device)
    : device_{device}, driver_{device.ordinal(), counters_}, scope_{driver_}, base_{random_bytes()} {
  check(scope_.status(), "current_device");
  // Work on these two would go into the capture, or break it.
  for (const StreamRef stream : {StreamRef::legacy(), StreamRef::per_thread()}) {
    require_not_capturing(driver_, fault_, stream, {.operation = "self_test"});
  }
  open();
}

void SelfTestBed::open() {
  check(CopyStream::create(driver_, 0, non_blocking_), "stream_create");
  check(CopyStream::create_blocking(driver_, blocking_), "stream_create");
  check(driver_.device_allocate(size, source_.get()), "device_allocate");
  for (Block* const block : {&first_, &second_}) check(driver_.pinned_allocate(size, block->get()), "pinned_allocate");
  for (const Pattern pattern : {Pattern::first, Pattern::second}) fill(pattern, size);
}

// Memory must not go while a copy reads or writes it. On a lost device there is no such copy any more.
SelfTestBed::~SelfTestBed() {
  for (const StreamRef stream : streams()) static_cast<void>(driver_.stream_synchronize(stream.get()));
}

void SelfTestBed::check(Status status, const char* call) {
  if (!status.ok()) fault_.check(status, call, {.operation = "self_test"});
}

std::array<StreamRef, 4> SelfTestBed::streams() const {
  return {stream(), blocking_stream(), StreamRef::legacy(), StreamRef::per_thread()};
}

Stamp SelfTestBed::write(std::size_t bytes, StreamRef stream) {
  synchronize(stream);
  const Stamp stamp = fill(Pattern::first, bytes);
  enqueue(Pattern::first, bytes, stream);
  return stamp;
}

Stamp SelfTestBed::fill(Pattern pattern, std::size_t bytes) noexcept {
  const Stamp stamp = ++last_stamp_;
  stamped(memory_of(pattern).first(bytes), base_.data(), stamp);
  return stamp;
}

void SelfTestBed::enqueue(Pattern pattern, std::size_t bytes, StreamRef stream) {
  check(driver_.copy_to_device(source_.get(), memory_of(pattern).data(), bytes, stream.get()), "upload");
}

void SelfTestBed::delay(StreamRef stream) {
  constexpr int copies = 4;
  for (int i = 0; i < copies; ++i) {
    check(driver_.copy_to_device(static_cast<std::byte*>(source_.get()) + edge_size,
                                 memory_of(Pattern::second).data() + edge_size, size - edge_size, stream.get()),
          "upload");
  }
}

void SelfTestBed::synchronize(StreamRef stream) {
  check(driver_.stream_synchronize(stream.get()), "stream_synchronize");
}

void SelfTestBed::settle() {
  for (const StreamRef stream : streams()) synchronize(stream);
}

void SelfTestBed::compare(SelfTestPath& path, std::span<const std::byte> found, const DeviceView& region,
                          Stamp stamp) const {
  std::array<std::byte, 4096> expected;
  std::size_t offset = 0;
  for (std::size_t row = 0; row < region.height * region.depth; ++row) {
    const std::byte* base =
        base_.data() + region.offset + row / region.height * region.slice_pitch + row % region.height * region.pitch;
    for (std::size_t done = 0; done < region.width;) {
      const std::size_t bytes = std::min(region.width - done, expected.size());
      stamped(std::span{expected}.first(bytes), base + done, stamp);
      note_wrong(path, found, offset, std::span{expected}.first(bytes));
      done += bytes;
      offset += bytes;
    }
  }
  path.bytes += offset;
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
