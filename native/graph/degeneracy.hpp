/// Degeneracy order: remove a node of least degree again and again, in linear time by counting sort (Batagelj and
/// Zaversnik, 2003).
///
/// Every node has few neighbours behind it in this order: at most the degeneracy of the graph, which is the least
/// number for which an order does this.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/rows.hpp"

namespace annealco {

class DegeneracyOrder {
 public:
  /// rows: the neighbours of every node, in both directions; they must outlive the last call of `advance`.
  explicit DegeneracyOrder(Rows rows) : rows_(rows) {
    const auto count = static_cast<std::size_t>(rows_.size());
    degree_.resize(count);
    order_.resize(count);
    rank_.resize(count);
    later_.start.reserve(count + 1);
    std::int64_t most = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t length = rows_.length(static_cast<std::int64_t>(i));
      degree_[i] = static_cast<std::int32_t>(length);
      most = std::max(most, length);
    }
    first_.assign(static_cast<std::size_t>(most) + 2, 0);
    for (const auto each : degree_) ++first_[static_cast<std::size_t>(each) + 1];
    for (std::size_t d = 1; d < first_.size(); ++d) first_[d] += first_[d - 1];
    std::vector<std::int32_t> free = first_;
    for (std::size_t i = 0; i < count; ++i) {
      put(static_cast<std::int32_t>(i), free[static_cast<std::size_t>(degree_[i])]++);
    }
  }

  /// Continue; false where the clock ended it.
  bool advance(Clock& clock) {
    const auto count = static_cast<std::int32_t>(order_.size());
    for (; position_ < count; ++position_) {
      if (clock.is_over()) return false;
      remove(order_[static_cast<std::size_t>(position_)]);
    }
    return true;
  }

  /// The nodes in order, and the place of each node.
  const std::vector<std::int32_t>& order() const { return order_; }
  const std::vector<std::int32_t>& rank() const { return rank_; }

  /// Give away the neighbours behind each place, as nodes: one row per place.
  OwnRows release_later() { return std::move(later_); }

 private:
  void put(std::int32_t node, std::int32_t place) {
    order_[static_cast<std::size_t>(place)] = node;
    rank_[static_cast<std::size_t>(node)] = place;
  }

  void remove(std::int32_t node) {
    const std::int32_t degree = degree_[static_cast<std::size_t>(node)];
    for (const auto other : rows_[node]) {
      if (rank_[static_cast<std::size_t>(other)] <= position_) continue;
      later_.index.push_back(other);
      std::int32_t& other_degree = degree_[static_cast<std::size_t>(other)];
      if (other_degree > degree) {
        // The first place of its degree comes to belong to the next lower one: put the other node there.
        std::int32_t& boundary = first_[static_cast<std::size_t>(other_degree)];
        boundary = std::max(boundary, position_ + 1);
        const std::int32_t swapped = order_[static_cast<std::size_t>(boundary)];
        put(swapped, rank_[static_cast<std::size_t>(other)]);
        put(other, boundary);
        ++boundary;
        --other_degree;
      }
    }
    later_.start.push_back(static_cast<std::int64_t>(later_.index.size()));
  }

  Rows rows_;
  /// Degrees among the nodes that are left, and the first place of each degree.
  std::vector<std::int32_t> degree_, first_, order_, rank_;
  OwnRows later_;
  std::int32_t position_ = 0;
};

}  // namespace annealco
