/// A connected part of a graph: nodes around one, nearest first, where nodes of one pair or one set are neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "energy/terms.hpp"

namespace annealco {

class Region {
 public:
  explicit Region(const EnergyTerms& terms) : terms_(terms), seen_(static_cast<std::size_t>(terms.num_nodes())) {}

  std::span<const std::int32_t> nodes() const { return nodes_; }

  /// Collect at most `limit` nodes around a first one; false where the time is over before all are found.
  bool collect(std::int64_t first, std::int64_t limit, Clock& clock) {
    nodes_.clear();
    ++number_;
    const auto most = static_cast<std::size_t>(limit);
    add(static_cast<std::int32_t>(first));
    for (std::size_t next = 0; next < nodes_.size() && nodes_.size() < most; ++next) {
      const std::int32_t node = nodes_[next];
      add_all(terms_.pairs[node], most);
      for (const auto set : terms_.sets_of[node]) add_all(terms_.sets[set], most);
      if (clock.is_over()) return false;
    }
    return true;
  }

 private:
  void add_all(std::span<const std::int32_t> nodes, std::size_t most) {
    for (const auto node : nodes) {
      if (nodes_.size() == most) return;
      add(node);
    }
  }

  void add(std::int32_t node) {
    std::int64_t& seen = seen_[static_cast<std::size_t>(node)];
    if (seen == number_) return;
    seen = number_;
    nodes_.push_back(node);
  }

  const EnergyTerms& terms_;
  std::int64_t number_ = 0;         ///< of this region
  std::vector<std::int64_t> seen_;  ///< [num_nodes] the last region that each node was in
  std::vector<std::int32_t> nodes_;
};

}  // namespace annealco
