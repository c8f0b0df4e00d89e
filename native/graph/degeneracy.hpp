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
#include "core/prefetch.hpp"
#include "core/rows.hpp"

namespace annealco {

class DegeneracyOrder {
 public:
  /// rows: the neighbours of every node, in both directions; they must outlive the last call of `advance`.
  explicit DegeneracyOrder(Rows rows) : rows_(rows) {
    const auto count = static_cast<std::size_t>(rows_.size());
    nodes_.resize(count);
    order_.resize(count);
    later_.start.reserve(count + 1);
    std::int32_t most = 0;
    for (std::size_t i = 0; i < count; ++i) {
      nodes_[i].degree = static_cast<std::int32_t>(rows_.length(static_cast<std::int64_t>(i)));
      most = std::max(most, nodes_[i].degree);
    }
    first_.assign(static_cast<std::size_t>(most) + 2, 0);
    for (const Node& node : nodes_) ++first_[static_cast<std::size_t>(node.degree) + 1];
    for (std::size_t d = 1; d < first_.size(); ++d) first_[d] += first_[d - 1];
    std::vector<std::int32_t> free = first_;
    for (std::size_t i = 0; i < count; ++i) {
      put(static_cast<std::int32_t>(i), free[static_cast<std::size_t>(nodes_[i].degree)]++);
    }
  }

  /// Continue; false where the clock ended it.
  bool advance(Clock& clock) {
    const auto count = static_cast<std::int32_t>(order_.size());
    for (; position_ < count; ++position_) {
      if (clock.is_over()) return false;
      if (position_ + kAhead < count) prefetch(rows_[order_[static_cast<std::size_t>(position_ + kAhead)]].data());
      remove(order_[static_cast<std::size_t>(position_)]);
    }
    return true;
  }

  /// The nodes in order, and the place of a node.
  const std::vector<std::int32_t>& order() const { return order_; }
  std::int32_t rank(std::int32_t node) const { return nodes_[static_cast<std::size_t>(node)].rank; }

  /// Give away the neighbours behind each place, as nodes: one row per place.
  OwnRows release_later() { return std::move(later_); }

 private:
  /// The degree among the nodes that are left, and the place in the order.
  struct Node {
    std::int32_t degree, rank;
  };
  static constexpr std::int32_t kAhead = 8;

  void put(std::int32_t node, std::int32_t place) {
    order_[static_cast<std::size_t>(place)] = node;
    nodes_[static_cast<std::size_t>(node)].rank = place;
  }

  void remove(std::int32_t node) {
    const std::int32_t degree = nodes_[static_cast<std::size_t>(node)].degree;
    const auto row = rows_[node];
    for (const auto other : row) prefetch(&nodes_[static_cast<std::size_t>(other)]);
    for (const auto other : row) {
      Node& behind = nodes_[static_cast<std::size_t>(other)];
      if (behind.rank <= position_) continue;
      later_.index.push_back(other);
      if (behind.degree > degree) {
        // The first place of its degree comes to belong to the next lower one: put the other node there.
        std::int32_t& boundary = first_[static_cast<std::size_t>(behind.degree)];
        boundary = std::max(boundary, position_ + 1);
        put(order_[static_cast<std::size_t>(boundary)], behind.rank);
        put(other, boundary);
        ++boundary;
        --behind.degree;
      }
    }
    later_.start.push_back(static_cast<std::int64_t>(later_.index.size()));
  }

  Rows rows_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> order_;
  /// The first place of each degree.
  std::vector<std::int32_t> first_;
  OwnRows later_;
  std::int32_t position_ = 0;
};

}  // namespace annealco
