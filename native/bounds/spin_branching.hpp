/// Searches all choices of up to some dozens of spins for one of least energy, depth first, by a convex quadratic form.
///
/// With numbers q_i that make A = C + diag(q) + ρ dd' positive definite, where C has half of each coupling at its pair,
/// the energy is Σ J_uv s_u s_v = s'As − Σ q_i − ρ (d·s)². A factorisation A = L D L' turns s'As into a sum of squares,
///
///     Σ_k D_k (s_k + Σ_{j>k} L_jk s_j)²,
///
/// whose terms are known one by one as spins are chosen from the last to the first: what they add up to so far bounds
/// the energy of all ways to go on. The numbers of a semidefinite relaxation make the first bound the best there is
/// (Billionnet and Elloumi, 2007); the search is a sphere decoder (Fincke and Pohst, 1985; Schnorr and Euchner, 1994).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "bounds/couplings.hpp"
#include "bounds/exact_sum.hpp"
#include "core/clock.hpp"

namespace annealco {

/// A weighted sum of the spins that are 1 is within two limits.
struct SpinRange {
  std::vector<double> weight;
  double lower, upper;
};

class SpinBranching {
 public:
  static constexpr std::int64_t kMostSpins = 1 << 10;

  /// diagonal: q, [num_spins]; what it lacks to make the form positive definite is added.
  /// load, penalty, most: d, [num_spins], ρ ≥ 0, and the largest (d·s)² that is allowed.
  /// fixed: [num_spins] −1 or 1, or 0 for a spin that is free.
  /// range: of weights that are not negative; what leaves it by rounding alone is inside.
  SpinBranching(const Couplings& couplings, std::span<const double> diagonal, std::span<const double> load,
                double penalty, double most, std::span<const std::int8_t> fixed, SpinRange range)
      : low_(couplings.low.begin(), couplings.low.end()),
        high_(couplings.high.begin(), couplings.high.end()),
        strength_(couplings.strength.begin(), couplings.strength.end()),
        size_(diagonal.size()),
        order_(size_),
        fixed_(fixed.begin(), fixed.end()),
        range_(std::move(range)),
        factor_(size_ * size_),
        pivot_(size_),
        shift_(size_ * (size_ + 1)),
        bound_(size_ + 1),
        inside_(size_ + 1),
        rest_(size_ + 1),
        spin_(size_, 0),
        is_second_(size_, 0),
        best_spins_(size_, 1) {
    const std::vector<double> form = form_of(couplings, diagonal, load, penalty);
    double scale = std::numeric_limits<double>::min();
    for (std::size_t i = 0; i < size_; ++i) scale = std::max(scale, std::fabs(form[i * size_ + i]));
    double extra = kFirstShift * scale;
    while (std::isfinite(extra) && !factorise(form, extra)) extra *= kGrowth;
    is_ready_ = std::isfinite(extra);
    if (!is_ready_) return;
    double trace = 0.0, base = penalty * most;
    for (std::size_t i = 0; i < size_; ++i) {
      trace += form[i * size_ + i] + extra;
      base += diagonal[i] + extra;
      doubt_ += std::fabs(diagonal[i]);
    }
    // The factors of a matrix A are those of one within n ε trace(A) of it, up to a factor, and s's is n; the sums of
    // squares are rounded by as much again (Demmel, 1989).
    const auto count = static_cast<double>(size_ + 4);
    doubt_ = 32 * kEpsilon * (count * count * trace + count * (doubt_ + penalty * most + extra * count));
    bound_[size_] = -base - doubt_;
    const double tolerance = 1e-9 * (1 + std::accumulate(range_.weight.begin(), range_.weight.end(), 0.0));
    range_.lower -= tolerance;
    range_.upper += tolerance;
    for (std::size_t place = 0; place < size_; ++place) rest_[place + 1] = rest_[place] + range_.weight[order_[place]];
    level_ = size_;
    enter();
  }

  /// Continue until no choice has an energy below the limit, or below the best less `gain` once one is found.
  ///
  /// False where the clock ends it before. A move is a spin that is chosen.
  bool run(Clock& clock, double limit, double gain) {
    if (!is_ready_) return false;
    best_ = std::min(best_, limit);
    while (level_ < size_) {
      if (!clock.tick()) return false;
      if (!choose(gain)) {
        turn_back();
      } else if (level_ == 0) {
        keep(gain);
        turn_back_from(0);
      } else {
        enter();
      }
    }
    return true;
  }

  /// The least energy found, or the limit; and the spins that have it, [num_spins] of −1 and 1.
  double best() const { return best_; }
  std::span<const std::int8_t> best_spins() const { return best_spins_; }
  bool has_found() const { return has_found_; }

 private:
  static constexpr double kFirstShift = 1e-7, kGrowth = 10.0;

  std::vector<double> form_of(const Couplings& couplings, std::span<const double> diagonal,
                              std::span<const double> load, double penalty) const {
    std::vector<double> form(size_ * size_, 0.0);
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j < size_; ++j) form[i * size_ + j] = penalty * load[i] * load[j];
      form[i * size_ + i] += diagonal[i];
    }
    for (std::size_t k = 0; k < couplings.strength.size(); ++k) {
      const auto low = static_cast<std::size_t>(couplings.low[k]), high = static_cast<std::size_t>(couplings.high[k]);
      form[low * size_ + high] += couplings.strength[k] / 2;
      form[high * size_ + low] += couplings.strength[k] / 2;
    }
    return form;
  }

  /// Factorise, the least pivot first: spins that are chosen early should count much. Spins that are fixed come last.
  bool factorise(std::vector<double> form, double extra) {
    std::vector<std::size_t> left(size_);
    std::iota(left.begin(), left.end(), std::size_t{0});
    for (const auto i : left) form[i * size_ + i] += extra;
    for (std::size_t place = 0; place < size_; ++place) {
      const auto key = [&](std::size_t i) { return std::pair(fixed_[i] != 0, form[i * size_ + i]); };
      const auto next = std::min_element(left.begin(), left.end(), [&](auto i, auto j) { return key(i) < key(j); });
      const std::size_t chosen = *next;
      left.erase(next);
      order_[place] = chosen;
      const double pivot = form[chosen * size_ + chosen];
      // A tiny pivot is mostly rounding.
      if (!(pivot > 0.5 * extra) || !std::isfinite(pivot)) return false;
      pivot_[place] = pivot;
      for (const auto i : left) {
        const double ratio = form[i * size_ + chosen] / pivot;
        // By spin now; by place once all places are known.
        factor_[i * size_ + place] = ratio;
        for (const auto j : left) form[i * size_ + j] -= ratio * form[chosen * size_ + j];
      }
    }
    std::vector<double> by_place(size_ * size_, 0.0);
    for (std::size_t place = 0; place < size_; ++place) {
      const double* const row = &factor_[order_[place] * size_];
      std::copy(row, row + place, &by_place[place * size_]);
    }
    factor_.swap(by_place);
    return true;
  }

  /// Go to the next spin, with neither of its values tried.
  void enter() {
    if (level_ == 0) return;
    --level_;
    spin_[level_] = 0;
    is_second_[level_] = 0;
  }

  /// Give the present spin its next value, the better one first; false where no value leads to something better.
  bool choose(double gain) {
    const std::size_t place = level_;
    const double* const shift = &shift_[(place + 1) * size_];
    const std::int8_t fixed = fixed_[order_[place]];
    if (spin_[place] == 0) {
      spin_[place] = fixed != 0 ? fixed : (shift[place] > 0.0 ? -1 : 1);
    } else if (fixed != 0 || is_second_[place]) {
      return false;
    } else {
      spin_[place] = static_cast<std::int8_t>(-spin_[place]);
      is_second_[place] = 1;
    }
    const double term = spin_[place] + shift[place];
    bound_[place] = bound_[place + 1] + pivot_[place] * term * term;
    // The other value is no better, unless this one was fixed.
    if (bound_[place] > best_ - gain) return false;
    inside_[place] = inside_[place + 1] + (spin_[place] > 0 ? range_.weight[order_[place]] : 0.0);
    if (inside_[place] > range_.upper || inside_[place] + rest_[place] < range_.lower) {
      return choose_other(fixed, gain);
    }
    double* const next = &shift_[place * size_];
    const double* const row = &factor_[place * size_];
    const double sign = spin_[place];
    for (std::size_t k = 0; k < place; ++k) next[k] = shift[k] + sign * row[k];
    return true;
  }

  /// The present value leaves the range: the other one may not.
  bool choose_other(std::int8_t fixed, double gain) { return fixed == 0 && !is_second_[level_] && choose(gain); }

  void turn_back() { turn_back_from(level_ + 1); }

  /// Go back to the first spin from a place on whose other value is to be tried, or to the end.
  void turn_back_from(std::size_t place) {
    level_ = place;
    while (level_ < size_ && (is_second_[level_] || fixed_[order_[level_]] != 0)) ++level_;
  }

  /// Keep the choice of all spins if its energy is low enough.
  void keep(double gain) {
    std::vector<std::int8_t> spins(size_);
    for (std::size_t place = 0; place < size_; ++place) spins[order_[place]] = spin_[place];
    ExactSum sum;
    for (std::size_t k = 0; k < strength_.size(); ++k) {
      const bool agree = spins[static_cast<std::size_t>(low_[k])] == spins[static_cast<std::size_t>(high_[k])];
      sum.add(agree ? strength_[k] : -strength_[k]);
    }
    if (const double energy = sum.upper(); energy < best_ - gain) {
      best_ = energy;
      best_spins_ = std::move(spins);
      has_found_ = true;
    }
  }

  std::vector<std::int32_t> low_, high_;
  std::vector<double> strength_;
  std::size_t size_;
  /// Spins by place: the last is chosen first.
  std::vector<std::size_t> order_;
  std::vector<std::int8_t> fixed_;
  SpinRange range_;
  /// L by place, [num_spins, num_spins], and D.
  std::vector<double> factor_, pivot_;
  /// By place, Σ L_jk s_j over the spins j that are chosen from there on; [num_spins + 1, num_spins].
  std::vector<double> shift_;
  /// By place: the bound, and the weight of the spins that are 1, from there on; the weight of all before it.
  std::vector<double> bound_, inside_, rest_;
  std::vector<std::int8_t> spin_;
  std::vector<std::uint8_t> is_second_;
  std::size_t level_ = 0;
  std::vector<std::int8_t> best_spins_;
  double doubt_ = 0.0, best_ = std::numeric_limits<double>::infinity();
  bool is_ready_ = false, has_found_ = false;
};

}  // namespace annealco
