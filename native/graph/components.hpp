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

/// Numbers in disjoint sets, each named by its least number.
class DisjointSets {
 public:
  explicit DisjointSets(std::int64_t count) : root_(static_cast<std::size_t>(count)) {
    std::iota(root_.begin(), root_.end(), 0);
  }

  std::int32_t find(std::int32_t number) {
    while (root_[static_cast<std::size_t>(number)] != number) {
      auto& above = root_[static_cast<std::size_t>(number)];
      above = root_[static_cast<std::size_t>(above)];
      number = above;
    }
    return number;
  }

  void join(std::int32_t one, std::int32_t other) {
    one = find(one);
    other = find(other);
    root_[static_cast<std::size_t>(std::max(one, other))] = std::min(one, other);
  }

  /// Return the name of each number's set.
  std::vector<std::int32_t> roots() {
    std::vector<std::int32_t> result(root_.size());
    std::transform(root_.begin(), root_.end(), result.begin(), [this](std::int32_t number) { return find(number); });
    return result;
  }

 private:
  std::vector<std::int32_t> root_;
};

/// Return the least node of each node's component, [num_nodes], or nothing where the clock is over before; nearly
/// linear in the number of pairs.
inline std::optional<std::vector<std::int32_t>> component_roots(std::int64_t num_nodes,
                                                                std::span<const std::int32_t> low,
                                                                std::span<const std::int32_t> high, Clock& clock) {
  DisjointSets components(num_nodes);
  for (std::size_t pair = 0; pair < low.size(); ++pair) {
    if (clock.is_over()) return std::nullopt;
    components.join(low[pair], high[pair]);
  }
  return components.roots();
}

}  // namespace annealco
