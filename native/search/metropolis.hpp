/// The Metropolis rule: a change that raises f by Δ is made with probability min(1, exp(−Δ / τ)).
///
/// A table of exp between steps of Δ / τ decides nearly always, and most refusals need not even a random number; exp is
/// called where the number drawn lies between two entries.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "core/portable_math.hpp"
#include "core/random.hpp"

namespace annealco {

namespace detail {

/// A change that costs more temperatures than this is refused: its chance is below 2^-53.
constexpr int kFrozen = 40;
constexpr int kStepsPerUnit = 8;

constexpr std::array<double, kFrozen * kStepsPerUnit + 3> exp_at_steps() {
  std::array<double, kFrozen * kStepsPerUnit + 3> values{1.0};
  for (std::size_t k = 1; k < values.size(); ++k) values[k] = values[k - 1] * exp_series(-1.0 / kStepsPerUnit);
  return values;
}

inline constexpr auto kExpAtSteps = exp_at_steps();

}  // namespace detail

class MetropolisRule {
 public:
  void set_temperature(double temperature) {
    // The inverse of the smallest floats is infinite.
    inverse_ = std::min(1.0 / temperature, std::numeric_limits<double>::max());
    frozen_ = detail::kFrozen * temperature;
  }

  bool accepts(double rise, Random& random) const {
    if (rise <= 0.0) return true;
    return rise < frozen_ && accepts(rise, random.uniform());
  }

  /// Decide by a number from [0, 1) that was drawn for this change.
  bool accepts(double rise, double drawn) const {
    if (rise <= 0.0) return true;
    if (!(rise < frozen_)) return false;
    const double exponent = rise * inverse_;
    const auto step = static_cast<std::size_t>(exponent * detail::kStepsPerUnit);
    if (drawn >= detail::kExpAtSteps[step]) return false;
    return drawn < detail::kExpAtSteps[step + 1] || drawn < portable_exp(-exponent);
  }

 private:
  double inverse_ = 1.0, frozen_ = detail::kFrozen;
};

}  // namespace annealco
