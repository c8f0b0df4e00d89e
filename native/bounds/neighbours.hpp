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
#include "core/memory.hpp"
#include "core/prefetch.hpp"
#include "core/rows.hpp"

namespace annealco {

class Neighbours {
 public:
  /// Rows must have the properties above, as those of `symmetric_rows` have.
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

/// How many entries are gone through between two looks at the clock.
inline constexpr std::size_t kClockBlock = 4096;

/// Return the relation among the kept nodes, numbered anew in their order.
inline SharedNeighbours induced(const Neighbours& whole, std::span<const bool> kept, Clock& clock) {
  LargeVector<std::int32_t> number(kept.size());
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
