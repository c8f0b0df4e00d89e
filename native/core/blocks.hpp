/// Entries of a table by blocks of rows, so that work on random rows stays within the cache.
///
/// Counting or filling the rows of a large table in the order of a list misses the cache at every entry. Dealing the
/// entries to blocks of rows first writes to a few places at a time, and the rows of one block then fit into the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/memory.hpp"

namespace annealco {

/// Entries in the order of their rows' blocks, and within a block in the order in which they were given.
///
/// An entry has a member `row`; `for_each(visit)` calls `visit` with one after the other, and is itself called twice.
template <class Entry>
class Blocks {
 public:
  template <class ForEach>
  Blocks(std::size_t num_entries, std::int64_t num_rows, ForEach&& for_each)
      : size_(num_entries), entries_(unset_memory<Entry>(num_entries)) {
    std::vector<std::size_t> place((static_cast<std::size_t>(num_rows) >> kBits) + 2, 0);
    for_each([&](const Entry& entry) { ++place[block(entry) + 1]; });
    for (std::size_t i = 1; i < place.size(); ++i) place[i] += place[i - 1];
    for_each([&](const Entry& entry) { entries_[place[block(entry)]++] = entry; });
  }

  std::span<const Entry> entries() const { return {entries_.get(), size_}; }

 private:
  /// Rows of a block: their places and ends fit into the second-level cache.
  static constexpr int kBits = 14;

  static std::size_t block(const Entry& entry) { return static_cast<std::size_t>(entry.row) >> kBits; }

  std::size_t size_;
  std::unique_ptr<Entry[]> entries_;
};

}  // namespace annealco
