// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/host_copy.hpp"

#include "src/streaming_copy.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace tailrace::inline TAILRACE_ABI::detail {

namespace {

// Since Linux 5.14, and in its headers only since then.
#ifdef MADV_POPULATE_WRITE
constexpr int populate_write = MADV_POPULATE_WRITE;
#else
constexpr int populate_write = 23;
#endif

std::uintptr_t page_size() noexcept {
  static const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return size;
}

struct Pages {
  std::uintptr_t begin;
  std::uintptr_t end;  ///< not above `begin` if there is none
};

/// Those that lie wholly inside: nothing may happen to a neighbour's.
Pages whole_pages(const std::byte* range, std::size_t bytes) noexcept {
  const std::uintptr_t page = page_size();
  const auto begin = reinterpret_cast<std::uintptr_t>(range);
  return {.begin = (begin + page - 1) / page * page, .end = (begin + bytes) / page * page};
}

class KeepErrno {
 public:
  KeepErrno() noexcept : kept_{errno} {}
  ~KeepErrno() { errno = kept_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int kept_;
};

/// The page faults of a write to every page, in one system call. Where it fails the copy takes them one by one.
void populate(std::byte* range, std::size_t bytes) noexcept {
  const Pages pages = whole_pages(range, bytes);
  if (pages.end <= pages.begin) return;
  const KeepErrno keep;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address is what is rounded
  static_cast<void>(madvise(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin, populate_write));
}

}  // namespace

bool looks_resident(const std::byte* range, std::size_t bytes) noexcept {
  const Pages pages = whole_pages(range, bytes);
  if (pages.end <= pages.begin) return true;
  const KeepErrno keep;
  unsigned char state = 1;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  const int failed = mincore(reinterpret_cast<void*>(pages.end - page_size()), page_size(), &state);
  return failed != 0 || (state & 1U) != 0;
}

void host_copy(HostCopy how, std::byte* destination, const std::byte* source, std::size_t bytes) noexcept {
  if (how == HostCopy::streaming) return streaming_copy(destination, source, bytes);
  // What the kernel has just zeroed should still be in the second-level cache when it is overwritten.
  const std::size_t step = how == HostCopy::fresh ? std::size_t{512} << 10 : std::max<std::size_t>(bytes, 1);
  for (std::size_t done = 0; done < bytes; done += step) {
    const std::size_t length = std::min(step, bytes - done);
    if (how == HostCopy::fresh) populate(destination + done, length);
    std::memcpy(destination + done, source + done, length);
  }
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
