// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// Everything but <tailrace/testing.hpp>, <tailrace/tbb.hpp> and, of the host backend, <tailrace/host_device.hpp>.

#include <tailrace/config.hpp>
#include <tailrace/copy_arena.hpp>
#include <tailrace/copy_streams.hpp>
#include <tailrace/devices.hpp>
#include <tailrace/error.hpp>
#include <tailrace/log.hpp>
#include <tailrace/ring.hpp>
#include <tailrace/ring_set.hpp>
#include <tailrace/runtime.hpp>
#include <tailrace/self_test.hpp>
#include <tailrace/statistics.hpp>
#include <tailrace/stream.hpp>
#include <tailrace/ticket.hpp>
#include <tailrace/view.hpp>
