/// Fields of spins s = 2x − 1 that come from an objective Σ a_i x_i + Σ b_uv x_u x_v over bits x.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "core/memory.hpp"
#include "core/rows.hpp"

namespace annealco {

struct SpinFields {
  /// h_i = a_i/2 + Σ_v b_iv/4, [num_nodes].
  LargeVector<double> field;
  /// How far roundings may have moved each field, [num_nodes].
  LargeVector<double> doubt;
  /// Whether every pair has its smaller node first and the next pair is greater, so that none is listed twice.
  bool ascends = true;
};

/// Checks that all pairs are of two different nodes; O(num_nodes + num_pairs).
inline SpinFields spin_fields(std::span<const double> linear, std::span<const std::int32_t> low,
                              std::span<const std::int32_t> high, std::span<const double> value) {
  struct Sum {
    double field, size;
    std::int64_t count = 4;  // of roundings
  };
  const auto num_nodes = static_cast<std::int64_t>(linear.size());
  SpinFields result{LargeVector<double>(linear.size()), LargeVector<double>(linear.size())};
  LargeVector<Sum> sums;
  sums.reserve(linear.size());
  for (const double each : linear) sums.push_back({each / 2, std::fabs(each) / 2});
  const auto is_node = [&](std::int32_t each) { return each >= 0 && each < num_nodes; };
  for (std::size_t k = 0; k < value.size(); ++k) {
    require(is_node(low[k]) && is_node(high[k]) && low[k] != high[k], "pairs must be of two different nodes");
    result.ascends &=
        low[k] < high[k] && (k == 0 || low[k - 1] < low[k] || (low[k - 1] == low[k] && high[k - 1] < high[k]));
    for (const auto node : {low[k], high[k]}) {
      Sum& sum = sums[static_cast<std::size_t>(node)];
      sum.field += value[k] / 4;
      sum.size += std::fabs(value[k]) / 4;
      ++sum.count;
    }
  }
  for (std::size_t node = 0; node < sums.size(); ++node) {
    result.field[node] = sums[node].field;
    result.doubt[node] =
        static_cast<double>(sums[node].count) * std::numeric_limits<double>::epsilon() * sums[node].size;
  }
  return result;
}

}  // namespace annealco
