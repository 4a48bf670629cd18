// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/copy_streams.hpp>

#include "src/tag_table.hpp"

#include <tailrace/error.hpp>

#include <string>
#include <utility>

namespace tailrace::inline TAILRACE_ABI {

CopyStreams::CopyStreams(CopyStreamsOptions options) {
  const CopyArena arena = options.arena ? std::move(*options.arena) : CopyArena::default_arena();
  if (arena.core_ == nullptr) {
    throw Error{Errc::invalid_argument,
                "the copy arena was moved from",
                "give the arena that it was moved to",
                {.operation = "CopyStreams"}};
  }
  table_ = std::make_shared<detail::TagTable>(arena.core_, options.queue_limit, std::move(options.log));
}

CopyStreams::CopyStreams(CopyStreams&&) noexcept = default;

CopyStreams& CopyStreams::operator=(CopyStreams&& other) noexcept {
  CopyStreams old{std::move(*this)};
  table_ = std::move(other.table_);
  return *this;
}

CopyStreams::~CopyStreams() {
  if (table_ == nullptr) return;
  if (!table_->guard().usable()) {
    detail::TagTable::keep(std::move(table_));
    return;
  }
  const detail::Logger& logger = table_->logger();
  try {
    const auto [joined, dropped] = table_->close();
    if (joined == 0 && dropped == 0) return;
    const std::string text = "copy streams ended with work under way: joined " + std::to_string(joined) +
                             " running jobs, dropped " + std::to_string(dropped) + " that had not started";
    logger.write(dropped == 0 ? LogLevel::info : LogLevel::warning,
                 dropped == 0 ? text : text + ". Fix: call async_wait() for every tag");
  } catch (...) {
    logger.error("copy streams could not be closed; their jobs are left running. Fix: free memory");
    detail::TagTable::keep(std::move(table_));
  }
}

detail::TagTable& CopyStreams::table() const {
  if (table_ != nullptr) return *table_;
  throw Error{Errc::closed,
              "the copy streams were moved from",
              "use the object that they were moved to",
              {.operation = "CopyStreams"}};
}

void CopyStreams::start(std::string_view tag, detail::Job job) { table().start(tag, std::move(job)); }

void CopyStreams::async_wait(std::string_view tag) { table().wait(tag); }

bool CopyStreams::finished(std::string_view tag) const { return table().finished(tag); }

/// Compute's exception is on its way to the caller; what the copy throws on top of it can only be logged.
void CopyStreams::join_quietly(std::string_view tag) noexcept {
  std::exception_ptr exception;
  try {
    table().wait(tag);
    return;
  } catch (const Error& error) {
    if (error.errc() == Errc::unknown_tag) return;  // compute waited for it
    exception = std::current_exception();
  } catch (...) {
    exception = std::current_exception();
  }
  try {
    table().logger().warn("overlap_copy_compute: compute threw, and so did the copy under the tag \"" +
                          std::string{tag} + "\": " + detail::describe(exception));
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory for a message
  }
}

CopyStreamsReport CopyStreams::close() { return table().close(); }

}  // namespace tailrace::inline TAILRACE_ABI
