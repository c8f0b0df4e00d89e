/// Bits with the change that every flip would make, kept up to date flip by flip.
///
/// For each node the conditional difference of f and of ψ is stored as far as it comes from linear terms, pairs and
/// sets: its local field. A flip changes it only for nodes that share a pair or a set with the flipped one, and these
/// are listed in `touched`. What comes from all-pairs and range terms depends on sums over the graph, and is added when
/// asked for. A set of which exactly one member is chosen charges that member alone; the exclusive-or of its chosen
/// members names it without a walk through the set.
///
/// Where sums are not exact, those of a graph are taken anew after a number of flips in proportion to its nodes, so
/// that rounding errors do not add up. A graph's state depends on no other graph, so that graphs of one assignment may
/// be worked on in parallel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/memory.hpp"
#include "core/prefetch.hpp"
#include "energy/all_pairs.hpp"
#include "energy/terms.hpp"

namespace annealco {

/// What an assignment keeps up to date: all of it, or the energies of nodes and pairs alone, which takes half the
/// memory and less than half the work, for terms that `EnergyTerms::has_only_pairs`.
enum class Shape { kGeneral, kPairsOnly };

template <Shape shape>
class BasicAssignment {
 public:
  static constexpr bool kPairsOnly = shape == Shape::kPairsOnly;
  using Field = std::conditional_t<kPairsOnly, EnergyAlone, Coefficient>;

  /// Copy bits, [num_nodes]; `load` every graph before use.
  template <class Bit>
  BasicAssignment(const EnergyTerms& terms, std::span<const Bit> chosen)
      : terms_(&terms),
        node_(static_cast<std::size_t>(terms.num_nodes())),
        chosen_(chosen.begin(), chosen.end()),
        set_(static_cast<std::size_t>(terms.num_sets())),
        graph_(static_cast<std::size_t>(terms.num_graphs())),
        sums_(terms),
        touched_(terms.has_sets() ? static_cast<std::size_t>(terms.num_nodes()) : 0),
        stamp_(terms.has_sets() ? static_cast<std::size_t>(terms.num_nodes()) : 0) {
    require(static_cast<std::int64_t>(chosen.size()) == terms.num_nodes(), "one bit per node");
    require(!kPairsOnly || terms.has_only_pairs(), "these terms are not of pairs only");
    for (const RangeTerm& term : terms.ranges) {
      for (std::size_t g = 0; g < graph_.size(); ++g) {
        range_.push_back({term.weight.data(), term.lower[g], term.upper[g], term.coefficient[g]});
      }
    }
  }

  const EnergyTerms& terms() const { return *terms_; }
  bool is_chosen(std::int64_t node) const { return chosen_[static_cast<std::size_t>(node)] != 0; }
  std::span<const std::uint8_t> chosen() const { return chosen_; }
  double energy(std::int64_t graph = 0) const { return graph_[static_cast<std::size_t>(graph)].value.energy; }
  double violation(std::int64_t graph = 0) const { return graph_[static_cast<std::size_t>(graph)].value.violation; }
  bool is_feasible(std::int64_t graph = 0) const { return kPairsOnly || violation(graph) <= kViolationTolerance; }

  // What a compiler can leave out for energies of pairs only.
  bool has_sets() const { return !kPairsOnly && terms_->has_sets(); }
  bool has_all_pairs() const { return !kPairsOnly && terms_->has_all_pairs(); }
  bool has_ranges() const { return !kPairsOnly && terms_->has_ranges(); }

  /// Return the local part of f(x_i = 1) − f(x_i = 0), and of ψ.
  const Field& field(std::int64_t node) const { return node_[static_cast<std::size_t>(node)]; }

  /// Return the weighted sum of a range over the chosen nodes of a graph.
  double total(std::size_t range, std::int64_t graph = 0) const { return range_[slot(range, graph)].total; }

  /// Return the nodes whose field the last flip in a graph changed.
  std::span<const std::int32_t> touched(std::int64_t graph = 0) const {
    const GraphState& state = graph_[static_cast<std::size_t>(graph)];
    if (state.flips == 0) return {};
    if (!has_sets()) return terms_->pairs[state.flipped];
    return std::span(touched_).subspan(static_cast<std::size_t>(terms_->first_node(graph)),
                                       static_cast<std::size_t>(state.num_touched));
  }

  /// Take fields, sums and values of a graph anew from its bits; O(size of the graph's terms).
  void load(std::int64_t graph) {
    GraphState& state = graph_[static_cast<std::size_t>(graph)];
    state.age = 0;
    for (std::size_t r = 0; r < terms_->ranges.size(); ++r) range_[slot(r, graph)].set_total(0.0);
    sums_.clear(graph);
    count_hits(graph);
    const std::int64_t first = terms_->first_node(graph), last = terms_->last_node(graph);
    if (has_ranges() || has_all_pairs()) {
      for (std::int64_t node = first; node < last; ++node) {
        if (is_chosen(node)) move_sums(graph, node, 1.0);
      }
    }
    state.value = {value_of_sums<Reading::kEnergy>(graph), value_of_sums<Reading::kViolation>(graph)};
    for (std::int64_t node = first; node < last; ++node) {
      if (has_sets() && node + kSetsAhead < last) {
        for (const auto set : terms_->sets_of[node + kSetsAhead]) prefetch(&set_[static_cast<std::size_t>(set)]);
      }
      load_field(graph, node);
    }
  }

  /// Return the change of f or of ψ by a flip, without ranges.
  template <Reading reading>
  double local_change(std::int64_t graph, std::int64_t node) const {
    const auto i = static_cast<std::size_t>(node);
    double rise = node_[i].template of<reading>();
    if (has_all_pairs()) [[unlikely]] {
      rise += sums_.charge<reading>(graph, node);
      if (chosen_[i]) rise -= terms_->all_pairs[i].of<reading>();
    }
    return negated_if(is_chosen(node), rise);
  }

  /// Return the change of c · f + d · ψ by moving the sum of every range by what `step(weight)` returns.
  template <class Step>
  double range_change(std::int64_t graph, double c, double d, Step&& step) const {
    double change = 0.0;
    for (std::size_t r = static_cast<std::size_t>(graph); r < range_.size(); r += graph_.size()) {
      const RangeState& range = range_[r];
      const double moved = range.outside_of(range.total + step(range.weight)) - range.outside;
      change += (c * range.coefficient.energy + d * range.coefficient.violation) * moved;
    }
    return change;
  }

  /// Return the change of the ranges of c · f + d · ψ by a flip.
  double range_change(std::int64_t graph, std::int64_t node, double c, double d) const {
    return range_change(graph, c, d, [this, node](const double* weight) {
      return negated_if(is_chosen(node), weight[static_cast<std::size_t>(node)]);
    });
  }

  /// Return the change of the ranges of f or of ψ by a flip.
  template <Reading reading>
  double range_change(std::int64_t graph, std::int64_t node) const {
    return reading == Reading::kEnergy ? range_change(graph, node, 1.0, 0.0) : range_change(graph, node, 0.0, 1.0);
  }

  /// Return the change of f or of ψ by a flip.
  template <Reading reading>
  double change(std::int64_t graph, std::int64_t node) const {
    const double local = local_change<reading>(graph, node);
    return has_ranges() ? local + range_change<reading>(graph, node) : local;
  }

  /// Flip a node of a graph; O(degree), and O(size) for every set that becomes hit or missed.
  void flip(std::int64_t graph, std::int64_t node) {
    GraphState& state = graph_[static_cast<std::size_t>(graph)];
    state.value.energy += change<Reading::kEnergy>(graph, node);
    if constexpr (!kPairsOnly) state.value.violation += change<Reading::kViolation>(graph, node);
    const double sign = negated_if(is_chosen(node), 1.0);
    chosen_[static_cast<std::size_t>(node)] ^= 1;
    state.flipped = node;
    state.num_touched = 0;
    ++state.flips;
    if (has_ranges() || has_all_pairs()) move_sums(graph, node, sign);
    move_pairs(graph, node, sign);
    if (has_sets()) move_sets(graph, node, sign);
    if (++state.age > std::max(kLeastPeriod, kPeriodPerNode * terms_->size_of(graph)) && !terms_->is_exact(graph)) {
      load(graph);
    }
  }

 private:
  /// Sums are not taken anew before this many flips, altogether and per node.
  static constexpr std::int64_t kLeastPeriod = 10'000, kPeriodPerNode = 4;
  /// Where nodes are visited one after the other, their sets are fetched this many nodes early.
  static constexpr std::int64_t kSetsAhead = 4;

  struct SetState {
    std::int32_t hits = 0;  ///< chosen members
    std::int32_t sole = 0;  ///< exclusive-or of the chosen members: the only one where `hits` is 1
  };
  /// A range of a graph, and the weighted sum of the chosen nodes.
  struct RangeState {
    const double* weight;
    double lower, upper;
    Coefficient coefficient;
    double total = 0.0, outside = 0.0;

    double outside_of(double sum) const { return std::max(sum - upper, 0.0) + std::max(lower - sum, 0.0); }
    void set_total(double sum) {
      total = sum;
      outside = outside_of(sum);
    }
  };
  struct GraphState {
    Coefficient value;
    std::int64_t flipped = 0, num_touched = 0, flips = 0, age = 0;
  };

  std::size_t slot(std::size_t range, std::int64_t graph) const {
    return range * static_cast<std::size_t>(terms_->num_graphs()) + static_cast<std::size_t>(graph);
  }

  void count_hits(std::int64_t graph) {
    const auto first = static_cast<std::size_t>(terms_->set_start[static_cast<std::size_t>(graph)]);
    const auto last = static_cast<std::size_t>(terms_->set_start[static_cast<std::size_t>(graph) + 1]);
    for (std::size_t set = first; set < last; ++set) set_[set] = {};
    if (first == last) return;
    for (std::int64_t node = terms_->first_node(graph); node < terms_->last_node(graph); ++node) {
      if (!is_chosen(node)) continue;
      for (const auto set : terms_->sets_of[node]) {
        ++set_[static_cast<std::size_t>(set)].hits;
        set_[static_cast<std::size_t>(set)].sole ^= static_cast<std::int32_t>(node);
      }
    }
  }

  /// Take the field of a node anew, and count the node and its half of its pairs into the graph's values.
  void load_field(std::int64_t graph, std::int64_t node) {
    const auto i = static_cast<std::size_t>(node);
    Coefficient field = sum_of_pairs(node);
    if (chosen_[i]) {
      Coefficient& value = graph_[static_cast<std::size_t>(graph)].value;
      value.energy += terms_->linear[i].energy + 0.5 * field.energy;
      value.violation += terms_->linear[i].violation + 0.5 * field.violation;
    }
    field.energy += terms_->linear[i].energy;
    field.violation += terms_->linear[i].violation;
    if (has_sets()) {
      const std::int32_t own = chosen_[i];
      for (const auto set : terms_->sets_of[node]) {
        if (set_[static_cast<std::size_t>(set)].hits == own) {
          field.energy -= terms_->cover_value(set).energy;
          field.violation -= terms_->cover_value(set).violation;
        }
      }
    }
    if constexpr (kPairsOnly) {
      node_[i] = {field.energy};
    } else {
      node_[i] = field;
    }
  }

  /// Return what the pairs of a node with chosen nodes have; without branches, which nobody could predict.
  Coefficient sum_of_pairs(std::int64_t node) const {
    const auto others = terms_->pairs[node];
    if (has_uniform_pairs()) {
      std::int64_t count = 0;
      for (const auto other : others) count += chosen_[static_cast<std::size_t>(other)];
      return {static_cast<double>(count) * terms_->pair_energy[0],
              static_cast<double>(count) * terms_->pair_violation[0]};
    }
    Coefficient sum;
    auto k = static_cast<std::size_t>(terms_->pairs.start[static_cast<std::size_t>(node)]);
    for (const auto other : others) {
      const double chosen = chosen_[static_cast<std::size_t>(other)];
      sum.energy += chosen * terms_->pair_value<Reading::kEnergy>(k);
      if constexpr (!kPairsOnly) sum.violation += chosen * terms_->pair_value<Reading::kViolation>(k);
      ++k;
    }
    return sum;
  }

  bool has_uniform_pairs() const {
    return terms_->pair_energy.size() == 1 && (kPairsOnly || terms_->pair_violation.size() == 1);
  }

  /// Return what a graph has of one reading by its sums and its sets, once they are counted.
  template <Reading reading>
  double value_of_sums(std::int64_t graph) const {
    const auto g = static_cast<std::size_t>(graph);
    double total = terms_->constant[g].of<reading>();
    if (has_all_pairs()) {
      for (std::int64_t node = terms_->first_node(graph); node < terms_->last_node(graph); ++node) {
        if (is_chosen(node)) {
          const double own = terms_->all_pairs[static_cast<std::size_t>(node)].of<reading>();
          total += 0.5 * (sums_.charge<reading>(graph, node) - own);
        }
      }
    }
    for (std::size_t r = g; r < range_.size(); r += graph_.size()) {
      total += range_[r].coefficient.template of<reading>() * range_[r].outside;
    }
    for (std::int64_t set = terms_->set_start[g]; set < terms_->set_start[g + 1]; ++set) {
      if (set_[static_cast<std::size_t>(set)].hits == 0) total += terms_->cover_value(set).of<reading>();
    }
    return total;
  }

  void move_sums(std::int64_t graph, std::int64_t node, double sign) {
    for (std::size_t r = static_cast<std::size_t>(graph); r < range_.size(); r += graph_.size()) {
      range_[r].set_total(range_[r].total + sign * range_[r].weight[static_cast<std::size_t>(node)]);
    }
    sums_.add(graph, node, sign);
  }

  void move_pairs(std::int64_t graph, std::int64_t node, double sign) {
    const auto others = terms_->pairs[node];
    if (has_uniform_pairs()) {
      const double energy = sign * terms_->pair_energy[0], violation = sign * terms_->pair_violation[0];
      for (const auto other : others) add_to_field(other, energy, violation);
    } else {
      auto k = static_cast<std::size_t>(terms_->pairs.start[static_cast<std::size_t>(node)]);
      for (const auto other : others) {
        const double violation = kPairsOnly ? 0.0 : terms_->pair_value<Reading::kViolation>(k);
        add_to_field(other, sign * terms_->pair_value<Reading::kEnergy>(k), sign * violation);
        ++k;
      }
    }
    if (has_sets()) {
      for (const auto other : others) touch(graph, other);
    }
  }

  void add_to_field(std::int32_t node, double energy, [[maybe_unused]] double violation) {
    node_[static_cast<std::size_t>(node)].energy += energy;
    if constexpr (!kPairsOnly) node_[static_cast<std::size_t>(node)].violation += violation;
  }

  /// Charge or relieve the members of sets whose number of hits passed between 0 and 1 or between 1 and 2.
  void move_sets(std::int64_t graph, std::int64_t node, double sign) {
    const auto own = static_cast<std::int32_t>(node);
    for (const auto each : terms_->sets_of[node]) {
      SetState& set = set_[static_cast<std::size_t>(each)];
      const std::int32_t fewer = sign > 0 ? set.hits : set.hits - 1;
      const std::int32_t others = sign > 0 ? set.sole : set.sole ^ own;
      set.hits += sign > 0 ? 1 : -1;
      set.sole ^= own;
      if (fewer == 1) {
        move_member(graph, others, each, sign);
      } else if (fewer == 0) {
        for (const auto member : terms_->sets[each]) {
          if (member != own) move_member(graph, member, each, sign);
        }
      }
    }
  }

  void move_member(std::int64_t graph, std::int32_t member, std::int64_t set, double sign) {
    const Coefficient& cover = terms_->cover_value(set);
    add_to_field(member, sign * cover.energy, sign * cover.violation);
    touch(graph, member);
  }

  void touch(std::int64_t graph, std::int32_t node) {
    GraphState& state = graph_[static_cast<std::size_t>(graph)];
    if (stamp_[static_cast<std::size_t>(node)] == state.flips) return;
    stamp_[static_cast<std::size_t>(node)] = state.flips;
    touched_[static_cast<std::size_t>(terms_->first_node(graph) + state.num_touched++)] = node;
  }

  const EnergyTerms* terms_;
  LargeVector<Field> node_;           ///< [num_nodes] local fields
  LargeVector<std::uint8_t> chosen_;  ///< [num_nodes]
  LargeVector<SetState> set_;         ///< [num_sets]
  LargeVector<GraphState> graph_;     ///< [num_graphs]
  LargeVector<RangeState> range_;     ///< [num_ranges, num_graphs]
  AllPairsSums sums_;
  LargeVector<std::int32_t> touched_;  ///< [num_nodes] in each graph's part, where there are sets
  LargeVector<std::int64_t> stamp_;    ///< [num_nodes] the flip that last touched a node, where there are sets
};

using Assignment = BasicAssignment<Shape::kGeneral>;
using PairAssignment = BasicAssignment<Shape::kPairsOnly>;

}  // namespace annealco
