/// Cut and volume of all first nodes of an order, from which a sweep cut is chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "baselines/pagerank.hpp"
#include "core/clock.hpp"

namespace annealco {

struct SweepSums {
  std::vector<double> cut;
  std::vector<std::int64_t> volume;
};

/// Return the weight of the edges out of the first 1, 2, ... nodes of an order, and the sum of their degrees; fewer
/// where the clock is over. O(sum of all degrees).
inline SweepSums sweep_sums(const WeightedRows& rows, std::span<const std::int64_t> order, Clock& clock) {
  std::vector<std::uint8_t> inside(static_cast<std::size_t>(rows.neighbours.size()));
  SweepSums sums;
  double cut = 0.0;
  std::int64_t volume = 0;
  for (const auto node : order) {
    const std::int64_t degree = rows.neighbours.length(node);
    if (clock.is_over(1 + degree)) break;
    inside[static_cast<std::size_t>(node)] = 1;
    const auto first = static_cast<std::size_t>(rows.neighbours.start[static_cast<std::size_t>(node)]);
    for (std::size_t entry = first; entry < first + static_cast<std::size_t>(degree); ++entry) {
      const bool within = inside[static_cast<std::size_t>(rows.neighbours.index[entry])];
      cut += within ? -rows.weight[entry] : rows.weight[entry];
    }
    volume += degree;
    sums.cut.push_back(cut);
    sums.volume.push_back(volume);
  }
  return sums;
}

}  // namespace annealco
