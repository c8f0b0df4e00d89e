/// Cover pairs by cliques that grow greedily by the node that covers most new pairs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/rows.hpp"

namespace annealco {

/// Keeps two matrices of num_nodes² bytes. Cliques grow from the nodes with most pairs first, each by the lowest node
/// among the best; every pair is in some clique in the end.
class CliqueRows {
 public:
  /// Pairs are of two different nodes below `num_nodes`.
  CliqueRows(std::int64_t num_nodes, std::span<const std::int32_t> low, std::span<const std::int32_t> high)
      : num_nodes_(num_nodes),
        joined_(static_cast<std::size_t>(num_nodes * num_nodes)),
        num_uncovered_(static_cast<std::size_t>(num_nodes)),
        gain_(num_uncovered_.size()) {
    for (std::size_t k = 0; k < low.size(); ++k) {
      if (joined_[place(low[k], high[k])]) continue;
      joined_[place(low[k], high[k])] = joined_[place(high[k], low[k])] = 1;
      ++num_uncovered_[static_cast<std::size_t>(low[k])];
      ++num_uncovered_[static_cast<std::size_t>(high[k])];
    }
    uncovered_ = joined_;
  }

  /// Return the members of each clique. Where the clock is over, pairs that are left are cliques of their own.
  OwnRows run(Clock& clock) {
    std::vector<std::int32_t> order(static_cast<std::size_t>(num_nodes_));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t one, std::int32_t other) {
      return num_uncovered_[static_cast<std::size_t>(one)] > num_uncovered_[static_cast<std::size_t>(other)];
    });
    OwnRows cliques;
    for (const auto node : order) {
      while (num_uncovered_[static_cast<std::size_t>(node)] > 0) {
        grow(node, clock);
        cover_pairs();
        cliques.index.insert(cliques.index.end(), clique_.begin(), clique_.end());
        cliques.start.push_back(static_cast<std::int64_t>(cliques.index.size()));
      }
    }
    return cliques;
  }

 private:
  std::size_t place(std::int32_t one, std::int32_t other) const {
    return static_cast<std::size_t>(one * num_nodes_ + other);
  }

  /// Fill `clique_` from a node until no other node is joined to all of it, or to a pair where the clock is over.
  void grow(std::int32_t node, Clock& clock) {
    clique_.assign(1, node);
    common_.clear();
    for (std::int32_t other = 0; other < num_nodes_; ++other) {
      if (!joined_[place(node, other)]) continue;
      common_.push_back(other);
      gain_[static_cast<std::size_t>(other)] = uncovered_[place(node, other)];
    }
    while (!common_.empty()) {
      const auto best = *std::max_element(common_.begin(), common_.end(), [&](std::int32_t one, std::int32_t other) {
        return gain_[static_cast<std::size_t>(one)] < gain_[static_cast<std::size_t>(other)];
      });
      clique_.push_back(best);
      if (clock.is_over(static_cast<std::int64_t>(common_.size()))) return;
      std::size_t kept = 0;
      for (const auto other : common_) {
        gain_[static_cast<std::size_t>(other)] += uncovered_[place(best, other)];
        if (joined_[place(best, other)]) common_[kept++] = other;
      }
      common_.resize(kept);
    }
  }

  void cover_pairs() {
    for (const auto one : clique_) {
      for (const auto other : clique_) {
        num_uncovered_[static_cast<std::size_t>(one)] -= uncovered_[place(one, other)];
        uncovered_[place(one, other)] = 0;
      }
    }
  }

  std::int64_t num_nodes_;
  std::vector<std::uint8_t> joined_, uncovered_;
  std::vector<std::int32_t> num_uncovered_, gain_;
  std::vector<std::int32_t> clique_, common_;  // common_: joined to all of the clique, ascending
};

}  // namespace annealco
