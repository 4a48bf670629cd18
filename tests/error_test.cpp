// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/error.hpp>

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <type_traits>

namespace {

using tailrace::Errc;
using tailrace::Error;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr int last = static_cast<int>(Errc::unsupported);

TEST(Errors, AllHaveATextOfTheirOwn) {
  std::set<std::string> texts;
  for (int value = 1; value <= last; ++value) {
    const std::error_code code = static_cast<Errc>(value);
    EXPECT_STREQ(code.category().name(), "tailrace");
    EXPECT_NE(code.message(), "unknown error") << value;
    texts.insert(code.message());
  }
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(last));
  EXPECT_EQ(tailrace::error_category().message(0), "unknown error");
  EXPECT_EQ(tailrace::error_category().message(last + 1), "unknown error");
}

TEST(Errors, SayWhereWhatAndWhatToDo) {
  const Error error{Errc::copy_failed,
                    "the copy failed",
                    "submit the region again",
                    {.operation = "collect",
                     .ring = "residual",
                     .slot = 3,
                     .sequence = 41,
                     .native_code = 700,
                     .native_name = "errorIllegalAddress"}};
  const std::string text = error.what();
  for (const char* part : {"collect", "'residual'", "slot 3", "sequence 41", "errorIllegalAddress", "700"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, EndsWith("Fix: submit the region again."));
  EXPECT_EQ(error.errc(), Errc::copy_failed);
  EXPECT_EQ(error.code(), Errc::copy_failed);
  EXPECT_EQ(error.native_code(), 700);
  EXPECT_EQ(error.native_name(), "errorIllegalAddress");
}

TEST(Errors, LeaveOutWhatDoesNotApply) {
  const Error error{Errc::closed, "it is closed", "open it"};
  EXPECT_STREQ(error.what(), "tailrace: it is closed. Fix: open it.");
  EXPECT_EQ(error.native_code(), 0);
  EXPECT_FALSE(error.good_bytes());
}

TEST(Errors, ShowControlCharactersInNamesAndTextsFromOutside) {
  const std::string entry{"sha\0pe\x1B\n\x7F", 9};
  const Error error{Errc::invalid_argument, "entry '" + entry + "' \xC3\xA4", "look"};
  EXPECT_STREQ(error.what(), R"(tailrace: entry 'sha\x00pe\x1b\x0a\x7f' )"
                             "\xC3\xA4. Fix: look.");
}

TEST(Errors, TellHowManyBytesAreGood) {
  const Error error = Error{Errc::copy_failed, "the copy failed", "try again"}.with_good_bytes(4096);
  EXPECT_EQ(error.good_bytes(), 4096U);
  EXPECT_THAT(std::string{error.what()}, HasSubstr("4096 leading bytes"));
  EXPECT_THAT(std::string{error.what()}, EndsWith("Fix: try again."));
}

TEST(Errors, AreSystemErrorsThatCopyWithoutThrowing) {
  static_assert(std::is_base_of_v<std::system_error, Error>);
  static_assert(std::is_nothrow_copy_constructible_v<Error> && std::is_nothrow_copy_assignable_v<Error>);
  try {
    throw Error{Errc::timed_out, "too late", "wait longer"};
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), Errc::timed_out);
    EXPECT_STREQ(error.what(), "tailrace: too late. Fix: wait longer.");
  }
}

}  // namespace
