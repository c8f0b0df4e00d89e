/// A product distribution Q with the sums under its conditional expectations, kept up to date node by node.
///
/// Q sets x_i = 1 with probability p_i, independently; bits are probabilities 0 and 1. `delta` returns the conditional
/// difference E[f | x_i = 1] − E[f | x_i = 0], or that of ψ, in O(degree), and `update` changes one p_i in O(degree);
/// weighted all-pairs terms add O(log n). What is kept:
///
///   * for each set, how many members are certain (p = 1) and Π (1 − p) over the others; on large sets a plain product
///     would underflow and never come back, so that it is folded.
///   * for each range, mean and variance of its sum, of which E[(V − D)_+] is taken in the normal closed form; where no
///     other node of the graph is open, the sum is a number and the value exact.
///   * running sums for all-pairs terms.
///
/// All sums of a graph are taken anew after as many updates as it has nodes, so that rounding errors do not add up, and
/// a variance is 0 where nothing open is left. A graph's state depends on no other graph: graphs of one state may be
/// worked on in parallel.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>

#include "core/memory.hpp"
#include "core/portable_math.hpp"
#include "core/prefetch.hpp"
#include "energy/all_pairs.hpp"
#include "energy/terms.hpp"

namespace annealco {

/// Return E[(V − upper)_+ + (lower − V)_+] of a normal V; without variance V is its mean.
inline double expected_outside(double mean, double variance, double lower, double upper) {
  if (variance <= 0.0) return std::max(mean - upper, 0.0) + std::max(lower - mean, 0.0);
  const double width = std::sqrt(variance);
  const auto excess = [width](double above) {
    constexpr double kRoot2 = std::numbers::sqrt2, kDensity = 0.398942280401432677940;  // 1 / √(2π)
    const double standard = above / width;
    return above * 0.5 * portable_erfc(-standard / kRoot2) +
           width * kDensity * portable_exp(-0.5 * standard * standard);
  };
  return excess(mean - upper) + excess(lower - mean);
}

class ProductState {
 public:
  /// How early the stages of `fetch` are worth calling, in visits.
  static constexpr std::int64_t kAhead = 6;

  /// Copy probabilities, [num_nodes]; `load` every graph before use.
  ProductState(const EnergyTerms& terms, std::span<const double> probability)
      : terms_(&terms),
        probability_(probability.begin(), probability.end()),
        set_(static_cast<std::size_t>(terms.num_sets())),
        graph_(static_cast<std::size_t>(terms.num_graphs())),
        sum_(terms.ranges.size() * static_cast<std::size_t>(terms.num_graphs())),
        sums_(terms) {
    require(static_cast<std::int64_t>(probability.size()) == terms.num_nodes(), "one probability per node");
  }

  const EnergyTerms& terms() const { return *terms_; }
  double probability(std::int64_t node) const { return probability_[static_cast<std::size_t>(node)]; }
  std::span<const double> probabilities() const { return probability_; }

  /// Set a probability before its graph is loaded.
  void set_unloaded(std::int64_t node, double value) { probability_[static_cast<std::size_t>(node)] = value; }

  /// Take all sums of a graph anew from its probabilities; O(size of the graph's terms).
  void load(std::int64_t graph) {
    const auto g = static_cast<std::size_t>(graph);
    set_.clear(terms_->set_start[g], terms_->set_start[g + 1]);
    for (std::size_t r = 0; r < terms_->ranges.size(); ++r) sum_[slot(r, graph)] = {};
    graph_[g] = {};
    sums_.clear(graph);
    const std::int64_t last = terms_->last_node(graph);
    for (std::int64_t node = terms_->first_node(graph); node < last; ++node) {
      if (terms_->has_sets() && node + kSetsAhead < last) fetch_sets(node + kSetsAhead);
      count(graph, node, 0.0);
    }
  }

  /// Set the probability of a node of a loaded graph; O(degree).
  void update(std::int64_t graph, std::int64_t node, double value) {
    const auto i = static_cast<std::size_t>(node);
    const double old = probability_[i];
    if (value == old) return;
    probability_[i] = value;
    if (++graph_[static_cast<std::size_t>(graph)].age > std::max(kLeastPeriod, terms_->size_of(graph))) {
      load(graph);
      return;
    }
    count(graph, node, old);
  }

  /// Set an open probability to 0 or 1 in a state in which nothing certain becomes uncertain again.
  ///
  /// Then sets with a certain member are done with, and need not be counted any more: they charge nothing, whatever is
  /// open in them. Later in decoding that is most of the sets.
  void settle(std::int64_t graph, std::int64_t node, bool chosen) {
    const auto i = static_cast<std::size_t>(node);
    const double old = probability_[i];
    probability_[i] = chosen ? 1.0 : 0.0;
    count_in_graph(graph, node, old);
    if (!terms_->has_sets()) return;
    if (chosen) {
      for (const auto set : terms_->sets_of[node]) set_.finish(set);
    } else {
      const double ratio = 1.0 / left_by(old);
      for (const auto set : terms_->sets_of[node]) {
        if (!set_.has_certain(set)) set_.multiply(set, ratio);
      }
    }
  }

  /// Return E[f | x_i = 1] − E[f | x_i = 0] of a node of a loaded graph, or that of ψ; O(degree).
  template <Reading reading>
  double delta(std::int64_t graph, std::int64_t node) const {
    const auto i = static_cast<std::size_t>(node);
    double total = terms_->linear[i].of<reading>();
    if (terms_->has_pairs()) total += pair_part<reading>(node);
    if (terms_->has_all_pairs()) total += all_pairs_delta<reading>(graph, node);
    if (terms_->has_sets()) total -= missed_without<reading>(node);
    if (terms_->has_ranges()) total += range_delta<reading>(graph, node);
    return total;
  }

  /// Return what sums over the whole graph, all pairs and ranges, have in `delta`.
  double delta_of_sums(std::int64_t graph, std::int64_t node) const {
    double total = 0.0;
    if (terms_->has_all_pairs()) total += all_pairs_delta<Reading::kEnergy>(graph, node);
    if (terms_->has_ranges()) total += range_delta<Reading::kEnergy>(graph, node);
    return total;
  }

  /// Tell whether a set has a member with p = 1.
  bool is_hit(std::int32_t set) const { return set_.has_certain(set); }

  /// Return the probability that a set is missed, given that this member is not chosen.
  double missed_by_others(std::int32_t set, std::int64_t node) const {
    const double own = probability(node);
    return own >= 1.0 ? set_.missed_without_certain(set) : set_.missed(set) / left_by(own);
  }

  /// Ask for what `delta` and `update` will read of a node.
  ///
  /// At stage 2 where its lists start, at 1 the lists, at 0 what they name. A stage reads what the one before asked
  /// for, so the stages of a node belong some visits apart.
  void fetch(std::int64_t node, int stage) const {
    const auto i = static_cast<std::size_t>(node);
    if (stage == 2) {
      prefetch(&probability_[i]);
      prefetch(&terms_->linear[i]);
      prefetch(&terms_->tolerance[i]);
      if (terms_->has_pairs()) prefetch(&terms_->pairs.start[i]);
      if (terms_->has_sets()) prefetch(&terms_->sets_of.start[i]);
    } else if (stage == 1) {
      if (terms_->has_pairs()) fetch_start(terms_->pairs, node);
      if (terms_->has_sets()) fetch_start(terms_->sets_of, node);
    } else {
      if (terms_->has_pairs()) {
        for (const auto other : some(terms_->pairs[node])) prefetch(&probability_[static_cast<std::size_t>(other)]);
      }
      if (terms_->has_sets()) fetch_sets(node);
    }
  }

 private:
  /// Sums are not taken anew before this many updates.
  static constexpr std::int64_t kLeastPeriod = 1000;
  static constexpr std::int64_t kSetsAhead = 4;
  /// Of longer lists only the start is asked for early; the rest comes in by itself while that is worked on.
  static constexpr std::size_t kMostFetched = 32;
  static constexpr std::size_t kLineEntries = 16;  ///< of a list, in a line of the cache

  /// What sets are missed with, in 8 bytes a set for most questions: twice as many fit into the cache as of whole rows.
  ///
  /// Of a set the product Π (1 − p) over all but its certain members is kept, negative where it has certain members. A
  /// product below 2^-950 is folded, which is multiplied by 2^450, and once more where it falls on; a folded product
  /// stays below 2^-450, which next to any other is nothing, and is unfolded where it would rise above.
  class SetStates {
   public:
    explicit SetStates(std::size_t count) : product_(count), rest_(count) {}

    void clear(std::int64_t first, std::int64_t last) {
      std::fill(product_.begin() + first, product_.begin() + last, 1.0);
      std::fill(rest_.begin() + first, rest_.begin() + last, Rest{});
    }

    void fetch(std::int32_t set) const { prefetch(&product_[static_cast<std::size_t>(set)]); }

    bool has_certain(std::int32_t set) const { return product_[static_cast<std::size_t>(set)] < 0.0; }

    void multiply(std::int32_t set, double ratio) {
      double& product = product_[static_cast<std::size_t>(set)];
      const double before = std::fabs(product), after = before * ratio;
      product *= ratio;
      if (after < 0x1.0p-950) {
        product *= kFold;
        ++rest_[static_cast<std::size_t>(set)].folds;
      } else if (after >= kSmall && before < kSmall && rest_[static_cast<std::size_t>(set)].folds > 0) {
        product /= kFold;
        --rest_[static_cast<std::size_t>(set)].folds;
      }
    }

    void add_certain(std::int32_t set, std::int32_t count) {
      const std::int32_t certain = rest_[static_cast<std::size_t>(set)].certain += count;
      double& product = product_[static_cast<std::size_t>(set)];
      product = std::copysign(product, certain > 0 ? -1.0 : 1.0);
    }

    /// Mark a set as one with a certain member, which are not counted any more.
    void finish(std::int32_t set) {
      double& product = product_[static_cast<std::size_t>(set)];
      product = -std::fabs(product);
    }

    /// Return the probability that a set is missed.
    double missed(std::int32_t set) const {
      // Whether a set counts is hard to predict, so a mask takes the place of a branch.
      const auto bits = std::bit_cast<std::int64_t>(product_[static_cast<std::size_t>(set)]);
      return std::bit_cast<double>(bits & ~(bits >> 63));
    }

    /// Return the probability that a set is missed, given that one of its certain members is not chosen.
    double missed_without_certain(std::int32_t set) const {
      return rest_[static_cast<std::size_t>(set)].certain == 1 ? -product_[static_cast<std::size_t>(set)] : 0.0;
    }

   private:
    static constexpr double kFold = 0x1.0p450, kSmall = 0x1.0p-450;

    struct Rest {
      std::int32_t certain = 0;  ///< members with p = 1
      std::int32_t folds = 0;
    };

    LargeVector<double> product_;  ///< [num_sets]
    LargeVector<Rest> rest_;       ///< [num_sets]
  };

  struct RangeState {
    double mean = 0.0, variance = 0.0;
  };
  struct GraphState {
    std::int64_t open = 0;  ///< nodes with 0 < p < 1
    std::int64_t age = 0;   ///< updates since the sums were taken anew
  };

  static bool is_open(double probability) { return 0.0 < probability && probability < 1.0; }

  /// Return 1 − p, and 1 for a certain member, which is counted apart.
  static double left_by(double probability) { return probability < 1.0 ? 1.0 - probability : 1.0; }

  static std::span<const std::int32_t> some(std::span<const std::int32_t> list) {
    return list.first(std::min(list.size(), kMostFetched));
  }

  static void fetch_start(const Rows& rows, std::int64_t node) {
    const std::int32_t* list = rows.index.data() + rows.start[static_cast<std::size_t>(node)];
    prefetch(list);
    prefetch(list + kLineEntries);
  }

  void fetch_sets(std::int64_t node) const {
    for (const auto set : some(terms_->sets_of[node])) set_.fetch(set);
  }

  std::size_t slot(std::size_t range, std::int64_t graph) const {
    return range * static_cast<std::size_t>(terms_->num_graphs()) + static_cast<std::size_t>(graph);
  }

  template <Reading reading>
  double pair_part(std::int64_t node) const {
    const auto& values = reading == Reading::kEnergy ? terms_->pair_energy : terms_->pair_violation;
    const auto others = terms_->pairs[node];
    double total = 0.0;
    if (values.size() == 1) {
      for (const auto other : others) total += probability_[static_cast<std::size_t>(other)];
      return values[0] * total;
    }
    const double* value = values.data() + terms_->pairs.start[static_cast<std::size_t>(node)];
    for (std::size_t k = 0; k < others.size(); ++k) {
      total += value[k] * probability_[static_cast<std::size_t>(others[k])];
    }
    return total;
  }

  template <Reading reading>
  double all_pairs_delta(std::int64_t graph, std::int64_t node) const {
    const auto i = static_cast<std::size_t>(node);
    return sums_.charge<reading>(graph, node) - terms_->all_pairs[i].of<reading>() * probability_[i];
  }

  /// Return Σ c_h Π_{j∈h, j≠i} (1 − p_j) over the sets of a node i.
  template <Reading reading>
  double missed_without(std::int64_t node) const {
    const double own = probability_[static_cast<std::size_t>(node)];
    const auto sum = [&](auto&& missed) {
      double total = 0.0;
      if (terms_->cover.size() == 1) {
        for (const auto set : terms_->sets_of[node]) total += missed(set);
        return terms_->cover[0].of<reading>() * total;
      }
      for (const auto set : terms_->sets_of[node]) {
        total += terms_->cover[static_cast<std::size_t>(set)].of<reading>() * missed(set);
      }
      return total;
    };
    if (own >= 1.0) return sum([this](std::int32_t set) { return set_.missed_without_certain(set); });
    return sum([this](std::int32_t set) { return set_.missed(set); }) / left_by(own);
  }

  template <Reading reading>
  double range_delta(std::int64_t graph, std::int64_t node) const {
    const auto g = static_cast<std::size_t>(graph);
    const double own = probability_[static_cast<std::size_t>(node)];
    const bool others_open = graph_[g].open > (is_open(own) ? 1 : 0);
    double total = 0.0;
    for (std::size_t r = 0; r < terms_->ranges.size(); ++r) {
      const RangeTerm& range = terms_->ranges[r];
      const double weight = range.weight[static_cast<std::size_t>(node)];
      const RangeState& sum = sum_[slot(r, graph)];
      const double mean = sum.mean - weight * own;
      const double variance = others_open ? sum.variance - weight * weight * own * (1.0 - own) : 0.0;
      const double moved = expected_outside(mean + weight, variance, range.lower[g], range.upper[g]) -
                           expected_outside(mean, variance, range.lower[g], range.upper[g]);
      total += range.coefficient[g].of<reading>() * moved;
    }
    return total;
  }

  /// Bring all sums from an old probability of a node to the present one.
  void count(std::int64_t graph, std::int64_t node, double old) {
    count_in_graph(graph, node, old);
    if (!terms_->has_sets()) return;
    const double now = probability_[static_cast<std::size_t>(node)];
    const std::int32_t certain = (now >= 1.0 ? 1 : 0) - (old >= 1.0 ? 1 : 0);
    const double ratio = left_by(now) / left_by(old);
    for (const auto set : terms_->sets_of[node]) {
      set_.multiply(set, ratio);
      if (certain != 0) set_.add_certain(set, certain);
    }
  }

  /// Bring the sums over a graph from an old probability of a node to the present one.
  void count_in_graph(std::int64_t graph, std::int64_t node, double old) {
    GraphState& state = graph_[static_cast<std::size_t>(graph)];
    const double now = probability_[static_cast<std::size_t>(node)];
    state.open += (is_open(now) ? 1 : 0) - (is_open(old) ? 1 : 0);
    for (std::size_t r = 0; r < terms_->ranges.size(); ++r) {
      const double weight = terms_->ranges[r].weight[static_cast<std::size_t>(node)];
      RangeState& sum = sum_[slot(r, graph)];
      sum.mean += weight * (now - old);
      sum.variance += weight * weight * (now * (1.0 - now) - old * (1.0 - old));
      if (state.open == 0) sum.variance = 0.0;
    }
    sums_.add(graph, node, now - old);
  }

  const EnergyTerms* terms_;
  LargeVector<double> probability_;  ///< [num_nodes]
  SetStates set_;
  LargeVector<GraphState> graph_;  ///< [num_graphs]
  LargeVector<RangeState> sum_;    ///< [num_ranges, num_graphs]
  AllPairsSums sums_;
};

}  // namespace annealco
