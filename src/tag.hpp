// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "src/copy_arena_core.hpp"

#include <tailrace/detail/job.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tailrace::inline TAILRACE_ABI::detail {

class TagTable;

/// One use of a tag, from its start until somebody has waited for it: a job, or a read that completes elsewhere.
/// Everything but the name is guarded by the table's mutex.
class Tag final : public ArenaJob {
 public:
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// A drainer of the arena has taken the job.
  void run() noexcept override;

 private:
  friend class TagTable;
  enum class State : std::uint8_t {
    queued,   ///< in the arena's queue, or just taken out of it
    running,  ///< a job that runs, or a read under way
    finished  ///< the outcome is there
  };

  Tag(TagTable& table, std::string_view name) : table_{table}, name_{name} {}

  TagTable& table_;  ///< outlives the tag's job: it is awaited before the table goes
  const std::string name_;
  State state_ = State::queued;
  bool awaited_ = true;   ///< close() waits for it: not for the job that called it, nor for a read
  bool dropped_ = false;  ///< close() has reported it
  Job job_;
  std::function<bool()> help_;
  std::shared_ptr<void> attachment_;
  std::exception_ptr exception_;
  const Tag* waits_for_ = nullptr;  ///< what the thread that runs the job sleeps on
};

/// The jobs that run on this thread, innermost first: a job may run another one, by waiting for it.
struct RunningTag {
  explicit RunningTag(Tag& running) noexcept : tag{&running}, outer{innermost} { innermost = this; }
  RunningTag(const RunningTag&) = delete;
  RunningTag& operator=(const RunningTag&) = delete;
  ~RunningTag() { innermost = outer; }

  /// True if the predicate is true of any of them; it is asked no further then.
  template <class Predicate>
  static bool any(Predicate predicate) {
    for (const RunningTag* frame = innermost; frame != nullptr; frame = frame->outer) {
      if (predicate(*frame->tag)) return true;
    }
    return false;
  }

  Tag* tag;
  RunningTag* outer;
  inline static thread_local RunningTag* innermost = nullptr;
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
