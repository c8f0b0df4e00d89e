/// Branch and bound for the heaviest clique of a graph of up to some thousands of nodes, on bit sets.
///
/// A clique has at most one node of a colour class. Classes are paid for one after the other, each by the least weight
/// that its nodes have left, while the payments are no more than a clique has to gain: no clique among the nodes that
/// are paid in full is heavy enough. The search branches on the others. For equal weights this is the bit-parallel
/// search of San Segundo et al. (2011), with classes that give way to one more node (Tomita et al., 2010); for other
/// weights the colouring is that of Held, Cook and Sewell (2012) and of Tavares (2016).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "bounds/bit_matrix.hpp"
#include "core/clock.hpp"

namespace annealco {

class CliqueBranching {
 public:
  /// Whole numbers, so that no sum is rounded.
  using Weight = std::int64_t;

  /// joined: symmetric, no node with itself; weight: positive, their sum below 2^62; nodes: those to search, ascending.
  CliqueBranching(const BitMatrix& joined, std::span<const Weight> weight, std::span<const std::int32_t> nodes)
      : order_(dense_first(joined, weight, nodes)),
        joined_(permuted(joined, order_)),
        rest_(nodes.size()),
        uncoloured_(joined_.num_words()),
        open_(joined_.num_words()) {
    for (auto& node : order_) {
      weight_.push_back(weight[at(node)]);
      // From here on, the number among those to search.
      node = static_cast<std::int32_t>(std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin());
    }
    is_unweighted_ = std::all_of(weight_.begin(), weight_.end(), [&](Weight each) { return each == weight_[0]; });
    levels_.emplace_back();
    levels_[0].candidates.assign(joined_.num_words(), 0);
    for (std::int32_t node = 0; node < num_nodes(); ++node) BitMatrix::set(levels_[0].candidates, node);
  }

  std::int32_t num_nodes() const { return static_cast<std::int32_t>(weight_.size()); }

  /// Return what the classes of a colouring cost: no clique is heavier.
  Weight colour_bound() {
    std::vector<std::int32_t> none;
    return colour(levels_[0].candidates, std::numeric_limits<Weight>::max(), none);
  }

  /// Continue until all cliques heavier than the limit were looked at, which is true, or a budget is spent.
  ///
  /// Each move is a step of the search, of which there may be so many in this call, and while all calls have done less
  /// than `most_work`. A clique that is found is kept, and raises the limit to its weight.
  bool run(Clock& clock, Weight& limit, std::int64_t most_steps, std::int64_t most_work) {
    if (!has_begun_) {
      has_begun_ = true;
      colour(levels_[0].candidates, limit, levels_[0].branch);
      levels_[0].next = levels_[0].branch.size();
      depth_ = 1;
    }
    while (depth_ > 0) {
      if (levels_[depth_ - 1].next == 0) {
        --depth_;
        if (depth_ > 0) chosen_.pop_back();
        continue;
      }
      if (most_steps-- <= 0 || work_ >= most_work || !clock.tick()) return false;
      const std::int64_t before = work_;
      step(limit);
      ++steps_;
      clock.is_over((work_ - before) / kWorkPerLook);
    }
    return true;
  }

  /// How many steps all calls have made, and how many words of bit sets they have gone through.
  std::int64_t steps() const { return steps_; }
  std::int64_t work() const { return work_; }

  /// The heaviest clique that was found, by numbers among the nodes to search; empty where none is heavier than the
  /// first limit.
  const std::vector<std::int32_t>& best() const { return best_; }

 private:
  using Bits = std::vector<std::uint64_t>;

  /// Some nodes are chosen; of the candidates, which are joined to all of them, these are left to branch on.
  struct Level {
    Bits candidates;
    std::vector<std::int32_t> branch;
    std::size_t next = 0;
    Weight weight = 0;
  };

  static constexpr std::size_t kWord = BitMatrix::kWord;
  /// Words that are gone through in the time of a short move of other searches.
  static constexpr std::int64_t kWorkPerLook = 256;

  static std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }
  static void clear(std::span<std::uint64_t> bits, std::int32_t node) {
    bits[at(node) / kWord] &= ~(std::uint64_t{1} << (at(node) % kWord));
  }

  /// Return the nodes in reversed degeneracy order: of those of least degree, the lightest is last.
  static std::vector<std::int32_t> dense_first(const BitMatrix& joined, std::span<const Weight> weight,
                                               std::span<const std::int32_t> nodes) {
    std::vector<std::int32_t> degree(weight.size()), left(nodes.begin(), nodes.end()), order(nodes.size());
    Bits inside(joined.num_words(), 0);
    for (const auto node : nodes) BitMatrix::set(inside, node);
    for (const auto node : nodes) {
      const auto row = joined.row(node);
      for (std::size_t k = 0; k < row.size(); ++k) degree[at(node)] += std::popcount(row[k] & inside[k]);
    }
    for (std::size_t place = order.size(); place-- > 0;) {
      std::size_t least = 0;
      for (std::size_t i = 1; i < left.size(); ++i) {
        const auto one = at(left[i]), two = at(left[least]);
        const bool is_less = degree[one] < degree[two] || (degree[one] == degree[two] && weight[one] < weight[two]);
        least = is_less ? i : least;
      }
      const std::int32_t last = std::exchange(left[least], left.back());
      left.pop_back();
      order[place] = last;
      clear(inside, last);
      const auto row = joined.row(last);
      for (std::size_t word = 0; word < row.size(); ++word) {
        for (std::uint64_t rest = row[word] & inside[word]; rest != 0; rest &= rest - 1) {
          --degree[word * kWord + static_cast<std::size_t>(std::countr_zero(rest))];
        }
      }
    }
    return order;
  }

  static BitMatrix permuted(const BitMatrix& joined, std::span<const std::int32_t> order) {
    const auto count = static_cast<std::int32_t>(order.size());
    std::vector<std::int32_t> place(kWord * joined.num_words(), kNone);
    for (std::int32_t i = 0; i < count; ++i) place[at(order[at(i)])] = i;
    BitMatrix result(count);
    for (std::int32_t i = 0; i < count; ++i) {
      const auto row = joined.row(order[at(i)]);
      const auto permuted_row = result.row(i);
      for (std::size_t word = 0; word < row.size(); ++word) {
        for (std::uint64_t rest = row[word]; rest != 0; rest &= rest - 1) {
          const std::int32_t other = place[word * kWord + static_cast<std::size_t>(std::countr_zero(rest))];
          if (other != kNone) BitMatrix::set(permuted_row, other);
        }
      }
    }
    return result;
  }

  /// Choose the next node to branch on, and see what its neighbours among the candidates could add.
  void step(Weight& limit) {
    if (levels_.size() == depth_) levels_.emplace_back();
    Level &top = levels_[depth_ - 1], &below = levels_[depth_];
    const std::int32_t node = top.branch[--top.next];
    const auto row = joined_.row(node);
    below.candidates.resize(row.size());
    std::uint64_t any = 0;
    for (std::size_t k = 0; k < row.size(); ++k) any |= below.candidates[k] = top.candidates[k] & row[k];
    // Cliques with this node are looked at now; those of the nodes before it are without it.
    clear(top.candidates, node);
    below.weight = top.weight + weight_[at(node)];
    if (any == 0) {
      if (below.weight > limit) keep(node, below.weight, limit);
      return;
    }
    colour(below.candidates, limit - below.weight, below.branch);
    if (below.branch.empty()) return;
    below.next = below.branch.size();
    chosen_.push_back(node);
    ++depth_;
  }

  void keep(std::int32_t last, Weight weight, Weight& limit) {
    limit = weight;
    best_.assign(1, order_[at(last)]);
    for (const auto node : chosen_) best_.push_back(order_[at(node)]);
  }

  /// Pay for classes of some nodes up to a budget, and list the nodes that have weight left; return what was paid.
  Weight colour(std::span<const std::uint64_t> nodes, Weight budget, std::vector<std::int32_t>& unpaid) {
    unpaid.clear();
    std::copy(nodes.begin(), nodes.end(), uncoloured_.begin());
    const Weight paid = is_unweighted_ ? colour_equal(budget) : colour_weighted(budget);
    for (auto node = next_set(uncoloured_, 0); node >= 0; node = next_set(uncoloured_, node + 1)) {
      unpaid.push_back(node);
    }
    return paid;
  }

  /// Take a maximal independent set of nodes without a colour, the first ones first.
  void find_class() {
    class_.clear();
    std::copy(uncoloured_.begin(), uncoloured_.end(), open_.begin());
    const std::size_t words = open_.size();
    for (std::size_t word = 0; word < words; ++word) {
      while (open_[word] != 0) {
        const auto node = static_cast<std::int32_t>(word * kWord) + std::countr_zero(open_[word]);
        class_.push_back(node);
        open_[word] &= open_[word] - 1;
        const auto row = joined_.row(node);
        for (std::size_t k = word; k < words; ++k) open_[k] &= ~row[k];
      }
    }
    work_ += static_cast<std::int64_t>((class_.size() + 1) * words);
  }

  bool has_uncoloured() const {
    return std::any_of(uncoloured_.begin(), uncoloured_.end(), [](std::uint64_t word) { return word != 0; });
  }

  Weight colour_weighted(Weight budget) {
    for (auto node = next_set(uncoloured_, 0); node >= 0; node = next_set(uncoloured_, node + 1)) {
      rest_[at(node)] = weight_[at(node)];
    }
    Weight paid = 0;
    while (paid < budget && has_uncoloured()) {
      find_class();
      Weight price = budget - paid;
      for (const auto node : class_) price = std::min(price, rest_[at(node)]);
      for (const auto node : class_) {
        if ((rest_[at(node)] -= price) == 0) clear(uncoloured_, node);
      }
      paid += price;
    }
    return paid;
  }

  Weight colour_equal(Weight budget) {
    const Weight price = weight_.empty() ? 1 : weight_[0];
    std::size_t count = 0;
    // As many classes as the budget pays for in full: part of one is of no use.
    const Weight most = budget / price;
    while (static_cast<Weight>(count) < most && has_uncoloured()) {
      find_class();
      if (classes_.size() == count) classes_.emplace_back();
      classes_[count].assign(uncoloured_.size(), 0);
      for (const auto node : class_) {
        BitMatrix::set(classes_[count], node);
        clear(uncoloured_, node);
      }
      ++count;
    }
    if (count > 1) recolour(count);
    return static_cast<Weight>(count) * price;
  }

  /// Find room for nodes without a colour: in a class with one neighbour, which finds room in another class.
  void recolour(std::size_t count) {
    for (auto node = next_set(uncoloured_, 0); node >= 0; node = next_set(uncoloured_, node + 1)) {
      if (makes_room(node, count)) clear(uncoloured_, node);
    }
  }

  bool makes_room(std::int32_t node, std::size_t count) {
    const auto row = joined_.row(node);
    for (std::size_t one = 0; one < count; ++one) {
      const std::int32_t other = only_common(classes_[one], row);
      if (other == kNone) {
        BitMatrix::set(classes_[one], node);
        return true;
      }
      if (other == kSeveral) continue;
      const auto other_row = joined_.row(other);
      for (std::size_t two = 0; two < count; ++two) {
        if (two == one || only_common(classes_[two], other_row) != kNone) continue;
        clear(classes_[one], other);
        BitMatrix::set(classes_[two], other);
        BitMatrix::set(classes_[one], node);
        return true;
      }
    }
    return false;
  }

  /// Return the one node of two sets, kNone or kSeveral.
  std::int32_t only_common(std::span<const std::uint64_t> one, std::span<const std::uint64_t> two) {
    std::int32_t found = kNone;
    std::size_t word = 0;
    for (; word < one.size(); ++word) {
      const std::uint64_t common = one[word] & two[word];
      if (common == 0) continue;
      if (found != kNone || (common & (common - 1)) != 0) {
        found = kSeveral;
        break;
      }
      found = static_cast<std::int32_t>(word * kWord) + std::countr_zero(common);
    }
    work_ += static_cast<std::int64_t>(word);
    return found;
  }

  static constexpr std::int32_t kNone = -1, kSeveral = -2;

  /// Nodes by their places: those of dense parts first.
  std::vector<std::int32_t> order_;
  BitMatrix joined_;
  std::vector<Weight> weight_;
  bool is_unweighted_ = true, has_begun_ = false;

  std::vector<Level> levels_;
  std::size_t depth_ = 0;
  std::vector<std::int32_t> chosen_, best_;
  std::int64_t steps_ = 0;

  /// Of the colouring: what is left to pay of each node, which nodes are not paid, which could join the class.
  std::vector<Weight> rest_;
  Bits uncoloured_, open_;
  std::vector<std::int32_t> class_;
  std::vector<Bits> classes_;
  std::int64_t work_ = 0;
};

}  // namespace annealco
