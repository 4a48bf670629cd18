// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "tests/soak/world.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace soak {

using Random = std::mt19937_64;

/// A number below @p end.
inline std::size_t below(Random& random, std::size_t end) { return random() % end; }

/// What a readback must bring.
struct Expected {
  enum class Kind : std::uint8_t { stamps, rows_of_stamps, one_value };
  Kind kind = Kind::stamps;
  std::uint64_t what = 0;  ///< an offset into the stamps; of one_value, that value in every word
};

inline constexpr std::size_t row_bytes = 48;
inline constexpr std::size_t row_pitch = 256;

inline bool every_word_is(std::span<const std::byte> bytes, std::uint64_t value) {
  std::array<std::uint64_t, 64> words{};
  words.fill(value);
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), sizeof words))) {
    if (std::memcmp(bytes.data(), words.data(), std::min(bytes.size(), sizeof words)) != 0) return false;
  }
  return true;
}

inline bool is_as_expected(const Stamps& stamps, std::span<const std::byte> bytes, const Expected& expected) {
  switch (expected.kind) {
    case Expected::Kind::stamps: return stamps.are(bytes, expected.what);
    case Expected::Kind::one_value: return every_word_is(bytes, expected.what);
    case Expected::Kind::rows_of_stamps: break;
  }
  for (std::size_t row = 0; row * row_bytes < bytes.size(); ++row) {
    if (!stamps.are(bytes.subspan(row * row_bytes, row_bytes), expected.what + row * row_pitch)) return false;
  }
  return true;
}

/// Tickets of one thread, of one ring or ring set, that are finished in every way there is: looked at in place,
/// collected, waited for and tried, discarded. What is left when it ends, because of an error, is discarded.
template <class Rings>
class Batch {
 public:
  Batch(World& world, Rings& rings, Tally& tally, Random& random)
      : world_{world}, rings_{rings}, tally_{tally}, random_{random} {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() {
    for (; !entries_.empty(); entries_.pop_front()) discard(entries_.front().ticket);
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  void add(const tailrace::Ticket& ticket, const Expected& expected) {
    Tally::add(tally_.accepted);
    entries_.push_back({ticket, expected});
  }
  /// Submits as soon as there is a slot, of which some may be held by this batch itself.
  tailrace::Ticket submit(const tailrace::DeviceView& view, tailrace::StreamRef stream, const Expected& expected) {
    for (;;) {
      if (const auto ticket = rings_.try_submit(view, stream)) {
        add(*ticket, expected);
        return *ticket;
      }
      Tally::add(tally_.refused);
      if (entries_.empty()) {
        std::this_thread::yield();
      } else {
        finish_oldest();
      }
    }
  }
  void finish_oldest() {
    const Entry entry = entries_.front();
    entries_.pop_front();
    try {
      finish(entry);
    } catch (const tailrace::Error& error) {
      if (error.errc() == tailrace::Errc::copy_failed && world_.options.faults) return Tally::add(tally_.failed);
      entries_.push_front(entry);
      throw;
    }
  }
  void finish_all() {
    while (!entries_.empty()) finish_oldest();
  }

 private:
  struct Entry {
    tailrace::Ticket ticket;
    Expected expected;
  };

  void finish(const Entry& entry) {
    const auto look = [&](std::span<const std::byte> bytes) { check(bytes, entry); };
    switch (below(random_, 16)) {
      case 0: return discard(entry.ticket);
      case 1: return look(std::span{room_}.first(rings_.collect(entry.ticket, room_)));
      case 2: rings_.wait(entry.ticket); break;
      case 3:
        while (!rings_.try_visit(entry.ticket, look)) rings_.poll();
        return;
      case 4:
        if (const auto bytes = rings_.try_collect(entry.ticket)) return look(*bytes);
        break;
      default: break;
    }
    rings_.visit(entry.ticket, look);
  }
  void check(std::span<const std::byte> bytes, const Entry& entry) {
    Tally::add(tally_.collected);
    if (bytes.size() == entry.ticket.size() && is_as_expected(world_.stamps, bytes, entry.expected)) return;
    Tally::add(tally_.torn);
    world_.complaints.add("torn: submission " + std::to_string(entry.ticket.sequence()) + " of ring " +
                          std::to_string(entry.ticket.ring()) + ", " + std::to_string(bytes.size()) + " bytes");
  }
  void discard(const tailrace::Ticket& ticket) {
    try {
      rings_.discard(ticket);
      Tally::add(tally_.discarded);
    } catch (const tailrace::Error& error) {
      world_.complaints.add(error.what());
    }
  }

  World& world_;
  Rings& rings_;
  Tally& tally_;
  Random& random_;
  std::deque<Entry> entries_;
  std::vector<std::byte> room_ = std::vector<std::byte>(std::size_t{128} << 10);
};

}  // namespace soak
