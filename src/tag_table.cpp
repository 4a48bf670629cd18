// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/tag_table.hpp"

#include <tailrace/error.hpp>

#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::detail {

namespace {

/// While a job waits for parallel work of its own, TBB must not run a drainer on top of it, whose job might wait for
/// this one. A thread that TBB does not know yet meets none, and need not be made known to it.
void run_isolated(Job& job) {
  if (tbb::this_task_arena::current_thread_index() == tbb::task_arena::not_initialized) {
    job();
  } else {
    tbb::this_task_arena::isolate([&job] { job(); });
  }
}

std::string quoted(std::string_view name) { return '"' + std::string{name} + '"'; }

}  // namespace

std::string describe(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

void Tag::run() noexcept { table_.run_queued(*this); }

std::atomic<TagTable*> TagTable::kept{nullptr};

TagTable::TagTable(std::shared_ptr<ArenaCore> arena, std::size_t queue_limit, LogHandler log)
    : arena_{std::move(arena)}, queue_limit_{std::max<std::size_t>(queue_limit, 1)}, logger_{std::move(log)} {}

TagTable::~TagTable() {
  constexpr std::size_t most_named = 8;
  std::size_t count = 0;
  std::string names;
  try {
    for (const auto& [name, tag] : tags_) {
      if (tag->exception_ == nullptr || tag->dropped_ || ++count > most_named) continue;
      names += (names.empty() ? "" : "; ") + quoted(name) + ": " + describe(tag->exception_);
    }
    if (count == 0) return;
    if (count > most_named) names += "; and " + std::to_string(count - most_named) + " more";
    logger_.warn("copy streams: " + std::to_string(count) +
                 " tags ended with an exception and were never waited for: " + names +
                 ". Fix: call async_wait() for every tag");
  } catch (...) {
    logger_.warn(
        "copy streams: tags ended with exceptions and were never waited for. Fix: call async_wait() for every tag");
  }
}

void TagTable::check(const char* operation) {
  guard_.check(operation);
  if (!exit_watched_.exchange(true, std::memory_order_relaxed)) ProcessGuard::watch_exit();
}

/// With the lock held.
void TagTable::refuse_new(std::string_view name, const char* operation) const {
  if (closed_) {
    throw Error{Errc::closed, "the copy streams are closed", "start work before close()", {.operation = operation}};
  }
  if (tags_.contains(name)) {
    throw Error{Errc::tag_in_flight,
                "the tag " + quoted(name) + " is in use",
                "wait for it with async_wait() first, or take another tag",
                {.operation = operation}};
  }
}

/// With the lock held.
std::shared_ptr<Tag> TagTable::find(std::string_view name, const char* operation) const {
  if (const auto found = tags_.find(name); found != tags_.end()) return found->second;
  throw Error{Errc::unknown_tag,
              "nothing was started under the tag " + quoted(name) + ", or it was waited for already",
              "start it first, and wait once",
              {.operation = operation}};
}

/// A job that blocked would hold a worker that the queue needs to get shorter. And if no worker is at work, perhaps
/// none can be while this thread blocks: it may be the foreign arena's only one.
bool TagTable::runs_inline() const { return RunningTag::innermost != nullptr || !arena_->draining(); }

void TagTable::start(std::string_view name, Job job) {
  check("async_load");
  const auto self = shared_from_this();  // outlives a submitter that close() wakes
  const std::shared_ptr<Tag> tag{new Tag{*this, name}};
  tag->job_ = std::move(job);
  Lock lock{mutex_};
  refuse_new(name, "async_load");
  const bool full = queued_ >= queue_limit_;
  const bool run_inline = full && runs_inline();
  if (full && !run_inline) {
    space_.wait(lock, [this] { return queued_ < queue_limit_ || closed_; });
    refuse_new(name, "async_load");
  }
  const auto entry = tags_.emplace(tag->name(), tag).first;
  if (run_inline) {
    tag->state_ = Tag::State::running;
    ++unfinished_;
    lock.unlock();
    run(*tag);
    return;
  }
  try {
    arena_->enqueue(tag);
  } catch (...) {
    tags_.erase(entry);
    throw;
  }
  ++queued_;
  ++unfinished_;
  lock.unlock();
  arena_->start_drainers(1);
}

std::shared_ptr<Tag> TagTable::open(std::string_view name, std::function<bool()> help) {
  check("async_read");
  std::shared_ptr<Tag> tag{new Tag{*this, name}};
  tag->state_ = Tag::State::running;
  tag->awaited_ = false;
  tag->help_ = std::move(help);
  const std::scoped_lock lock{mutex_};
  refuse_new(name, "async_read");
  tags_.emplace(tag->name(), tag);
  return tag;
}

void TagTable::wait(std::string_view name) {
  check("async_wait");
  const auto self = shared_from_this();
  std::function<bool()> help;  // not to be destroyed with the lock held
  Lock lock{mutex_};
  const std::shared_ptr<Tag> tag = claim(name);
  help = std::exchange(tag->help_, nullptr);
  join(*tag, help, lock);
  std::exception_ptr exception = std::exchange(tag->exception_, nullptr);
  lock.unlock();
  if (exception) std::rethrow_exception(std::move(exception));
}

/// Takes the tag out of the map. With the lock held.
std::shared_ptr<Tag> TagTable::claim(std::string_view name) {
  if (waits_for_itself(name)) {
    throw Error{Errc::own_tag,
                "the task of the tag " + quoted(name) + " waits for itself",
                "wait for it outside of its own function",
                {.operation = "async_wait"}};
  }
  std::shared_ptr<Tag> tag = find(name, "async_wait");
  tags_.erase(tag->name());
  return tag;
}

/// Whether a wait for the tag, here and now, would never end: its job runs further out on this thread, or sleeps until
/// a job that does. With the lock held.
bool TagTable::waits_for_itself(std::string_view name) const {
  const auto found = tags_.find(name);
  if (found == tags_.end()) {  // somebody waits for it already; if it is our own, that is the better message
    return RunningTag::any([&](const Tag& tag) { return &tag.table_ == this && tag.name() == name; });
  }
  for (const Tag* link = found->second.get(); link != nullptr; link = link->waits_for_) {
    if (RunningTag::any([link](const Tag& tag) { return &tag == link; })) return true;
  }
  return false;
}

/// Waits until a claimed tag has finished: runs the job if nobody has started it, helps a read, else sleeps.
void TagTable::join(Tag& tag, const std::function<bool()>& help, Lock& lock) {
  // Pieces of a read may come at any time and without a word.
  constexpr std::chrono::microseconds help_interval{500};
  if (tag.state_ == Tag::State::queued && arena_->withdraw(tag)) {
    lock.unlock();
    run_queued(tag);
    lock.lock();
  }
  const auto over = [&tag] { return tag.state_ == Tag::State::finished; };
  while (help && !over()) {
    lock.unlock();
    const bool helped = help();
    lock.lock();
    if (!helped) done_.wait_for(lock, help_interval, over);
  }
  const auto sleep_on = [this](const Tag* target) {
    RunningTag::any([this, target](Tag& running) {
      if (&running.table_ == this) running.waits_for_ = target;
      return false;
    });
  };
  sleep_on(&tag);
  done_.wait(lock, over);
  sleep_on(nullptr);
}

bool TagTable::finished(std::string_view name) const {
  guard_.check("finished");
  const std::scoped_lock lock{mutex_};
  return find(name, "finished")->state_ == Tag::State::finished;
}

/// Runs a job that has just left the queue.
void TagTable::run_queued(Tag& tag) noexcept {
  {
    const std::scoped_lock lock{mutex_};
    tag.state_ = Tag::State::running;
    --queued_;
    space_.notify_all();
  }
  run(tag);
}

/// Runs the job of a tag that is *running*, destroys its function and stores the outcome.
void TagTable::run(Tag& tag) noexcept {
  const auto self = shared_from_this();  // the job may destroy the owner of the table
  std::exception_ptr exception;
  {
    const RunningTag frame{tag};
    Job job = std::move(tag.job_);
    try {
      run_isolated(job);
    } catch (...) {
      exception = std::current_exception();
    }
    job.reset();
  }
  settle(tag, std::move(exception));
}

void TagTable::settle(Tag& tag, std::exception_ptr exception) noexcept {
  const std::scoped_lock lock{mutex_};
  tag.exception_ = std::move(exception);
  tag.state_ = Tag::State::finished;
  if (tag.awaited_) --unfinished_;
  done_.notify_all();  // under the lock, since the table may go as soon as it is released
}

void TagTable::finish(const std::shared_ptr<Tag>& tag, std::exception_ptr exception) noexcept {
  std::function<bool()> help;
  {
    const std::scoped_lock lock{mutex_};
    help = std::exchange(tag->help_, nullptr);
  }
  settle(*tag, std::move(exception));
}

void TagTable::cancel(const std::shared_ptr<Tag>& tag, std::exception_ptr exception) noexcept {
  std::shared_ptr<void> attachment;
  {
    const std::scoped_lock lock{mutex_};
    const auto found = tags_.find(tag->name());
    if (found != tags_.end() && found->second == tag) tags_.erase(found);
    attachment = std::move(tag->attachment_);
  }
  finish(tag, std::move(exception));
}

void TagTable::attach(const std::shared_ptr<Tag>& tag, std::shared_ptr<void> object) {
  const std::scoped_lock lock{mutex_};
  tag->attachment_.swap(object);
}

std::shared_ptr<void> TagTable::attachment(std::string_view name) const {
  guard_.check("guard_source");
  const std::scoped_lock lock{mutex_};
  return find(name, "guard_source")->attachment_;
}

CopyStreamsReport TagTable::close() {
  guard_.check("close");
  const auto self = shared_from_this();
  const auto reason = std::make_exception_ptr(Error{Errc::job_dropped,
                                                    "the job had not started when its copy streams were closed",
                                                    "wait for the tag before closing, or do without its effect",
                                                    {.operation = "async_wait"}});
  Lock lock{mutex_};
  closed_ = true;
  const Tags dropped = withdraw_queued();
  excuse_callers();
  const CopyStreamsReport report{.joined = unfinished_ - dropped.size(), .dropped = dropped.size()};
  space_.notify_all();
  lock.unlock();
  drop(dropped, reason);
  lock.lock();
  done_.wait(lock, [this] { return unfinished_ == 0; });
  return report;
}

/// With the lock held. Those that a drainer has taken in the meantime are left to run.
TagTable::Tags TagTable::withdraw_queued() {
  Tags withdrawn;
  withdrawn.reserve(queued_);
  for (const auto& [name, tag] : tags_) {
    if (tag->state_ != Tag::State::queued || !arena_->withdraw(*tag)) continue;
    tag->state_ = Tag::State::running;  // no longer a waiter's to run
    withdrawn.push_back(tag);
    --queued_;
  }
  return withdrawn;
}

void TagTable::drop(const Tags& tags, const std::exception_ptr& reason) noexcept {
  for (const std::shared_ptr<Tag>& tag : tags) {
    tag->job_.reset();
    tag->dropped_ = true;
    settle(*tag, reason);
  }
}

/// With the lock held. Jobs that close() is called in cannot be joined by it, nor by a close() elsewhere that they may
/// wait for in turn.
void TagTable::excuse_callers() noexcept {
  RunningTag::any([this](Tag& tag) {
    if (&tag.table_ == this && std::exchange(tag.awaited_, false)) --unfinished_;
    return false;
  });
  done_.notify_all();
}

void TagTable::keep(std::shared_ptr<TagTable> table) noexcept {
  TagTable& kept_table = *table;
  kept_table.self_ = std::move(table);
  kept_table.next_kept_ = kept.exchange(&kept_table);
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
