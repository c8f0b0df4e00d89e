/// Turn probabilities into a set by conditional expectations.
///
/// Nodes are visited from the most probable to the least, each is set to the value with the lower conditional expected
/// energy, and later nodes see what earlier ones became. Of two conditional expectations the lower is at most their
/// mean, so E[f] never rises from Q to the set (Raghavan, 1988). Range terms take part in their normal closed form, for
/// which that holds up to the error of the form.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "core/memory.hpp"
#include "energy/product_state.hpp"

namespace annealco {

enum class VisitOrder { kProbability, kConfidence };

/// Tell which value of a node has the lower conditional expectation; ties go to fewer violations, then to the more
/// probable.
inline bool is_better_chosen(const EnergyTerms& terms, const ProductState& state, std::int64_t graph,
                             std::int64_t node) {
  const double change = state.delta<Reading::kEnergy>(graph, node);
  if (std::fabs(change) > terms.tolerance[static_cast<std::size_t>(node)]) return change < 0.0;
  const double violations = state.delta<Reading::kViolation>(graph, node);
  if (std::fabs(violations) > kViolationTolerance) return violations < 0.0;
  return state.probability(node) > 0.5;
}

class Decoder {
 public:
  Decoder(const EnergyTerms& terms, ProductState& state, VisitOrder order)
      : terms_(terms), state_(state), order_(order) {}

  /// Make the probabilities of a graph bits.
  void decode(std::int64_t graph) {
    state_.load(graph);
    sort_visits(graph);
    const auto size = static_cast<std::int64_t>(visits_.size());
    const bool certain =
        std::any_of(visits_.begin(), visits_.end(), [&](std::int32_t node) { return state_.probability(node) >= 1.0; });
    for (std::int64_t k = 0; k < size; ++k) {
      for (int stage = 0; stage < 3; ++stage) {
        const std::int64_t later = k + (stage + 1) * ProductState::kAhead;
        if (later < size) state_.fetch(visits_[static_cast<std::size_t>(later)], stage);
      }
      const std::int64_t node = visits_[static_cast<std::size_t>(k)];
      const bool chosen = is_better_chosen(terms_, state_, graph, node);
      if (certain || state_.probability(node) == 0.0) {
        state_.update(graph, node, chosen ? 1.0 : 0.0);
      } else {
        // A node that was not certain when given stays what it becomes.
        state_.settle(graph, node, chosen);
      }
    }
  }

 private:
  /// Of equal keys the most decided node comes first, then the lower number.
  struct Visit {
    double key;
    std::uint64_t indecision;
    std::int32_t node;

    bool operator<(const Visit& other) const {
      return std::tie(key, indecision, node) < std::tie(other.key, other.indecision, other.node);
    }
  };

  /// Conditional differences that agree but for this many of their last bits, 1 in 10⁷, count as equal.
  static constexpr int kRounded = 28;

  void sort_visits(std::int64_t graph) {
    const std::int64_t first = terms_.first_node(graph), last = terms_.last_node(graph);
    const auto key = [&](std::int64_t node) {
      const double p = state_.probability(node);
      return order_ == VisitOrder::kProbability ? -p : -std::fabs(p - 0.5);
    };
    visits_.clear();
    for (std::int64_t node = first; node < last; ++node) visits_.push_back(static_cast<std::int32_t>(node));
    const auto differs = [&](std::int32_t node) { return key(node) != key(first); };
    if (std::none_of(visits_.begin(), visits_.end(), differs)) {
      sort_by_decision(graph);
      return;
    }
    std::vector<Visit> sorted;
    for (const auto node : visits_) sorted.push_back({key(node), 0, node});
    std::sort(sorted.begin(), sorted.end());
    const auto tied = [](const Visit& one, const Visit& two) { return one.key == two.key; };
    if (std::adjacent_find(sorted.begin(), sorted.end(), tied) != sorted.end()) {
      for (Visit& visit : sorted) visit.indecision = indecision(graph, visit.node);
      std::sort(sorted.begin(), sorted.end());
    }
    std::transform(sorted.begin(), sorted.end(), visits_.begin(), [](const Visit& visit) { return visit.node; });
  }

  /// Return a number that falls with the size of the conditional difference of a node; 64 − kRounded bits.
  std::uint64_t indecision(std::int64_t graph, std::int64_t node) const {
    // The leading bits of a floating point number grow with it, and flipped they fall.
    return ~std::bit_cast<std::uint64_t>(std::fabs(state_.delta<Reading::kEnergy>(graph, node))) >> kRounded;
  }

  /// Sort visits of one key, listed by node, by their indecision: three rounds of counting sort, 12 bits each.
  void sort_by_decision(std::int64_t graph) {
    static_assert(64 - kRounded == 36);
    constexpr int kBits = 12;
    const std::int64_t first = terms_.first_node(graph), last = terms_.last_node(graph);
    // Places stand in the lower bits; larger graphs are visited in the order of their numbers.
    if (last - first > std::int64_t{1} << kRounded) return;
    LargeVector<std::uint64_t> items(visits_.size()), other(visits_.size());
    for (std::int64_t node = first; node < last; ++node) {
      if (node + ProductState::kAhead < last) state_.fetch(node + ProductState::kAhead, 0);
      items[static_cast<std::size_t>(node - first)] =
          indecision(graph, node) << kRounded | static_cast<std::uint64_t>(node - first);
    }
    for (int shift = kRounded; shift < 64; shift += kBits) {
      const auto digit = [shift](std::uint64_t item) { return (item >> shift) & ((1 << kBits) - 1); };
      std::array<std::size_t, (1 << kBits) + 1> place{};
      for (const auto item : items) ++place[digit(item) + 1];
      if (std::find(place.begin(), place.end(), items.size()) != place.end()) continue;
      for (std::size_t k = 1; k < place.size(); ++k) place[k] += place[k - 1];
      for (const auto item : items) other[place[digit(item)]++] = item;
      items.swap(other);
    }
    constexpr auto kPlace = (std::uint64_t{1} << kRounded) - 1;
    std::transform(items.begin(), items.end(), visits_.begin(), [&](std::uint64_t item) {
      return static_cast<std::int32_t>(first + static_cast<std::int64_t>(item & kPlace));
    });
  }

  const EnergyTerms& terms_;
  ProductState& state_;
  VisitOrder order_;
  LargeVector<std::int32_t> visits_;
};

}  // namespace annealco
