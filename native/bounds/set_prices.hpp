/// Prices of sets that prove how much a covering must cost: chosen nodes that hit every set.
///
/// Prices y ≥ 0 of the sets prove a bound. Paying y_h for every set h beforehand, a node costs w_i less the prices of
/// its sets; choosing exactly the nodes that then cost less than nothing is cheapest of all choices, covering or not:
///
///     Σ_i w_i x_i ≥ Σ_h y_h + Σ_i min(0, w_i − Σ_{h∋i} y_h)   for every x that hits all sets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "bounds/exact_sum.hpp"
#include "core/clock.hpp"
#include "core/memory.hpp"
#include "core/rows.hpp"

namespace annealco {

/// Return the lower bound on constant + weight of a cover that prices prove, every rounding outward.
///
/// Negative prices count as 0.
inline double certified_cost(const Rows& sets, std::span<const double> price, std::span<const double> weight,
                             double constant) {
  struct Load {
    double sum = 0.0;
    std::int64_t terms = 0;
  };
  LargeVector<Load> load(weight.size());
  ExactSum total;
  total.add(constant);
  for (std::size_t each = 0; each < price.size(); ++each) {
    const double paid = price[each];
    if (!(paid > 0.0)) continue;
    total.add(paid);
    for (const auto node : sets[static_cast<std::int64_t>(each)]) {
      load[node].sum += paid;
      ++load[node].terms;
    }
  }
  for (std::size_t node = 0; node < weight.size(); ++node) {
    // A sum of k positive doubles is off by at most k roundings of itself.
    const auto [sum, terms] = load[node];
    const double most = terms <= 1 ? sum : sum * (1 + static_cast<double>(terms + 2) * kEpsilon);
    if (most > weight[node]) total.add((weight[node] - most) * (1 + 2 * kEpsilon));
  }
  return total.lower();
}

/// Raise the price of one set after the other, small ones first, as far as its cheapest member allows.
///
/// Sets that the clock leaves no time for have a price of 0.
inline LargeVector<double> greedy_prices(const Rows& sets, std::span<const double> weight, Clock& clock) {
  std::int64_t longest = 0;
  for (std::int64_t each = 0; each < sets.size(); ++each) longest = std::max(longest, sets.length(each));
  std::vector<std::int64_t> place(static_cast<std::size_t>(longest) + 2, 0);
  for (std::int64_t each = 0; each < sets.size(); ++each) ++place[sets.length(each) + 1];
  for (std::size_t k = 1; k < place.size(); ++k) place[k] += place[k - 1];
  LargeVector<std::int32_t> order(sets.size());
  for (std::int64_t each = 0; each < sets.size(); ++each)
    order[place[sets.length(each)]++] = static_cast<std::int32_t>(each);

  LargeVector<double> price(sets.size(), 0.0), left(weight.begin(), weight.end());
  for (const auto each : order) {
    double least = std::numeric_limits<double>::infinity();
    for (const auto node : sets[each]) {
      least = std::min(least, left[node]);
      if (least == 0.0) break;
    }
    if (clock.is_over(1 + sets.length(each))) break;
    if (least == 0.0) continue;
    price[each] = least;
    for (const auto node : sets[each]) left[node] -= least;
  }
  return price;
}

/// Raises prices by subgradient steps (Held, Wolfe and Crowder, 1974). A step takes time in proportion to all members.
class PriceAscent {
 public:
  /// The goal is the weight of a known cover, or infinity: no bound can be above it. Sets and weights must outlive
  /// this.
  PriceAscent(const Rows& sets, std::span<const double> weight, std::span<const double> price, double goal)
      : sets_(sets),
        weight_(weight),
        goal_(goal),
        price_(price.begin(), price.end()),
        best_price_(price_),
        load_(weight.size()),
        is_over_(weight.size()),
        slope_(price.size()) {
    for (const double each : price_) best_ += each;
  }

  /// Make steps until the bound is above the aim or more are of no use.
  void run(double aim, Clock& clock) {
    while (!(best_ > aim) && agility_ >= kSmallestStep && clock.tick()) {
      if (!evaluate(clock)) return;
      if (value_ > best_) {
        best_ = value_;
        best_price_ = price_;
        stalled_ = 0;
      } else if (++stalled_ >= kPatience) {
        agility_ /= 2;
        stalled_ = 0;
        price_ = best_price_;
        if (!evaluate(clock)) return;
      }
      if (!step()) {
        agility_ = 0.0;
        return;
      }
    }
  }

  /// Prices of the best bound so far.
  const LargeVector<double>& best_price() const { return best_price_; }

 private:
  /// Steps are as long as if the best bound could still be raised by this factor.
  static constexpr double kAhead = 1.1;
  /// Steps without a better bound, after which they are halved.
  static constexpr int kPatience = 20;
  /// The agility at which nothing more is to be expected.
  static constexpr double kSmallestStep = 1e-3;

  /// Compute the bound of the current prices, up to rounding, and slopes; false where the clock was over first.
  bool evaluate(Clock& clock) {
    std::fill(load_.begin(), load_.end(), 0.0);
    value_ = 0.0;
    for (std::int64_t each = 0; each < sets_.size(); ++each) {
      const double price = price_[each];
      value_ += price;
      if (price > 0.0) {
        for (const auto node : sets_[each]) load_[node] += price;
      }
      if (clock.is_over(1 + sets_.length(each) / 8)) return false;
    }
    for (std::size_t node = 0; node < load_.size(); ++node) {
      const double rest = weight_[node] - load_[node];
      is_over_[node] = rest < 0.0;
      value_ += std::min(0.0, rest);
    }
    return find_slopes(clock);
  }

  /// Find by how much raising each price would raise the bound.
  bool find_slopes(Clock& clock) {
    norm_ = 0.0;
    for (std::int64_t each = 0; each < sets_.size(); ++each) {
      std::int32_t slope = 1;
      for (const auto node : sets_[each]) slope -= is_over_[node];
      // A price of 0 cannot fall: such a slope would only make all steps shorter.
      if (slope < 0 && price_[each] == 0.0) slope = 0;
      slope_[each] = slope;
      norm_ += static_cast<double>(slope) * slope;
      if (clock.is_over(1 + sets_.length(each) / 8)) return false;
    }
    return true;
  }

  /// Move along the slopes; false where there are none.
  bool step() {
    if (norm_ == 0.0) return false;
    const double length = agility_ * std::max(std::min(goal_, kAhead * best_) - value_, 0.0) / norm_;
    for (std::size_t each = 0; each < price_.size(); ++each) {
      price_[each] = std::max(0.0, price_[each] + length * slope_[each]);
    }
    return true;
  }

  Rows sets_;
  std::span<const double> weight_;
  double goal_;
  LargeVector<double> price_, best_price_, load_;
  LargeVector<std::uint8_t> is_over_;
  LargeVector<std::int32_t> slope_;
  double value_ = 0.0, norm_ = 0.0, best_ = 0.0, agility_ = 1.0;
  int stalled_ = 0;
};

}  // namespace annealco
