/// Priced cliques that cover the weights of a graph's nodes, and the bound that they prove.
///
/// A cover prices cliques so that the prices of every node's cliques add up to its weight at least. An independent set
/// has at most one node of a clique, hence weighs at most the sum of all prices.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "bounds/exact_sum.hpp"
#include "bounds/neighbours.hpp"
#include "core/clock.hpp"
#include "core/memory.hpp"
#include "core/prefetch.hpp"
#include "core/rows.hpp"

namespace annealco {

/// Return what priced sets prove: an upper bound on the weight of any choice with at most `most` nodes of each, one
/// where nothing is given.
///
/// Where the prices of a node's cliques fall short of its weight, by rounding or because a solver is not exact, the
/// node pays for the difference itself. Every rounding is outward, so that the bound holds for any prices. Negative
/// prices count as 0.
inline double certified_price(const Rows& cliques, std::span<const double> price, std::span<const double> weight,
                              std::span<const double> most = {}) {
  struct Received {
    double sum = 0.0;
    std::int64_t terms = 0;
  };
  LargeVector<Received> received(weight.size());
  ExactSum total;
  for (std::size_t each = 0; each < price.size(); ++each) {
    const double paid = price[each];
    if (!(paid > 0.0)) continue;
    const double times = most.empty() ? 1.0 : most[each], product = paid * times;
    total.add(product);
    // What the product's rounding took; next to 0 that is rounded itself, outward.
    if (times != 1.0) total.add(std::fabs(std::fma(paid, times, -product)) + std::numeric_limits<double>::denorm_min());
    for (const auto node : cliques[static_cast<std::int64_t>(each)]) {
      received[node].sum += paid;
      ++received[node].terms;
    }
  }
  for (std::size_t node = 0; node < weight.size(); ++node) {
    // A sum of k positive doubles is off by at most k roundings of itself.
    const auto [sum, terms] = received[node];
    const double least = terms <= 1 ? sum : sum * (1 - static_cast<double>(terms + 2) * kEpsilon);
    if (least < weight[node]) total.add((weight[node] - least) * (1 + 2 * kEpsilon));
  }
  return total.upper();
}

/// A cover, or the beginning of one.
struct CliqueCover {
  OwnRows cliques;
  LargeVector<double> price;
  /// Whether every weight is covered.
  bool whole = false;
};

/// Price listed pairs of nodes one after the other by the lighter of what their two weights have left.
///
/// The cheapest cover there is: one pass over the pairs, without the neighbours of each node. For equal weights the
/// pairs are a maximal matching. Nodes that have weight left pay for themselves.
inline CliqueCover price_pairs(std::span<const std::int32_t> one, std::span<const std::int32_t> two,
                               std::span<const double> weight) {
  CliqueCover cover;
  LargeVector<double> residual(weight.begin(), weight.end());
  for (std::size_t k = 0; k < one.size(); ++k) {
    double &left = residual[one[k]], &right = residual[two[k]];
    const double paid = std::min(left, right);
    if (!(paid > 0.0)) continue;
    left -= paid;
    right -= paid;
    cover.cliques.index.push_back(one[k]);
    cover.cliques.index.push_back(two[k]);
    cover.cliques.start.push_back(static_cast<std::int64_t>(cover.cliques.index.size()));
    cover.price.push_back(paid);
  }
  return cover;
}

/// Grows cliques from leaves and from nodes with few neighbours, until every weight is used up.
///
/// A leaf is covered optimally by its edge. A clique grows by the candidate that is joined to the most other ones, and
/// of several by one with few neighbours left: it is the hardest to place elsewhere. Near-linear time on sparse graphs.
class GreedyCliqueCover {
 public:
  GreedyCliqueCover(const Neighbours& graph, std::span<const double> weight)
      : graph_(graph), residual_(weight.begin(), weight.end()), degree_(weight.size()), mark_(weight.size(), 0) {
    sort_by_degree();
  }

  /// Return the cover, or what there was time for.
  CliqueCover run(Clock& clock) {
    CliqueCover cover;
    cover.cliques.index.reserve(residual_.size());
    for (std::int32_t node = 0; node < graph_.num_nodes(); ++node) {
      if (clock.is_over()) return cover;
      if (!(residual_[node] > 0.0)) leave(node);
    }
    for (std::int32_t seed = next_seed(); seed != kNone; seed = remains(seed) ? seed : next_seed()) {
      if (clock.is_over(1 + graph_.degree(seed))) return cover;
      grow(seed);
      pay(cover);
    }
    cover.whole = true;
    return cover;
  }

 private:
  static constexpr std::int32_t kNone = -1;
  /// Degree of a node without weight left: below 0 whatever its neighbours take off.
  static constexpr std::int32_t kTakenOut = std::numeric_limits<std::int32_t>::min() / 2;
  /// How many candidates are compared with each other as bits of a word.
  static constexpr std::size_t kWord = 64;
  /// Of more candidates, how many are compared, and with how many others in all: this keeps the time near-linear.
  static constexpr std::size_t kMaxCompared = 64, kMaxComparisons = 1 << 14;

  /// Counting sort: the nodes by the number of all neighbours.
  void sort_by_degree() {
    std::int32_t most = 0;
    for (std::int32_t node = 0; node < graph_.num_nodes(); ++node) {
      degree_[node] = graph_.degree(node);
      most = std::max(most, degree_[node]);
    }
    std::vector<std::int32_t> place(static_cast<std::size_t>(most) + 2, 0);
    for (const auto each : degree_) ++place[each + 1];
    for (std::size_t k = 1; k < place.size(); ++k) place[k] += place[k - 1];
    order_.resize(degree_.size());
    for (std::int32_t node = 0; node < graph_.num_nodes(); ++node) order_[place[degree_[node]]++] = node;
  }

  bool remains(std::int32_t node) const { return degree_[node] >= 0; }

  /// Take out a node without weight left.
  void leave(std::int32_t gone) {
    degree_[gone] = kTakenOut;
    for (const auto other : graph_[gone]) {
      if (--degree_[other] == 1) leaves_.push_back(other);
    }
  }

  /// Return a leaf if there is one, else the next node by its degree at first, else kNone.
  std::int32_t next_seed() {
    while (!leaves_.empty()) {
      const std::int32_t leaf = leaves_.back();
      leaves_.pop_back();
      if (remains(leaf)) return leaf;
    }
    for (; position_ < order_.size(); ++position_) {
      if (remains(order_[position_])) return order_[position_];
    }
    return kNone;
  }

  /// Make a maximal clique of remaining nodes that holds the seed.
  void grow(std::int32_t seed) {
    clique_.assign(1, seed);
    candidate_.clear();
    for (const auto other : graph_[seed]) {
      if (remains(other)) candidate_.push_back(other);
    }
    for (const auto each : candidate_) prefetch(graph_[each].data());
    while (candidate_.size() > kWord) {
      const std::int32_t chosen = most_joined();
      clique_.push_back(chosen);
      std::erase_if(candidate_, [&](std::int32_t each) { return each == chosen || !graph_.joined(chosen, each); });
    }
    grow_within_word();
  }

  /// Add candidates, at most one for each bit of a word.
  void grow_within_word() {
    const std::size_t count = candidate_.size();
    if (count == 1) clique_.push_back(candidate_[0]);
    if (count <= 1) return;
    find_joined();
    for (std::uint64_t left = count == kWord ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1; left != 0;) {
      int best = -1, most = -1;
      for (std::uint64_t rest = left; rest != 0; rest &= rest - 1) {
        const int each = std::countr_zero(rest), common = std::popcount(joined_[each] & left);
        if (common > most || (common == most && degree_[candidate_[each]] < degree_[candidate_[best]])) {
          best = each;
          most = common;
        }
      }
      clique_.push_back(candidate_[best]);
      left &= joined_[best];
    }
  }

  /// Fill in which candidates are joined, one word for each.
  void find_joined() {
    const std::size_t count = candidate_.size();
    std::fill_n(joined_.begin(), count, 0);
    for (std::size_t one = 0; one + 1 < count; ++one) {
      const auto row = graph_[candidate_[one]];
      // Candidates ascend, as rows do.
      const std::int32_t* place = row.data();
      const std::int32_t* const last = row.data() + row.size();
      const bool is_short = row.size() <= 4 * count;
      for (std::size_t other = one + 1; other < count; ++other) {
        const std::int32_t wanted = candidate_[other];
        if (is_short) {
          while (place != last && *place < wanted) ++place;
        } else {
          place = std::lower_bound(place, last, wanted);
        }
        if (place == last) break;
        if (*place == wanted) {
          joined_[one] |= std::uint64_t{1} << other;
          joined_[other] |= std::uint64_t{1} << one;
        }
      }
    }
  }

  /// Return the candidate that is joined to the most of them, by a sample.
  std::int32_t most_joined() {
    const std::size_t count = candidate_.size();
    ++stamp_;
    for (const auto each : candidate_) mark_[each] = stamp_;
    const std::size_t compared = std::max<std::size_t>(1, std::min(kMaxCompared, kMaxComparisons / count));
    std::int32_t best = candidate_[0];
    std::int64_t most = -1;
    for (std::size_t place = 0; place < count; place += std::max<std::size_t>(1, count / compared)) {
      const std::int32_t each = candidate_[place];
      const std::int64_t common = count_joined(each);
      if (common > most || (common == most && degree_[each] < degree_[best])) {
        best = each;
        most = common;
      }
    }
    return best;
  }

  std::int64_t count_joined(std::int32_t node) const {
    std::int64_t common = 0;
    // A hub's neighbours are not gone through for a handful of candidates.
    if (static_cast<std::size_t>(graph_.degree(node)) <= 16 * candidate_.size()) {
      for (const auto other : graph_[node]) common += mark_[other] == stamp_;
    } else {
      for (const auto other : candidate_) common += graph_.joined(node, other);
    }
    return common;
  }

  /// Price the clique by its lightest residual, and take out who has none left.
  void pay(CliqueCover& cover) {
    double paid = residual_[clique_[0]];
    for (const auto node : clique_) paid = std::min(paid, residual_[node]);
    for (const auto node : clique_) {
      cover.cliques.index.push_back(node);
      if ((residual_[node] -= paid) <= 0.0) leave(node);
    }
    cover.cliques.start.push_back(static_cast<std::int64_t>(cover.cliques.index.size()));
    cover.price.push_back(paid);
  }

  const Neighbours& graph_;
  LargeVector<double> residual_;
  /// Number of remaining neighbours, or below 0.
  LargeVector<std::int32_t> degree_, order_;
  std::size_t position_ = 0;
  /// Nodes that were left with one neighbour. Degrees only fall, so that a node enters once.
  LargeVector<std::int32_t> leaves_;
  std::vector<std::int32_t> clique_, candidate_;
  std::array<std::uint64_t, kWord> joined_{};
  LargeVector<std::int32_t> mark_;
  std::int32_t stamp_ = 0;
};

}  // namespace annealco
