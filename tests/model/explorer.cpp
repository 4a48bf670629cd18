// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/model/explorer.hpp"

#include "tests/model/context.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

namespace model {

namespace {

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) noexcept {
  std::uint64_t x = seed + 0x9E3779B97F4A7C15U * (value + 1);
  x = (x ^ x >> 30U) * 0xBF58476D1CE4E5B9U;
  x = (x ^ x >> 27U) * 0x94D049BB133111EBU;
  return x ^ x >> 31U;
}

}  // namespace

/// The decisions of all executions, as the path through their tree that is being taken.
class Search {
 public:
  explicit Search(Options options) : options_{options} {}

  void begin() {
    depth_ = 0;
    known_ = false;
  }
  /// One of the candidates. @param state  told by it, unless 0: not to be looked up
  unsigned decide(const std::vector<unsigned>& candidates, std::uint64_t state, unsigned interruptions_left) {
    if (depth_ < path_.size()) {
      const Node& node = path_[depth_++];
      return node.candidates[node.at];
    }
    // What follows a known state was explored, or will be: it only runs to its end.
    if (known_ || (state != 0 && !is_new(state, interruptions_left))) {
      known_ = true;
      return candidates.front();
    }
    path_.push_back({candidates, 0});
    ++depth_;
    return candidates.front();
  }
  /// @returns false if all was explored
  bool next() {
    while (!path_.empty() && path_.back().at + 1 == path_.back().candidates.size()) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().at;
    return true;
  }
  [[nodiscard]] std::uint64_t states() const { return visited_.size(); }
  [[nodiscard]] const Options& options() const { return options_; }

 private:
  struct Node {
    std::vector<unsigned> candidates;
    std::size_t at;
  };
  bool is_new(std::uint64_t state, unsigned interruptions_left) {
    const auto [found, inserted] = visited_.try_emplace(state, interruptions_left);
    if (inserted) return true;
    if (found->second >= interruptions_left) return false;
    found->second = interruptions_left;
    return true;
  }

  const Options options_;
  std::vector<Node> path_;
  std::size_t depth_ = 0;
  bool known_ = false;
  std::unordered_map<std::uint64_t, unsigned> visited_;  // and with how many interruptions left
};

/// The contexts of the threads, for one execution after the other.
class Contexts {
 public:
  Context& take(std::size_t thread) {
    if (thread == contexts_.size()) contexts_.push_back(std::make_unique<Context>());
    return *contexts_[thread];
  }
  /// Threads are in the middle of something: what is on their stacks stays there for ever.
  void abandon() {
    for (auto& context : contexts_) static_cast<void>(context.release());
    contexts_.clear();
  }

 private:
  std::vector<std::unique_ptr<Context>> contexts_;
};

/// One run of the program.
class Execution {
 public:
  Execution(Search& search, Contexts& contexts, Report& report)
      : search_{search}, contexts_{contexts}, report_{report}, interruptions_left_{search.options().interruptions} {
    current = this;
  }
  ~Execution() { current = nullptr; }
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// @returns false if something failed; then threads may be left in the middle, and so must what they use
  bool run(const std::function<Program()>& make) {
    Program& program = *(program_ = new Program{make()});
    for (std::size_t i = 0; i < program.threads.size(); ++i) {
      threads_.push_back(std::make_unique<Thread>(contexts_.take(i), mixed(0, i)));
      threads_[i]->context.begin([this, i] {
        program_->threads[i]();
        threads_[i]->ended = true;
      });
    }
    for (const auto& thread : threads_) resume(*thread);  // up to their first accesses
    while (report_.failure.empty() && go_on()) {
    }
    if (report_.failure.empty() && program.end) program.end();
    if (report_.failure.empty()) {
      delete std::exchange(program_, nullptr);
      return true;
    }
    contexts_.abandon();
    report_.decisions = decisions_;
    return false;
  }

  void arrive(std::function<bool()> holds) {
    if (running_ == nullptr) return;
    running_->waits_for = std::move(holds);
    ++report_.accesses;
    running_->context.hand_back();
  }
  void has_read(const Object& object) noexcept {
    if (running_ == nullptr) return;
    running_->seen = mixed(mixed(running_->seen, object.number_), object.content_);
  }
  void has_written(Object& object) noexcept {
    if (running_ == nullptr) return;
    has_read(object);
    change(object, running_->seen);
  }
  void has_stored(Object& object, std::uint64_t value) noexcept {
    if (running_ == nullptr) return;
    running_->seen = mixed(running_->seen, object.number_);
    change(object, mixed(object.number_, value));
  }
  unsigned choose(unsigned count) {
    if (running_ == nullptr) return 0;
    std::vector<unsigned> answers(count);
    for (unsigned i = 0; i < count; ++i) answers[i] = i;
    const unsigned answer = search_.decide(answers, 0, 0);
    decisions_.push_back(answer);
    running_->seen = mixed(running_->seen, answer);
    return answer;
  }
  void fail(const char* what) {
    if (report_.failure.empty()) report_.failure = what;
    if (running_ != nullptr) running_->context.hand_back();  // for ever
  }
  std::uint64_t next_number() { return ++numbers_; }

  static Execution* current;

 private:
  struct Thread {
    Thread(Context& runs_in, std::uint64_t first) : context{runs_in}, seen{first} {}
    Context& context;
    std::uint64_t seen;  // all that it did and found
    bool ended = false;
    std::function<bool()> waits_for;
  };

  void change(Object& object, std::uint64_t content) noexcept {
    objects_ += mixed(object.number_, content) - mixed(object.number_, object.content_);
    object.content_ = content;
  }

  /// Lets one thread do one access, and run up to its next. @returns false if there is none that could
  bool go_on() {
    const std::vector<unsigned> candidates = who_can();
    if (candidates.empty()) {
      if (!std::ranges::all_of(threads_, [](const auto& thread) { return thread->ended; })) {
        fail("the threads wait for each other");
      }
      return false;
    }
    const unsigned chosen =
        candidates.size() == 1 ? candidates.front() : search_.decide(candidates, state(), interruptions_left_);
    if (can_go_on_ && chosen != last_) --interruptions_left_;
    last_ = chosen;
    decisions_.push_back(chosen);
    if (decisions_.size() > longest) {
      fail("the threads do not end");
      return false;
    }
    resume(*threads_[chosen]);
    return true;
  }
  void resume(Thread& thread) {
    running_ = &thread;
    thread.context.resume();
    running_ = nullptr;
  }

  /// The thread that ran last comes first, so that the first orders are those with the fewest interruptions.
  std::vector<unsigned> who_can() {
    std::vector<unsigned> candidates;
    can_go_on_ = last_ < threads_.size() && able(*threads_[last_]);
    if (can_go_on_) candidates.push_back(last_);
    if (can_go_on_ && interruptions_left_ == 0) return candidates;
    for (unsigned i = 0; i < threads_.size(); ++i) {
      if (i != last_ && able(*threads_[i])) candidates.push_back(i);
    }
    return candidates;
  }
  static bool able(const Thread& thread) { return !thread.ended && (!thread.waits_for || thread.waits_for()); }

  [[nodiscard]] std::uint64_t state() const {
    std::uint64_t all = objects_;
    for (const auto& thread : threads_) all = mixed(all, thread->seen);
    // With a bound on interruptions it matters whom the next one interrupts.
    if (search_.options().interruptions != Options{}.interruptions) all = mixed(all, last_);
    return all | 1U;
  }

  static constexpr std::size_t longest = 100'000;
  Search& search_;
  Contexts& contexts_;
  Report& report_;
  Program* program_ = nullptr;  // kept for ever if it fails
  std::vector<std::unique_ptr<Thread>> threads_;
  Thread* running_ = nullptr;
  unsigned last_ = std::numeric_limits<unsigned>::max();
  bool can_go_on_ = false;  // the thread that ran last
  unsigned interruptions_left_;
  std::uint64_t objects_ = 0;
  std::uint64_t numbers_ = 0;
  std::vector<unsigned> decisions_;
};

Execution* Execution::current = nullptr;

Object::Object() : number_{Execution::current != nullptr ? Execution::current->next_number() : 0} {}

void arrive() noexcept { arrive_when({}); }
void arrive_when(std::function<bool()> holds) noexcept {
  if (Execution::current != nullptr) Execution::current->arrive(std::move(holds));
}
void has_read(Object& object) noexcept {
  if (Execution::current != nullptr) Execution::current->has_read(object);
}
void has_written(Object& object) noexcept {
  if (Execution::current != nullptr) Execution::current->has_written(object);
}
void has_stored(Object& object, std::uint64_t value) noexcept {
  if (Execution::current != nullptr) Execution::current->has_stored(object, value);
}
unsigned choose(unsigned count) noexcept {
  return Execution::current != nullptr ? Execution::current->choose(count) : 0;
}
void require(bool holds, const char* what) noexcept {
  if (!holds && Execution::current != nullptr) Execution::current->fail(what);
}

Report explore(const std::function<Program()>& make, Options options) {
  Report report;
  Search search{options};
  Contexts contexts;
  do {
    search.begin();
    Execution execution{search, contexts, report};
    ++report.executions;
    if (!execution.run(make)) break;
    report.complete = !search.next();
  } while (!report.complete && report.executions < options.most_executions);
  report.states = search.states();
  return report;
}

}  // namespace model
