/// Connected components by union-find with path halving (Tarjan and van Leeuwen, 1984).
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "core/clock.hpp"

namespace annealco {

/// Return the least node of each node's component, [num_nodes], or nothing where the clock is over before; nearly
/// linear in the number of pairs.
inline std::optional<std::vector<std::int32_t>> component_roots(std::int64_t num_nodes,
                                                                std::span<const std::int32_t> low,
                                                                std::span<const std::int32_t> high, Clock& clock) {
  std::vector<std::int32_t> root(static_cast<std::size_t>(num_nodes));
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](std::int32_t node) {
    while (root[static_cast<std::size_t>(node)] != node) {
      auto& above = root[static_cast<std::size_t>(node)];
      above = root[static_cast<std::size_t>(above)];
      node = above;
    }
    return node;
  };
  for (std::size_t pair = 0; pair < low.size(); ++pair) {
    if (clock.is_over()) return std::nullopt;
    const std::int32_t one = find(low[pair]), other = find(high[pair]);
    root[static_cast<std::size_t>(std::max(one, other))] = std::min(one, other);
  }
  for (std::int32_t node = 0; node < num_nodes; ++node) root[static_cast<std::size_t>(node)] = find(node);
  return root;
}

}  // namespace annealco
