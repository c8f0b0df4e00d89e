/// Cycles of couplings that cannot all be satisfied, and prices for them.
///
/// A coupling J wants its two spins to differ where J > 0 and to agree where J < 0, and costs 2·|J| where it is not
/// satisfied. On a cycle with an odd number of positive couplings one at least is not. Cycles that share no strength
/// can each charge the least strength on them, and together their prices prove a bound.
///
/// Cycles are found by breadth-first search from one root after the other. Searches that look at few couplings come
/// first: they find short cycles, which leave more for others.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "bounds/couplings.hpp"
#include "core/clock.hpp"
#include "core/memory.hpp"
#include "core/rows.hpp"

namespace annealco {

class CyclePacking {
 public:
  explicit CyclePacking(const Couplings& couplings)
      : rows_(couplings),
        length_(static_cast<std::size_t>(couplings.num_spins)),
        left_(couplings.strength.begin(), couplings.strength.end()),
        is_balanced_(length_.size()),
        visits_(length_.size()),
        queue_(length_.size()) {
    for (std::size_t spin = 0; spin < length_.size(); ++spin) {
      length_[spin] = static_cast<std::int32_t>(rows_.start[spin + 1] - rows_.start[spin]);
    }
  }

  /// Pack cycles until searches that look at every coupling find no more, or the clock is over.
  void run(Clock& clock) {
    const std::int64_t every = 2 * static_cast<std::int64_t>(left_.size());
    for (std::int64_t reach = kFirstReach;; reach *= kMoreReach) {
      if (!pack(reach, clock) || reach >= every) return;
    }
  }

  /// Pack cycles found by searches of at most `reach` couplings; false where the clock is over before.
  bool pack(std::int64_t reach, Clock& clock) {
    for (std::int32_t root = 0; root < rows_.num_spins(); ++root) {
      while (!is_balanced_[static_cast<std::size_t>(root)] && search(root, reach, clock)) take_cycle();
      if (clock.is_over()) return false;
    }
    return true;
  }

  /// The couplings of each cycle, and what it takes of the strength of each of them.
  const OwnRows& cycles() const { return cycles_; }
  const LargeVector<double>& price() const { return price_; }

 private:
  static constexpr std::int64_t kFirstReach = 32, kMoreReach = 8;

  /// What a search knows of a spin that it has reached.
  struct Visit {
    std::uint32_t search = 0;
    std::int32_t before = 0, through = 0;
    std::int32_t depth_and_parity = 0;  // 2·depth, and 1 more where it differs from the root

    std::int32_t depth() const { return depth_and_parity / 2; }
    bool differs() const { return depth_and_parity % 2 != 0; }
  };

  /// Two spins next to each other whose ways back to the root, with the pair between them, are the cycle found.
  struct Closing {
    std::int32_t one, other, pair;
  };

  Visit& visit(std::int32_t spin) { return visits_[static_cast<std::size_t>(spin)]; }

  void begin_search(std::int32_t root) {
    if (search_ == std::numeric_limits<std::uint32_t>::max()) {
      std::fill(visits_.begin(), visits_.end(), Visit{});
      search_ = 0;
    }
    visit(root) = {++search_, root, 0, 0};
    queue_[0] = root;
  }

  /// Go breadth first from a root until a coupling contradicts the ones before; false where none does.
  bool search(std::int32_t root, std::int64_t reach, Clock& clock) {
    begin_search(root);
    std::size_t seen = 1, taken = 0;
    while (taken < seen && reach >= 0) {
      const std::int32_t spin = queue_[taken++];
      const Visit from = visit(spin);
      drop_used(spin);
      const std::int64_t length = length_[static_cast<std::size_t>(spin)], looked_at = std::min(length, reach);
      if (clock.is_over(1 + looked_at)) return false;
      reach -= length;
      for (const auto& each : rows_[spin].first(static_cast<std::size_t>(looked_at))) {
        const bool differs = from.differs() != (left_[static_cast<std::size_t>(each.pair)] > 0.0);
        Visit& next = visit(each.other);
        if (next.search != search_) {
          next = {search_, spin, each.pair, 2 * (from.depth() + 1) + differs};
          queue_[seen++] = each.other;
        } else if (next.differs() != differs) {
          closing_ = {spin, each.other, each.pair};
          return true;
        }
      }
    }
    if (reach < 0) return false;
    for (std::size_t place = 0; place < seen; ++place) is_balanced_[static_cast<std::size_t>(queue_[place])] = true;
    return false;
  }

  /// Take the couplings without strength out of a row.
  void drop_used(std::int32_t spin) {
    Coupled* row = rows_.entries.data() + rows_.start[static_cast<std::size_t>(spin)];
    auto& length = length_[static_cast<std::size_t>(spin)];
    const auto is_used = [&](const Coupled& each) { return left_[static_cast<std::size_t>(each.pair)] == 0.0; };
    length = static_cast<std::int32_t>(std::remove_if(row, row + length, is_used) - row);
  }

  /// Go back from both ends of the closing pair to where the ways meet, and use up the cycle.
  void take_cycle() {
    auto [one, other, pair] = closing_;
    const std::size_t first = cycles_.index.size();
    cycles_.index.push_back(pair);
    while (one != other) {
      if (visit(one).depth() < visit(other).depth()) std::swap(one, other);
      cycles_.index.push_back(visit(one).through);
      one = visit(one).before;
    }
    cycles_.start.push_back(static_cast<std::int64_t>(cycles_.index.size()));
    const auto cycle = std::span(cycles_.index).subspan(first);
    double price = std::numeric_limits<double>::infinity();
    for (const auto each : cycle) price = std::min(price, std::fabs(left_[static_cast<std::size_t>(each)]));
    for (const auto each : cycle) {
      double& left = left_[static_cast<std::size_t>(each)];
      left = left > 0.0 ? left - price : left + price;
    }
    price_.push_back(price);
  }

  CouplingRows rows_;
  LargeVector<std::int32_t> length_;       // of rows without used couplings
  LargeVector<double> left_;               // J less what cycles have taken of |J|
  LargeVector<std::uint8_t> is_balanced_;  // what is left around a spin can all be satisfied
  LargeVector<Visit> visits_;
  LargeVector<std::int32_t> queue_;
  std::uint32_t search_ = 0;
  Closing closing_{};
  OwnRows cycles_;
  LargeVector<double> price_;
};

}  // namespace annealco
