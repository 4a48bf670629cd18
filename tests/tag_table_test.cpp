// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/tag_table.hpp"
#include "tests/support/copies.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

namespace tailrace::test {
namespace {

using detail::ArenaCore;
using detail::Job;
using detail::Tag;
using detail::TagTable;

bool nothing_to_do() { return false; }

class TagTableTest : public ::testing::Test {
 protected:
  std::shared_ptr<TagTable> table =
      std::make_shared<TagTable>(ArenaCore::own({.concurrency = 2, .numa_node = {}}), 256, LogHandler{});
};

TEST_F(TagTableTest, LoadsAndReadsShareOneNameSpace) {
  const std::shared_ptr<Tag> read = table->open("tag", nothing_to_do);
  EXPECT_EQ(error_of([&] { table->start("tag", Job{[] {}}); }), Errc::tag_in_flight);
  table->finish(read, nullptr);
  table->wait("tag");
  table->start("tag", Job{[] {}});
  EXPECT_EQ(error_of([&] { table->open("tag", nothing_to_do); }), Errc::tag_in_flight);
  table->wait("tag");
}

TEST_F(TagTableTest, AReadEndsWithItsException) {
  const std::shared_ptr<Tag> read = table->open("tag", nothing_to_do);
  EXPECT_FALSE(table->finished("tag"));
  table->finish(read, std::make_exception_ptr(std::runtime_error{"chunk 6"}));
  EXPECT_TRUE(table->finished("tag"));
  EXPECT_THROW(table->wait("tag"), std::runtime_error);
}

TEST_F(TagTableTest, AWaiterHelpsUntilTheReadIsOver) {
  std::atomic<int> helped{0};
  const std::shared_ptr<Tag> read = table->open("tag", [&helped] { return ++helped < 3; });
  const std::jthread finisher{[&] {
    while (helped < 5) std::this_thread::yield();
    table->finish(read, nullptr);
  }};
  table->wait("tag");
  EXPECT_GE(helped, 5);
}

TEST_F(TagTableTest, AHelperMayFinishTheRead) {
  std::shared_ptr<Tag> read;
  read = table->open("tag", [&] {
    table->finish(read, nullptr);
    return true;
  });
  table->wait("tag");
}

TEST_F(TagTableTest, AnAttachmentIsFoundByItsTagUntilSomebodyHasWaited) {
  std::shared_ptr<Tag> read = table->open("tag", nothing_to_do);
  EXPECT_EQ(table->attachment("tag"), nullptr);
  auto object = std::make_shared<int>(7);
  table->attach(read, object);
  EXPECT_EQ(table->attachment("tag"), object);
  table->finish(std::exchange(read, nullptr), nullptr);
  EXPECT_EQ(table->attachment("tag"), object);
  table->wait("tag");
  EXPECT_EQ(object.use_count(), 1);
  EXPECT_EQ(error_of([&] { static_cast<void>(table->attachment("tag")); }), Errc::unknown_tag);
}

TEST_F(TagTableTest, ACancelledTagLosesItsAttachment) {
  const std::shared_ptr<Tag> read = table->open("tag", nothing_to_do);
  auto object = std::make_shared<int>(7);
  table->attach(read, object);
  table->cancel(read, nullptr);
  EXPECT_EQ(object.use_count(), 1);
}

TEST_F(TagTableTest, AClosedTableOpensNothing) {
  table->close();
  EXPECT_EQ(error_of([&] { table->open("tag", nothing_to_do); }), Errc::closed);
}

}  // namespace
}  // namespace tailrace::test
