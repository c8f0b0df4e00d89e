/// Approximate personalised PageRank by pushes (Andersen, Chung and Lang, 2006).
///
/// With the lazy walk W = (I + A D⁻¹) / 2 and pr(s) = α s + (1 − α) W pr(s), every push keeps
///
///     p + pr(r) = pr(e_seed),
///
/// and pushing goes on until r_u < ε d_u everywhere: at most 1 / (ε α) units of volume are ever pushed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
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
      : rows_(rows), alpha_(alpha), nodes_(static_cast<std::size_t>(rows.neighbours.size())), queue_(nodes_.size()) {
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      const auto first = static_cast<std::size_t>(rows.neighbours.start[node]);
      const auto last = static_cast<std::size_t>(rows.neighbours.start[node + 1]);
      double degree = 0.0;
      for (std::size_t entry = first; entry < last; ++entry) degree += rows.weight[entry];
      nodes_[node].degree = degree;
      nodes_[node].threshold = epsilon * degree;
    }
    rank_.resize(nodes_.size());
    nodes_[static_cast<std::size_t>(seed)].residual = 1.0;
    wait(static_cast<std::int32_t>(seed));
  }

  /// Push until every residual is below its threshold, or the clock is over.
  void run(Clock& clock) {
    while (num_waiting_ > 0) {
      const std::int32_t node = queue_[first_];
      if (clock.is_over(1 + rows_.neighbours.length(node))) return;
      first_ = first_ + 1 == queue_.size() ? 0 : first_ + 1;
      --num_waiting_;
      push(node);
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
  struct Node {
    double residual = 0.0, threshold = 0.0, degree = 0.0;
    bool is_waiting = false;
  };

  void wait(std::int32_t node) {
    nodes_[static_cast<std::size_t>(node)].is_waiting = true;
    const std::size_t place = first_ + num_waiting_++;
    queue_[place < queue_.size() ? place : place - queue_.size()] = node;
  }

  void wait_if_due(std::int32_t number) {
    const Node& node = nodes_[static_cast<std::size_t>(number)];
    if (!node.is_waiting && node.residual >= node.threshold) wait(number);
  }

  void push(std::int32_t number) {
    Node& node = nodes_[static_cast<std::size_t>(number)];
    node.is_waiting = false;
    const double half = (1.0 - alpha_) * node.residual / 2.0, degree = node.degree;
    rank_[static_cast<std::size_t>(number)] += alpha_ * node.residual;
    node.residual = half;
    // Most graphs have one weight: a share is computed anew only where it changes.
    double last_weight = 0.0, share = 0.0;
    const auto first = static_cast<std::size_t>(rows_.neighbours.start[static_cast<std::size_t>(number)]);
    const auto last = static_cast<std::size_t>(rows_.neighbours.start[static_cast<std::size_t>(number) + 1]);
    for (std::size_t entry = first; entry < last; ++entry) {
      if (rows_.weight[entry] != last_weight) {
        last_weight = rows_.weight[entry];
        share = half * last_weight / degree;
      }
      const std::int32_t other = rows_.neighbours.index[entry];
      nodes_[static_cast<std::size_t>(other)].residual += share;
      wait_if_due(other);
    }
    wait_if_due(number);
  }

  WeightedRows rows_;
  double alpha_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> queue_;  // a ring
  std::size_t first_ = 0, num_waiting_ = 0;
  std::vector<double> rank_;
};

}  // namespace annealco
