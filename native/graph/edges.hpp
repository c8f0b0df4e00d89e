/// Edges as pairs of nodes: in ascending order, each once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "core/memory.hpp"
#include "core/rows.hpp"

namespace annealco {

/// Tell whether every pair has its lower node first and the next pair is greater.
inline bool pairs_ascend(std::span<const std::int32_t> low, std::span<const std::int32_t> high) {
  constexpr std::size_t kAtOnce = 4096;  // without an early exit, the compiler uses vectors
  if (!low.empty() && low[0] >= high[0]) return false;
  for (std::size_t begin = 1; begin < low.size(); begin += kAtOnce) {
    const std::size_t end = std::min(begin + kAtOnce, low.size());
    int falls = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const int greater = (low[k] > low[k - 1]) | ((low[k] == low[k - 1]) & (high[k] > high[k - 1]));
      falls |= !greater | (low[k] >= high[k]);
    }
    if (falls) return false;
  }
  return true;
}

/// Pairs in ascending order: `key` holds the lower node in its leading bits, `position` says where the pair was listed.
/// Pairs that are listed several times stand in the order in which they were listed.
class SortedPairs {
 public:
  struct Item {
    std::uint64_t key;
    std::uint32_t position;
  };

  /// Sort by digits from the last to the first, each pass stable; O(num_pairs) for each digit of about ten bits.
  template <class Id>
  SortedPairs(std::span<const Id> one, std::span<const Id> two, std::int64_t num_nodes)
      : size_(one.size()), bits_(std::bit_width(static_cast<std::uint64_t>(num_nodes))) {
    require(size_ <= std::numeric_limits<std::uint32_t>::max(), "too many pairs to sort");
    items_ = unset_memory<Item>(size_);
    for (std::size_t k = 0; k < size_; ++k) {
      const auto [low, high] = std::minmax(one[k], two[k]);
      items_[k] = {(static_cast<std::uint64_t>(low) << bits_) | static_cast<std::uint64_t>(high),
                   static_cast<std::uint32_t>(k)};
    }
    sort();
  }

  std::span<const Item> items() const { return {items_.get(), size_}; }
  std::int32_t low(const Item& item) const { return static_cast<std::int32_t>(item.key >> bits_); }
  std::int32_t high(const Item& item) const {
    return static_cast<std::int32_t>(item.key & ((std::uint64_t{1} << bits_) - 1));
  }

 private:
  static constexpr int kMostDigitBits = 11;
  static constexpr std::size_t kNumDigits = std::size_t{1} << kMostDigitBits;

  void sort() {
    const int passes = (2 * bits_ + kMostDigitBits - 1) / kMostDigitBits;
    auto other = unset_memory<Item>(size_);
    for (int pass = 0; pass < passes; ++pass) {
      const int shift = 2 * bits_ * pass / passes, end = 2 * bits_ * (pass + 1) / passes;
      const std::uint64_t mask = (std::uint64_t{1} << (end - shift)) - 1;
      std::array<std::size_t, kNumDigits> place{};
      for (const Item& each : items()) ++place[(each.key >> shift) & mask];
      std::size_t sum = 0;
      for (auto& each : place) sum += std::exchange(each, sum);
      for (const Item& each : items()) other[place[(each.key >> shift) & mask]++] = each;
      std::swap(items_, other);
    }
  }

  std::size_t size_;
  int bits_;
  std::unique_ptr<Item[]> items_;
};

/// Edges in ascending order, without self-loops and duplicates.
struct NormalisedEdges {
  LargeVector<std::int32_t> ends;  // [2, num_edges]: all lower nodes, then all higher ones
  LargeVector<double> weights;     // none where none were given
  std::int64_t num_loops = 0, num_duplicates = 0;
  /// Places in the list of two edges between the same nodes that differ in weight, the first such; −1 for none.
  std::int64_t clash_before = -1, clash = -1;
};

/// Return the place of the first edge with an end that is no node from 0 to num_nodes − 1, or −1.
template <class Id>
std::int64_t first_outside(std::span<const Id> one, std::span<const Id> two, std::int64_t num_nodes) {
  constexpr std::size_t kAtOnce = 4096;  // without an early exit, the compiler uses vectors
  using Unsigned = std::make_unsigned_t<Id>;
  const auto end = static_cast<Unsigned>(num_nodes);
  const auto outside = [&](std::size_t k) {
    return (static_cast<Unsigned>(one[k]) >= end) | (static_cast<Unsigned>(two[k]) >= end);
  };
  for (std::size_t begin = 0; begin < one.size(); begin += kAtOnce) {
    const std::size_t stop = std::min(begin + kAtOnce, one.size());
    int found = 0;
    for (std::size_t k = begin; k < stop; ++k) found |= outside(k);
    for (std::size_t k = begin; found && k < stop; ++k) {
      if (outside(k)) return static_cast<std::int64_t>(k);
    }
  }
  return -1;
}

namespace detail {

/// Tell whether edges ascend once the lower node comes first, each strictly, and none is a self-loop.
template <class Id>
bool is_tidy(std::span<const Id> one, std::span<const Id> two) {
  constexpr std::size_t kAtOnce = 4096;
  Id last_low = -1, last_high = -1;
  for (std::size_t begin = 0; begin < one.size(); begin += kAtOnce) {
    int falls = 0;
    for (std::size_t k = begin; k < std::min(begin + kAtOnce, one.size()); ++k) {
      const Id low = std::min(one[k], two[k]), high = std::max(one[k], two[k]);
      falls |= !((low > last_low) | ((low == last_low) & (high > last_high))) | (low == high);
      last_low = low;
      last_high = high;
    }
    if (falls) return false;
  }
  return true;
}

/// Write sorted pairs to the edges, each once.
inline void merge_sorted(const SortedPairs& sorted, std::span<const double> weights, NormalisedEdges& edges) {
  const std::size_t count = sorted.items().size();
  const SortedPairs::Item* before = nullptr;
  std::size_t kept = 0;
  for (const auto& item : sorted.items()) {
    if (sorted.low(item) == sorted.high(item)) {
      ++edges.num_loops;
    } else if (before != nullptr && before->key == item.key) {
      ++edges.num_duplicates;
      if (!weights.empty() && edges.clash < 0 && weights[before->position] != weights[item.position]) {
        edges.clash_before = before->position;
        edges.clash = item.position;
      }
    } else {
      edges.ends[kept] = sorted.low(item);
      edges.ends[count + kept] = sorted.high(item);
      if (!weights.empty()) edges.weights[kept] = weights[item.position];
      ++kept;
    }
    before = &item;
  }
  std::copy_n(edges.ends.data() + count, kept, edges.ends.data() + kept);
  edges.ends.resize(2 * kept);
  if (!weights.empty()) edges.weights.resize(kept);
}

}  // namespace detail

/// Return edges, given in any order and direction, in ascending order, without self-loops and duplicates.
///
/// Nodes are below `num_nodes`; `weights` has one per edge, or none. Edges that ascend already are not sorted.
template <class Id>
NormalisedEdges normalised_edges(std::span<const Id> one, std::span<const Id> two, std::span<const double> weights,
                                 std::int64_t num_nodes) {
  NormalisedEdges edges;
  edges.ends.resize(2 * one.size());
  edges.weights.assign(weights.begin(), weights.end());
  if (detail::is_tidy(one, two)) {
    for (std::size_t k = 0; k < one.size(); ++k) {
      edges.ends[k] = static_cast<std::int32_t>(std::min(one[k], two[k]));
      edges.ends[one.size() + k] = static_cast<std::int32_t>(std::max(one[k], two[k]));
    }
  } else {
    detail::merge_sorted(SortedPairs(one, two, num_nodes), weights, edges);
  }
  return edges;
}

/// Return the pairs of nodes of each graph that are not listed, [2, num_unlisted]: all lower nodes, then all higher
/// ones.
///
/// Graph g has the nodes from node_start[g] to node_start[g + 1] − 1; pairs are listed in any order, between two
/// different nodes of one graph. O(num_listed + num_unlisted) where they ascend already.
inline LargeVector<std::int32_t> unlisted_pairs(std::span<const std::int32_t> one, std::span<const std::int32_t> two,
                                                std::span<const std::int64_t> node_start) {
  NormalisedEdges sorted;
  if (!pairs_ascend(one, two)) {
    sorted = normalised_edges<std::int32_t>(one, two, {}, node_start.back());
    require(sorted.num_loops == 0, "pairs must be of two different nodes");
  }
  const std::span<const std::int32_t> ends(sorted.ends);
  const bool is_sorted = !ends.empty();
  const auto low = is_sorted ? ends.first(ends.size() / 2) : one, high = is_sorted ? ends.last(ends.size() / 2) : two;
  std::size_t every = 0;
  for (std::size_t graph = 0; graph + 1 < node_start.size(); ++graph) {
    const auto size = static_cast<std::size_t>(node_start[graph + 1] - node_start[graph]);
    every += size < 2 ? 0 : size * (size - 1) / 2;
  }
  require(low.size() <= every, "pairs must be of one graph");
  const std::size_t count = every - low.size();
  LargeVector<std::int32_t> found(2 * count);
  std::size_t listed = 0, place = 0;
  for (std::size_t graph = 0; graph + 1 < node_start.size(); ++graph) {
    const auto last = static_cast<std::int32_t>(node_start[graph + 1]);
    for (auto node = static_cast<std::int32_t>(node_start[graph]); node < last; ++node) {
      std::int32_t next = node + 1;
      const auto pass = [&](std::int32_t stop) {
        for (; next < stop; ++next, ++place) {
          found[place] = node;
          found[count + place] = next;
        }
      };
      for (; listed < low.size() && low[listed] == node; ++listed) {
        require(high[listed] < last, "pairs must be of one graph");
        pass(high[listed]);
        next = high[listed] + 1;
      }
      pass(last);
    }
  }
  return found;
}

/// Edges in the order of a list, such as a file.
struct ListedEdges {
  LargeVector<std::int32_t> one, two;
  LargeVector<double> weights;  // one per edge, or none
  std::int64_t num_listed = 0;  // in the list: twice as many where it has both directions
};

/// Arcs from lower to higher nodes, self-loops among them, and the others, of a list that should have both directions.
class ArcDirections {
 public:
  /// `weights` has one per arc, or none.
  ArcDirections(std::span<const std::int32_t> tail, std::span<const std::int32_t> head, std::span<const double> weights,
                std::int64_t num_nodes)
      : num_nodes_(num_nodes) {
    for (std::size_t k = 0; k < tail.size(); ++k) {
      ListedEdges& list = tail[k] <= head[k] ? up : down;
      list.one.push_back(tail[k]);
      list.two.push_back(head[k]);
      if (!weights.empty()) list.weights.push_back(weights[k]);
    }
    up.num_listed = static_cast<std::int64_t>(tail.size());
  }

  enum class Match { kNone, kOnce, kRepeated };

  /// Tell whether every arc but self-loops has a reverse of the same weight of its own, and if so, whether some repeat.
  Match match() const {
    using Ids = std::span<const std::int32_t>;
    const SortedPairs forth(Ids(up.one), Ids(up.two), num_nodes_);
    const SortedPairs back(Ids(down.one), Ids(down.two), num_nodes_);
    auto other = back.items().begin();
    bool repeats = false;
    for (const auto& item : forth.items()) {
      if (forth.low(item) == forth.high(item)) continue;
      if (other == back.items().end() || other->key != item.key) return Match::kNone;
      if (!up.weights.empty() && up.weights[item.position] != down.weights[other->position]) return Match::kNone;
      repeats |= other != back.items().begin() && (other - 1)->key == other->key;
      ++other;
    }
    if (other != back.items().end()) return Match::kNone;
    return repeats ? Match::kRepeated : Match::kOnce;
  }

  ListedEdges up, down;

 private:
  std::int64_t num_nodes_;
};

/// Keep one arc of every edge, of arcs in both directions with the same weight; nothing where one has no reverse.
inline std::optional<ListedEdges> fold_arcs(const ListedEdges& arcs, std::int64_t num_nodes) {
  ArcDirections directions(arcs.one, arcs.two, arcs.weights, num_nodes);
  if (directions.match() == ArcDirections::Match::kNone) return std::nullopt;
  return std::move(directions.up);
}

}  // namespace annealco
