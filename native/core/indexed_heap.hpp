/// A binary heap of nodes by price that finds its nodes again, so that a price can be changed at any time.
///
/// Of two nodes of one price the lower number comes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace annealco {

class IndexedHeap {
 public:
  explicit IndexedHeap(std::int64_t num_nodes)
      : place_(static_cast<std::size_t>(num_nodes), kAbsent), price_(static_cast<std::size_t>(num_nodes)) {
    nodes_.reserve(static_cast<std::size_t>(num_nodes));
  }

  bool empty() const { return nodes_.empty(); }
  bool contains(std::int32_t node) const { return place_[static_cast<std::size_t>(node)] != kAbsent; }
  double price(std::int32_t node) const { return price_[static_cast<std::size_t>(node)]; }
  std::int32_t top() const { return nodes_.front(); }

  /// Put a node in, or change its price.
  void set(std::int32_t node, double price) {
    price_[static_cast<std::size_t>(node)] = price;
    if (!contains(node)) {
      place_[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(nodes_.size());
      nodes_.push_back(node);
    }
    sink(rise(static_cast<std::size_t>(place_[static_cast<std::size_t>(node)])));
  }

  /// Take out the cheapest node.
  std::int32_t pop() {
    const std::int32_t node = nodes_.front();
    remove(node);
    return node;
  }

  void remove(std::int32_t node) {
    const auto hole = static_cast<std::size_t>(place_[static_cast<std::size_t>(node)]);
    const std::int32_t last = nodes_.back();
    nodes_.pop_back();
    place_[static_cast<std::size_t>(node)] = kAbsent;
    if (last != node) {
      put(hole, last);
      sink(rise(hole));
    }
  }

  void clear() {
    for (const auto node : nodes_) place_[static_cast<std::size_t>(node)] = kAbsent;
    nodes_.clear();
  }

 private:
  static constexpr std::int32_t kAbsent = -1;

  bool before(std::int32_t one, std::int32_t two) const {
    const double left = price_[static_cast<std::size_t>(one)], right = price_[static_cast<std::size_t>(two)];
    return left < right || (left == right && one < two);
  }

  void put(std::size_t place, std::int32_t node) {
    nodes_[place] = node;
    place_[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(place);
  }

  std::size_t rise(std::size_t place) {
    const std::int32_t node = nodes_[place];
    while (place > 0 && before(node, nodes_[(place - 1) / 2])) {
      put(place, nodes_[(place - 1) / 2]);
      place = (place - 1) / 2;
    }
    put(place, node);
    return place;
  }

  void sink(std::size_t place) {
    const std::int32_t node = nodes_[place];
    for (std::size_t child = 2 * place + 1; child < nodes_.size(); child = 2 * place + 1) {
      if (child + 1 < nodes_.size() && before(nodes_[child + 1], nodes_[child])) ++child;
      if (!before(nodes_[child], node)) break;
      put(place, nodes_[child]);
      place = child;
    }
    put(place, node);
  }

  std::vector<std::int32_t> nodes_;
  std::vector<std::int32_t> place_;
  std::vector<double> price_;
};

}  // namespace annealco
