/// Make assignments feasible, then as good as single flips can: greedy descent in three phases.
///
/// Repair follows the proofs that the penalties are exact (docs/mathematics.md): while a constraint is violated, some
/// flip lowers the violations and does not raise f. Of all flips that lower them the cheapest is taken, first for pairs
/// and sets, then, without breaking those again, for ranges. Where a range is too narrow to be reached by single flips,
/// several are flipped at once (`narrow_ranges.hpp`). The last phase flips single nodes as long as that lowers f and
/// violates nothing. Flips wait in buckets by their price: a price that has risen is noticed when its flip comes up,
/// one that has fallen is filed at once, so that the work is near-linear in the size of the graph.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/bucket_queue.hpp"
#include "energy/assignment.hpp"
#include "search/narrow_ranges.hpp"
#include "search/price_key.hpp"

namespace annealco {

class Repair {
 public:
  /// Work on graphs of at most so many nodes.
  explicit Repair(std::int64_t largest_graph) : queue_(largest_graph, kNumPriceKeys) {}

  /// Make a loaded graph feasible, where its constraints allow that.
  template <class Bits>
  void make_feasible(Bits& bits, std::int64_t graph) {
    settle<Phase::kMend>(bits, graph);
    settle<Phase::kFit>(bits, graph);
    if constexpr (!Bits::kPairsOnly) {
      if (!bits.is_feasible(graph) && bits.has_ranges()) NarrowRanges(bits, graph).fit();
    }
  }

  /// Flip single nodes of a loaded graph while that lowers f and violates nothing more.
  template <class Bits>
  void improve(Bits& bits, std::int64_t graph) {
    settle<Phase::kImprove>(bits, graph);
  }

  template <class Bits>
  void finish(Bits& bits, std::int64_t graph) {
    make_feasible(bits, graph);
    improve(bits, graph);
  }

 private:
  /// Violate fewer pairs and sets; bring sums into their ranges without violating more of those; lower f without
  /// violating anything more.
  enum class Phase { kMend, kFit, kImprove };

  static constexpr std::int32_t kUseless = kNumPriceKeys;

  /// Flip nodes for a phase until no flip serves it.
  template <Phase phase, class Bits>
  void settle(Bits& bits, std::int64_t graph) {
    // A flip moves sums over the graph, and with them the prices of nodes that it does not touch.
    const EnergyTerms& terms = bits.terms();
    const bool everywhere = bits.has_ranges() || bits.has_all_pairs();
    while (!is_done<phase>(bits, graph)) {
      for (std::int64_t node = terms.first_node(graph); node < terms.last_node(graph); ++node) {
        file_if_lower<phase>(bits, graph, node);
      }
      if (!drain<phase>(bits, graph) || !everywhere) return;
    }
  }

  /// Tell cheaply where no flip can serve a phase.
  template <Phase phase, class Bits>
  static bool is_done(const Bits& bits, std::int64_t graph) {
    if (phase == Phase::kFit && !bits.has_ranges()) return true;
    return phase != Phase::kImprove && bits.is_feasible(graph);
  }

  /// Make the flips that wait, cheapest first; tell whether there was one.
  template <Phase phase, class Bits>
  bool drain(Bits& bits, std::int64_t graph) {
    const std::int64_t first = bits.terms().first_node(graph);
    bool flipped = false;
    for (std::int32_t entry = queue_.first(); entry != BucketQueue::kAbsent; entry = queue_.first()) {
      const std::int64_t node = first + entry;
      const std::int32_t filed = queue_.key(entry), key = key_of<phase>(bits, graph, node);
      queue_.take(entry);
      if (key == kUseless) continue;
      if (key > filed) {
        queue_.file(entry, key);
        continue;
      }
      bits.flip(graph, node);
      flipped = true;
      for (const auto other : bits.touched(graph)) file_if_lower<phase>(bits, graph, other);
    }
    return flipped;
  }

  /// File a node that is not filed, or whose price has fallen.
  template <Phase phase, class Bits>
  void file_if_lower(const Bits& bits, std::int64_t graph, std::int64_t node) {
    const std::int32_t key = key_of<phase>(bits, graph, node);
    if (key == kUseless) return;
    const auto entry = static_cast<std::int32_t>(node - bits.terms().first_node(graph));
    const std::int32_t filed = queue_.key(entry);
    if (filed != BucketQueue::kAbsent) {
      if (key >= filed) return;
      queue_.take(entry);
    }
    queue_.file(entry, key);
  }

  /// Return the key of a flip's price for a phase, or kUseless.
  template <Phase phase, class Bits>
  static std::int32_t key_of(const Bits& bits, std::int64_t graph, std::int64_t node) {
    constexpr auto kEnergy = Reading::kEnergy, kViolation = Reading::kViolation;
    const double broken = bits.template local_change<kViolation>(graph, node);
    if (broken > kViolationTolerance) return kUseless;
    if (phase == Phase::kMend && broken >= -kViolationTolerance) return kUseless;
    const EnergyTerms& terms = bits.terms();
    const double tolerance = terms.tolerance[static_cast<std::size_t>(node)];
    double price = bits.template local_change<kEnergy>(graph, node);
    if (phase == Phase::kFit) {
      const double moved = bits.template range_change<kViolation>(graph, node);
      if (moved >= -kViolationTolerance) return kUseless;
      price /= -moved;
    } else if (phase == Phase::kImprove) {
      if (!bits.has_ranges()) {
        if (price >= -tolerance) return kUseless;
      } else {
        price += bits.template range_change<kEnergy>(graph, node);
        if (price >= -tolerance) return kUseless;
        if (broken + bits.template range_change<kViolation>(graph, node) > kViolationTolerance) return kUseless;
      }
    }
    return price_key(price, tolerance, terms.unit[static_cast<std::size_t>(graph)]);
  }

  BucketQueue queue_;
};

}  // namespace annealco
