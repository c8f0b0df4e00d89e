/// A symmetric relation between nodes, such as the edges of a graph: the neighbours of each node, ascending.
///
/// Algorithms trust what this class guarantees: every neighbour is another node, knows of the first, and is listed
/// once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/prefetch.hpp"
#include "core/rows.hpp"

namespace annealco {

class Neighbours {
 public:
  /// Rows must have the properties above.
  explicit Neighbours(OwnRows&& rows) : rows_(std::move(rows)) {}

  std::int32_t num_nodes() const { return static_cast<std::int32_t>(rows_.size()); }
  std::int64_t num_entries() const { return static_cast<std::int64_t>(rows_.index.size()); }
  const OwnRows& rows() const { return rows_; }

  std::int32_t degree(std::int32_t node) const {
    return static_cast<std::int32_t>(rows_.start[node + 1] - rows_.start[node]);
  }

  std::span<const std::int32_t> operator[](std::int32_t node) const {
    return {rows_.index.data() + rows_.start[node], rows_.index.data() + rows_.start[node + 1]};
  }

  /// Tell whether two nodes are neighbours, by bisection of the shorter row.
  bool joined(std::int32_t one, std::int32_t other) const {
    if (degree(one) > degree(other)) std::swap(one, other);
    const auto row = (*this)[one];
    return std::binary_search(row.begin(), row.end(), other);
  }

 private:
  OwnRows rows_;
};

/// Ask for the row of a node that comes up soon in an order.
inline void prefetch_row(const Neighbours& graph, std::span<const std::int32_t> order, std::size_t place) {
  constexpr std::size_t kStart = 16, kRow = 8;
  if (place + kStart >= order.size()) return;
  prefetch(&graph.rows().start[order[place + kStart]]);
  prefetch(graph[order[place + kRow]].data());
}

/// Null where the clock was over first.
using SharedNeighbours = std::shared_ptr<Neighbours>;

namespace detail {

/// How many entries are gone through between two looks at the clock.
inline constexpr std::size_t kBlock = 4096;

inline bool pairs_ascend(std::span<const std::int32_t> low, std::span<const std::int32_t> high, Clock& clock) {
  for (std::size_t k = 0; k < low.size(); ++k) {
    if (low[k] >= high[k]) return false;
    if (k > 0 && (low[k] < low[k - 1] || (low[k] == low[k - 1] && high[k] <= high[k - 1]))) return false;
    if (k % kBlock == 0 && clock.is_over(kBlock)) return false;
  }
  return true;
}

/// Append `to` to the rows of `from`, pair by pair; false where the clock was over first.
inline bool append_to_rows(std::span<const std::int32_t> from, std::span<const std::int32_t> to,
                           std::vector<std::int64_t>& end, std::vector<std::int32_t>& index, Clock& clock) {
  constexpr std::size_t kFar = 32, kNear = 16;
  const std::size_t count = from.size();
  for (std::size_t k = 0; k < count; ++k) {
    if (k + kFar < count) {
      prefetch(&end[from[k + kFar]]);
      prefetch(index.data() + end[from[k + kNear]]);
    }
    index[end[from[k]]++] = to[k];
    if (k % kBlock == 0 && clock.is_over(kBlock)) return false;
  }
  return true;
}

/// Sort every row, and keep each entry once.
inline bool sort_rows(OwnRows& rows, Clock& clock) {
  std::int64_t filled = 0;
  for (std::size_t row = 0; row + 1 < rows.start.size(); ++row) {
    const auto first = rows.index.begin() + std::exchange(rows.start[row], filled);
    const auto last = rows.index.begin() + rows.start[row + 1];
    std::sort(first, last);
    filled = std::copy(first, std::unique(first, last), rows.index.begin() + filled) - rows.index.begin();
    if (clock.is_over(1 + (last - first))) return false;
  }
  rows.start.back() = filled;
  rows.index.resize(filled);
  return true;
}

}  // namespace detail

/// Return the relation that pairs of different nodes below `num_nodes` list, in any order and some perhaps twice.
///
/// O(num_nodes + num_pairs) where every pair has its smaller node first and the next pair is greater; else rows are
/// sorted.
inline SharedNeighbours neighbours_of(std::span<const std::int32_t> one, std::span<const std::int32_t> two,
                                      std::int32_t num_nodes, Clock& clock) {
  OwnRows rows;
  rows.start.assign(static_cast<std::size_t>(num_nodes) + 1, 0);
  for (const auto ends : {one, two}) {
    for (std::size_t k = 0; k < ends.size(); ++k) {
      ++rows.start[ends[k] + 1];
      if (k % detail::kBlock == 0 && clock.is_over(detail::kBlock)) return nullptr;
    }
  }
  for (std::size_t i = 1; i < rows.start.size(); ++i) rows.start[i] += rows.start[i - 1];
  std::vector<std::int64_t> end(rows.start.begin(), rows.start.end() - 1);
  rows.index.resize(2 * one.size());
  const bool ascending = detail::pairs_ascend(one, two, clock);
  // Ascending pairs bring a row its smaller nodes in order, then its larger ones.
  if (!detail::append_to_rows(two, one, end, rows.index, clock)) return nullptr;
  if (!detail::append_to_rows(one, two, end, rows.index, clock)) return nullptr;
  if (!ascending && !detail::sort_rows(rows, clock)) return nullptr;
  return std::make_shared<Neighbours>(std::move(rows));
}

/// Return the relation among the kept nodes, numbered anew in their order.
inline SharedNeighbours induced(const Neighbours& whole, std::span<const bool> kept, Clock& clock) {
  std::vector<std::int32_t> number(kept.size());
  std::int32_t count = 0;
  for (std::size_t node = 0; node < kept.size(); ++node) number[node] = kept[node] ? count++ : -1;
  OwnRows rows;
  rows.start.reserve(static_cast<std::size_t>(count) + 1);
  for (std::int32_t node = 0; node < whole.num_nodes(); ++node) {
    if (clock.is_over(1 + whole.degree(node))) return nullptr;
    if (!kept[node]) continue;
    for (const auto other : whole[node]) {
      if (number[other] >= 0) rows.index.push_back(number[other]);
    }
    rows.start.push_back(static_cast<std::int64_t>(rows.index.size()));
  }
  return std::make_shared<Neighbours>(std::move(rows));
}

/// Return the pairs of different nodes that are not related.
inline SharedNeighbours complement(const Neighbours& whole, Clock& clock) {
  OwnRows rows;
  const std::int32_t count = whole.num_nodes();
  for (std::int32_t node = 0; node < count; ++node) {
    if (clock.is_over(count)) return nullptr;
    std::int32_t next = 0;
    const auto append_until = [&](std::int32_t end) {
      for (; next < end; ++next) {
        if (next != node) rows.index.push_back(next);
      }
    };
    for (const auto other : whole[node]) {
      append_until(other);
      next = other + 1;
    }
    append_until(count);
    rows.start.push_back(static_cast<std::int64_t>(rows.index.size()));
  }
  return std::make_shared<Neighbours>(std::move(rows));
}

}  // namespace annealco
