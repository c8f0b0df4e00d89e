/// Square matrices of bits, for relations between up to a few thousand nodes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bounds/neighbours.hpp"

namespace annealco {

class BitMatrix {
 public:
  static constexpr std::size_t kWord = 64;

  explicit BitMatrix(std::int32_t size)
      : words_((static_cast<std::size_t>(size) + kWord - 1) / kWord), bits_(words_ * size) {}

  explicit BitMatrix(const Neighbours& graph) : BitMatrix(graph.num_nodes()) {
    for (std::int32_t node = 0; node < graph.num_nodes(); ++node) {
      for (const auto other : graph[node]) set(row(node), other);
    }
  }

  std::size_t num_words() const { return words_; }
  std::span<std::uint64_t> row(std::int32_t node) { return {bits_.data() + node * words_, words_}; }
  std::span<const std::uint64_t> row(std::int32_t node) const { return {bits_.data() + node * words_, words_}; }

  static void set(std::span<std::uint64_t> row, std::int32_t column) {
    row[column / kWord] |= std::uint64_t{1} << (column % kWord);
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// Return the first column from `from` on that is set, or −1.
inline std::int32_t next_set(std::span<const std::uint64_t> row, std::int32_t from) {
  std::size_t word = from / BitMatrix::kWord;
  if (word >= row.size()) return -1;
  std::uint64_t bits = row[word] & (~std::uint64_t{0} << (from % BitMatrix::kWord));
  while (bits == 0) {
    if (++word == row.size()) return -1;
    bits = row[word];
  }
  return static_cast<std::int32_t>(word * BitMatrix::kWord) + std::countr_zero(bits);
}

}  // namespace annealco
