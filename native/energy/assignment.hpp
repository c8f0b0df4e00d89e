/// Bits with the change that every flip would make, kept up to date flip by flip.
///
/// For each node the conditional difference of f and of ψ is stored as far as it comes from linear terms, pairs and
/// sets: its local field. A flip changes it only for nodes that share a pair or a set with the flipped one, and these
/// are listed in `touched`. What comes from all-pairs and range terms depends on sums over the graph, and is added when
/// asked for. A set of which exactly one member is chosen charges that member alone; the exclusive-or of its chosen
/// members names it without a walk through the set.
///
/// Sums of a graph are taken anew after as many flips as it has nodes, so that rounding errors do not add up. A graph's
/// state depends on no other graph, so that graphs of one assignment may be worked on in parallel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/memory.hpp"
#include "core/prefetch.hpp"
#include "energy/all_pairs.hpp"
#include "energy/terms.hpp"

namespace annealco {

class Assignment {
 public:
  /// Copy bits, [num_nodes]; `load` every graph before use.
  Assignment(const EnergyTerms& terms, std::span<const bool> chosen)
      : terms_(&terms),
        node_(static_cast<std::size_t>(terms.num_nodes())),
        chosen_(chosen.begin(), chosen.end()),
        set_(static_cast<std::size_t>(terms.num_sets())),
        graph_(static_cast<std::size_t>(terms.num_graphs())),
        total_(terms.ranges.size() * static_cast<std::size_t>(terms.num_graphs())),
        sums_(terms),
        touched_(static_cast<std::size_t>(terms.num_nodes())),
        stamp_(terms.has_sets() ? static_cast<std::size_t>(terms.num_nodes()) : 0) {
    require(static_cast<std::int64_t>(chosen.size()) == terms.num_nodes(), "one bit per node");
  }

  const EnergyTerms& terms() const { return *terms_; }
  bool is_chosen(std::int64_t node) const { return chosen_[static_cast<std::size_t>(node)] != 0; }
  std::span<const std::uint8_t> chosen() const { return chosen_; }
  double energy(std::int64_t graph = 0) const { return graph_[static_cast<std::size_t>(graph)].value.energy; }
  double violation(std::int64_t graph = 0) const { return graph_[static_cast<std::size_t>(graph)].value.violation; }
  bool is_feasible(std::int64_t graph = 0) const { return violation(graph) <= kViolationTolerance; }

  /// Return the local part of f(x_i = 1) − f(x_i = 0), and of ψ.
  const Coefficient& field(std::int64_t node) const { return node_[static_cast<std::size_t>(node)]; }

  /// Return the weighted sum of a range over the chosen nodes of a graph.
  double total(std::size_t range, std::int64_t graph = 0) const { return total_[slot(range, graph)]; }

  /// Return the nodes whose field the last flip in a graph changed; without sets these are its pairs.
  std::span<const std::int32_t> touched(std::int64_t graph = 0) const {
    return std::span(touched_).subspan(static_cast<std::size_t>(terms_->first_node(graph)),
                                       static_cast<std::size_t>(graph_[static_cast<std::size_t>(graph)].num_touched));
  }

  /// Take fields, sums and values of a graph anew from its bits; O(size of the graph's terms).
  void load(std::int64_t graph) {
    GraphState& state = graph_[static_cast<std::size_t>(graph)];
    state.age = 0;
    for (std::size_t r = 0; r < terms_->ranges.size(); ++r) total_[slot(r, graph)] = 0.0;
    sums_.clear(graph);
    count_hits(graph);
    const std::int64_t first = terms_->first_node(graph), last = terms_->last_node(graph);
    for (std::int64_t node = first; node < last; ++node) {
      if (is_chosen(node)) move_sums(graph, node, 1.0);
    }
    state.value = {value_of_sums<Reading::kEnergy>(graph), value_of_sums<Reading::kViolation>(graph)};
    for (std::int64_t node = first; node < last; ++node) {
      if (terms_->has_sets() && node + kSetsAhead < last) {
        for (const auto set : terms_->sets_of[node + kSetsAhead]) prefetch(&set_[static_cast<std::size_t>(set)]);
      }
      load_field(graph, node);
    }
  }

  /// Return the change of f or of ψ by a flip, without ranges.
  template <Reading reading>
  double local_change(std::int64_t graph, std::int64_t node) const {
    const auto i = static_cast<std::size_t>(node);
    double rise = node_[i].of<reading>();
    if (terms_->has_all_pairs()) {
      rise += sums_.charge<reading>(graph, node);
      if (chosen_[i]) rise -= terms_->all_pairs[i].of<reading>();
    }
    return chosen_[i] ? -rise : rise;
  }

  /// Return the change of the ranges of f or of ψ by a flip.
  template <Reading reading>
  double range_change(std::int64_t graph, std::int64_t node) const {
    double change = 0.0;
    for (std::size_t r = 0; r < terms_->ranges.size(); ++r) {
      const RangeTerm& range = terms_->ranges[r];
      const double weight = range.weight[static_cast<std::size_t>(node)], total = total_[slot(r, graph)];
      const double moved =
          range.outside(graph, is_chosen(node) ? total - weight : total + weight) - range.outside(graph, total);
      change += range.coefficient[static_cast<std::size_t>(graph)].of<reading>() * moved;
    }
    return change;
  }

  /// Return the change of f or of ψ by a flip.
  template <Reading reading>
  double change(std::int64_t graph, std::int64_t node) const {
    const double local = local_change<reading>(graph, node);
    return terms_->has_ranges() ? local + range_change<reading>(graph, node) : local;
  }

  /// Flip a node of a graph; O(degree), and O(size) for every set that becomes hit or missed.
  void flip(std::int64_t graph, std::int64_t node) {
    GraphState& state = graph_[static_cast<std::size_t>(graph)];
    state.value.energy += change<Reading::kEnergy>(graph, node);
    state.value.violation += change<Reading::kViolation>(graph, node);
    const double sign = is_chosen(node) ? -1.0 : 1.0;
    chosen_[static_cast<std::size_t>(node)] ^= 1;
    state.num_touched = 0;
    ++state.flips;
    if (terms_->has_ranges() || terms_->has_all_pairs()) move_sums(graph, node, sign);
    move_pairs(graph, node, sign);
    if (terms_->has_sets()) move_sets(graph, node, sign);
    if (++state.age > std::max(kLeastPeriod, terms_->size_of(graph))) load(graph);
  }

 private:
  /// Sums are not taken anew before this many flips.
  static constexpr std::int64_t kLeastPeriod = 10'000;
  /// Where nodes are visited one after the other, their sets are fetched this many nodes early.
  static constexpr std::int64_t kSetsAhead = 4;

  struct SetState {
    std::int32_t hits = 0;  ///< chosen members
    std::int32_t sole = 0;  ///< exclusive-or of the chosen members: the only one where `hits` is 1
  };
  struct GraphState {
    Coefficient value;
    std::int64_t num_touched = 0, flips = 0, age = 0;
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
    Coefficient field;
    auto k = static_cast<std::size_t>(terms_->pairs.start[i]);
    for (const auto other : terms_->pairs[node]) {
      if (chosen_[static_cast<std::size_t>(other)]) {
        field.energy += terms_->pair_value<Reading::kEnergy>(k);
        field.violation += terms_->pair_value<Reading::kViolation>(k);
      }
      ++k;
    }
    if (chosen_[i]) {
      Coefficient& value = graph_[static_cast<std::size_t>(graph)].value;
      value.energy += terms_->linear[i].energy + 0.5 * field.energy;
      value.violation += terms_->linear[i].violation + 0.5 * field.violation;
    }
    field.energy += terms_->linear[i].energy;
    field.violation += terms_->linear[i].violation;
    const std::int32_t own = chosen_[i];
    for (const auto set : terms_->sets_of[node]) {
      if (set_[static_cast<std::size_t>(set)].hits == own) {
        field.energy -= terms_->cover_value(set).energy;
        field.violation -= terms_->cover_value(set).violation;
      }
    }
    node_[i] = field;
  }

  /// Return what a graph has of one reading by its sums and its sets, once they are counted.
  template <Reading reading>
  double value_of_sums(std::int64_t graph) const {
    const auto g = static_cast<std::size_t>(graph);
    double total = terms_->constant[g].of<reading>();
    if (terms_->has_all_pairs()) {
      for (std::int64_t node = terms_->first_node(graph); node < terms_->last_node(graph); ++node) {
        if (is_chosen(node)) {
          const double own = terms_->all_pairs[static_cast<std::size_t>(node)].of<reading>();
          total += 0.5 * (sums_.charge<reading>(graph, node) - own);
        }
      }
    }
    for (std::size_t r = 0; r < terms_->ranges.size(); ++r) {
      const RangeTerm& range = terms_->ranges[r];
      total += range.coefficient[g].of<reading>() * range.outside(graph, total_[slot(r, graph)]);
    }
    for (std::int64_t set = terms_->set_start[g]; set < terms_->set_start[g + 1]; ++set) {
      if (set_[static_cast<std::size_t>(set)].hits == 0) total += terms_->cover_value(set).of<reading>();
    }
    return total;
  }

  void move_sums(std::int64_t graph, std::int64_t node, double sign) {
    for (std::size_t r = 0; r < terms_->ranges.size(); ++r) {
      total_[slot(r, graph)] += sign * terms_->ranges[r].weight[static_cast<std::size_t>(node)];
    }
    sums_.add(graph, node, sign);
  }

  void move_pairs(std::int64_t graph, std::int64_t node, double sign) {
    const auto others = terms_->pairs[node];
    auto k = static_cast<std::size_t>(terms_->pairs.start[static_cast<std::size_t>(node)]);
    const auto first = static_cast<std::size_t>(terms_->first_node(graph));
    std::copy(others.begin(), others.end(), touched_.begin() + static_cast<std::ptrdiff_t>(first));
    graph_[static_cast<std::size_t>(graph)].num_touched = static_cast<std::int64_t>(others.size());
    if (terms_->pair_energy.size() == 1 && terms_->pair_violation.size() == 1) {
      const double energy = sign * terms_->pair_energy[0], violation = sign * terms_->pair_violation[0];
      for (const auto other : others) {
        node_[static_cast<std::size_t>(other)].energy += energy;
        node_[static_cast<std::size_t>(other)].violation += violation;
      }
    } else {
      for (const auto other : others) {
        node_[static_cast<std::size_t>(other)].energy += sign * terms_->pair_value<Reading::kEnergy>(k);
        node_[static_cast<std::size_t>(other)].violation += sign * terms_->pair_value<Reading::kViolation>(k);
        ++k;
      }
    }
    if (terms_->has_sets()) {
      const std::int64_t now = graph_[static_cast<std::size_t>(graph)].flips;
      for (const auto other : others) stamp_[static_cast<std::size_t>(other)] = now;
    }
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
    const auto i = static_cast<std::size_t>(member);
    const Coefficient& cover = terms_->cover_value(set);
    node_[i].energy += sign * cover.energy;
    node_[i].violation += sign * cover.violation;
    GraphState& state = graph_[static_cast<std::size_t>(graph)];
    if (stamp_[i] != state.flips) {
      stamp_[i] = state.flips;
      touched_[static_cast<std::size_t>(terms_->first_node(graph) + state.num_touched++)] = member;
    }
  }

  const EnergyTerms* terms_;
  LargeVector<Coefficient> node_;     ///< [num_nodes] local fields
  LargeVector<std::uint8_t> chosen_;  ///< [num_nodes]
  LargeVector<SetState> set_;         ///< [num_sets]
  LargeVector<GraphState> graph_;     ///< [num_graphs]
  LargeVector<double> total_;         ///< [num_ranges, num_graphs]
  AllPairsSums sums_;
  LargeVector<std::int32_t> touched_;  ///< [num_nodes] in each graph's part
  LargeVector<std::int64_t> stamp_;    ///< [num_nodes] the flip that last touched a node, where there are sets
};

}  // namespace annealco
