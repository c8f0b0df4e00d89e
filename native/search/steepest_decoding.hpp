/// Turn probabilities into a set by conditional expectations, in an order that follows from what is decided.
///
/// The next node is the open one of the lowest conditional difference E[f | x_i = 1] − E[f | x_i = 0], and it is set to
/// the value of the lower conditional expectation. Where it holds that to choose a node never makes it cheaper to
/// choose another, as in packings and coverings, a node that could not lower f even if all open ones stayed out is
/// decided at once, so that others no longer reckon with it. From even probabilities this is the greedy rule that takes
/// a node of least degree and updates degrees (independent sets), or one that dominates most new nodes (dominating
/// sets).
///
/// Differences are kept up to date: O(log n) for each pair, and for each two members of a set until it is hit.
/// All-pairs and range terms change all differences at once; with these every decision looks at all open nodes, O(n²).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/indexed_heap.hpp"
#include "core/memory.hpp"
#include "energy/product_state.hpp"
#include "search/decode.hpp"

namespace annealco {

class SteepestDecoder {
 public:
  /// `floors` is a state of the same terms in which all probabilities of the graph are 0: those of chosen nodes rise.
  SteepestDecoder(const EnergyTerms& terms, ProductState& state, ProductState& floors, std::int64_t graph)
      : terms_(terms),
        state_(state),
        floors_(floors),
        graph_(graph),
        first_(terms.first_node(graph)),
        queue_(terms.size_of(graph)),
        difference_(static_cast<std::size_t>(terms.size_of(graph))) {}

  /// Make the probabilities of the graph bits.
  void decode() {
    state_.load(graph_);
    const std::int64_t last = terms_.last_node(graph_);
    for (std::int64_t node = first_; node < last; ++node) {
      const double sums = state_.delta_of_sums(graph_, node);
      local(node) = state_.delta<Reading::kEnergy>(graph_, node) - sums;
      queue_.set(place(node), local(node));
    }
    floors_.load(graph_);
    // Where another choice may make a node cheaper, nothing is known before its turn.
    has_floors_ = never_gets_cheaper();
    for (std::int64_t node = first_; node < last; ++node) exclude_if_dear(node);
    while (!queue_.empty()) {
      if (excluded_.empty()) {
        decide(next());
      } else {
        const std::int64_t node = excluded_.back();
        excluded_.pop_back();
        if (is_open(node)) decide(node);
      }
    }
  }

 private:
  /// E[f | x_i = 1] − E[f | x_i = 0] but for sums over the whole graph.
  double& local(std::int64_t node) { return difference_[static_cast<std::size_t>(node - first_)]; }
  std::int32_t place(std::int64_t node) const { return static_cast<std::int32_t>(node - first_); }
  bool is_open(std::int64_t node) const { return queue_.contains(place(node)); }
  bool has_sums() const { return terms_.has_all_pairs() || terms_.has_ranges(); }

  /// Return the open node of the lowest difference; of equal ones the lowest number.
  std::int64_t next() {
    if (!has_sums()) return first_ + queue_.top();
    std::int64_t best = -1;
    double least = 0.0;
    for (std::int64_t node = first_; node < terms_.last_node(graph_); ++node) {
      if (!is_open(node)) continue;
      const double difference = local(node) + state_.delta_of_sums(graph_, node);
      if (best < 0 || difference < least) {
        best = node;
        least = difference;
      }
    }
    return best;
  }

  void decide(std::int64_t node) {
    queue_.remove(place(node));
    const bool chosen = is_better_chosen(terms_, state_, graph_, node);
    const double value = chosen ? 1.0 : 0.0, change = value - state_.probability(node);
    if (change != 0.0) {
      count_pairs(node, change);
      count_sets(node, 1.0);
      state_.update(graph_, node, value);
      // A set that the node hits saves nothing any more.
      if (!chosen) count_sets(node, -1.0);
    }
    if (chosen) raise_floors(node);
  }

  void count_pairs(std::int64_t node, double change) {
    const auto others = terms_.pairs[node];
    const auto begin = static_cast<std::size_t>(terms_.pairs.start[static_cast<std::size_t>(node)]);
    for (std::size_t k = 0; k < others.size(); ++k) {
      if (is_open(others[k])) add(others[k], change * terms_.pair_value<Reading::kEnergy>(begin + k));
    }
  }

  /// Add what the sets of a node save other members by now, times a sign.
  void count_sets(std::int64_t node, double sign) {
    if (!terms_.has_sets()) return;
    for (const auto set : terms_.sets_of[node]) {
      if (floors_.is_hit(set)) continue;
      const double worth = sign * terms_.cover_value(set).energy;
      for (const auto other : terms_.sets[set]) {
        if (!is_open(other)) continue;
        const double missed = state_.missed_by_others(set, other);
        if (missed != 0.0) add(other, worth * missed);
      }
    }
  }

  void add(std::int64_t node, double change) {
    local(node) += change;
    queue_.set(place(node), local(node));
  }

  /// Tell whether to choose a node never makes it cheaper to choose another: no pair of nodes is worth less together.
  bool never_gets_cheaper() const {
    if (terms_.has_ranges()) return false;
    for (std::int64_t node = first_; node < terms_.last_node(graph_); ++node) {
      const auto others = terms_.pairs[node];
      const auto begin = static_cast<std::size_t>(terms_.pairs.start[static_cast<std::size_t>(node)]);
      for (std::size_t k = 0; k < others.size(); ++k) {
        double together = terms_.pair_value<Reading::kEnergy>(begin + k);
        if (terms_.has_all_pairs()) together += std::min(charge(node), charge(others[k]));
        if (together < -terms_.tolerance[static_cast<std::size_t>(node)]) return false;
      }
      for (const auto set : terms_.sets_of[node]) {
        if (terms_.cover_value(set).energy < 0.0) return false;
      }
      if (terms_.has_all_pairs() && charge(node) < 0.0) return false;
    }
    return true;
  }

  double charge(std::int64_t node) const { return terms_.all_pairs[static_cast<std::size_t>(node)].energy; }

  /// Choose a node where all open ones are out, and exclude those that now could not lower f.
  void raise_floors(std::int64_t node) {
    newly_hit_.clear();
    if (terms_.has_sets()) {
      for (const auto set : terms_.sets_of[node]) {
        if (!floors_.is_hit(set)) newly_hit_.push_back(set);
      }
    }
    floors_.update(graph_, node, 1.0);
    if (terms_.has_all_pairs()) {
      for (std::int64_t other = first_; other < terms_.last_node(graph_); ++other) exclude_if_dear(other);
      return;
    }
    for (const auto other : terms_.pairs[node]) exclude_if_dear(other);
    for (const auto set : newly_hit_) {
      for (const auto other : terms_.sets[set]) exclude_if_dear(other);
    }
  }

  /// What a node changes f by where all open ones are out, it changes it by at least, whatever is decided of them.
  void exclude_if_dear(std::int64_t node) {
    if (!has_floors_ || !is_open(node)) return;
    const double least = floors_.delta<Reading::kEnergy>(graph_, node);
    if (least >= -terms_.tolerance[static_cast<std::size_t>(node)]) excluded_.push_back(node);
  }

  const EnergyTerms& terms_;
  ProductState& state_;
  ProductState& floors_;
  std::int64_t graph_, first_;
  IndexedHeap queue_;               ///< open nodes by difference, numbered from 0
  LargeVector<double> difference_;  ///< [num_nodes of the graph]
  bool has_floors_ = false;
  std::vector<std::int32_t> newly_hit_;
  std::vector<std::int64_t> excluded_;  ///< to be decided at once
};

}  // namespace annealco
