/// Rows of numbers one after the other: neighbours of nodes, members of sets, sets of nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/blocks.hpp"
#include "core/memory.hpp"

namespace annealco {

/// A view: row i is index[start[i]], ..., index[start[i + 1] − 1].
struct Rows {
  std::span<const std::int64_t> start;
  std::span<const std::int32_t> index;

  std::int64_t size() const { return static_cast<std::int64_t>(start.size()) - 1; }
  std::int64_t length(std::int64_t row) const {
    return start[static_cast<std::size_t>(row) + 1] - start[static_cast<std::size_t>(row)];
  }
  std::span<const std::int32_t> operator[](std::int64_t row) const {
    const auto first = static_cast<std::size_t>(start[static_cast<std::size_t>(row)]);
    return index.subspan(first, static_cast<std::size_t>(length(row)));
  }
};

/// Rows with memory of their own.
struct OwnRows {
  LargeVector<std::int64_t> start{0};
  LargeVector<std::int32_t> index;

  operator Rows() const { return {start, index}; }
  std::int64_t size() const { return static_cast<std::int64_t>(start.size()) - 1; }
};

/// Throw std::invalid_argument, which Python sees as ValueError. No text is made where the rule holds.
inline void require(bool holds, const char* rule) {
  if (!holds) [[unlikely]]
    throw std::invalid_argument(rule);
}

/// The same, with the name of what breaks the rule before it.
inline void require(bool holds, const char* name, const char* rule) {
  if (!holds) [[unlikely]]
    throw std::invalid_argument(std::string(name) + ": " + rule);
}

/// Check that numbers are from 0 to `end` − 1; `name` is that of the argument.
inline void check_numbers(std::span<const std::int32_t> numbers, std::int64_t end, const char* name) {
  // As unsigned numbers, negative ones are large.
  std::uint32_t outside = 0;
  for (const auto each : numbers) outside |= static_cast<std::uint32_t>(each) >= static_cast<std::uint32_t>(end);
  if (outside != 0)
    throw std::invalid_argument(std::string(name) + ": numbers must be from 0 to " + std::to_string(end - 1));
}

/// Check what the core trusts from then on: offsets ascend from 0 to the end, and all numbers are below `num_columns`.
inline void check_rows(const Rows& rows, std::int64_t num_columns, const char* name) {
  require(!rows.start.empty() && rows.start[0] == 0, name, "offsets must begin with 0");
  require(std::is_sorted(rows.start.begin(), rows.start.end()), name, "offsets must not fall");
  require(rows.start.back() == static_cast<std::int64_t>(rows.index.size()), name, "offsets must end at the length");
  check_numbers(rows.index, num_columns, name);
}

/// Return, for rows of numbers below `num_columns`, the rows that each number occurs in, ascending; O(size).
inline OwnRows transposed(const Rows& rows, std::int64_t num_columns) {
  const Blocks<Entry> blocks(rows.index.size(), num_columns, [&](auto&& visit) {
    for (std::int64_t row = 0; row < rows.size(); ++row) {
      for (const auto each : rows[row]) visit(Entry{each, static_cast<std::int32_t>(row)});
    }
  });
  OwnRows result;
  result.start.resize(static_cast<std::size_t>(num_columns) + 1);
  result.index.resize(rows.index.size());
  fill_rows(blocks, {}, result.start, result.index, {});
  return result;
}

}  // namespace annealco
