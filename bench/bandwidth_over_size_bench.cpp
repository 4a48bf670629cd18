// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// Bandwidth over size, for the plot: a bare copy into pinned memory, a blocking copy into pageable memory, and
// Runtime::read into the same pageable memory, which has been touched before.

#include <tailrace/runtime.hpp>

#include "bench/support/read_pieces.hpp"
#include "bench/support/row.hpp"

#include <memory>
#include <string>
#include <vector>

namespace {

using namespace bench;

constexpr std::size_t kib = 1024;
constexpr std::size_t largest = plain::on_host ? 16 * kib * kib : 1024 * kib * kib;

/// Large and slow to make: made once, and kept until the process ends.
struct Setting {
  Source source{largest, 1};
  test::Stream producer;
  plain::Pinned pinned{largest};
  std::vector<std::byte> pageable{std::vector<std::byte>(largest)};
  tailrace::Runtime runtime{tailrace::Device{0}};

  Setting() {
    runtime.read(pageable, source.view(0), producer);
    source.check_all(0, pageable.data());
  }
  static Setting& the() {
    static Setting& setting = *std::make_unique<Setting>().release();
    return setting;
  }
};

void raw_copy(Setting& s, std::size_t bytes) {
  plain::copy_async(s.pinned.data(), s.source.piece(0), bytes, s.producer);
  s.producer.synchronize();
}

void against(benchmark::State& state, const char* name, std::size_t bytes, bool pinned) {
  Setting& s = Setting::the();
  const std::span destination{s.pageable.data(), bytes};
  // As many copies a turn as make the clock's and the caches' noise small.
  const std::size_t copies = std::max<std::size_t>(1, largest / 64 / bytes);
  const auto turn = [=](auto&& copy) {
    return timed([=] {
      for (std::size_t i = 0; i < copies; ++i) copy();
    });
  };
  const Row row{.name = name,
                .work = static_cast<double>(bytes * copies),
                .figure = Figure::gb_per_s,
                .x = static_cast<double>(bytes)};
  const Way ours = turn([=, &s] { s.runtime.read(destination, {s.source.piece(0), bytes}, s.producer); });
  const Way plain_way = pinned ? turn([=, &s] { raw_copy(s, bytes); })
                               : turn([=, &s] { plain::blocking_copy(destination, s.source.piece(0), s.producer); });
  plain_way();
  ours();
  take_turns(state, row, plain_way, ours);
}

const bool registered = [] {
  for (std::size_t bytes = 64 * kib; bytes <= largest; bytes *= 4) {
    const std::string size = std::to_string(bytes);
    const int turns = bytes == largest ? 5 : 15;
    add_large("bandwidth/pinned:" + size, turns,
              [=](auto& state) { against(state, "curve/bandwidth_pinned", bytes, true); });
    add_large("bandwidth/pageable:" + size, turns,
              [=](auto& state) { against(state, "curve/bandwidth_pageable", bytes, false); });
  }
  return true;
}();

}  // namespace
