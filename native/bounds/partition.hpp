/// Partitions of nodes into classes that are cliques, or independent sets (colours).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/memory.hpp"

namespace annealco {

/// The class of each node.
using Labels = LargeVector<std::int32_t>;

enum class ClassKind { kCliques, kColours };

/// Return what a partition costs, every class as much as its heaviest node; weights are not negative.
inline double partition_price(const Labels& label, std::span<const double> weight) {
  LargeVector<double> heaviest;
  for (std::size_t node = 0; node < label.size(); ++node) {
    const auto each = static_cast<std::size_t>(label[node]);
    if (each >= heaviest.size()) heaviest.resize(each + 1, 0.0);
    heaviest[each] = std::max(heaviest[each], weight[node]);
  }
  return std::accumulate(heaviest.begin(), heaviest.end(), 0.0);
}

}  // namespace annealco
