/// The energy f and the violations ψ of an instance as flat arrays, one or many graphs side by side.
///
/// Searches need both readings at once. Penalties may be 0, and at the critical penalty infeasible assignments tie with
/// feasible ones, so ψ decides where f does not. Pairs, sets and ranges of the two are the same, only their
/// coefficients differ. For probabilities or bits p, the conditional difference of a node i is
///
///     linear[i] + Σ pair[k] p[pairs[i][k]]
///               + Σ_{j≠i} min(c_i, c_j) p_j                             c = all_pairs, over the nodes of i's graph
///               − Σ_{h∋i} cover[h] Π_{j∈h, j≠i} (1 − p_j)
///               + Σ_r range_r (outside_r(V_r + d_i) − outside_r(V_r))   V_r = Σ_{j≠i} d_j p_j
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/memory.hpp"
#include "core/rows.hpp"

namespace annealco {

enum class Reading { kEnergy, kViolation };

/// What a term has in f and in ψ.
struct Coefficient {
  double energy = 0.0, violation = 0.0;

  template <Reading reading>
  double of() const {
    return reading == Reading::kEnergy ? energy : violation;
  }
};

/// What a term has in f, where there is no ψ.
struct EnergyAlone {
  double energy = 0.0;

  template <Reading reading>
  double of() const {
    return reading == Reading::kEnergy ? energy : 0.0;
  }
};

/// A coefficient · ((V − upper)_+ + (lower − V)_+) of a weighted sum V in every graph.
struct RangeTerm {
  std::span<const double> weight;            ///< [num_nodes]
  std::span<const double> lower, upper;      ///< [num_graphs]
  std::span<const Coefficient> coefficient;  ///< [num_graphs]

  double outside(std::int64_t graph, double total) const {
    const auto g = static_cast<std::size_t>(graph);
    return std::max(total - upper[g], 0.0) + std::max(lower[g] - total, 0.0);
  }
};

/// Return −value where a condition holds, without a branch: bits of assignments are hard to predict.
inline double negated_if(bool condition, double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (static_cast<std::uint64_t>(condition) << 63));
}

/// Violations below this are rounding: a term that counts violations moves in steps of about 1.
constexpr double kViolationTolerance = 1e-9;

class EnergyTerms {
 public:
  std::span<const std::int64_t> node_start;  ///< [num_graphs + 1]
  std::span<const Coefficient> linear;       ///< [num_nodes]
  Rows pairs;                                ///< the other node of each pair, by node
  std::span<const double> pair_energy;       ///< beside `pairs.index`, or one for all
  std::span<const double> pair_violation;    ///< the same in ψ
  Rows sets;                                 ///< members of each set, graph by graph
  Rows sets_of;                              ///< the sets of each node
  std::span<const Coefficient> cover;        ///< [num_sets], or one for all
  std::span<const std::int64_t> set_start;   ///< [num_graphs + 1] the sets of each graph
  std::span<const Coefficient> all_pairs;    ///< [num_nodes], or none without such a term
  std::span<const std::int32_t> place;       ///< [num_nodes, 2] in the descending order of `all_pairs`, by reading
  std::span<const bool> uniform;             ///< [num_graphs, 2] whether all `all_pairs` of a graph are equal
  std::vector<RangeTerm> ranges;
  std::span<const Coefficient> constant;  ///< [num_graphs] what every assignment has

  LargeVector<double> tolerance;    ///< [num_nodes] changes of f up to this are ties
  std::vector<double> unit;         ///< [num_graphs] the smallest coefficient of f that is not 0
  std::vector<std::uint8_t> exact;  ///< [num_graphs] whether sums of coefficients have no rounding errors

  std::int64_t num_nodes() const { return static_cast<std::int64_t>(linear.size()); }
  std::int64_t num_graphs() const { return static_cast<std::int64_t>(node_start.size()) - 1; }
  std::int64_t num_sets() const { return sets.size(); }
  std::int64_t first_node(std::int64_t graph) const { return node_start[static_cast<std::size_t>(graph)]; }
  std::int64_t last_node(std::int64_t graph) const { return node_start[static_cast<std::size_t>(graph) + 1]; }
  std::int64_t size_of(std::int64_t graph) const { return last_node(graph) - first_node(graph); }
  bool has_pairs() const { return !pairs.index.empty(); }
  bool has_sets() const { return !sets_of.index.empty(); }
  bool has_all_pairs() const { return !all_pairs.empty(); }
  bool has_ranges() const { return !ranges.empty(); }
  bool is_exact(std::int64_t graph) const { return exact[static_cast<std::size_t>(graph)] != 0; }

  /// Tell whether f has linear terms and pairs only, and nothing can be violated; O(num_nodes).
  bool has_only_pairs() const {
    const auto harmless = [](const Coefficient& each) { return each.violation == 0.0; };
    return num_sets() == 0 && !has_all_pairs() && !has_ranges() && pair_violation.size() == 1 &&
           (pair_violation[0] == 0.0 || !has_pairs()) && std::all_of(linear.begin(), linear.end(), harmless) &&
           std::all_of(constant.begin(), constant.end(), harmless);
  }

  template <Reading reading>
  double pair_value(std::size_t k) const {
    const auto& values = reading == Reading::kEnergy ? pair_energy : pair_violation;
    return values[values.size() == 1 ? 0 : k];
  }

  const Coefficient& cover_value(std::int64_t set) const {
    return cover[cover.size() == 1 ? 0 : static_cast<std::size_t>(set)];
  }

  bool is_uniform(std::int64_t graph, Reading reading) const {
    return uniform[static_cast<std::size_t>(2 * graph) + (reading == Reading::kEnergy ? 0 : 1)];
  }

  /// Check sizes and ranges, which all that follows trusts, then measure tolerance and unit; O(size).
  void check_and_measure() {
    const std::int64_t size = num_nodes(), graphs = num_graphs();
    require(!node_start.empty() && node_start[0] == 0 && node_start.back() == size, "node offsets do not fit");
    require(std::is_sorted(node_start.begin(), node_start.end()), "node offsets must not fall");
    check_values(linear, size, "linear");
    check_rows(pairs, size, "pairs");
    require(pairs.size() == size, "pairs: one row per node");
    for (const auto& values : {pair_energy, pair_violation}) {
      require(values.size() == 1 || values.size() == pairs.index.size(), "pairs: one coefficient per entry, or one");
      require(std::all_of(values.begin(), values.end(), [](double each) { return std::isfinite(each); }),
              "pairs: coefficients must be finite");
    }
    check_rows(sets, size, "sets");
    check_rows(sets_of, sets.size(), "sets of nodes");
    require(sets_of.size() == size && sets_of.index.size() == sets.index.size(), "sets of nodes do not fit");
    require(cover.size() == 1 || static_cast<std::int64_t>(cover.size()) == sets.size(), "sets: one coefficient each");
    check_values(cover, static_cast<std::int64_t>(cover.size()), "sets");
    require(static_cast<std::int64_t>(set_start.size()) == graphs + 1 && set_start[0] == 0 &&
                set_start.back() == sets.size() && std::is_sorted(set_start.begin(), set_start.end()),
            "offsets of sets do not fit");
    check_within_graphs();
    check_all_pairs();
    for (const RangeTerm& range : ranges) {
      require(static_cast<std::int64_t>(range.weight.size()) == size, "ranges: one weight per node");
      for (const auto& bound : {range.lower, range.upper}) {
        require(static_cast<std::int64_t>(bound.size()) == graphs, "ranges: bounds per graph");
        require(std::none_of(bound.begin(), bound.end(), [](double each) { return std::isnan(each); }),
                "ranges: bounds must be numbers");
      }
      require(std::all_of(range.weight.begin(), range.weight.end(), [](double each) { return std::isfinite(each); }),
              "ranges: weights must be finite");
      check_values(range.coefficient, graphs, "ranges");
    }
    check_values(constant, graphs, "constants");
    measure();
  }

 private:
  /// Changes of f below this part of a node's largest coefficient are ties.
  static constexpr double kRelativeTolerance = 1e-9;
  /// The unit of a graph's energies is at least this part of its largest coefficient.
  static constexpr double kLeastUnit = 0x1.0p-20;

  static void check_values(std::span<const Coefficient> values, std::int64_t count, const char* name) {
    require(static_cast<std::int64_t>(values.size()) == count, name, "wrong number of coefficients");
    for (const Coefficient& each : values) {
      require(std::isfinite(each.energy) && std::isfinite(each.violation), name, "coefficients must be finite");
    }
  }

  /// Graphs are worked on in parallel: a pair or a set of two graphs would be a race.
  void check_within_graphs() const {
    for (std::int64_t graph = 0; graph < num_graphs(); ++graph) {
      const std::int64_t first = first_node(graph), last = last_node(graph);
      const auto begin = static_cast<std::size_t>(pairs.start[static_cast<std::size_t>(first)]);
      const auto end = static_cast<std::size_t>(pairs.start[static_cast<std::size_t>(last)]);
      for (std::size_t k = begin; k < end; ++k) {
        require(pairs.index[k] >= first && pairs.index[k] < last, "pairs must be of one graph");
      }
      for (std::int64_t set = set_start[static_cast<std::size_t>(graph)];
           set < set_start[static_cast<std::size_t>(graph) + 1]; ++set) {
        for (const auto member : sets[set]) {
          require(member >= first && member < last, "sets must be of one graph");
        }
      }
      const auto of_begin = static_cast<std::size_t>(sets_of.start[static_cast<std::size_t>(first)]);
      const auto of_end = static_cast<std::size_t>(sets_of.start[static_cast<std::size_t>(last)]);
      for (std::size_t k = of_begin; k < of_end; ++k) {
        require(sets_of.index[k] >= set_start[static_cast<std::size_t>(graph)] &&
                    sets_of.index[k] < set_start[static_cast<std::size_t>(graph) + 1],
                "sets of nodes must be of one graph");
      }
    }
  }

  void check_all_pairs() const {
    require(static_cast<std::int64_t>(uniform.size()) == 2 * num_graphs(), "all pairs: two flags per graph");
    if (all_pairs.empty()) return;
    check_values(all_pairs, num_nodes(), "all pairs");
    require(static_cast<std::int64_t>(place.size()) == 2 * num_nodes(), "all pairs: two places per node");
    for (std::int64_t graph = 0; graph < num_graphs(); ++graph) {
      for (auto k = static_cast<std::size_t>(2 * first_node(graph)); k < static_cast<std::size_t>(2 * last_node(graph));
           ++k) {
        require(place[k] >= first_node(graph) && place[k] < last_node(graph), "all pairs: places must be of the graph");
      }
    }
  }

  void measure() {
    tolerance.resize(linear.size());
    unit.resize(static_cast<std::size_t>(num_graphs()));
    for (std::int64_t graph = 0; graph < num_graphs(); ++graph) {
      double least = std::numeric_limits<double>::infinity(), largest = 0.0;
      for (std::int64_t node = first_node(graph); node < last_node(graph); ++node) {
        double own = 0.0;
        const auto widen = [&](double coefficient) {
          const double size = std::fabs(coefficient);
          if (size > 0.0) least = std::min(least, size);
          own = std::max(own, size);
        };
        const auto i = static_cast<std::size_t>(node);
        widen(linear[i].energy);
        if (has_all_pairs()) widen(all_pairs[i].energy);
        const auto count = [](std::size_t values, std::int64_t length) {
          return values == 1 ? std::min<std::int64_t>(1, length) : length;
        };
        const auto first = static_cast<std::size_t>(pairs.start[i]);
        for (std::int64_t k = 0; k < count(pair_energy.size(), pairs.length(node)); ++k) {
          widen(pair_value<Reading::kEnergy>(first + static_cast<std::size_t>(k)));
        }
        const auto own_sets = sets_of[node];
        for (std::int64_t k = 0; k < count(cover.size(), sets_of.length(node)); ++k) {
          widen(cover_value(own_sets[static_cast<std::size_t>(k)]).energy);
        }
        tolerance[i] = kRelativeTolerance * own;
        largest = std::max(largest, own);
      }
      unit[static_cast<std::size_t>(graph)] = largest > 0.0 ? std::max(least, kLeastUnit * largest) : 1.0;
      exact.push_back(sums_are_exact(graph));
    }
  }

  /// Whole numbers whose sizes add up to less than 2^52, so that sums of some of them, and halves of these, are exact.
  struct WholeNumbers {
    bool whole = true;
    double size = 0.0;

    void add(double value, double times = 1.0) {
      size += std::fabs(value) * times;
      whole = whole && std::fabs(value) < 0x1.0p52 && value == static_cast<double>(static_cast<std::int64_t>(value));
    }
    void add(const Coefficient& each, double times = 1.0) {
      add(each.energy, times);
      add(each.violation, times);
    }
    bool are_exact() const { return whole && size < 0x1.0p52; }
  };

  bool sums_are_exact(std::int64_t graph) const {
    WholeNumbers numbers;
    numbers.add(constant[static_cast<std::size_t>(graph)]);
    const auto size = static_cast<double>(size_of(graph));
    for (std::int64_t node = first_node(graph); node < last_node(graph) && numbers.are_exact(); ++node) {
      numbers.add(linear[static_cast<std::size_t>(node)]);
      if (has_all_pairs()) numbers.add(all_pairs[static_cast<std::size_t>(node)], size);
      const auto first = static_cast<std::size_t>(pairs.start[static_cast<std::size_t>(node)]);
      const auto last = static_cast<std::size_t>(pairs.start[static_cast<std::size_t>(node) + 1]);
      for (const auto& values : {pair_energy, pair_violation}) {
        if (values.size() == 1) {
          numbers.add(values[0], static_cast<double>(last - first));
        } else {
          for (std::size_t k = first; k < last; ++k) numbers.add(values[k]);
        }
      }
      for (const auto set : sets_of[node]) numbers.add(cover_value(set));
    }
    for (const RangeTerm& range : ranges) add_range(numbers, range, graph);
    return numbers.are_exact();
  }

  /// Count a range's weights, its bounds and its coefficient times all of them.
  void add_range(WholeNumbers& numbers, const RangeTerm& range, std::int64_t graph) const {
    WholeNumbers sums;
    for (std::int64_t node = first_node(graph); node < last_node(graph); ++node) {
      sums.add(range.weight[static_cast<std::size_t>(node)]);
    }
    for (const double bound :
         {range.lower[static_cast<std::size_t>(graph)], range.upper[static_cast<std::size_t>(graph)]}) {
      if (std::isfinite(bound)) sums.add(bound);
    }
    numbers.add(range.coefficient[static_cast<std::size_t>(graph)], sums.size + 1.0);
    numbers.whole = numbers.whole && sums.are_exact();
  }
};

}  // namespace annealco
