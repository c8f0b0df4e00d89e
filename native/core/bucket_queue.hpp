/// A queue of entries by key that gives up its lowest at a cost that does not grow with how many there are.
///
/// Doubly linked lists, one per key, and a bit for each that says whether it holds an entry. A key may rise without
/// telling the queue: its entry then stands too low, and the caller files it anew when it comes up; only a key that
/// falls is filed at once. Entries of one key come up in the order in which they were filed.
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
      : num_entries_(static_cast<std::int32_t>(num_entries)),
        num_keys_(num_keys),
        links_(static_cast<std::size_t>(num_entries) + static_cast<std::size_t>(num_keys)),
        filled_(static_cast<std::size_t>(num_keys) / 64 + 1) {
    clear();
  }

  /// Put an entry that is not there at the end of a key's list.
  void file(std::int32_t entry, std::int32_t key) {
    const std::int32_t end = end_of(key), last = link(end).before;
    link(entry) = {last, end, key};
    link(last).after = entry;
    link(end).before = entry;
    filled_[static_cast<std::size_t>(key) >> 6] |= std::uint64_t{1} << (key & 63);
  }

  /// Take out an entry that is there.
  void take(std::int32_t entry) {
    Link& own = link(entry);
    link(own.before).after = own.after;
    link(own.after).before = own.before;
    const auto emptied = static_cast<std::uint64_t>(own.before == own.after);
    filled_[static_cast<std::size_t>(own.key) >> 6] &= ~(emptied << (own.key & 63));
    own.key = kAbsent;
  }

  /// Return the first entry of the lowest key that has one, or kAbsent; its key may have risen since.
  std::int32_t first() const {
    for (std::size_t word = 0; word < filled_.size(); ++word) {
      if (filled_[word] != 0) {
        return link(end_of(static_cast<std::int32_t>(64 * word) + std::countr_zero(filled_[word]))).after;
      }
    }
    return kAbsent;
  }

  /// Return the key under which an entry is filed, or kAbsent.
  std::int32_t key(std::int32_t entry) const { return link(entry).key; }

  std::int32_t head(std::int32_t key) const { return entry_or_absent(link(end_of(key)).after); }
  std::int32_t tail(std::int32_t key) const { return entry_or_absent(link(end_of(key)).before); }
  std::int32_t after(std::int32_t entry) const { return entry_or_absent(link(entry).after); }

  /// Make an entry of a key's list its first, those before it its last, in their order.
  void rotate(std::int32_t entry) {
    const std::int32_t end = end_of(link(entry).key);
    link(link(end).before).after = link(end).after;
    link(link(end).after).before = link(end).before;
    const std::int32_t last = link(entry).before;
    link(end) = {last, entry, kAbsent};
    link(last).after = end;
    link(entry).before = end;
  }

  void clear() {
    for (std::int32_t entry = 0; entry < num_entries_; ++entry) link(entry).key = kAbsent;
    for (std::int32_t key = 0; key < num_keys_; ++key) link(end_of(key)) = {end_of(key), end_of(key), kAbsent};
    std::fill(filled_.begin(), filled_.end(), 0);
  }

 private:
  struct Link {
    std::int32_t before = kAbsent, after = kAbsent, key = kAbsent;
  };

  /// Lists are rings that are closed by a link of the key's own, so that no case is a special one.
  std::int32_t end_of(std::int32_t key) const { return num_entries_ + key; }
  std::int32_t entry_or_absent(std::int32_t number) const { return number < num_entries_ ? number : kAbsent; }
  Link& link(std::int32_t number) { return links_[static_cast<std::size_t>(number)]; }
  const Link& link(std::int32_t number) const { return links_[static_cast<std::size_t>(number)]; }

  std::int32_t num_entries_, num_keys_;
  std::vector<Link> links_;
  std::vector<std::uint64_t> filled_;
};

/// Return the leading bits of a number from 0 on: a key that grows with it, one per whole number up to
/// 2^mantissa_bits, and beyond that one per 2^-mantissa_bits of its size.
inline std::int32_t leading_bits(double size, int mantissa_bits) {
  const auto word = std::bit_cast<std::int32_t>(static_cast<float>(size + 1.0));
  return (word >> (23 - mantissa_bits)) - (127 << mantissa_bits);
}

}  // namespace annealco
