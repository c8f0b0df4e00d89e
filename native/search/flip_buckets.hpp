/// The flips of a graph in buckets by their price, flips that choose a node apart from those that drop one.
///
/// Doubly linked lists as in `BucketQueue`, with what a tabu search asks of a flip beside the links, so that a look at
/// it takes one line of memory. The keys in use are bits of words: with prices of many sizes most buckets are empty.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/memory.hpp"
#include "search/price_key.hpp"

namespace annealco {

/// A set of keys from 0 to kNumPriceKeys − 1.
class PriceKeys {
 public:
  void add(std::int32_t key) { word(key) |= bit(key); }
  void remove(std::int32_t key) { word(key) &= ~bit(key); }

  /// Return the least key from this one on, or kNumPriceKeys.
  std::int32_t next(std::int32_t key) const {
    auto place = static_cast<std::size_t>(key) / 64;
    std::uint64_t rest = place < words_.size() ? words_[place] & (~std::uint64_t{0} << (key % 64)) : 0;
    while (rest == 0) {
      if (++place >= words_.size()) return kNumPriceKeys;
      rest = words_[place];
    }
    return static_cast<std::int32_t>(64 * place) + std::countr_zero(rest);
  }

 private:
  static std::uint64_t bit(std::int32_t key) { return std::uint64_t{1} << (key % 64); }
  std::uint64_t& word(std::int32_t key) { return words_[static_cast<std::size_t>(key) / 64]; }

  std::array<std::uint64_t, (kNumPriceKeys + 63) / 64> words_{};
};

class FlipBuckets {
 public:
  static constexpr std::int32_t kAbsent = -1;

  struct Flip {
    std::int32_t before = kAbsent, after = kAbsent;
    std::int16_t key = 0;    ///< of its bucket
    std::uint8_t side = 0;   ///< 1 where it drops the node, 0 where it chooses it
    double price = 0.0;      ///< by which it was filed: whatever is not lower belongs no lower
    std::int64_t until = 0;  ///< move until which the node rests
  };

  explicit FlipBuckets(std::int64_t num_nodes) : flips_(static_cast<std::size_t>(num_nodes)) {}

  Flip& operator[](std::int64_t node) { return flips_[static_cast<std::size_t>(node)]; }
  const Flip& operator[](std::int64_t node) const { return flips_[static_cast<std::size_t>(node)]; }

  std::int32_t head(std::int32_t side, std::int32_t key) const { return ends(side, key).head; }

  /// Return the least key from this one on whose bucket has a flip of a side, or kNumPriceKeys.
  std::int32_t next_key(std::int32_t side, std::int32_t key) const { return sides_[at(side)].used.next(key); }

  /// Put the flip of a node that is in no bucket at the end of one.
  void file(std::int32_t node, std::int32_t side, std::int32_t key, double price) {
    Ends& list = ends(side, key);
    Flip& flip = (*this)[node];
    flip.before = list.tail;
    flip.after = kAbsent;
    flip.key = static_cast<std::int16_t>(key);
    flip.side = static_cast<std::uint8_t>(side);
    flip.price = price;
    if (list.tail == kAbsent) {
      list.head = node;
      sides_[at(side)].used.add(key);
    } else {
      (*this)[list.tail].after = node;
    }
    list.tail = node;
  }

  /// Take the flip of a node out of its bucket.
  void take(std::int32_t node) {
    const Flip& flip = (*this)[node];
    Ends& list = ends(flip.side, flip.key);
    (flip.before == kAbsent ? list.head : (*this)[flip.before].after) = flip.after;
    (flip.after == kAbsent ? list.tail : (*this)[flip.after].before) = flip.before;
    if (list.head == kAbsent) sides_[at(flip.side)].used.remove(flip.key);
  }

  /// Make a flip the first of its bucket, those before it the last, in their order.
  void rotate(std::int32_t node) {
    Flip& flip = (*this)[node];
    Ends& list = ends(flip.side, flip.key);
    if (list.head == node) return;
    (*this)[list.tail].after = list.head;
    (*this)[list.head].before = list.tail;
    list.head = node;
    list.tail = flip.before;
    (*this)[flip.before].after = kAbsent;
    flip.before = kAbsent;
  }

  /// Empty all buckets.
  void clear() { sides_ = {}; }

 private:
  struct Ends {
    std::int32_t head = kAbsent, tail = kAbsent;
  };
  struct Side {
    PriceKeys used;
    std::array<Ends, kNumPriceKeys> ends;
  };

  static std::size_t at(std::int32_t place) { return static_cast<std::size_t>(place); }
  Ends& ends(std::int32_t side, std::int32_t key) { return sides_[at(side)].ends[at(key)]; }
  const Ends& ends(std::int32_t side, std::int32_t key) const { return sides_[at(side)].ends[at(key)]; }

  LargeVector<Flip> flips_;  ///< [num_nodes]
  std::array<Side, 2> sides_;
};

}  // namespace annealco
