/// Cliques that hold both nodes of every pair of neighbours, so that cliques alone say what cannot be chosen together.
///
/// Each pair that no clique holds yet starts one, which neighbours join in their order as long as they are joined to
/// all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bounds/bit_matrix.hpp"
#include "bounds/neighbours.hpp"
#include "core/clock.hpp"
#include "core/rows.hpp"

namespace annealco {

class PairCover {
 public:
  explicit PairCover(const Neighbours& graph)
      : joined_(graph), covered_(graph.num_nodes()), num_nodes_(graph.num_nodes()) {}

  /// Return cliques that hold, with the given ones, every pair; none where they have more than `most` members in all,
  /// or where the clock was over first.
  std::optional<OwnRows> run(const Rows& given, std::int64_t most, Clock& clock) {
    const std::int64_t room = most - static_cast<std::int64_t>(given.index.size());
    for (std::int64_t each = 0; each < given.size(); ++each) {
      mark(given[each]);
      if (clock.is_over(1 + given.length(each))) return std::nullopt;
    }
    OwnRows found;
    for (std::int32_t one = 0; one < num_nodes_; ++one) {
      // What a clique covers is out of the question from then on, so bits are looked up anew every time.
      for (std::int32_t other = next_open(one, one + 1); other >= 0; other = next_open(one, other + 1)) {
        append_clique(one, other, found);
        if (static_cast<std::int64_t>(found.index.size()) > room || clock.is_over(32)) return std::nullopt;
      }
      if (clock.is_over()) return std::nullopt;
    }
    if (room < 0) return std::nullopt;
    return found;
  }

 private:
  /// Return the first neighbour from a node on that no clique holds together with `one`, or −1.
  std::int32_t next_open(std::int32_t one, std::int32_t from) const {
    const auto joined = joined_.row(one), covered = covered_.row(one);
    std::int32_t other = next_set(joined, from);
    while (other >= 0 && (covered[other / BitMatrix::kWord] >> (other % BitMatrix::kWord) & 1)) {
      other = next_set(joined, other + 1);
    }
    return other;
  }

  void append_clique(std::int32_t one, std::int32_t other, OwnRows& found) {
    const std::size_t first = found.index.size();
    found.index.insert(found.index.end(), {one, other});
    const auto row = joined_.row(one);
    common_.assign(row.begin(), row.end());
    restrict(other);
    for (std::int32_t node = next_set(common_, 0); node >= 0; node = next_set(common_, node + 1)) {
      found.index.push_back(node);
      restrict(node);
    }
    found.start.push_back(static_cast<std::int64_t>(found.index.size()));
    mark(std::span(found.index).subspan(first));
  }

  /// Keep the candidates that are joined to a node.
  void restrict(std::int32_t node) {
    const auto row = joined_.row(node);
    for (std::size_t k = 0; k < row.size(); ++k) common_[k] &= row[k];
  }

  /// Note that a clique holds all pairs of its nodes.
  void mark(std::span<const std::int32_t> clique) {
    held_.assign(joined_.num_words(), 0);
    for (const auto node : clique) BitMatrix::set(held_, node);
    for (const auto node : clique) {
      const auto row = covered_.row(node);
      for (std::size_t k = 0; k < row.size(); ++k) row[k] |= held_[k];
    }
  }

  BitMatrix joined_, covered_;
  std::int32_t num_nodes_;
  std::vector<std::uint64_t> common_, held_;
};

}  // namespace annealco
