// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "tests/soak/batch.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace soak {

/// The random load of one thread: each turn() is one of the ways to use the library, ended before it returns.
class Load {
 public:
  Load(World& world, unsigned thread);
  ~Load();
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  void turn();
  [[nodiscard]] const Tally& tally() const { return tally_; }

 private:
  void small_readbacks();
  void overwritten_sources();
  void recorded();
  void waiting_for_a_slot();
  void rings_that_are_given_up();
  void a_ring_of_its_own();
  void tagged_jobs();
  void large_read();
  void large_read_of_an_overwritten_source();

  template <class Rings>
  [[nodiscard]] Batch<Rings> batch(Rings& rings) {
    return {world_, rings, tally_, random_};
  }
  /// Submits some region of the stamps.
  template <class Rings>
  void submit_some(Batch<Rings>& batch, std::size_t most);
  std::size_t some_offset(std::size_t bytes);
  void check_read(bool good, std::size_t bytes);

  static constexpr std::size_t small_source = std::size_t{32} << 10;
  static constexpr std::size_t largest_read = std::size_t{8} << 20;
  static constexpr std::size_t large_source = std::size_t{2} << 20;

  World& world_;
  Random random_;
  std::string name_;
  Tally tally_{};
  test::Stream stream_{};
  test::Buffer own_{large_source};  ///< overwritten again and again
  std::vector<std::byte> pageable_ = std::vector<std::byte>(largest_read);
  std::span<std::byte> pinned_;
};

}  // namespace soak
