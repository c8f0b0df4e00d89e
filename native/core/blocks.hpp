/// Rows of a table from entries in any order, by blocks of rows that fit into the cache.
///
/// Counting or filling the rows of a large table in the order of a list misses the cache at every entry. Dealing the
/// entries to blocks of rows first writes to a few places at a time, and the rows of one block then fit into the cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/memory.hpp"

namespace annealco {

/// An entry of a table without values.
struct Entry {
  std::int32_t row, column;
};

struct ValuedEntry {
  std::int32_t row, column;
  double value;
};

/// Entries in the order of their rows' blocks, and within a block in the order in which they were given.
///
/// `for_each(visit)` calls `visit` with one entry after the other, and is itself called twice.
template <class Entry>
class Blocks {
 public:
  /// Rows of a block: their ends and entries fit into the second-level cache.
  static constexpr int kBits = 13;
  static constexpr std::size_t kRows = std::size_t{1} << kBits;

  template <class ForEach>
  Blocks(std::size_t num_entries, std::int64_t num_rows, ForEach&& for_each)
      : start_((static_cast<std::size_t>(num_rows) + kRows - 1) / kRows + 1, 0),
        entries_(unset_memory<Entry>(num_entries)) {
    for_each([&](const Entry& entry) { ++start_[block_of(entry) + 1]; });
    for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
    std::vector<std::size_t> end(start_.begin(), start_.end() - 1);
    for_each([&](const Entry& entry) { entries_[end[block_of(entry)]++] = entry; });
  }

  std::size_t size() const { return start_.size() - 1; }
  std::span<const Entry> operator[](std::size_t block) const {
    return {entries_.get() + start_[block], start_[block + 1] - start_[block]};
  }

 private:
  static std::size_t block_of(const Entry& entry) { return static_cast<std::size_t>(entry.row) >> kBits; }

  std::vector<std::size_t> start_;
  std::unique_ptr<Entry[]> entries_;
};

/// Entries whose rows ascend.
struct OrderedEntries {
  std::span<const std::int32_t> row, column;
  std::span<const double> value;  // none for entries without values
};

/// Fill every row with its entries of the blocks, and then with those of the ordered list.
///
/// `start` is set to the offsets of the rows; `column`, and for entries with values `value`, has room for all entries.
template <class Entry>
void fill_rows(const Blocks<Entry>& blocks, const OrderedEntries& ordered, std::span<std::int64_t> start,
               std::span<std::int32_t> column, std::span<double> value) {
  constexpr bool kValued = requires(Entry entry) { entry.value; };
  constexpr std::size_t kRows = Blocks<Entry>::kRows;
  const std::size_t num_rows = start.size() - 1;
  std::array<std::size_t, kRows> end;
  std::size_t counted = 0, filled = 0;
  start[0] = 0;
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    const std::size_t first = block * kRows, count = std::min(kRows, num_rows - first);
    end.fill(0);
    for (const Entry& each : blocks[block]) ++end[static_cast<std::size_t>(each.row) - first];
    auto total = static_cast<std::size_t>(start[first]);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t begin = total;
      total += end[i];
      end[i] = begin;
      const auto row = static_cast<std::int32_t>(first + i);
      for (; counted < ordered.row.size() && ordered.row[counted] == row; ++counted) ++total;
      start[first + i + 1] = static_cast<std::int64_t>(total);
    }
    for (const Entry& each : blocks[block]) {
      const std::size_t at = end[static_cast<std::size_t>(each.row) - first]++;
      column[at] = each.column;
      if constexpr (kValued) value[at] = each.value;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto stop = static_cast<std::size_t>(start[first + i + 1]);
      for (std::size_t at = end[i]; at < stop; ++at, ++filled) {
        column[at] = ordered.column[filled];
        if constexpr (kValued) value[at] = ordered.value[filled];
      }
    }
  }
}

}  // namespace annealco
