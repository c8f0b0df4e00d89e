/// Finds cliques that a fractional solution overfills: a choice has at most one node of a clique, the solution more.
///
/// Cliques grow greedily from every node, by the nodes of the highest value first. Only nodes above 0 decide whether a
/// clique is worth having; nodes at 0 then make it maximal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "bounds/neighbours.hpp"
#include "core/clock.hpp"
#include "core/random.hpp"
#include "core/rows.hpp"

namespace annealco {

class CliqueSeparation {
 public:
  /// A clique is worth adding if its nodes sum to more than one by this much.
  static constexpr double kExcess = 1e-3;

  /// The graph must outlive this; equal values come in random order, to vary what is found.
  CliqueSeparation(const Neighbours& graph, std::span<const double> value, std::uint64_t seed)
      : graph_(graph), shared_(value.size(), 0), order_(value.size()), value_(value.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    Random random(seed);
    random.shuffle(std::span(order_));
    std::stable_sort(order_.begin(), order_.end(), [&](auto one, auto other) { return value[one] > value[other]; });
    for (std::size_t rank = 0; rank < order_.size(); ++rank) value_[rank] = value[order_[rank]];
    num_positive_ = static_cast<std::int32_t>(
        std::partition_point(value_.begin(), value_.end(), [](double each) { return each > kPositive; }) -
        value_.begin());
  }

  /// Return overfilled cliques; no further one is looked for once they have `most` members, or the clock is over.
  OwnRows run(std::int64_t most, Clock& clock) {
    OwnRows found;
    if (!rank_rows(clock)) return found;
    for (std::int32_t seed = 0; seed < num_positive_; ++seed) {
      if (static_cast<std::int64_t>(found.index.size()) >= most || clock.is_over(8)) break;
      if (shared_[seed] < kMaxShared && grow(seed)) append(found);
    }
    return found;
  }

 private:
  static constexpr double kPositive = 1e-9;
  /// A node that so many of the found cliques hold starts no further one.
  static constexpr std::int32_t kMaxShared = 2;

  /// List the neighbours of each node by rank: both are numbered by descending value. False where the clock was over.
  bool rank_rows(Clock& clock) {
    std::vector<std::int32_t> rank(order_.size());
    for (std::size_t k = 0; k < order_.size(); ++k) rank[order_[k]] = static_cast<std::int32_t>(k);
    rows_.start.assign(order_.size() + 1, 0);
    for (std::size_t k = 0; k < order_.size(); ++k) rows_.start[k + 1] = rows_.start[k] + graph_.degree(order_[k]);
    rows_.index.resize(static_cast<std::size_t>(graph_.num_entries()));
    std::vector<std::int64_t> end(rows_.start.begin(), rows_.start.end() - 1);
    // Nodes come by rank, and so do the entries of every row.
    for (std::size_t k = 0; k < order_.size(); ++k) {
      for (const auto other : graph_[order_[k]]) rows_.index[end[rank[other]]++] = static_cast<std::int32_t>(k);
      if (clock.is_over(1 + graph_.degree(order_[k]))) return false;
    }
    return true;
  }

  /// Make a maximal clique that holds the seed; false, and no clique, where it is not overfilled.
  bool grow(std::int32_t seed) {
    const auto row = Rows(rows_)[seed];
    clique_.assign(1, seed);
    candidate_.assign(row.begin(), row.end());
    double total = value_[seed];
    while (!candidate_.empty()) {
      const std::int32_t node = candidate_.front();
      if (node >= num_positive_ && total <= 1 + kExcess) return false;
      clique_.push_back(node);
      total += value_[node];
      restrict(node);
    }
    return total > 1 + kExcess;
  }

  /// Keep the candidates after a node that are joined to it.
  void restrict(std::int32_t node) {
    const auto row = Rows(rows_)[node];
    kept_.clear();
    if (row.size() > 16 * candidate_.size()) {
      // A hub's neighbours are not gone through for a handful of candidates.
      std::copy_if(candidate_.begin() + 1, candidate_.end(), std::back_inserter(kept_),
                   [&](auto each) { return std::binary_search(row.begin(), row.end(), each); });
    } else {
      std::set_intersection(candidate_.begin() + 1, candidate_.end(), std::upper_bound(row.begin(), row.end(), node),
                            row.end(), std::back_inserter(kept_));
    }
    candidate_.swap(kept_);
  }

  void append(OwnRows& found) {
    for (const auto rank : clique_) {
      shared_[rank] += rank < num_positive_;
      found.index.push_back(order_[rank]);
    }
    found.start.push_back(static_cast<std::int64_t>(found.index.size()));
  }

  const Neighbours& graph_;
  /// By rank: how many of the found cliques hold a node above 0, the node, its value, and its neighbours.
  std::vector<std::int32_t> shared_, order_;
  std::vector<double> value_;
  OwnRows rows_;
  std::int32_t num_positive_ = 0;
  std::vector<std::int32_t> clique_, candidate_, kept_;
};

}  // namespace annealco
