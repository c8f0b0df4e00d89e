/// Mean-field annealing: solve for the best product distribution while the temperature falls.
///
/// At temperature τ the free energy E_Q[f] − τ H(Q) is stationary where every node has
///
///     φ_i = σ(−(E[f | x_i = 1] − E[f | x_i = 0]) / τ).
///
/// Nodes are set to that one after the other, sweep after sweep, each sweep at a lower temperature (Bilbro et al.,
/// 1988): what annealed training asks of a network, done for one instance alone.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/portable_math.hpp"
#include "core/random.hpp"
#include "energy/product_state.hpp"

namespace annealco {

/// Return 1 / (1 + exp(−logit)) without overflow.
inline double sigmoid(double logit) {
  const double small = portable_exp(-std::fabs(logit));
  return (logit >= 0.0 ? 1.0 : small) / (1.0 + small);
}

/// Cool a graph down from a random start near ½, one sweep per temperature.
inline void mean_field_annealing(const EnergyTerms& terms, ProductState& state, std::int64_t graph,
                                 std::span<const double> temperatures, Random random) {
  // Equal starts would keep equal nodes equal for ever.
  constexpr double kNoise = 0.05;
  std::vector<std::int32_t> visits(static_cast<std::size_t>(terms.size_of(graph)));
  std::iota(visits.begin(), visits.end(), static_cast<std::int32_t>(terms.first_node(graph)));
  for (const auto node : visits) state.set_unloaded(node, 0.5 + kNoise * (2.0 * random.uniform() - 1.0));
  state.load(graph);
  for (const double temperature : temperatures) {
    random.shuffle(std::span(visits));
    for (const auto node : visits) {
      state.update(graph, node, sigmoid(-state.delta<Reading::kEnergy>(graph, node) / temperature));
    }
  }
}

}  // namespace annealco
