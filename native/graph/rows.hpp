/// Lists by node of what is listed by pair, in time linear in their size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/blocks.hpp"
#include "core/memory.hpp"
#include "core/rows.hpp"
#include "graph/edges.hpp"

namespace annealco {

/// Rows of a symmetric matrix, columns ascending in each.
struct SymmetricRows {
  OwnRows rows;
  /// One per entry, or a single one where all are equal: most graphs have no weights. None where none were given.
  LargeVector<double> values;
};

namespace detail {

/// Pairs in ascending order, each once.
struct MergedPairs {
  LargeVector<std::int32_t> low, high;
  LargeVector<double> values;
};

inline bool all_equal(std::span<const double> values) {
  constexpr std::size_t kAtOnce = 4096;  // without an early exit, the compiler uses vectors
  for (std::size_t begin = 0; begin < values.size(); begin += kAtOnce) {
    int differ = 0;
    for (const double each : values.subspan(begin, std::min(kAtOnce, values.size() - begin))) {
      differ |= each != values[0];
    }
    if (differ) return false;
  }
  return true;
}

/// Sort pairs and add up the values of those that are listed several times, in the order of the list.
inline MergedPairs merged_pairs(std::span<const std::int32_t> one, std::span<const std::int32_t> two,
                                std::span<const double> values, std::int64_t num_rows) {
  const SortedPairs sorted(one, two, num_rows);
  MergedPairs merged;
  merged.low.reserve(one.size());
  merged.high.reserve(one.size());
  merged.values.reserve(values.empty() ? 0 : one.size());
  std::uint64_t before = ~std::uint64_t{0};
  for (const auto& item : sorted.items()) {
    const double value = values.empty() ? 0.0 : values[values.size() == 1 ? 0 : item.position];
    if (item.key == before) {
      if (!values.empty()) merged.values.back() += value;
      continue;
    }
    before = item.key;
    merged.low.push_back(sorted.low(item));
    merged.high.push_back(sorted.high(item));
    if (!values.empty()) merged.values.push_back(value);
  }
  return merged;
}

/// Row v first gets all u below v, which come in ascending order, then all above it.
inline SymmetricRows rows_of_ascending(std::span<const std::int32_t> low, std::span<const std::int32_t> high,
                                       std::span<const double> values, std::int64_t num_rows) {
  SymmetricRows result;
  auto& [start, index] = result.rows;
  start.resize(static_cast<std::size_t>(num_rows) + 1);
  index.resize(2 * low.size());
  if (values.empty() || all_equal(values)) {
    const Blocks<Entry> below(low.size(), num_rows, [&](auto&& visit) {
      for (std::size_t k = 0; k < low.size(); ++k) visit(Entry{high[k], low[k]});
    });
    fill_rows(below, {low, high, {}}, start, index, {});
    if (!values.empty()) result.values.assign(1, values[0]);
  } else {
    const Blocks<ValuedEntry> below(low.size(), num_rows, [&](auto&& visit) {
      for (std::size_t k = 0; k < low.size(); ++k) visit(ValuedEntry{high[k], low[k], values[k]});
    });
    result.values.resize(2 * low.size());
    fill_rows(below, {low, high, values}, start, index, result.values);
  }
  return result;
}

/// Of all pairs of rows, at least one in so many makes a table dense.
constexpr std::size_t kDenseShare = 16;

inline bool is_dense(std::size_t num_pairs, std::int64_t num_rows) {
  const auto rows = static_cast<std::size_t>(num_rows);
  return rows >= 2 && rows <= (std::size_t{1} << 20) && num_pairs * kDenseShare >= rows * (rows - 1) / 2;
}

/// As `rows_of_ascending`, for many pairs between few rows: without a copy of all entries.
///
/// What stands above the diagonal is copied as it is. What stands below is dealt to some rows at a time, whose ends fit
/// into the cache: for each of these groups all rows are asked for their next entries, which are many.
inline SymmetricRows rows_of_dense(std::span<const std::int32_t> low, std::span<const std::int32_t> high,
                                   std::span<const double> values, std::int64_t num_rows) {
  constexpr std::size_t kGroup = 256;
  const auto count = static_cast<std::size_t>(num_rows);
  const bool valued = !values.empty() && !all_equal(values);
  SymmetricRows result;
  auto& [start, index] = result.rows;
  start.resize(count + 1);
  index.resize(2 * low.size());
  if (valued) result.values.resize(2 * low.size());
  if (!values.empty() && !valued) result.values.assign(1, values[0]);

  std::vector<std::size_t> first(count + 1, 0), next(count), end(count, 0);
  for (const auto each : low) ++first[static_cast<std::size_t>(each) + 1];
  for (const auto each : high) ++end[static_cast<std::size_t>(each)];
  start[0] = 0;
  for (std::size_t row = 0; row < count; ++row) {
    const std::size_t above = first[row + 1], below = end[row];
    first[row + 1] += first[row];
    next[row] = first[row];
    end[row] = static_cast<std::size_t>(start[row]);
    start[row + 1] = start[row] + static_cast<std::int64_t>(below + above);
    const auto at = static_cast<std::ptrdiff_t>(end[row] + below), from = static_cast<std::ptrdiff_t>(first[row]);
    std::copy_n(high.begin() + from, above, index.begin() + at);
    if (valued) std::copy_n(values.begin() + from, above, result.values.begin() + at);
  }
  for (std::size_t group = 0; group < count; group += kGroup) {
    const auto stop = static_cast<std::int32_t>(std::min(count, group + kGroup));
    for (std::size_t row = 0; row < static_cast<std::size_t>(stop); ++row) {
      std::size_t k = next[row];
      for (; k < first[row + 1] && high[k] < stop; ++k) {
        const std::size_t at = end[static_cast<std::size_t>(high[k])]++;
        index[at] = static_cast<std::int32_t>(row);
        if (valued) result.values[at] = values[k];
      }
      next[row] = k;
    }
  }
  return result;
}

inline SymmetricRows rows_of_sorted(std::span<const std::int32_t> low, std::span<const std::int32_t> high,
                                    std::span<const double> values, std::int64_t num_rows) {
  return (is_dense(low.size(), num_rows) ? rows_of_dense : rows_of_ascending)(low, high, values, num_rows);
}

}  // namespace detail

/// Return the rows of the symmetric matrix with these values at (u, v) and (v, u).
///
/// Pairs are of two different nodes below `num_rows`, in any order; values of a pair that is listed several times add
/// up, in the order of the list. `values` has one per pair, one for all, or none. O(num_rows + num_pairs).
inline SymmetricRows symmetric_rows(std::span<const std::int32_t> one, std::span<const std::int32_t> two,
                                    std::span<const double> values, std::int64_t num_rows) {
  if (pairs_ascend(one, two)) return detail::rows_of_sorted(one, two, values, num_rows);
  const detail::MergedPairs pairs = detail::merged_pairs(one, two, values, num_rows);
  return detail::rows_of_sorted(pairs.low, pairs.high, pairs.values, num_rows);
}

/// Return how often each number below `size` occurs in a list.
inline LargeVector<std::int32_t> occurrences(std::span<const std::int32_t> list, std::int64_t size) {
  LargeVector<std::int32_t> counts(static_cast<std::size_t>(size), 0);
  for (const auto each : list) ++counts[static_cast<std::size_t>(each)];
  return counts;
}

/// Return the sum of the values of all entries of a list that name each number below `size`.
///
/// The list is as long as the values, or several times: they are then those of each part of it.
inline LargeVector<double> sums(std::span<const std::int32_t> list, std::span<const double> values, std::int64_t size) {
  LargeVector<double> result(static_cast<std::size_t>(size), 0.0);
  for (std::size_t begin = 0; begin < list.size(); begin += values.size()) {
    for (std::size_t k = 0; k < values.size(); ++k) result[static_cast<std::size_t>(list[begin + k])] += values[k];
  }
  return result;
}

/// Return rows with the number of each row before its own entries: closed neighbourhoods, from neighbours.
inline OwnRows closed_rows(const Rows& rows) {
  OwnRows result;
  result.start.resize(rows.start.size());
  result.index.resize(rows.index.size() + static_cast<std::size_t>(rows.size()));
  auto end = result.index.begin();
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    *end++ = static_cast<std::int32_t>(row);
    end = std::copy(rows[row].begin(), rows[row].end(), end);
    result.start[static_cast<std::size_t>(row) + 1] = end - result.index.begin();
  }
  return result;
}

}  // namespace annealco
