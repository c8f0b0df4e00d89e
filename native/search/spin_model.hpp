/// Spins s ∈ {−1, 1} that are coupled in pairs: E(s) = Σ J_uv s_u s_v, to be minimised.
///
/// A quadratic function of bits x has this form with s = 2x − 1 and J = b/4, up to a constant; what the terms of a node
/// come to apart from products of spins, h = a/2 + Σ b/4, is its coupling to one more spin, which stands for +1.
/// Flipping all spins changes no energy, so that this spin needs no rule of its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/memory.hpp"
#include "energy/terms.hpp"

namespace annealco {

using Spin = std::int8_t;

/// The other spin of a coupling, and its strength J.
struct SpinCoupling {
  std::int32_t spin;
  double strength;
};

struct SpinModel {
  LargeVector<std::int64_t> start{0};  ///< [num_spins + 1]
  LargeVector<SpinCoupling> coupling;  ///< by spin, each coupling in both rows
  int exponent = 0;                    ///< by which power of 2 energies have been divided

  std::int32_t num_spins() const { return static_cast<std::int32_t>(start.size()) - 1; }

  std::span<const SpinCoupling> operator[](std::int32_t spin) const {
    const auto first = static_cast<std::size_t>(start[static_cast<std::size_t>(spin)]);
    const auto last = static_cast<std::size_t>(start[static_cast<std::size_t>(spin) + 1]);
    return std::span(coupling).subspan(first, last - first);
  }

  /// Return J_iv s_v, summed over the neighbours of a spin.
  double field(std::int32_t spin, std::span<const Spin> spins) const {
    double sum = 0.0;
    for (const SpinCoupling& each : (*this)[spin]) sum += each.strength * spins[static_cast<std::size_t>(each.spin)];
    return sum;
  }

  double energy(std::span<const Spin> spins) const {
    double sum = 0.0;
    for (std::int32_t spin = 0; spin < num_spins(); ++spin) {
      sum += spins[static_cast<std::size_t>(spin)] * field(spin, spins);
    }
    return 0.5 * sum;
  }
};

/// A sum of numbers that is no larger than this part of their sizes is 0 up to rounding, where sums are rounded.
constexpr double kSpinNoise = 1e-12;

/// Return the model of one graph's terms of nodes and pairs, with one spin more than nodes where there are fields.
///
/// Couplings are divided by a power of 2 that brings the largest next to 1, which loses no digit and keeps sums finite.
inline SpinModel spin_model_of(const EnergyTerms& terms) {
  const auto size = static_cast<std::size_t>(terms.num_nodes());
  double largest = 0.0;
  for (const Coefficient& each : terms.linear) largest = std::max(largest, std::fabs(each.energy));
  if (terms.has_pairs()) {
    for (const double each : terms.pair_energy) largest = std::max(largest, std::fabs(each));
  }
  int exponent = 0;
  std::frexp(largest, &exponent);
  const auto scaled = [exponent](double value) { return std::ldexp(value, -exponent); };
  // A field of whole numbers is what it is, however small it is beside the couplings.
  const double noise = terms.num_graphs() == 1 && terms.is_exact(0) ? 0.0 : kSpinNoise;

  std::vector<double> field(size);
  bool has_fields = false;
  SpinModel model;
  model.exponent = exponent;
  std::size_t place = 0;
  std::vector<std::int64_t> seen(size, -1);  ///< where a pair is listed twice, the first place of both in this row
  for (std::size_t node = 0; node < size; ++node) {
    const auto row_start = static_cast<std::int64_t>(model.coupling.size());
    double sum = scaled(terms.linear[node].energy) / 2, extent = std::fabs(sum);
    for (const auto other : terms.pairs[static_cast<std::int64_t>(node)]) {
      const double strength = scaled(terms.pair_value<Reading::kEnergy>(place++)) / 4;
      sum += strength;
      extent += std::fabs(strength);
      std::int64_t& first = seen[static_cast<std::size_t>(other)];
      if (first >= 0) {
        model.coupling[static_cast<std::size_t>(first)].strength += strength;
      } else {
        first = static_cast<std::int64_t>(model.coupling.size());
        model.coupling.push_back({other, strength});
      }
    }
    for (const auto other : terms.pairs[static_cast<std::int64_t>(node)]) seen[static_cast<std::size_t>(other)] = -1;
    field[node] = std::fabs(sum) <= noise * extent ? 0.0 : sum;
    has_fields = has_fields || field[node] != 0.0;
    if (field[node] != 0.0) model.coupling.push_back({static_cast<std::int32_t>(size), field[node]});
    const auto row = model.coupling.begin() + row_start;
    model.coupling.erase(
        std::remove_if(row, model.coupling.end(), [](const SpinCoupling& each) { return each.strength == 0.0; }),
        model.coupling.end());
    model.start.push_back(static_cast<std::int64_t>(model.coupling.size()));
  }
  if (has_fields) {
    for (std::size_t node = 0; node < size; ++node) {
      if (field[node] != 0.0) model.coupling.push_back({static_cast<std::int32_t>(node), field[node]});
    }
    model.start.push_back(static_cast<std::int64_t>(model.coupling.size()));
  }
  return model;
}

}  // namespace annealco
