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
  explicit IndexedHeap(std::int64_t num_nodes) : place_(static_cast<std::size_t>(num_nodes), kAbsent) {
    items_.reserve(static_cast<std::size_t>(num_nodes));
  }

  bool empty() const { return items_.empty(); }
  bool contains(std::int32_t node) const { return place_[static_cast<std::size_t>(node)] != kAbsent; }
  std::int32_t top() const { return items_.front().node; }
  double top_price() const { return items_.front().price; }

  /// Put a node in, or change its price.
  void set(std::int32_t node, double price) {
    if (!contains(node)) {
      items_.push_back({price, node});
      rise(items_.size() - 1, {price, node});
      return;
    }
    const auto place = static_cast<std::size_t>(place_[static_cast<std::size_t>(node)]);
    if (price <= items_[place].price) {
      rise(place, {price, node});
    } else {
      sink(place, {price, node});
    }
  }

  /// Take out the cheapest node.
  std::int32_t pop() {
    const std::int32_t node = top();
    remove(node);
    return node;
  }

  void remove(std::int32_t node) {
    const auto hole = static_cast<std::size_t>(place_[static_cast<std::size_t>(node)]);
    const Item last = items_.back();
    items_.pop_back();
    place_[static_cast<std::size_t>(node)] = kAbsent;
    if (last.node == node) return;
    if (hole > 0 && last.before(items_[(hole - 1) / 2])) {
      rise(hole, last);
    } else {
      sink(hole, last);
    }
  }

  void clear() {
    for (const Item& item : items_) place_[static_cast<std::size_t>(item.node)] = kAbsent;
    items_.clear();
  }

 private:
  static constexpr std::int32_t kAbsent = -1;

  struct Item {
    double price;
    std::int32_t node;

    bool before(const Item& other) const { return price < other.price || (price == other.price && node < other.node); }
  };

  void put(std::size_t place, const Item& item) {
    items_[place] = item;
    place_[static_cast<std::size_t>(item.node)] = static_cast<std::int32_t>(place);
  }

  /// Put an item at a place or above it.
  void rise(std::size_t place, const Item& item) {
    for (; place > 0 && item.before(items_[(place - 1) / 2]); place = (place - 1) / 2)
      put(place, items_[(place - 1) / 2]);
    put(place, item);
  }

  /// Put an item at a place or below it.
  void sink(std::size_t place, const Item& item) {
    for (std::size_t child = 2 * place + 1; child < items_.size(); child = 2 * place + 1) {
      if (child + 1 < items_.size() && items_[child + 1].before(items_[child])) ++child;
      if (!items_[child].before(item)) break;
      put(place, items_[child]);
      place = child;
    }
    put(place, item);
  }

  std::vector<Item> items_;
  std::vector<std::int32_t> place_;
};

}  // namespace annealco
