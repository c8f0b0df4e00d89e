/// Pairs of nodes in ascending order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "core/memory.hpp"
#include "core/rows.hpp"

namespace annealco {

/// Tell whether every pair has its lower node first and the next pair is greater.
inline bool pairs_ascend(std::span<const std::int32_t> low, std::span<const std::int32_t> high) {
  constexpr std::size_t kAtOnce = 4096;  // without an early exit, the compiler uses vectors
  if (!low.empty() && low[0] >= high[0]) return false;
  for (std::size_t begin = 1; begin < low.size(); begin += kAtOnce) {
    const std::size_t end = std::min(begin + kAtOnce, low.size());
    int falls = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const int greater = (low[k] > low[k - 1]) | ((low[k] == low[k - 1]) & (high[k] > high[k - 1]));
      falls |= !greater | (low[k] >= high[k]);
    }
    if (falls) return false;
  }
  return true;
}

/// Pairs in ascending order: `key` holds the lower node in its leading bits, `position` says where the pair was listed.
/// Pairs that are listed several times stand in the order in which they were listed.
class SortedPairs {
 public:
  struct Item {
    std::uint64_t key;
    std::uint32_t position;
  };

  /// Sort by digits from the last to the first, each pass stable; O(num_pairs) for each digit of about ten bits.
  SortedPairs(std::span<const std::int32_t> one, std::span<const std::int32_t> two, std::int64_t num_nodes)
      : size_(one.size()), bits_(std::bit_width(static_cast<std::uint64_t>(num_nodes))) {
    require(size_ <= std::numeric_limits<std::uint32_t>::max(), "too many pairs to sort");
    items_ = unset_memory<Item>(size_);
    for (std::size_t k = 0; k < size_; ++k) {
      const auto [low, high] = std::minmax(one[k], two[k]);
      items_[k] = {(static_cast<std::uint64_t>(low) << bits_) | static_cast<std::uint64_t>(high),
                   static_cast<std::uint32_t>(k)};
    }
    sort();
  }

  std::span<const Item> items() const { return {items_.get(), size_}; }
  std::int32_t low(const Item& item) const { return static_cast<std::int32_t>(item.key >> bits_); }
  std::int32_t high(const Item& item) const {
    return static_cast<std::int32_t>(item.key & ((std::uint64_t{1} << bits_) - 1));
  }

 private:
  static constexpr int kMostDigitBits = 11;
  static constexpr std::size_t kNumDigits = std::size_t{1} << kMostDigitBits;

  void sort() {
    const int passes = (2 * bits_ + kMostDigitBits - 1) / kMostDigitBits;
    auto other = unset_memory<Item>(size_);
    for (int pass = 0; pass < passes; ++pass) {
      const int shift = 2 * bits_ * pass / passes, end = 2 * bits_ * (pass + 1) / passes;
      const std::uint64_t mask = (std::uint64_t{1} << (end - shift)) - 1;
      std::array<std::size_t, kNumDigits> place{};
      for (const Item& each : items()) ++place[(each.key >> shift) & mask];
      std::size_t sum = 0;
      for (auto& each : place) sum += std::exchange(each, sum);
      for (const Item& each : items()) other[place[(each.key >> shift) & mask]++] = each;
      std::swap(items_, other);
    }
  }

  std::size_t size_;
  int bits_;
  std::unique_ptr<Item[]> items_;
};

}  // namespace annealco
