// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// A model checker: runs a small program of a few threads in every order in which their accesses to shared objects can
/// follow each other, and checks what is required on the way.
///
/// The threads are contexts of one real thread. Each hands control back before every access to a shared Object, and a
/// scheduler decides who goes on; an execution is the list of these decisions. The explorer goes through all lists,
/// depth first, running the program anew for each.
///
/// A state that was reached before is not gone on from again. A state is told by what each thread has seen, which is
/// all that its own state depends on, and by what is in the objects: their value, or, of an object that stands for more
/// than one value, such as a lock for what it guards, all that its last writer had seen. Data that no object stands for
/// must follow from that. (Told by 64-bit hashes.)
///
/// Accesses are sequentially consistent: what weaker memory orders permit is for ThreadSanitizer to find.

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace model {

/// Something that threads share. Made by the program of an execution, in the same order each time.
class Object {
 public:
  Object();
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

 private:
  friend class Execution;
  std::uint64_t number_;
  std::uint64_t content_ = 0;
};

// For threads of a program; outside of one they do nothing. arrive() comes right before the access, and exactly one of
// the others right after it.
void arrive() noexcept;
/// As arrive(), once the condition holds. The others run until then.
void arrive_when(std::function<bool()> holds) noexcept;
void has_read(Object& object) noexcept;
/// What it writes depends on all that it has seen, and on what it found there.
void has_written(Object& object) noexcept;
/// It writes this value, whatever it found.
void has_stored(Object& object, std::uint64_t value) noexcept;
/// Explores all answers 0…count − 1.
unsigned choose(unsigned count) noexcept;
/// What must hold. If it does not, this execution ends here, and the exploration with it.
void require(bool holds, const char* what) noexcept;

struct Program {
  std::vector<std::function<void()>> threads;
  std::function<void()> end;  ///< called when all threads have ended
};

struct Options {
  /// How often a thread that could go on is interrupted, at most. Few interruptions find most faults, and far fewer
  /// orders have few.
  unsigned interruptions = std::numeric_limits<unsigned>::max();
  /// A guard against programs that are too large; the report says if it ended the exploration.
  std::uint64_t most_executions = std::numeric_limits<std::uint64_t>::max();
};

struct Report {
  std::uint64_t executions = 0;
  std::uint64_t states = 0;  ///< with a decision to be made
  std::uint64_t accesses = 0;
  bool complete = false;
  std::string failure;  ///< what did not hold, or that the threads wait for each other; empty if all is well
  std::vector<unsigned> decisions;  ///< of the execution that failed: the thread, or the answer
};

/// @param make  makes the program of one execution, always the same
[[nodiscard]] Report explore(const std::function<Program()>& make, Options options = {});

}  // namespace model
