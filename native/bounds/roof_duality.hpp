/// Roof duality: a bound on the energy of spins, one of which is 1, and directions of spins that every optimum has.
///
/// Every spin but the fixed one has two nodes, one for itself and one for its opposite, and every coupling two pairs of
/// nodes that are to be on one side: of the same nodes where the spins want to agree, of crossed ones where they do
/// not. A coupling to the fixed spin ties its nodes to the source and the sink. A choice of spins is a cut that counts
/// what is not satisfied twice, so that half of a maximum flow bounds that. A node on the source's side of the smallest
/// minimum cut has its direction in every optimum (Hammer, Hansen and Simeone, 1984; Boros and Hammer, 2002).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bounds/couplings.hpp"
#include "bounds/maximum_flow.hpp"
#include "core/clock.hpp"

namespace annealco {

class RoofDuality {
 public:
  /// `step`: all strengths are multiples of it, or 0 where that is not known: then they are rounded down, and no
  /// direction is told.
  RoofDuality(const Couplings& couplings, std::int32_t fixed, double step)
      : fixed_(fixed), step_(step), direction_(static_cast<std::size_t>(couplings.num_spins), 0) {
    double total = 0.0;
    for (const double each : couplings.strength) total += std::fabs(each);
    is_exact_ = step > 0.0 && total < kMostWhole * step;
    if (!std::isfinite(total) || total == 0.0) return;
    if (!is_exact_) {
      int exponent = 0;
      std::frexp(total, &exponent);
      step_ = std::ldexp(1.0, exponent - kBits);
    }
    // Strengths next to 0 have no smaller step.
    if (step_ > 0.0) build(couplings);
  }

  /// Raise the flow until it is a maximum or the clock is over.
  void run(Clock& clock) {
    for (auto& flow : flow_) {
      const bool whole = flow.run(clock);
      value_ = static_cast<double>(flow.value());
      if (whole && is_exact_) find_directions(flow);
    }
  }

  /// At least so much of the strengths is not satisfied in any choice, each counted once.
  ///
  /// The flow is a whole number of less than 2^53 steps, and the step a power of two, or one by which sums are exact.
  double unsatisfied() const { return value_ / 2 * step_; }
  /// [num_spins] 1 or −1 where every optimum in which the fixed spin is 1 has it, else 0.
  std::span<const std::int8_t> direction() const { return direction_; }

 private:
  static constexpr double kMostWhole = 1e15;
  static constexpr int kBits = 50;

  void build(const Couplings& couplings) {
    std::vector<std::int32_t> low, high;
    std::vector<std::int64_t> capacity, terminal(2 * direction_.size(), 0);
    for (std::size_t k = 0; k < couplings.strength.size(); ++k) {
      const std::int32_t i = couplings.low[k], j = couplings.high[k];
      const auto whole = static_cast<std::int64_t>(std::floor(std::fabs(couplings.strength[k]) / step_));
      const std::int32_t crossed = couplings.strength[k] > 0 ? 1 : 0;
      if (i == fixed_ || j == fixed_) {
        const auto other = static_cast<std::size_t>(2 * (i == fixed_ ? j : i));
        terminal[other] += crossed ? -whole : whole;
        terminal[other + 1] += crossed ? whole : -whole;
        continue;
      }
      low.insert(low.end(), {2 * i, 2 * i + 1});
      high.insert(high.end(), {2 * j + crossed, 2 * j + 1 - crossed});
      capacity.insert(capacity.end(), {whole, whole});
    }
    const std::vector<double> none(low.size(), 0.0);
    const Couplings doubled(2 * couplings.num_spins, low, high, none);
    flow_.emplace_back(doubled, capacity).reset(terminal);
  }

  void find_directions(const MaximumFlow& flow) {
    for (std::size_t spin = 0; spin < direction_.size(); ++spin) {
      const auto node = static_cast<std::int32_t>(2 * spin);
      direction_[spin] = static_cast<std::int8_t>(flow.is_inside(node) - flow.is_inside(node + 1));
    }
    direction_[static_cast<std::size_t>(fixed_)] = 1;
  }

  std::int32_t fixed_;
  double step_, value_ = 0.0;
  bool is_exact_ = false;
  std::vector<std::int8_t> direction_;
  /// One flow, or none where strengths are too large.
  std::vector<MaximumFlow> flow_;
};

}  // namespace annealco
