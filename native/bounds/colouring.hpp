/// Greedy colourings of sparse graphs, and which nodes a heavy clique can hold; all in time linear in the graph.
///
/// A clique has at most one node of a colour, so that a colouring bounds the cliques of a graph with millions of edges
/// without ever listing the pairs that are not joined.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bounds/exact_sum.hpp"
#include "bounds/neighbours.hpp"
#include "bounds/partition.hpp"
#include "core/clock.hpp"
#include "core/memory.hpp"

namespace annealco {

/// Give each node in turn the first colour that none of its neighbours has; none where the clock was over first.
inline std::optional<Labels> colour_in_order(const Neighbours& graph, std::span<const std::int32_t> order,
                                             Clock& clock) {
  // 0 is no colour yet: to note who took it costs less than to ask.
  Labels colour(order.size(), 0);
  LargeVector<std::int32_t> taken_by(order.size() + 2, -1);
  for (std::size_t place = 0; place < order.size(); ++place) {
    prefetch_row(graph, order, place);
    const std::int32_t node = order[place];
    for (const auto other : graph[node]) taken_by[colour[other]] = node;
    std::int32_t first = 1;
    while (taken_by[first] == node) ++first;
    colour[node] = first;
    if (clock.is_over(1 + graph.degree(node))) return std::nullopt;
  }
  for (auto& each : colour) --each;
  return colour;
}

/// Return the nodes in an order in which each has at most k neighbours after it, for the least such k.
///
/// Takes out nodes with at most k neighbours left for as long as there are any, for k = 0, 1, ... (Matula and Beck,
/// 1983). A node is looked at again for each k up to its degree only: O(num_nodes + num_pairs).
inline std::optional<LargeVector<std::int32_t>> degeneracy_order(const Neighbours& graph, Clock& clock) {
  const std::int32_t count = graph.num_nodes();
  LargeVector<std::int32_t> degree(count), order, left(count);
  for (std::int32_t node = 0; node < count; ++node) degree[node] = graph.degree(node);
  std::iota(left.begin(), left.end(), 0);
  order.reserve(count);
  for (std::int32_t most = 0; !left.empty(); ++most) {
    std::size_t kept = 0, next = order.size();
    for (const auto node : left) {
      if (degree[node] == most) order.push_back(node);
      if (degree[node] > most) left[kept++] = node;
    }
    left.resize(kept);
    for (; next < order.size(); ++next) {
      const std::int32_t node = order[next];
      prefetch_row(graph, order, next);
      for (const auto other : graph[node]) {
        // Those that were taken out before fall further below and are never met again.
        if (--degree[other] == most) order.push_back(other);
      }
      if (clock.is_over(1 + graph.degree(node))) return std::nullopt;
    }
    if (clock.is_over(static_cast<std::int64_t>(kept))) return std::nullopt;
  }
  return order;
}

/// Sort nodes by descending weight, up to a relative difference of 1e-6; equal ones keep their order. Linear time.
inline bool sort_by_weight(LargeVector<std::int32_t>& nodes, std::span<const double> weight, Clock& clock) {
  constexpr int kBits = 11, kDigits = 3;
  constexpr std::size_t kSize = std::size_t{1} << kBits;
  struct Item {
    std::uint32_t key;
    std::int32_t node;
  };
  LargeVector<Item> items(nodes.size()), moved(nodes.size());
  std::array<std::array<std::size_t, kSize>, kDigits> place{};
  const auto digit = [](std::uint32_t key, int which) { return (key >> (kBits * which)) & (kSize - 1); };
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    // The leading bits of doubles from 0 on are ordered as the doubles are.
    const auto key = ~static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(weight[nodes[k]]) >> 32);
    items[k] = {key, nodes[k]};
    for (int which = 0; which < kDigits; ++which) ++place[which][digit(key, which)];
    if (k % kClockBlock == 0 && clock.is_over(kClockBlock)) return false;
  }
  for (int which = 0; which < kDigits; ++which) {
    auto& ends = place[which];
    if (std::find(ends.begin(), ends.end(), items.size()) != ends.end()) continue;
    std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), std::size_t{0});
    for (std::size_t k = 0; k < items.size(); ++k) {
      moved[ends[digit(items[k].key, which)]++] = items[k];
      if (k % kClockBlock == 0 && clock.is_over(kClockBlock)) return false;
    }
    items.swap(moved);
  }
  for (std::size_t k = 0; k < nodes.size(); ++k) nodes[k] = items[k].node;
  return true;
}

/// Return a colouring, heavier nodes first and among equals those of denser parts first.
///
/// For equal weights at most one colour more than the largest core number is used. Where colours are priced by their
/// heaviest node, the order by weight makes the first colours dear and the many later ones cheap.
inline std::optional<Labels> greedy_colouring(const Neighbours& graph, std::span<const double> weight, Clock& clock) {
  auto order = degeneracy_order(graph, clock);
  if (!order) return std::nullopt;
  std::reverse(order->begin(), order->end());
  if (!sort_by_weight(*order, weight, clock)) return std::nullopt;
  return colour_in_order(graph, *order, clock);
}

/// Return which nodes can be in a clique heavier than the limit, or more nodes where the clock was over first.
///
/// A clique lies in the closed neighbourhood of each of its nodes. A node whose neighbourhood does not outweigh the
/// limit is taken out, which lightens those of its neighbours, until no such node is left. Weights are not negative.
inline LargeVector<std::uint8_t> within_reach(const Neighbours& graph, std::span<const double> weight, double limit,
                                              Clock& clock) {
  const std::int32_t count = graph.num_nodes();
  LargeVector<std::uint8_t> kept(count, 1);
  LargeVector<double> reach(count);
  std::vector<std::int32_t> gone;
  const auto take_out = [&](std::int32_t node) {
    kept[node] = 0;
    gone.push_back(node);
  };
  for (std::int32_t node = 0; node < count; ++node) {
    double sum = weight[node];
    for (const auto other : graph[node]) sum += weight[other];
    // More than all roundings of this sum and of the differences below.
    reach[node] = sum * (1 + 4 * (graph.degree(node) + 1) * kEpsilon);
    if (reach[node] <= limit) take_out(node);
    if (clock.is_over(1 + graph.degree(node))) return LargeVector<std::uint8_t>(count, 1);
  }
  while (!gone.empty()) {
    const std::int32_t node = gone.back();
    gone.pop_back();
    for (const auto other : graph[node]) {
      reach[other] -= weight[node];
      if (kept[other] && reach[other] <= limit) take_out(other);
    }
    // What was taken out so far was taken out rightly.
    if (clock.is_over(1 + graph.degree(node))) break;
  }
  return kept;
}

}  // namespace annealco
