/// Running sums for a term over all pairs: what all chosen nodes together charge one more, without listing pairs.
///
/// For Σ_{i<j} min(c_i, c_j) p_i p_j the conditional difference of a node i is c_i Σ p over the nodes before it in
/// descending order of c, and Σ c p over those behind it. A Fenwick tree (Fenwick, 1994) of the two sums gives both in
/// O(log n); where all c of a graph are equal, the sum of p alone gives it in O(1). f and ψ have c of their own.
#pragma once

#include <array>
#include <cstdint>

#include "core/memory.hpp"
#include "energy/terms.hpp"

namespace annealco {

class AllPairsSums {
 public:
  explicit AllPairsSums(const EnergyTerms& terms)
      : terms_(&terms),
        total_(terms.has_all_pairs() ? static_cast<std::size_t>(terms.num_graphs()) : 0),
        tree_(terms.all_pairs.size()) {}

  /// Set every p of a graph to 0.
  void clear(std::int64_t graph) {
    if (!terms_->has_all_pairs()) return;
    total_[static_cast<std::size_t>(graph)] = {};
    for (std::int64_t node = terms_->first_node(graph); node < terms_->last_node(graph); ++node) {
      tree_[static_cast<std::size_t>(node)] = {};
    }
  }

  /// Add to the p of a node.
  void add(std::int64_t graph, std::int64_t node, double amount) {
    if (!terms_->has_all_pairs()) return;
    add_to<Reading::kEnergy>(graph, node, amount);
    add_to<Reading::kViolation>(graph, node, amount);
  }

  /// Return Σ_j min(c_i, c_j) p_j for a node i; what i itself adds, c_i p_i, is for the caller to take off.
  template <Reading reading>
  double charge(std::int64_t graph, std::int64_t node) const {
    constexpr auto r = static_cast<std::size_t>(reading);
    const double own = terms_->all_pairs[static_cast<std::size_t>(node)].of<reading>();
    const Sums& total = total_[static_cast<std::size_t>(graph)][r];
    if (terms_->is_uniform(graph, reading)) return own * total.probability;
    Sums before;
    const std::int64_t first = terms_->first_node(graph);
    for (std::int64_t at = terms_->place[static_cast<std::size_t>(2 * node) + r] - first; at > 0; at -= at & -at) {
      const Sums& part = tree_[static_cast<std::size_t>(first + at - 1)][r];
      before.probability += part.probability;
      before.charged += part.charged;
    }
    return own * before.probability + (total.charged - before.charged);
  }

 private:
  /// Σ p and Σ c p.
  struct Sums {
    double probability = 0.0, charged = 0.0;
  };

  template <Reading reading>
  void add_to(std::int64_t graph, std::int64_t node, double amount) {
    constexpr auto r = static_cast<std::size_t>(reading);
    const double charged = terms_->all_pairs[static_cast<std::size_t>(node)].of<reading>() * amount;
    Sums& total = total_[static_cast<std::size_t>(graph)][r];
    total.probability += amount;
    total.charged += charged;
    if (terms_->is_uniform(graph, reading)) return;
    const std::int64_t first = terms_->first_node(graph), size = terms_->size_of(graph);
    for (std::int64_t at = terms_->place[static_cast<std::size_t>(2 * node) + r] - first + 1; at <= size;
         at += at & -at) {
      Sums& part = tree_[static_cast<std::size_t>(first + at - 1)][r];
      part.probability += amount;
      part.charged += charged;
    }
  }

  const EnergyTerms* terms_;
  LargeVector<std::array<Sums, 2>> total_;  ///< [num_graphs] by reading
  LargeVector<std::array<Sums, 2>> tree_;   ///< [num_nodes] by reading, in descending order of c
};

}  // namespace annealco
