/// Approximate personalised PageRank by pushes (Andersen, Chung and Lang, 2006).
///
/// With the lazy walk W = (I + A D⁻¹) / 2 and pr(s) = α s + (1 − α) W pr(s), every push keeps
///
///     p + pr(r) = pr(e_seed),
///
/// and pushing goes on until r_u < ε d_u everywhere: at most 1 / (ε α) units of volume are ever pushed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/rows.hpp"

namespace annealco {

/// Neighbours by node, and the weights of the edges to them, which are positive.
struct WeightedRows {
  Rows neighbours;
  std::span<const double> weight;
};

class ApproximatePageRank {
 public:
  /// The seed has neighbours; 0 < alpha ≤ 1 and epsilon > 0.
  ApproximatePageRank(const WeightedRows& rows, std::int64_t seed, double alpha, double epsilon)
      : rows_(rows),
        alpha_(alpha),
        epsilon_(epsilon),
        is_uniform_(std::equal(rows.weight.begin() + 1, rows.weight.end(), rows.weight.begin())),
        nodes_(static_cast<std::size_t>(rows.neighbours.size())),
        degree_(nodes_.size()),
        rank_(nodes_.size()),
        queue_(std::bit_ceil(nodes_.size() + 1)) {
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      const auto first = static_cast<std::size_t>(rows.neighbours.start[node]);
      const auto last = static_cast<std::size_t>(rows.neighbours.start[node + 1]);
      for (std::size_t entry = first; entry < last; ++entry) degree_[node] += rows.weight[entry];
      nodes_[node].threshold = epsilon * degree_[node];
    }
    nodes_[static_cast<std::size_t>(seed)] = {1.0, kWaiting};
    queue_[last_++] = static_cast<std::int32_t>(seed);
  }

  /// Push until every residual is below its threshold, or the clock is over; a push is a move.
  void run(Clock& clock) {
    while (first_ != last_ && clock.tick()) {
      const std::int32_t node = queue_[first_++ & (queue_.size() - 1)];
      push(node);
      clock.is_over(rows_.neighbours.length(node));
    }
  }

  /// p and r, [num_nodes] each.
  const std::vector<double>& rank() const { return rank_; }
  std::vector<double> residual() const {
    std::vector<double> values;
    values.reserve(nodes_.size());
    for (const Node& node : nodes_) values.push_back(node.residual);
    return values;
  }

 private:
  static constexpr double kWaiting = std::numeric_limits<double>::infinity();

  struct Node {
    double residual = 0.0;
    double threshold = 0.0;  // ε d, or kWaiting while the node is in the queue
  };

  /// Add to a residual, and put the node into the queue where it reaches its threshold; without a branch, which would
  /// be foretold badly.
  void add(std::int32_t number, double share) {
    Node& node = nodes_[static_cast<std::size_t>(number)];
    node.residual += share;
    const bool is_due = node.residual >= node.threshold;
    node.threshold = is_due ? kWaiting : node.threshold;
    queue_[last_ & (queue_.size() - 1)] = number;
    last_ += is_due;
  }

  void push(std::int32_t number) {
    Node& node = nodes_[static_cast<std::size_t>(number)];
    const double half = (1.0 - alpha_) * node.residual / 2.0, degree = degree_[static_cast<std::size_t>(number)];
    rank_[static_cast<std::size_t>(number)] += alpha_ * node.residual;
    node = {half, epsilon_ * degree};
    if (is_uniform_) {
      // Most graphs have one weight: neither weights nor quotients are needed for each neighbour.
      const double share = half * rows_.weight[0] / degree;
      for (const auto other : rows_.neighbours[number]) add(other, share);
    } else {
      auto entry = static_cast<std::size_t>(rows_.neighbours.start[static_cast<std::size_t>(number)]);
      for (const auto other : rows_.neighbours[number]) add(other, half * rows_.weight[entry++] / degree);
    }
    add(number, 0.0);
  }

  WeightedRows rows_;
  double alpha_, epsilon_;
  bool is_uniform_;
  std::vector<Node> nodes_;
  std::vector<double> degree_, rank_;
  std::vector<std::int32_t> queue_;  // a ring of 2^k places, more than there are nodes
  std::size_t first_ = 0, last_ = 0;
};

}  // namespace annealco
