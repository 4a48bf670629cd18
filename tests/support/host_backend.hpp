// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// What the tests of the host backend share: owners of its handles, and a fixture that leaves it as it found it. They
/// use it through the seam, as the core does, and through the calls and controls that programs have.

#include <tailrace/error.hpp>
#include <tailrace/host_device.hpp>
#include <tailrace/testing.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "backends/adapter.hpp"

namespace test::host_backend {

using namespace tailrace;
namespace control = tailrace::control;
using backend::Outcome;
using backend::Status;
using control::StreamHold;

inline Outcome outcome(Status status) { return status.outcome; }

class Buffer {
 public:
  explicit Buffer(std::size_t bytes) : data_{static_cast<std::byte*>(host::allocate(bytes))} {}
  ~Buffer() { host::deallocate(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }
  std::byte* release() { return std::exchange(data_, nullptr); }

 private:
  std::byte* data_;
};

class Pinned {
 public:
  explicit Pinned(std::size_t bytes) : data_{static_cast<std::byte*>(host::allocate_pinned(bytes))} {
    std::memset(data_, 0, bytes);
  }
  ~Pinned() { host::deallocate_pinned(data_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }
  std::byte* release() { return std::exchange(data_, nullptr); }

 private:
  std::byte* data_;
};

class Stream {
 public:
  explicit Stream(host::StreamKind kind = host::StreamKind::non_blocking) : handle_{host::create_stream(kind)} {}
  ~Stream() { host::destroy_stream(handle_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator native_stream() const { return handle_; }  // NOLINT(google-explicit-constructor)
  operator StreamRef() const { return handle_; }      // NOLINT(google-explicit-constructor)

 private:
  native_stream handle_;
};

class Event {
 public:
  Event() { EXPECT_TRUE(backend::event_create(handle_).ok()); }
  ~Event() { static_cast<void>(backend::event_destroy(handle_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator native_event() const { return handle_; }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] Outcome query() const { return backend::event_query(handle_).outcome; }

 private:
  native_event handle_ = nullptr;
};

inline Outcome record(native_event event, native_stream stream) {
  return outcome(backend::event_record(event, stream));
}
inline Outcome copy(const Pinned& to, const Buffer& from, std::size_t bytes, native_stream stream) {
  return outcome(backend::copy_to_host(to.data(), {.data = from.data(), .width = bytes}, stream));
}

template <class Call>
Errc errc_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_NE(std::string_view{error.what()}.find("Fix: "), std::string_view::npos);
    return error.errc();
  }
  ADD_FAILURE() << "nothing was thrown";
  return Errc{};
}

class HostBackend : public ::testing::Test {
 protected:
  HostBackend() { reset(); }
  ~HostBackend() override { reset(); }

 private:
  static void reset() {
    control::clear_failures();
    control::revive_devices();
    control::complete_copies_at_enqueue(false);
    control::limit_pinned_bytes(std::numeric_limits<std::size_t>::max());
    host::set_device(0);
    host::get_last_error();
  }
};

}  // namespace test::host_backend
