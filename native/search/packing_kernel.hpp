/// Kernels of heavy independent sets: shrink a graph with node weights without losing an optimum.
///
/// The sets of a hitting set problem that are pairs are the edges of a graph, and what a hitting set leaves out is an
/// independent set. Rules for one node v with neighbours N(v), applied until none applies or the clock ends it:
///
/// * v is taken if it weighs as much as the heaviest independent set of N(v), of which the sum is the first bound;
/// * v is dropped if a neighbour x with N[x] ⊆ N[v] weighs as much (domination), or if taking it leads to a set that is
///   no heavier than one without it (unconfined);
/// * if N(v) is a clique, what it weighs more than v is left to it, and v is taken where none of the clique is;
/// * if only one independent set of N(v) is heavier than v, it becomes one node that weighs the difference (folding);
///   of two neighbours, the heavier of which outweighs v, both stay, joined to the neighbours of the other;
/// * nodes with the same neighbours become one (twins).
///
/// Sources: Fomin, Grandoni and Kratsch (2009), Akiba and Iwata (2016), Lamm et al. (2019), Xiao et al. (2021), Gu et
/// al. (2021). Where weights are whole numbers, all of this is exact. A rule looks at a bounded number of nodes and
/// entries, so that the work is nearly linear; nodes of many neighbours are left to the rules of these.
///
/// Peeling goes on where no rule applies by dropping a node of many neighbours for its weight. It ends with nothing
/// left, so with a set, which on sparse graphs is close to the best.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/memory.hpp"
#include "core/prefetch.hpp"
#include "search/hitting_set.hpp"

namespace annealco {

/// What was done to a graph, so that sets of what is left can be made sets of the whole.
class PackingHistory {
 public:
  enum class Rule : std::uint8_t {
    kTaken,     ///< the node is in every set
    kDropped,   ///< the node is in no set
    kTransfer,  ///< the node is in the set where none of the others is
    kFolded,    ///< the first of the others stands for all of them, and the node for the first where it is not there
    kMiddle,    ///< as kTransfer with two others, of which the first stands for both
    kTwin,      ///< the node is in the set where the only other is
  };

  std::size_t size() const { return records_.size(); }

  void add(Rule rule, std::int32_t node, std::span<const std::int32_t> others = {}) {
    records_.push_back({rule, node, others_.size(), others.size()});
    others_.insert(others_.end(), others.begin(), others.end());
  }

  /// Turn a set of what is left, [num_nodes] of 0 and 1, into one of the whole; entries of other nodes are not read.
  void lift(std::span<std::uint8_t> set) const {
    for (auto record = records_.rbegin(); record != records_.rend(); ++record) {
      std::uint8_t& own = set[static_cast<std::size_t>(record->node)];
      const auto others = others_of(*record);
      const auto at = [&](std::size_t i) -> std::uint8_t& { return set[static_cast<std::size_t>(others[i])]; };
      switch (record->rule) {
        case Rule::kTaken:
          own = 1;
          break;
        case Rule::kDropped:
          own = 0;
          break;
        case Rule::kTransfer:
          own = std::none_of(others.begin(), others.end(), [&](auto each) { return is_in(set, each); });
          break;
        case Rule::kFolded:
          own = !at(0);
          for (std::size_t i = 1; i < others.size(); ++i) at(i) = at(0);
          break;
        case Rule::kMiddle:
          if (at(0)) at(1) = 1;
          own = !at(1);
          break;
        case Rule::kTwin:
          own = at(0);
          break;
      }
    }
  }

  /// Turn an independent set of the whole into one of what is left: a start for a search, no heavier where a rule says
  /// so.
  void restrict(std::span<std::uint8_t> set) const {
    for (const Record& record : records_) {
      const std::uint8_t own = set[static_cast<std::size_t>(record.node)];
      const auto others = others_of(record);
      const auto at = [&](std::size_t i) -> std::uint8_t& { return set[static_cast<std::size_t>(others[i])]; };
      if (record.rule == Rule::kFolded) {
        at(0) = std::all_of(others.begin(), others.end(), [&](auto each) { return is_in(set, each); });
      } else if (record.rule == Rule::kMiddle) {
        at(0) &= at(1);
      } else if (record.rule == Rule::kTwin) {
        at(0) |= own;
      }
    }
  }

 private:
  struct Record {
    Rule rule;
    std::int32_t node;
    std::size_t first, count;
  };

  static bool is_in(std::span<const std::uint8_t> set, std::int32_t node) {
    return set[static_cast<std::size_t>(node)] != 0;
  }
  std::span<const std::int32_t> others_of(const Record& record) const {
    return std::span(others_).subspan(record.first, record.count);
  }

  LargeVector<Record> records_;
  LargeVector<std::int32_t> others_;
};

class PackingReducer {
 public:
  /// A problem whose sets are all pairs; a pair may be listed again.
  explicit PackingReducer(const HittingSet& problem)
      : row_(problem.cost().size()),
        arena_(problem.partners().begin(), problem.partners().end()),
        is_alive_(row_.size(), 1),
        waits_(row_.size(), 0),
        mark_(row_.size(), 0),
        num_alive_(problem.num_variables()) {
    const auto start = problem.sets().start;
    for (std::int32_t node = 0; node < problem.num_variables(); ++node) {
      const auto first = static_cast<std::size_t>(start[at(node)]);
      const auto length = static_cast<std::int32_t>(problem.sets().length(node));
      row_[at(node)] = {problem.cost(node), first, length, length, length};
      drop_copies(node);
    }
    for (std::int32_t node = 0; node < problem.num_variables(); ++node) push(node);
  }

  /// Apply rules until none applies, or the clock ends it; true where none applies. Every look at a node is a move.
  bool apply(Clock& clock) {
    for (;;) {
      int level = 0;
      while (level < kNumLevels && queue_[static_cast<std::size_t>(level)].empty()) ++level;
      if (level == kNumLevels) return true;
      if (is_peeling_ ? clock.is_over() : !clock.tick()) return false;
      const std::int32_t node = pop(level);
      if (!is_alive_[at(node)]) continue;
      work_ = 0;
      const bool applied = level == 0 ? look_near(node) : level == 1 ? look_around(node) : look_far(node);
      if (!applied && level + 1 < last_level_) push(node, level + 1);
      if (work_ > 0 && clock.is_over(work_ / kEntriesPerMove)) return false;
    }
  }

  /// Go on until nothing is left; false where the time is over before, to be continued by another call. No moves are
  /// counted.
  bool peel(Clock& clock) {
    // What the far rule still finds is too little for its time where every answer is a guess.
    last_level_ = 2;
    if (!is_peeling_) {
      is_peeling_ = true;
      for (std::int32_t node = 0; node < num_nodes(); ++node) {
        if (is_alive_[at(node)]) file(node);
      }
    }
    while (apply(clock)) {
      const std::int32_t node = next_peeled();
      if (node < 0) return true;
      drop(node);
    }
    return false;
  }

  std::int32_t num_nodes() const { return static_cast<std::int32_t>(row_.size()); }
  std::int64_t num_left() const { return num_alive_; }
  /// What all sets weigh more than the sets of what is left that they stand for.
  double gained() const { return gained_; }
  const PackingHistory& history() const { return history_; }

  /// The nodes that are left, ascending.
  std::vector<std::int32_t> left() const {
    std::vector<std::int32_t> result;
    for (std::int32_t node = 0; node < num_nodes(); ++node) {
      if (is_alive_[at(node)]) result.push_back(node);
    }
    return result;
  }

  /// Return the problem on the nodes that are left, in their order.
  std::shared_ptr<const HittingSet> kernel(std::span<const std::int32_t> left) {
    std::vector<std::int32_t> number(row_.size(), -1), members;
    std::vector<double> cost;
    for (const auto node : left) {
      number[at(node)] = static_cast<std::int32_t>(cost.size());
      cost.push_back(weight(node));
    }
    for (const auto node : left) {
      for (const auto other : neighbours(node)) {
        if (node < other) members.insert(members.end(), {number[at(node)], number[at(other)]});
      }
    }
    return std::make_shared<const HittingSet>(std::move(cost), std::move(members));
  }

 private:
  using Rule = PackingHistory::Rule;
  using Nodes = std::span<const std::int32_t>;

  static constexpr int kNumLevels = 3;
  /// Nodes with more neighbours than this are not looked at, those with more than the second not together.
  static constexpr std::int32_t kMostNear = 128, kMostAround = 32;
  /// While peeling, neighbours are looked at together for nodes of this many: more takes longer than it is worth.
  static constexpr std::int32_t kMostPeeling = 4;
  /// And while more nodes than this are left, not at all: they do not fit the cache, and a set is wanted soon.
  static constexpr std::int64_t kManyNodes = std::int64_t{1} << 18;
  /// Independent sets are listed among so many neighbours at most.
  static constexpr std::int32_t kMostListed = 8;
  /// Rows of more entries than this are not read for the sake of a neighbour, but for one pair up to the second.
  static constexpr std::int32_t kMostRead = 64, kMostReadForPair = 1024;
  /// Rows that a node of two neighbours may make longer than before have this many entries at most.
  static constexpr std::int32_t kMostGrown = 32;
  /// The far rule looks at nodes of so many neighbours, through neighbours of so many, and for so many nodes.
  static constexpr std::int32_t kMostFar = 24, kMostFarReached = 16;
  static constexpr std::int64_t kEntriesPerMove = 32;
  static constexpr std::size_t kAhead = 4;

  /// First in, first out, with a look at what comes later.
  class Queue {
   public:
    bool empty() const { return first_ == items_.size(); }
    void push(std::int32_t item) { items_.push_back(item); }
    std::int32_t later(std::size_t by) const { return first_ + by < items_.size() ? items_[first_ + by] : -1; }

    std::int32_t pop() {
      const std::int32_t item = items_[first_++];
      if (2 * first_ > items_.size()) {
        items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
      }
      return item;
    }

   private:
    std::vector<std::int32_t> items_;
    std::size_t first_ = 0;
  };

  /// A node: what it weighs, and where its neighbours are listed.
  struct Row {
    double weight = 0;
    std::size_t first = 0;
    /// Room, entries, some of which may be of nodes that are gone, and neighbours.
    std::int32_t room = 0, length = 0, degree = 0;
  };

  static std::size_t at(std::int32_t node) { return static_cast<std::size_t>(node); }
  double weight(std::int32_t node) const { return row_[at(node)].weight; }
  std::int32_t degree(std::int32_t node) const { return row_[at(node)].degree; }

  void drop_copies(std::int32_t node) {
    Row& row = row_[at(node)];
    const std::uint64_t mark = next_mark(1);
    std::size_t end = row.first;
    for (std::size_t k = row.first; k < row.first + at(row.length); ++k) {
      const std::int32_t other = arena_[k];
      if (mark_[at(other)] == mark) continue;
      mark_[at(other)] = mark;
      arena_[end++] = other;
    }
    has_copies_ |= end != row.first + at(row.length);
    row.length = row.degree = static_cast<std::int32_t>(end - row.first);
  }

 public:
  /// Whether nothing is left out of the problem: no rule applied, and no pair is listed twice.
  bool is_whole() const { return history_.size() == 0 && !has_copies_; }

 private:
  /// The neighbours of a node; valid until rows change.
  Nodes neighbours(std::int32_t node) {
    Row& row = row_[at(node)];
    work_ += row.length;
    if (row.length != row.degree) {
      std::size_t end = row.first;
      for (std::size_t k = row.first; k < row.first + at(row.length); ++k) {
        if (is_alive_[at(arena_[k])]) arena_[end++] = arena_[k];
      }
      row.length = static_cast<std::int32_t>(end - row.first);
    }
    return Nodes(arena_).subspan(row.first, at(row.length));
  }

  /// Reserve marks mark, ..., mark + count − 1 that no node has.
  std::uint64_t next_mark(std::uint64_t count) {
    const std::uint64_t mark = marks_used_;
    marks_used_ += count;
    return mark;
  }

  void push(std::int32_t node, int level = 0) {
    const auto bit = static_cast<std::uint8_t>(1 << level);
    if ((waits_[at(node)] & bit) != 0 || degree(node) > kMostNear) return;
    waits_[at(node)] |= bit;
    queue_[static_cast<std::size_t>(level)].push(node);
  }

  std::int32_t pop(int level) {
    Queue& queue = queue_[static_cast<std::size_t>(level)];
    if (const std::int32_t soon = queue.later(2 * kAhead); soon >= 0) prefetch(&row_[at(soon)]);
    if (const std::int32_t soon = queue.later(kAhead); soon >= 0) prefetch(arena_.data() + row_[at(soon)].first);
    const std::int32_t node = queue.pop();
    waits_[at(node)] &= static_cast<std::uint8_t>(~(1 << level));
    return node;
  }

  void push_neighbours(std::int32_t node) {
    if (degree(node) > kMostNear) return;
    for (const auto other : neighbours(node)) push(other);
  }

  /// Take a node out of the graph, whatever becomes of it.
  void remove(std::int32_t node) {
    is_alive_[at(node)] = 0;
    --num_alive_;
    for (const auto other : neighbours(node)) {
      --row_[at(other)].degree;
      push(other);
    }
  }

  void drop(std::int32_t node) {
    history_.add(Rule::kDropped, node);
    remove(node);
  }

  void take(std::int32_t node) {
    history_.add(Rule::kTaken, node);
    gained_ += weight(node);
    // Without its neighbours nothing is left of its row.
    const Nodes row = neighbours(node);
    const std::vector<std::int32_t> gone(row.begin(), row.end());
    for (const auto other : gone) drop(other);
    remove(node);
  }

  /// The node is in the set where none of these neighbours, a clique of heavier ones, is.
  void transfer(std::int32_t node, Nodes clique) {
    history_.add(Rule::kTransfer, node, clique);
    gained_ += weight(node);
    remove(node);
    for (const auto other : clique) {
      row_[at(other)].weight -= weight(node);
      push_neighbours(other);
      if (is_peeling_) file(other);
    }
  }

  /// Neighbours form a clique with a node: drop those that weigh no more than it, and leave to the others the rest.
  void take_from_clique(std::int32_t node) {
    const Nodes row = neighbours(node);
    std::vector<std::int32_t> heavier;
    for (const auto other : std::vector<std::int32_t>(row.begin(), row.end())) {
      if (weight(other) > weight(node)) {
        heavier.push_back(other);
      } else {
        drop(other);
      }
    }
    if (heavier.empty()) {
      take(node);
    } else {
      transfer(node, heavier);
    }
  }

  /// Rules for few neighbours.
  bool look_near(std::int32_t node) {
    if (degree(node) > kMostNear) return false;
    if (weight(node) <= 0) return drop(node), true;
    const Nodes row = neighbours(node);
    double sum = 0;
    for (const auto other : row) {
      sum += weight(other);
      if (sum > weight(node)) break;
    }
    if (sum <= weight(node)) return take(node), true;
    if (row.size() == 1) return take_from_clique(node), true;
    if (row.size() != 2) return false;
    if (are_joined(row[0], row[1])) return take_from_clique(node), true;
    return look_between(node, row[0], row[1]);
  }

  /// Two neighbours that are not joined and together outweigh the node.
  bool look_between(std::int32_t node, std::int32_t light, std::int32_t heavy) {
    if (weight(light) > weight(heavy)) std::swap(light, heavy);
    if (weight(node) >= weight(heavy)) return fold(node, std::array{light, heavy}), true;
    if (weight(node) < weight(light) || degree(light) + degree(heavy) > kMostGrown) return false;
    join_to_neighbours(node, light, heavy);
    return true;
  }

  bool are_joined(std::int32_t one, std::int32_t two) {
    if (degree(one) > degree(two)) std::swap(one, two);
    const Nodes row = neighbours(one);
    return std::find(row.begin(), row.end(), two) != row.end();
  }

  /// Make independent neighbours of a node, of which only all together outweigh it, one node of the difference.
  void fold(std::int32_t node, Nodes set) {
    std::vector<std::int32_t> others(set.begin(), set.end());
    // The one with the longest row stays in those of its neighbours.
    const auto longest =
        std::max_element(others.begin(), others.end(), [&](auto one, auto two) { return degree(one) < degree(two); });
    std::iter_swap(others.begin(), longest);
    history_.add(Rule::kFolded, node, others);
    gained_ += weight(node);
    remove(node);
    const std::int32_t kept = others[0];
    const std::uint64_t mark = next_mark(1);
    std::vector<std::int32_t> row;
    for (const auto other : neighbours(kept)) {
      mark_[at(other)] = mark;
      row.push_back(other);
    }
    double sum = weight(kept);
    for (const auto gone : Nodes(others).subspan(1)) {
      sum += weight(gone);
      is_alive_[at(gone)] = 0;
      --num_alive_;
      for (const auto other : neighbours(gone)) {
        if (mark_[at(other)] == mark) {
          --row_[at(other)].degree;
        } else {
          mark_[at(other)] = mark;
          row.push_back(other);
          replace(other, gone, kept);
        }
        push(other);
      }
    }
    row_[at(kept)].weight = sum - weight(node);
    set_row(kept, row);
    push(kept);
    push_neighbours(kept);
    if (is_peeling_) file(kept);
  }

  /// Of two neighbours, let the light one stand for both and the heavy one weigh what it has more than the node.
  void join_to_neighbours(std::int32_t node, std::int32_t light, std::int32_t heavy) {
    history_.add(Rule::kMiddle, node, std::array{light, heavy});
    gained_ += weight(node);
    remove(node);
    row_[at(heavy)].weight -= weight(node);
    const std::uint64_t mark = next_mark(1);
    std::vector<std::int32_t> row, added;
    for (const auto other : neighbours(light)) {
      mark_[at(other)] = mark;
      row.push_back(other);
    }
    for (const auto other : neighbours(heavy)) {
      if (mark_[at(other)] != mark) added.push_back(other);
    }
    for (const auto other : added) {
      row.push_back(other);
      append(other, light);
    }
    set_row(light, row);
    push(light);
    push(heavy);
    push_neighbours(light);
    push_neighbours(heavy);
    if (is_peeling_) {
      file(light);
      file(heavy);
    }
  }

  void replace(std::int32_t node, std::int32_t gone, std::int32_t by) {
    const Row& row = row_[at(node)];
    const auto first = arena_.begin() + static_cast<std::ptrdiff_t>(row.first);
    work_ += row.length;
    *std::find(first, first + row.length, gone) = by;
  }

  void set_row(std::int32_t node, Nodes entries) {
    Row& row = row_[at(node)];
    if (entries.size() > at(row.room)) {
      row.first = arena_.size();
      row.room = static_cast<std::int32_t>(2 * entries.size());
      arena_.resize(arena_.size() + at(row.room));
    }
    std::copy(entries.begin(), entries.end(), arena_.begin() + static_cast<std::ptrdiff_t>(row.first));
    row.length = row.degree = static_cast<std::int32_t>(entries.size());
  }

  void append(std::int32_t node, std::int32_t other) {
    const Nodes old = neighbours(node);
    std::vector<std::int32_t> entries(old.begin(), old.end());
    entries.push_back(other);
    set_row(node, entries);
    push(node);
  }

  /// A few nodes, such that most others are told from them without a look at their marks, which are all over memory.
  class Filter {
   public:
    void add(std::int32_t node) { words_[word(node)] |= bit(node); }
    bool may_hold(std::int32_t node) const { return (words_[word(node)] & bit(node)) != 0; }

   private:
    static std::uint32_t hash(std::int32_t node) { return static_cast<std::uint32_t>(node) * 0x9e3779b1; }
    static std::size_t word(std::int32_t node) { return hash(node) >> 30; }
    static std::uint64_t bit(std::int32_t node) { return std::uint64_t{1} << (hash(node) >> 24 & 63); }

    std::array<std::uint64_t, 4> words_{};
  };

  /// What a look around a node sees: which of its neighbours are joined, as bits.
  struct Around {
    std::array<std::int32_t, kMostAround> node;
    std::array<std::uint32_t, kMostAround> joined;
    std::int32_t count = 0;
    /// Whether all pairs were looked at; what was not counts as not joined.
    bool is_complete = true;

    std::uint32_t all() const { return count == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << count) - 1; }
    std::uint32_t all_but(std::int32_t i) const { return all() & ~(std::uint32_t{1} << i); }
  };

  Around look(std::int32_t node) {
    Around around;
    Filter filter;
    const std::uint64_t mark = next_mark(kMostAround);
    for (const auto other : neighbours(node)) {
      filter.add(other);
      const auto i = static_cast<std::size_t>(around.count++);
      around.node[i] = other;
      around.joined[i] = 0;
      prefetch(&row_[at(other)]);
      mark_[at(other)] = mark + i;
    }
    for (std::size_t i = 0; i < at(around.count); ++i) prefetch(arena_.data() + row_[at(around.node[i])].first);
    std::array<std::size_t, kMostAround> long_rows;
    std::size_t num_long = 0;
    const auto join = [&](std::size_t i, std::size_t j) {
      around.joined[i] |= std::uint32_t{1} << j;
      around.joined[j] |= std::uint32_t{1} << i;
    };
    for (std::size_t i = 0; i < at(around.count); ++i) {
      if (degree(around.node[i]) > kMostRead) {
        long_rows[num_long++] = i;
        continue;
      }
      for (const auto other : neighbours(around.node[i])) {
        if (!filter.may_hold(other)) continue;
        const std::uint64_t j = mark_[at(other)] - mark;
        if (j < kMostAround) join(i, j);
      }
    }
    for (std::size_t i = 0; i < num_long; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const std::int32_t one = around.node[long_rows[i]], two = around.node[long_rows[j]];
        if (std::min(degree(one), degree(two)) > kMostReadForPair) {
          around.is_complete = false;
        } else if (are_joined(one, two)) {
          join(long_rows[i], long_rows[j]);
        }
      }
    }
    return around;
  }

  /// Rules for how the neighbours of a node are joined.
  bool look_around(std::int32_t node) {
    if (degree(node) > (is_peeling_ ? kMostPeeling : kMostAround) || (is_peeling_ && num_alive_ > kManyNodes))
      return false;
    const Around around = look(node);
    bool is_clique = true;
    for (std::int32_t i = 0; i < around.count; ++i) {
      const std::int32_t other = around.node[at(i)];
      const std::uint32_t joined = around.joined[at(i)];
      if (joined == around.all_but(i)) {
        if (weight(other) <= weight(node)) return drop(other), true;
      } else {
        is_clique = false;
      }
      if (std::popcount(joined) == degree(other) - 1 && weight(other) >= weight(node)) return drop(node), true;
    }
    if (is_clique) return take_from_clique(node), true;
    if (around.count > kMostListed) return false;
    return look_at_sets(node, around) || look_for_twin(node, around);
  }

  /// Which independent sets of the neighbours are heavier than a node: how many, up to 2, and the last of them.
  struct Heavier {
    int count = 0;
    std::uint32_t last = 0;
  };

  void list_heavier(const Around& around, double limit, std::uint32_t set, std::uint32_t open, double sum,
                    Heavier& heavier) const {
    if (heavier.count > 1) return;
    if (sum > limit) {
      ++heavier.count;
      heavier.last = set;
    }
    while (open != 0) {
      const auto i = static_cast<std::size_t>(std::countr_zero(open));
      open &= open - 1;
      list_heavier(around, limit, set | std::uint32_t{1} << i, open & ~around.joined[i], sum + weight(around.node[i]),
                   heavier);
    }
  }

  bool look_at_sets(std::int32_t node, const Around& around) {
    Heavier heavier;
    list_heavier(around, weight(node), 0, around.all(), 0.0, heavier);
    if (heavier.count == 0) return take(node), true;
    if (heavier.count > 1 || !around.is_complete) return false;
    std::vector<std::int32_t> set;
    for (std::int32_t i = 0; i < around.count; ++i) {
      if ((heavier.last >> i & 1) != 0) {
        set.push_back(around.node[at(i)]);
      } else {
        drop(around.node[at(i)]);
      }
    }
    if (set.size() == 1) {
      transfer(node, set);
    } else {
      fold(node, set);
    }
    return true;
  }

  /// Make a node and one that has the same neighbours one node.
  bool look_for_twin(std::int32_t node, const Around& around) {
    const std::uint64_t mark = next_mark(1);
    std::int32_t shortest = around.node[0];
    for (std::int32_t i = 0; i < around.count; ++i) {
      mark_[at(around.node[at(i)])] = mark;
      if (degree(around.node[at(i)]) < degree(shortest)) shortest = around.node[at(i)];
    }
    if (degree(shortest) > kMostRead) return false;
    for (const auto twin : neighbours(shortest)) {
      if (twin == node || degree(twin) != around.count || mark_[at(twin)] == mark) continue;
      const Nodes row = neighbours(twin);
      if (!std::all_of(row.begin(), row.end(), [&](auto other) { return mark_[at(other)] == mark; })) continue;
      history_.add(Rule::kTwin, twin, std::array{node});
      row_[at(node)].weight += weight(twin);
      remove(twin);
      push(node);
      if (is_peeling_) file(node);
      return true;
    }
    return false;
  }

  /// Drop a node if the set that every optimum with it would contain can be exchanged for one without it.
  bool look_far(std::int32_t node) {
    if (degree(node) > kMostFar) return false;
    const std::uint64_t beside = next_mark(2), inside = beside + 1;
    reached_.clear();
    Filter filter;
    const auto reach = [&](std::int32_t one) {
      mark_[at(one)] = inside;
      filter.add(one);
      for (const auto other : neighbours(one)) {
        if (mark_[at(other)] == beside) continue;
        mark_[at(other)] = beside;
        filter.add(other);
        reached_.push_back(other);
      }
    };
    reach(node);
    for (std::int32_t count = 1; count < kMostFarReached; ++count) {
      std::int32_t next = -1;
      for (const auto other : reached_) {
        if (degree(other) > kMostFar) continue;
        // What an exchange for this one loses: members of the set, and of the others all but the heaviest.
        double lost = 0, most = 0;
        std::int32_t heaviest = -1;
        for (const auto each : neighbours(other)) {
          const std::uint64_t mark = filter.may_hold(each) ? mark_[at(each)] : 0;
          if (mark == beside) continue;
          if (mark == inside || weight(each) <= most) {
            lost += weight(each);
          } else {
            lost += most;
            most = weight(each);
            heaviest = each;
          }
          if (lost > weight(other)) break;
        }
        if (weight(other) >= lost + most) return drop(node), true;
        if (weight(other) >= lost) next = heaviest;
      }
      if (next < 0 || degree(next) > kMostFar) return false;
      reach(next);
    }
    return false;
  }

  /// Put a node into the order of peeling.
  void file(std::int32_t node) { peeled_.push({static_cast<double>(degree(node)) / weight(node), node}); }

  /// Return a node of many neighbours for its weight, or −1 where none is left.
  std::int32_t next_peeled() {
    while (!peeled_.empty()) {
      const auto [key, node] = peeled_.top();
      peeled_.pop();
      if (!is_alive_[at(node)]) continue;
      // Keys fall as neighbours go.
      if (static_cast<double>(degree(node)) / weight(node) >= key) return node;
      file(node);
    }
    return -1;
  }

  LargeVector<Row> row_;
  LargeVector<std::int32_t> arena_;
  std::vector<std::uint8_t> is_alive_, waits_;
  LargeVector<std::uint64_t> mark_;
  std::uint64_t marks_used_ = 1;
  std::int64_t num_alive_, work_ = 0;
  int last_level_ = kNumLevels;
  bool is_peeling_ = false, has_copies_ = false;
  double gained_ = 0;
  std::array<Queue, kNumLevels> queue_;
  std::vector<std::int32_t> reached_;
  std::priority_queue<std::pair<double, std::int32_t>> peeled_;
  PackingHistory history_;
};

}  // namespace annealco
