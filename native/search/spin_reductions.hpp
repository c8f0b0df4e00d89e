/// Eliminate spins whose best direction follows from a few others, exactly.
///
/// Two rules are applied until none fits:
///
/// * Dominance: where |J_ij| ≥ Σ_{k≠j} |J_ik|, some optimum has s_i = −sign(J_ij) s_j, and i is merged with j. A spin
///   with one or two couplings always has such a j, and one without couplings is free.
/// * Star to triangle: −|J_a s_a + J_b s_b + J_c s_c|, the least energy of a spin with three couplings, is a function
/// of
///   the products of its neighbours, and four values are told by a constant and three couplings.
///
/// Since a field is the coupling to a spin of its own, the rules are those for fields as well. `lift` takes the
/// eliminated spins back in the opposite order. Both rules hold up to rounding of the couplings, and what is lifted
/// never has a higher energy than any assignment with the same spins in the kernel.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "search/spin_model.hpp"

namespace annealco {

/// The model that reductions leave.
struct SpinKernel {
  SpinModel model;
  std::vector<std::int32_t> spin;  ///< [num_kernel_spins] which spins of the whole they are
  std::int32_t num_whole = 0;      ///< spins of the whole

  /// Return the directions of the kernel's spins in an assignment of the whole.
  std::vector<Spin> restricted(std::span<const Spin> whole) const {
    std::vector<Spin> spins(spin.size());
    for (std::size_t k = 0; k < spins.size(); ++k) spins[k] = whole[static_cast<std::size_t>(spin[k])];
    return spins;
  }

  /// Return the best assignment of the whole in which the kernel's spins have given directions.
  template <class Reduction>
  std::vector<Spin> lifted(const Reduction& reduction, std::span<const Spin> spins) const {
    std::vector<Spin> whole(static_cast<std::size_t>(num_whole), Spin{1});
    for (std::size_t k = 0; k < spins.size(); ++k) whole[static_cast<std::size_t>(spin[k])] = spins[k];
    reduction.lift(whole);
    return whole;
  }
};

class SpinReduction {
 public:
  /// Copy a model, O(size); `run` reduces it.
  explicit SpinReduction(const SpinModel& model)
      : rows_(static_cast<std::size_t>(model.num_spins())),
        is_queued_(static_cast<std::size_t>(model.num_spins()), 1),
        is_gone_(static_cast<std::size_t>(model.num_spins()), 0) {
    double largest = 0.0;
    for (std::int32_t spin = 0; spin < model.num_spins(); ++spin) {
      queue_.push_back(spin);
      row(spin).reserve(model[spin].size());
      for (const SpinCoupling& each : model[spin]) largest = std::max(largest, std::fabs(each.strength));
    }
    std::frexp(largest, &exponent_);
    for (std::int32_t spin = 0; spin < model.num_spins(); ++spin) {
      for (const SpinCoupling& each : model[spin]) {
        // Both rows have a coupling, perhaps with different roundings of a sum: it is read once.
        if (each.spin > spin) add(spin, each.spin, each.strength);
        check(each.strength);
      }
    }
  }

  /// Eliminate until no rule fits or so many seconds of the clock have passed: what was done until then holds. False
  /// where the time is over first, to go on from there in another call.
  bool run(Clock& clock, double seconds = std::numeric_limits<double>::infinity()) {
    for (std::int64_t count = 0; next_ < queue_.size(); ++count) {
      if (count % kLooksAtOnce == 0 && std::isfinite(seconds) && clock.elapsed() > seconds) return true;
      const std::int32_t spin = queue_[next_];
      if (clock.is_over(static_cast<std::int64_t>(row(spin).size()) + 1)) return false;
      ++next_;
      is_queued_[at(spin)] = 0;
      if (!is_gone_[at(spin)]) reduce(spin);
      if (next_ > 4096 && 2 * next_ > queue_.size()) {
        queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(next_));
        next_ = 0;
      }
    }
    return true;
  }

  /// Tell whether no coupling was rounded, so that an optimum of what is left is lifted to an optimum.
  bool is_exact() const { return is_exact_; }

  /// Return what is left.
  SpinKernel kernel() const {
    std::vector<std::int32_t> left, place(rows_.size(), -1);
    for (std::size_t spin = 0; spin < rows_.size(); ++spin) {
      if (is_gone_[spin]) continue;
      place[spin] = static_cast<std::int32_t>(left.size());
      left.push_back(static_cast<std::int32_t>(spin));
    }
    SpinModel model;
    for (const auto spin : left) {
      for (const Link& each : rows_[at(spin)]) model.coupling.push_back({place[at(each.spin)], each.strength});
      model.start.push_back(static_cast<std::int64_t>(model.coupling.size()));
    }
    return {std::move(model), std::move(left), static_cast<std::int32_t>(rows_.size())};
  }

  /// Give the eliminated spins their best directions, where those of the kernel are given.
  void lift(std::span<Spin> spins) const {
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      double field = 0.0;
      for (int k = 0; k < step->count; ++k) {
        field += step->strength[static_cast<std::size_t>(k)] * spins[at(step->other[static_cast<std::size_t>(k)])];
      }
      spins[at(step->spin)] = field > 0.0 ? Spin{-1} : Spin{1};
    }
  }

 private:
  struct Link {
    std::int32_t spin, twin;  ///< the other spin, and the place of this link in its row
    double strength;
  };
  /// A spin that goes against the sum of what it is coupled to.
  struct Step {
    std::int32_t spin;
    int count;
    std::array<std::int32_t, 3> other;
    std::array<double, 3> strength;
  };

  static std::size_t at(std::int32_t place) { return static_cast<std::size_t>(place); }
  std::vector<Link>& row(std::int32_t spin) { return rows_[at(spin)]; }

  void enqueue(std::int32_t spin) {
    if (is_queued_[at(spin)]) return;
    is_queued_[at(spin)] = 1;
    queue_.push_back(spin);
  }

  void add(std::int32_t one, std::int32_t two, double strength) {
    const auto at_one = static_cast<std::int32_t>(row(one).size()), at_two = static_cast<std::int32_t>(row(two).size());
    row(one).push_back({two, at_two, strength});
    row(two).push_back({one, at_one, strength});
  }

  void take(std::int32_t spin, std::int32_t place) {
    std::vector<Link>& links = row(spin);
    if (at(place) + 1 < links.size()) {
      links[at(place)] = links.back();
      row(links[at(place)].spin)[at(links[at(place)].twin)].twin = place;
    }
    links.pop_back();
  }

  void remove(std::int32_t spin, std::int32_t place) {
    const Link link = row(spin)[at(place)];
    take(spin, place);
    take(link.spin, link.twin);
  }

  /// Add to the coupling of two spins, which may be none before, or afterwards.
  void couple(std::int32_t one, std::int32_t two, double strength) {
    if (row(one).size() > row(two).size()) std::swap(one, two);
    std::vector<Link>& links = row(one);
    const auto found = std::find_if(links.begin(), links.end(), [&](const Link& each) { return each.spin == two; });
    if (found == links.end()) {
      if (strength != 0.0) add(one, two, strength);
      check(strength);
    } else {
      // What is left of numbers that are not whole after they cancelled is rounding.
      const double sum = found->strength + strength;
      const double noise = is_exact_ ? 0.0 : kSpinNoise * std::max(std::fabs(found->strength), std::fabs(strength));
      if (std::fabs(sum) <= noise) {
        remove(one, static_cast<std::int32_t>(found - links.begin()));
      } else {
        found->strength = row(two)[at(found->twin)].strength = sum;
        check(sum);
      }
    }
    enqueue(one);
    enqueue(two);
  }

  void reduce(std::int32_t spin) {
    std::vector<Link>& links = row(spin);
    double sum = 0.0, most = -1.0;
    std::size_t strongest = 0;
    for (std::size_t k = 0; k < links.size(); ++k) {
      const double size = std::fabs(links[k].strength);
      sum += size;
      if (size > most) {
        most = size;
        strongest = k;
      }
    }
    if (links.empty()) {
      steps_.push_back({spin, 0, {}, {}});
      is_gone_[at(spin)] = 1;
    } else if (2.0 * most >= sum || links.size() <= 2) {
      merge(spin, links[strongest]);
    } else if (links.size() == 3) {
      open_star(spin);
    }
  }

  void merge(std::int32_t spin, Link strongest) {
    steps_.push_back({spin, 1, {strongest.spin}, {strongest.strength}});
    const double sign = strongest.strength > 0.0 ? -1.0 : 1.0;
    const std::vector<Link> links = detach(spin);
    for (const Link& each : links) {
      if (each.spin != strongest.spin) couple(strongest.spin, each.spin, sign * each.strength);
    }
    enqueue(strongest.spin);
  }

  void open_star(std::int32_t spin) {
    const std::vector<Link> links = detach(spin);
    const double a = links[0].strength, b = links[1].strength, c = links[2].strength;
    steps_.push_back({spin, 3, {links[0].spin, links[1].spin, links[2].spin}, {a, b, c}});
    // The least energy by the signs of the products of its neighbours: all alike, and one of them apart.
    const double alike = -std::fabs(a + b + c), apart_a = -std::fabs(a - b - c), apart_b = -std::fabs(b - a - c),
                 apart_c = -std::fabs(c - a - b);
    couple(links[0].spin, links[1].spin, 0.25 * (alike + apart_c - apart_a - apart_b));
    couple(links[0].spin, links[2].spin, 0.25 * (alike + apart_b - apart_a - apart_c));
    couple(links[1].spin, links[2].spin, 0.25 * (alike + apart_a - apart_b - apart_c));
  }

  /// Take a spin out, and return what it was coupled to.
  std::vector<Link> detach(std::int32_t spin) {
    const std::vector<Link> links = row(spin);
    while (!row(spin).empty()) remove(spin, static_cast<std::int32_t>(row(spin).size()) - 1);
    row(spin).shrink_to_fit();
    is_gone_[at(spin)] = 1;
    return links;
  }

  /// Sums of a few numbers that are multiples of a grid and not too large are exact.
  void check(double strength) {
    const double steps = std::ldexp(strength, kGridBits - exponent_);
    is_exact_ = is_exact_ && std::fabs(steps) < kMostSteps && steps == std::floor(steps);
  }

  /// Steps of the grid that the strongest coupling has at first, as a power of 2, and the most that one may come to.
  static constexpr int kGridBits = 40;
  static constexpr double kMostSteps = 0x1.0p50;
  static constexpr std::int64_t kLooksAtOnce = 256;

  std::vector<std::vector<Link>> rows_;
  std::vector<std::int32_t> queue_;  ///< spins that a rule may fit, from `next_` on
  std::size_t next_ = 0;
  std::vector<std::uint8_t> is_queued_, is_gone_;
  std::vector<Step> steps_;
  int exponent_ = 0;  ///< of the strongest coupling at first
  bool is_exact_ = true;
};

}  // namespace annealco
