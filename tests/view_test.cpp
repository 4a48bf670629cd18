// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/view.hpp>

#include "src/region.hpp"
#include "tests/support/ring.hpp"

#include <limits>

namespace {

using tailrace::TypedView;
using tailrace::detail::checked;
using test::DeviceView;
using test::Errc;
using test::errc_of;

constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
const char storage[64] = {};

TEST(View, IsMeasuredInBytes) {
  EXPECT_EQ(DeviceView(storage, 12).bytes(), 12U);
  EXPECT_EQ(DeviceView(storage, 4, 12).bytes(), 12U);
  EXPECT_EQ(DeviceView::pitched(storage, 3, 4, 16).bytes(), 12U);
  EXPECT_EQ(DeviceView::pitched(storage, 3, 4, 2, 8, 32).bytes(), 24U);
  EXPECT_EQ(DeviceView().bytes(), 0U);
}

TEST(View, OfATypeCountsElements) {
  const double values[8] = {};
  const TypedView<double> view{values, 2, 4};
  EXPECT_EQ(view.bytes(), 32U);
  EXPECT_EQ(view.offset, 16U);
  const TypedView<double> rows = TypedView<double>::pitched(values, 2, 3, 24);
  EXPECT_EQ(rows.bytes(), 48U);
  EXPECT_EQ(rows.pitch, 24U);
  EXPECT_EQ(errc_of([&] { return TypedView<double>{values, most / 4}; }), Errc::region_overflow);
}

TEST(View, IsDenseIfItHasNoPadding) {
  EXPECT_TRUE(DeviceView(storage, 12).dense());
  EXPECT_TRUE(DeviceView::pitched(storage, 8, 4, 8).dense());
  EXPECT_FALSE(DeviceView::pitched(storage, 7, 4, 8).dense());
  EXPECT_TRUE(DeviceView::pitched(storage, 7, 1, 8).dense());
  EXPECT_TRUE(DeviceView::pitched(storage, 8, 2, 2, 8, 16).dense());
  EXPECT_FALSE(DeviceView::pitched(storage, 8, 2, 2, 8, 24).dense());
}

TEST(View, CanBeShifted) {
  const DeviceView view = DeviceView(storage, 4, 12).shifted(8);
  EXPECT_EQ(view.offset, 12U);
  EXPECT_EQ(view.width, 12U);
  EXPECT_EQ(errc_of([&] { return DeviceView(storage, 4, 12).shifted(most); }), Errc::region_overflow);
}

TEST(View, OfZeroBytesIsFineWhereverItPoints) {
  EXPECT_EQ(checked(DeviceView{}, "test").bytes, 0U);
  EXPECT_EQ(checked(DeviceView{storage, 0}, "test").bytes, 0U);
  EXPECT_EQ(checked(DeviceView::pitched(nullptr, 16, 0, 0), "test").bytes, 0U);
}

TEST(View, OfNothingWithASizeIsRefused) {
  EXPECT_EQ(errc_of([] { return checked(DeviceView{nullptr, 1}, "test"); }), Errc::null_source);
}

TEST(View, ThatDoesNotFitInTheAddressSpaceIsRefused) {
  const auto refused = [](const DeviceView& view) { return errc_of([&] { return checked(view, "test"); }); };
  EXPECT_EQ(refused({storage, most, 1}), Errc::region_overflow);
  EXPECT_EQ(refused({storage, 1, most}), Errc::region_overflow);
  EXPECT_EQ(refused({storage, most}), Errc::region_overflow);
  EXPECT_EQ(refused(DeviceView::pitched(storage, 2, most / 2 + 1, 2)), Errc::region_overflow);
  EXPECT_EQ(refused(DeviceView::pitched(storage, 1, 3, most / 2 + 1)), Errc::region_overflow);
  EXPECT_EQ(refused(DeviceView::pitched(storage, 1, 1, 3, 1, most / 2 + 1)), Errc::region_overflow);
  EXPECT_EQ(errc_of([] { return DeviceView::pitched(storage, most, 2, most).bytes(); }), Errc::region_overflow);
}

TEST(View, WithAPitchThatIsTooSmallIsRefused) {
  const auto refused = [](const DeviceView& view) { return errc_of([&] { return checked(view, "test"); }); };
  EXPECT_EQ(refused(DeviceView::pitched(storage, 8, 2, 7)), Errc::invalid_argument);
  EXPECT_EQ(refused(DeviceView::pitched(storage, 8, 2, 2, 8, 15)), Errc::invalid_argument);
  EXPECT_EQ(refused(DeviceView::pitched(storage, 8, 2, 2, 8, 20)), Errc::invalid_argument);
  EXPECT_EQ(refused(DeviceView::pitched(storage, 8, 2, 2, 8, 24)), std::nullopt);
}

}  // namespace
