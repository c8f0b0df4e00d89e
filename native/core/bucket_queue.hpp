/// A queue of entries by key that gives up its lowest at a cost that does not grow with how many there are.
///
/// Doubly linked lists, one per key. A key may rise without telling the queue: its entry then stands too low, and the
/// caller files it anew when it comes up; only a key that falls is filed at once. Entries of one key come up in the
/// order in which they were filed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace annealco {

class BucketQueue {
 public:
  static constexpr std::int32_t kAbsent = -1;

  BucketQueue(std::int64_t num_entries, std::int32_t num_keys)
      : ends_(static_cast<std::size_t>(num_keys)), links_(static_cast<std::size_t>(num_entries)), lowest_(num_keys) {}

  /// Put an entry that is not there at the end of a key's list.
  void file(std::int32_t entry, std::int32_t key) {
    Ends& ends = ends_[static_cast<std::size_t>(key)];
    links_[static_cast<std::size_t>(entry)] = {ends.tail, kAbsent, key};
    (ends.tail == kAbsent ? ends.head : links_[static_cast<std::size_t>(ends.tail)].after) = entry;
    ends.tail = entry;
    lowest_ = std::min(lowest_, key);
  }

  /// Take out an entry that is there.
  void take(std::int32_t entry) {
    Link& link = links_[static_cast<std::size_t>(entry)];
    Ends& ends = ends_[static_cast<std::size_t>(link.key)];
    (link.before == kAbsent ? ends.head : links_[static_cast<std::size_t>(link.before)].after) = link.after;
    (link.after == kAbsent ? ends.tail : links_[static_cast<std::size_t>(link.after)].before) = link.before;
    link.key = kAbsent;
  }

  /// Return the first entry of the lowest key that has one, or kAbsent; its key may have risen since.
  std::int32_t first() {
    const auto num_keys = static_cast<std::int32_t>(ends_.size());
    while (lowest_ < num_keys && ends_[static_cast<std::size_t>(lowest_)].head == kAbsent) ++lowest_;
    return lowest_ == num_keys ? kAbsent : ends_[static_cast<std::size_t>(lowest_)].head;
  }

  /// Return the key under which an entry is filed, or kAbsent.
  std::int32_t key(std::int32_t entry) const { return links_[static_cast<std::size_t>(entry)].key; }

  std::int32_t head(std::int32_t key) const { return ends_[static_cast<std::size_t>(key)].head; }
  std::int32_t tail(std::int32_t key) const { return ends_[static_cast<std::size_t>(key)].tail; }
  std::int32_t after(std::int32_t entry) const { return links_[static_cast<std::size_t>(entry)].after; }

  /// Make an entry of a key's list its first, those before it its last, in their order.
  void rotate(std::int32_t entry) {
    const Link link = links_[static_cast<std::size_t>(entry)];
    Ends& ends = ends_[static_cast<std::size_t>(link.key)];
    if (ends.head == entry) return;
    links_[static_cast<std::size_t>(ends.tail)].after = ends.head;
    links_[static_cast<std::size_t>(ends.head)].before = ends.tail;
    ends.head = entry;
    ends.tail = link.before;
    links_[static_cast<std::size_t>(entry)].before = kAbsent;
    links_[static_cast<std::size_t>(link.before)].after = kAbsent;
  }

  void clear() {
    std::fill(ends_.begin(), ends_.end(), Ends{});
    for (Link& link : links_) link.key = kAbsent;
    lowest_ = static_cast<std::int32_t>(ends_.size());
  }

 private:
  struct Ends {
    std::int32_t head = kAbsent, tail = kAbsent;
  };
  struct Link {
    std::int32_t before = kAbsent, after = kAbsent, key = kAbsent;
  };

  std::vector<Ends> ends_;
  std::vector<Link> links_;
  std::int32_t lowest_;
};

/// Return the leading bits of a number from 0 on: a key that grows with it, one per whole number up to
/// 2^mantissa_bits, and beyond that one per 2^-mantissa_bits of its size.
inline std::int32_t leading_bits(double size, int mantissa_bits) {
  const auto word = std::bit_cast<std::int32_t>(static_cast<float>(size + 1.0));
  return (word >> (23 - mantissa_bits)) - (127 << mantissa_bits);
}

}  // namespace annealco
