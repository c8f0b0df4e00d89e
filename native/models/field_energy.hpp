/// The field of an energy under a product distribution, for all nodes of a graph and a block of restarts at once.
///
/// Q chooses node i with probability φ_i = sigmoid(logit_i), and its field is E[f | x_i = 1] − E[f | x_i = 0]:
///
///     linear_i + Σ pair_ij φ_j + Σ_{j≠i} min(c_i, c_j) φ_j − Σ_{h∋i} cover_h Π_{j∈h, j≠i} (1 − φ_j)
///     + Σ_r range_r (E[outside_r(V + d_i)] − E[outside_r(V)])     V = Σ_{j≠i} d_j x_j
///
/// where V is taken as a normal variable of its mean and variance, or as its mean. `energy/product_state.hpp` keeps the
/// same sums up to date node by node in double precision; here all nodes change at every step.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/rows.hpp"
#include "models/normal_tail.hpp"
#include "models/single_precision.hpp"

namespace annealco {

/// How the expectation of a range is taken: of a normal variable, or of the mean.
enum class RangeMethod : std::int64_t { kGaussian = 0, kPlugin = 1 };

/// A graph, the restarts of its nodes, [nodes, restarts], and where they are.
struct FieldPoint {
  std::int64_t graph;
  std::size_t first, nodes, restarts;
  std::span<const float> logit, chance;
};

/// Memory that a field needs along the way.
struct FieldScratch {
  std::vector<float> miss, missed, owed;
  std::vector<double> wide;
};

struct FieldRange {
  std::span<const double> weight;                     ///< [num_nodes]
  std::span<const double> lower, upper, coefficient;  ///< [num_graphs]
  RangeMethod method;
};

struct FieldEnergy {
  std::span<const float> linear;             ///< [num_nodes]
  Rows pairs;                                ///< the other node of each pair, by node
  std::span<const float> pair_value;         ///< beside `pairs.index`, or one for all
  std::span<const float> all_pairs;          ///< [num_nodes] c, or none
  std::span<const std::int32_t> descending;  ///< [num_nodes] the nodes of each graph by falling c, or none
  Rows sets, sets_of;                        ///< members of each set, graph by graph, and the sets of each node
  std::span<const float> cover;              ///< [num_sets]
  std::span<const std::int64_t> set_start;   ///< [num_graphs + 1] the sets of each graph
  std::vector<FieldRange> ranges;

  /// Check sizes and ranges, which all that follows trusts; O(size).
  void check(std::span<const std::int64_t> node_start) const {
    const std::int64_t size = node_start.back(), graphs = static_cast<std::int64_t>(node_start.size()) - 1;
    check_values(linear, size, "linear");
    check_rows(pairs, size, "pairs");
    require(pairs.size() == size, "pairs: one row per node");
    require(pair_value.size() == 1 || pair_value.size() == pairs.index.size(), "pairs: one value per entry, or one");
    check_values(pair_value, static_cast<std::int64_t>(pair_value.size()), "pairs");
    require(all_pairs.size() == descending.size(), "all pairs: an order of the nodes");
    check_values(all_pairs, all_pairs.empty() ? 0 : size, "all pairs");
    check_rows(sets, size, "sets");
    check_rows(sets_of, sets.size(), "sets of nodes");
    require(sets_of.size() == size, "sets of nodes: one row per node");
    check_values(cover, sets.size(), "sets");
    require(static_cast<std::int64_t>(set_start.size()) == graphs + 1 && set_start[0] == 0 &&
                set_start.back() == sets.size() && std::is_sorted(set_start.begin(), set_start.end()),
            "offsets of sets do not fit");
    for (std::int64_t graph = 0; graph < graphs; ++graph) check_graph(node_start, static_cast<std::size_t>(graph));
    for (const FieldRange& range : ranges) {
      check_values(range.weight, size, "ranges");
      for (const auto& values : {range.lower, range.upper, range.coefficient}) {
        require(static_cast<std::int64_t>(values.size()) == graphs, "ranges: bounds and coefficients per graph");
        require(std::none_of(values.begin(), values.end(), [](double each) { return std::isnan(each); }),
                "ranges: bounds and coefficients must be numbers");
      }
      require(range.method == RangeMethod::kGaussian || range.method == RangeMethod::kPlugin,
              "ranges: the method must be gaussian or plugin");
    }
  }

  /// Write the field of every restart of every node of a graph.
  template <int kLanes>
  void field(const FieldPoint& at, std::vector<float>& result, FieldScratch& scratch) const {
    if (at.restarts == 1) {
      std::copy_n(linear.data() + at.first, at.nodes, result.data());
    } else {
      for (std::size_t node = 0; node < at.nodes; ++node) {
        std::fill_n(result.data() + node * at.restarts, at.restarts, linear[at.first + node]);
      }
    }
    add_linear<kLanes>(at, result, scratch);
    if (!sets_of.index.empty()) add_sets<kLanes>(at, result, scratch);
    for (const FieldRange& range : ranges) add_range<kLanes>(range, at, result, scratch);
  }

  /// Send gradients by the field, [nodes, restarts], back: add those by probabilities and, of what is not linear in
  /// them, by logits. Pairs are symmetric, so that their gradients travel as their fields do.
  template <int kLanes>
  void add_gradient(const FieldPoint& at, std::span<const float> gradient, std::vector<float>& to_chance,
                    std::vector<float>& to_logit, FieldScratch& scratch) const {
    FieldPoint turned = at;
    turned.chance = gradient;
    add_linear<kLanes>(turned, to_chance, scratch);
    if (!sets_of.index.empty()) add_sets_gradient<kLanes>(at, gradient, to_logit, scratch);
    for (const FieldRange& range : ranges) {
      add_range_gradient<kLanes>(range, at, gradient, to_chance, to_logit, scratch);
    }
  }

 private:
  template <class Number>
  static void check_values(std::span<const Number> values, std::int64_t count, const char* name) {
    require(static_cast<std::int64_t>(values.size()) == count, name, "wrong number of values");
    require(std::all_of(values.begin(), values.end(), [](Number each) { return std::isfinite(each); }), name,
            "values must be finite");
  }

  /// Graphs are worked on apart: what joins two of them would be read beyond the end.
  void check_graph(std::span<const std::int64_t> node_start, std::size_t graph) const {
    const std::int64_t first = node_start[graph], last = node_start[graph + 1];
    const auto within = [](std::span<const std::int32_t> numbers, std::int64_t least, std::int64_t end) {
      return std::all_of(numbers.begin(), numbers.end(),
                         [&](std::int32_t each) { return each >= least && each < end; });
    };
    for (std::int64_t node = first; node < last; ++node) {
      require(within(pairs[node], first, last), "pairs must be of one graph");
      require(within(sets_of[node], set_start[graph], set_start[graph + 1]), "sets of nodes must be of one graph");
    }
    for (std::int64_t set = set_start[graph]; set < set_start[graph + 1]; ++set) {
      require(within(sets[set], first, last), "sets must be of one graph");
    }
    if (descending.empty()) return;
    const auto begin = static_cast<std::size_t>(first), count = static_cast<std::size_t>(last - first);
    require(within(descending.subspan(begin, count), first, last), "all pairs: the order must be of one graph");
  }

  float value_of(std::size_t k) const { return pair_value[pair_value.size() == 1 ? 0 : k]; }

  /// Add what is linear in the probabilities: pairs, and all pairs.
  template <int kLanes>
  void add_linear(const FieldPoint& at, std::vector<float>& result, FieldScratch& scratch) const {
    if (!all_pairs.empty()) {
      add_all_pairs(at, result, scratch.wide);
    } else if (!pairs.index.empty()) {
      if (at.restarts == 8) {
        add_pairs<kLanes, 8>(at, result);
      } else if (at.restarts == 1) {
        add_single_pairs<kLanes>(at, result);
      } else {
        for (std::size_t restart = 0; restart < at.restarts; ++restart) add_pairs<kLanes, 1>(at, result, restart);
      }
    }
  }

  /// Add Σ pair_ij φ_j for so many restarts from one on.
  template <int kLanes, std::size_t kCount>
  void add_pairs(const FieldPoint& at, std::vector<float>& result, std::size_t restart = 0) const {
    const bool uniform = pair_value.size() == 1;
    for (std::size_t node = 0; node < at.nodes; ++node) {
      std::array<float, kCount> sum{};
      const auto first = static_cast<std::size_t>(pairs.start[at.first + node]);
      const auto others = pairs[static_cast<std::int64_t>(at.first + node)];
      for (std::size_t k = 0; k < others.size(); ++k) {
        const float* chance =
            at.chance.data() + (static_cast<std::size_t>(others[k]) - at.first) * at.restarts + restart;
        const float value = uniform ? 1.0F : pair_value[first + k];
        for (std::size_t each = 0; each < kCount; ++each) sum[each] = fused<kLanes>(value, chance[each], sum[each]);
      }
      float* own = result.data() + node * at.restarts + restart;
      const float scale = uniform ? pair_value[0] : 1.0F;
      for (std::size_t each = 0; each < kCount; ++each) own[each] = fused<kLanes>(scale, sum[each], own[each]);
    }
  }

  /// The same for one restart alone: four sums at once, since each has to wait for its last addition.
  template <int kLanes>
  void add_single_pairs(const FieldPoint& at, std::vector<float>& result) const {
    const bool uniform = pair_value.size() == 1;
    for (std::size_t node = 0; node < at.nodes; ++node) {
      std::array<float, 4> sum{};
      const auto first = static_cast<std::size_t>(pairs.start[at.first + node]);
      const auto others = pairs[static_cast<std::int64_t>(at.first + node)];
      const float* chance = at.chance.data() - at.first;
      std::size_t k = 0;
      for (; k + 4 <= others.size(); k += 4) {
        for (std::size_t i = 0; i < 4; ++i) {
          sum[i] += (uniform ? 1.0F : pair_value[first + k + i]) * chance[others[k + i]];
        }
      }
      for (; k < others.size(); ++k) sum[k % 4] += (uniform ? 1.0F : pair_value[first + k]) * chance[others[k]];
      result[node] += (uniform ? pair_value[0] : 1.0F) * ((sum[0] + sum[2]) + (sum[1] + sum[3]));
    }
  }

  /// Add Σ_{j≠i} min(c_i, c_j) φ_j, with the pairs beside it, in double precision: up to half of it is taken off again.
  void add_all_pairs(const FieldPoint& at, std::vector<float>& result, std::vector<double>& wide) const {
    wide.assign(at.nodes * at.restarts, 0.0);
    const auto order = descending.subspan(at.first, at.nodes);
    for (std::size_t restart = 0; restart < at.restarts; ++restart) {
      const auto place = [&](std::int32_t node) {
        return (static_cast<std::size_t>(node) - at.first) * at.restarts + restart;
      };
      double before = 0.0, after = 0.0;
      for (const auto node : order) {
        wide[place(node)] += all_pairs[static_cast<std::size_t>(node)] * before;
        before += at.chance[place(node)];
      }
      for (auto k = order.size(); k-- > 0;) {
        const auto node = order[k];
        wide[place(node)] += after;
        after += static_cast<double>(all_pairs[static_cast<std::size_t>(node)]) * at.chance[place(node)];
      }
    }
    for (std::size_t node = 0; node < at.nodes; ++node) {
      const auto first = static_cast<std::size_t>(pairs.start[at.first + node]);
      const auto others = pairs[static_cast<std::int64_t>(at.first + node)];
      double* own = wide.data() + node * at.restarts;
      for (std::size_t k = 0; k < others.size(); ++k) {
        const float* chance = at.chance.data() + (static_cast<std::size_t>(others[k]) - at.first) * at.restarts;
        const double value = value_of(first + k);
        for (std::size_t each = 0; each < at.restarts; ++each) own[each] += value * chance[each];
      }
    }
    for (std::size_t row = 0; row < wide.size(); ++row) result[row] += static_cast<float>(wide[row]);
  }

  /// A node that is as good as certain is missed with this probability, so that divisions by it are finite.
  static constexpr float kLeastMiss = 1.928749848e-22F;

  /// Fill in 1 − φ of nodes, and cover_h Π_{j∈h} (1 − φ_j) of the sets of a graph; return the number of the first set.
  template <int kLanes>
  std::size_t miss_sets(const FieldPoint& at, FieldScratch& scratch) const {
    const std::size_t count = at.restarts;
    scratch.miss.resize(at.nodes * count);
    for (std::size_t row = 0; row < scratch.miss.size(); ++row) {
      const float miss = single_sigmoid<kLanes>(-at.logit[row]);
      scratch.miss[row] = miss > kLeastMiss ? miss : kLeastMiss;
    }
    const auto first_set = static_cast<std::size_t>(set_start[static_cast<std::size_t>(at.graph)]);
    const auto last_set = static_cast<std::size_t>(set_start[static_cast<std::size_t>(at.graph) + 1]);
    scratch.missed.resize((last_set - first_set) * count);
    for (std::size_t set = first_set; set < last_set; ++set) {
      float* missed = scratch.missed.data() + (set - first_set) * count;
      std::fill(missed, missed + count, cover[set]);
      for (const auto member : sets[static_cast<std::int64_t>(set)]) {
        const float* miss = scratch.miss.data() + (static_cast<std::size_t>(member) - at.first) * count;
        for (std::size_t each = 0; each < count; ++each) missed[each] *= miss[each];
      }
    }
    return first_set;
  }

  /// Take off Σ_{h∋i} cover_h Π_{j∈h, j≠i} (1 − φ_j): the product of all, divided by the node's own factor.
  template <int kLanes>
  void add_sets(const FieldPoint& at, std::vector<float>& result, FieldScratch& scratch) const {
    const std::size_t count = at.restarts, first_set = miss_sets<kLanes>(at, scratch);
    std::array<float, 8> sum;
    for (std::size_t node = 0; node < at.nodes; ++node) {
      for (std::size_t begin = 0; begin < count; begin += sum.size()) {
        const std::size_t some = std::min(sum.size(), count - begin);
        sum.fill(0.0F);
        for (const auto set : sets_of[static_cast<std::int64_t>(at.first + node)]) {
          const float* missed = scratch.missed.data() + (static_cast<std::size_t>(set) - first_set) * count + begin;
          for (std::size_t each = 0; each < some; ++each) sum[each] += missed[each];
        }
        for (std::size_t each = 0; each < some; ++each) {
          const std::size_t row = node * count + begin + each;
          result[row] -= sum[each] / scratch.miss[row];
        }
      }
    }
  }

  /// With g the gradient, M_h the product of a set and m = −log(1 − φ): by m_j it is
  /// Σ_{h∋j} M_h Σ_{i∈h, i≠j} g_i / (1 − φ_i), and the slope of m_j by the logit is φ_j.
  template <int kLanes>
  void add_sets_gradient(const FieldPoint& at, std::span<const float> gradient, std::vector<float>& to_logit,
                         FieldScratch& scratch) const {
    const std::size_t count = at.restarts, first_set = miss_sets<kLanes>(at, scratch);
    scratch.owed.assign(scratch.missed.size(), 0.0F);
    for (std::size_t set = 0; set < scratch.missed.size() / count; ++set) {
      float* owed = scratch.owed.data() + set * count;
      for (const auto member : sets[static_cast<std::int64_t>(first_set + set)]) {
        const std::size_t row = (static_cast<std::size_t>(member) - at.first) * count;
        for (std::size_t each = 0; each < count; ++each) owed[each] += gradient[row + each] / scratch.miss[row + each];
      }
    }
    for (std::size_t node = 0; node < at.nodes; ++node) {
      for (std::size_t restart = 0; restart < count; ++restart) {
        const std::size_t row = node * count + restart;
        if (scratch.miss[row] <= kLeastMiss) continue;
        const float own = gradient[row] / scratch.miss[row];
        float sum = 0.0F;
        for (const auto set : sets_of[static_cast<std::int64_t>(at.first + node)]) {
          const std::size_t place = (static_cast<std::size_t>(set) - first_set) * count + restart;
          sum += scratch.missed[place] * (scratch.owed[place] - own);
        }
        to_logit[row] += sum * at.chance[row];
      }
    }
  }

  /// What a range sees of one restart: the sum of the nodes as a normal variable, and each node's part in it.
  struct RangeView {
    double lower, upper, coefficient;
    double mean = 0.0, variance = 0.0;
    const double* weight;
    double *chance, *spread, *first, *second;  ///< [nodes] φ, φ (1 − φ), and two of the caller's own

    double without(std::size_t node) const { return mean - weight[node] * chance[node]; }
    double rest(std::size_t node) const { return variance - weight[node] * weight[node] * spread[node]; }
    double width(std::size_t node) const {
      const double left = rest(node);
      return std::sqrt(left > kLeastVariance ? left : kLeastVariance);
    }
  };

  template <int kLanes>
  static RangeView view(const FieldRange& range, const FieldPoint& at, std::size_t restart, FieldScratch& scratch) {
    scratch.wide.resize(4 * at.nodes);
    const auto graph = static_cast<std::size_t>(at.graph);
    double* memory = scratch.wide.data();
    RangeView made{.lower = range.lower[graph],
                   .upper = range.upper[graph],
                   .coefficient = range.coefficient[graph],
                   .weight = range.weight.data() + at.first,
                   .chance = memory,
                   .spread = memory + at.nodes,
                   .first = memory + 2 * at.nodes,
                   .second = memory + 3 * at.nodes};
    for (std::size_t node = 0; node < at.nodes; ++node) {
      const std::size_t row = node * at.restarts + restart;
      made.chance[node] = at.chance[row];
      made.spread[node] = made.chance[node] * single_sigmoid<kLanes>(-at.logit[row]);
      made.mean += made.weight[node] * made.chance[node];
      made.variance += made.weight[node] * made.weight[node] * made.spread[node];
    }
    return made;
  }

  template <int kLanes>
  static void add_range(const FieldRange& range, const FieldPoint& at, std::vector<float>& result,
                        FieldScratch& scratch) {
    for (std::size_t restart = 0; restart < at.restarts; ++restart) {
      const RangeView of = view<kLanes>(range, at, restart, scratch);
      if (range.method == RangeMethod::kGaussian) {
        for (std::size_t node = 0; node < at.nodes; ++node) {
          const double others = of.without(node), width = of.width(node);
          of.first[node] = normal_outside(others + of.weight[node], width, of.lower, of.upper) -
                           normal_outside(others, width, of.lower, of.upper);
        }
      } else {
        for (std::size_t node = 0; node < at.nodes; ++node) {
          const double others = of.without(node);
          of.first[node] = outside(others + of.weight[node], of.lower, of.upper) - outside(others, of.lower, of.upper);
        }
      }
      for (std::size_t node = 0; node < at.nodes; ++node) {
        result[node * at.restarts + restart] += static_cast<float>(of.coefficient * of.first[node]);
      }
    }
  }

  /// A node's field depends on the mean and the variance of the others' sum, and these on every other node.
  template <int kLanes>
  static void add_range_gradient(const FieldRange& range, const FieldPoint& at, std::span<const float> gradient,
                                 std::vector<float>& to_chance, std::vector<float>& to_logit, FieldScratch& scratch) {
    for (std::size_t restart = 0; restart < at.restarts; ++restart) {
      const RangeView of = view<kLanes>(range, at, restart, scratch);
      double *by_mean = of.first, *by_variance = of.second;
      if (range.method == RangeMethod::kGaussian) {
        for (std::size_t node = 0; node < at.nodes; ++node) {
          const double others = of.without(node), width = of.width(node);
          const NormalSlopes with = normal_slopes(others + of.weight[node], width, of.lower, of.upper),
                             without = normal_slopes(others, width, of.lower, of.upper);
          by_mean[node] = with.by_mean - without.by_mean;
          by_variance[node] = of.rest(node) > kLeastVariance ? (with.by_width - without.by_width) / (2.0 * width) : 0.0;
        }
      } else {
        for (std::size_t node = 0; node < at.nodes; ++node) {
          const double others = of.without(node), with = others + of.weight[node];
          by_mean[node] = slope_outside(with, of.lower, of.upper) - slope_outside(others, of.lower, of.upper);
          by_variance[node] = 0.0;
        }
      }
      double to_mean = 0.0, to_variance = 0.0;
      for (std::size_t node = 0; node < at.nodes; ++node) {
        const double by = of.coefficient * gradient[node * at.restarts + restart];
        by_mean[node] *= by;
        by_variance[node] *= by;
        to_mean += by_mean[node];
        to_variance += by_variance[node];
      }
      for (std::size_t node = 0; node < at.nodes; ++node) {
        const std::size_t row = node * at.restarts + restart;
        const double weight = of.weight[node], slope = of.spread[node] * (1.0 - 2.0 * of.chance[node]);
        to_chance[row] += static_cast<float>(weight * (to_mean - by_mean[node]));
        to_logit[row] += static_cast<float>(weight * weight * (to_variance - by_variance[node]) * slope);
      }
    }
  }

  /// Where Q is certain the normal variable has no width; this keeps a division finite and changes nothing else.
  static constexpr double kLeastVariance = 1e-20;

  static double outside(double value, double lower, double upper) {
    return positive(value - upper) + positive(lower - value);
  }

  static double slope_outside(double value, double lower, double upper) {
    return (value > upper ? 1.0 : 0.0) - (value < lower ? 1.0 : 0.0);
  }

  static double positive(double value) { return value > 0.0 ? value : 0.0; }

  /// E[outside] of a normal variable of this mean and width; a bound that is infinitely far adds nothing.
  static double normal_outside(double mean, double width, double lower, double upper) {
    return normal_excess(mean - upper, width) + normal_excess(lower - mean, width);
  }

  /// Its derivatives.
  struct NormalSlopes {
    double by_mean, by_width;
  };

  static NormalSlopes normal_slopes(double mean, double width, double lower, double upper) {
    const double above = (mean - upper) / width, below = (lower - mean) / width;
    const NormalTail one = normal_tail(std::fabs(above)), two = normal_tail(std::fabs(below));
    return {(above > 0.0 ? 1.0 - one.mass : one.mass) - (below > 0.0 ? 1.0 - two.mass : two.mass),
            one.density + two.density};
  }

  /// E[N_+] of a normal variable N of this mean and width.
  static double normal_excess(double mean, double width) {
    const double standard = std::fabs(mean) / width;
    const NormalTail tail = normal_tail(standard);
    return positive(mean) + width * (tail.density - tail.limited * tail.mass);
  }
};

}  // namespace annealco
