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
/// entries, so that the work is nearly linear; nodes of many neighbours are left to the rules of these. What nodes have
/// around them in weight is kept up to date, so that most need no look; of many nodes, rules that take long are tried
/// on some first. Small components that no rule applies to are solved by branch and bound (`clique_branching.hpp`).
///
/// Peeling goes on where no rule applies by dropping a node of many neighbours for its weight. It ends with nothing
/// left, so with a set, which on sparse graphs is close to the best.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "bounds/bit_matrix.hpp"
#include "bounds/clique_branching.hpp"
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
    records_.push_back({others_.size(), node, static_cast<std::uint16_t>(others.size()), rule});
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
    std::size_t first;
    std::int32_t node;
    std::uint16_t count;
    Rule rule;
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
      const auto first = static_cast<std::uint32_t>(start[at(node)]);
      const auto length = static_cast<std::int32_t>(problem.sets().length(node));
      row_[at(node)] = {problem.cost(node), 0.0, first, length, length, length};
      drop_copies(node);
      for (const auto other : all_entries(node)) row_[at(node)].around += problem.cost(other);
      is_whole_numbers_ &= problem.cost(node) == std::floor(problem.cost(node));
    }
    // Sums of some are no more than that of all.
    const auto cost = problem.cost();
    is_whole_numbers_ &= std::accumulate(cost.begin(), cost.end(), 0.0) < kMostWhole;
    is_trying_ = num_alive_ > kManyNodes;
    for (std::int32_t node = 0; node < problem.num_variables(); ++node) push(node);
  }

  /// Apply rules until none applies, or the clock ends it; true where none applies. Every look at a node is a move.
  bool apply(Clock& clock) {
    for (;;) {
      int level = 0;
      while (level < kNumLevels && queue_[at(level)].empty()) ++level;
      if (level == kNumLevels) {
        if (!decide()) return true;
        continue;
      }
      if (is_peeling_ ? clock.is_over() : !clock.tick()) return false;
      const std::int32_t node = pop(level);
      if (!is_alive_[at(node)]) continue;
      work_ = 0;
      const bool applied = level == 0 ? look_near(node) : level == 1 ? look_around(node) : look_far(node);
      ++looks_[at(level)];
      if (applied) {
        ++hits_[at(level)];
      } else if (level + 1 < kNumLevels) {
        push(node, level + 1);
      }
      if (work_ > 0 && clock.is_over(work_ / kEntriesPerMove)) return false;
    }
  }

  /// Solve components of few nodes by branch and bound, where weights are whole numbers; those that take long are left.
  void solve_components(Clock& clock) {
    // What few rules apply to is in one piece.
    if (!is_whole_numbers_ || num_levels_ < kNumLevels) return;
    const std::uint32_t seen = next_mark(2), large = seen + 1;
    std::int64_t most_work = kWorkPerNode * num_alive_;
    for (std::int32_t node = 0; node < num_nodes() && most_work > 0; ++node) {
      if (clock.is_over()) return;
      if (!is_alive_[at(node)] || mark_[at(node)] == seen || mark_[at(node)] == large) continue;
      if (collect_component(node, seen, large)) most_work -= solve_component(clock);
    }
  }

  /// Go on until nothing is left; false where the time is over before, to be continued by another call. No moves are
  /// counted.
  bool peel(Clock& clock) {
    if (!is_peeling_) {
      is_peeling_ = true;
      // What the far rule still finds is too little for its time where every answer is a guess.
      num_levels_ = 2;
      is_trying_ = false;
      for (std::int32_t node = num_nodes() - 1; node >= 0; --node) {
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
  /// What is near is a matter of this many neighbours, unless a node outweighs all that it has.
  static constexpr std::int32_t kMostNear = 2;
  /// Neighbours of nodes with more than this are not told of a change, and those of more than the second not compared.
  static constexpr std::int32_t kMostTold = 128, kMostAround = 32;
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
  /// Of many nodes, rules that take long are tried on one of so many first, and used where they apply to one of so many
  /// of these.
  static constexpr std::int32_t kTried = 64, kWorth = 100;
  /// Components of so many nodes are solved, with so much work for each of their nodes on the average.
  static constexpr std::size_t kMostSolved = 64;
  static constexpr std::int64_t kWorkPerNode = 2000;
  /// Sums of weights are kept up to this share, and a rule that needs one adds it up anew.
  static constexpr double kRounding = 1e-9;
  /// Up to here, whole numbers are not rounded.
  static constexpr double kMostWhole = 0x1p53;

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

  /// A node: what it weighs, and where its neighbours are listed. Half a cache line.
  struct Row {
    double weight = 0;
    /// What its neighbours weigh; it may be less, where one of many neighbours lost weight.
    double around = 0;
    std::uint32_t first = 0;
    /// Room, entries, some of which may be of nodes that are gone, and neighbours.
    std::int32_t room = 0, length = 0, degree = 0;

    bool is_near() const { return degree <= kMostNear || around <= weight * (1 + kRounding) || weight <= 0; }
  };

  /// Nodes by neighbours for their weight, in buckets of keys that differ by little; of one bucket the last node is
  /// first.
  class PeelingOrder {
   public:
    void push(double key, std::int32_t node) {
      const std::size_t bucket = bucket_of(key);
      if (bucket >= nodes_.size()) nodes_.resize(bucket + 1);
      nodes_[bucket].push_back(node);
      std::push_heap(nodes_[bucket].begin(), nodes_[bucket].end());
      top_ = std::max(top_, bucket);
    }

    /// Return a node of the highest bucket, −1 where there is none, and then whether a key belongs there.
    std::int32_t pop() {
      if (nodes_.empty()) return -1;
      while (top_ > 0 && nodes_[top_].empty()) --top_;
      if (nodes_[top_].empty()) return -1;
      std::pop_heap(nodes_[top_].begin(), nodes_[top_].end());
      const std::int32_t node = nodes_[top_].back();
      nodes_[top_].pop_back();
      return node;
    }
    bool is_on_top(double key) const { return bucket_of(key) >= top_; }

   private:
    /// The first bits of a number in single precision: its exponent and so many binary places.
    static constexpr int kPlaces = 7;

    static std::size_t bucket_of(double key) {
      return std::bit_cast<std::uint32_t>(static_cast<float>(key)) >> (23 - kPlaces);
    }

    std::vector<std::vector<std::int32_t>> nodes_;
    std::size_t top_ = 0;
  };

  static constexpr std::size_t at(std::int32_t node) { return static_cast<std::size_t>(node); }
  double weight(std::int32_t node) const { return row_[at(node)].weight; }
  std::int32_t degree(std::int32_t node) const { return row_[at(node)].degree; }

  Nodes all_entries(std::int32_t node) const {
    return Nodes(arena_).subspan(row_[at(node)].first, at(row_[at(node)].length));
  }

  void drop_copies(std::int32_t node) {
    const Nodes entries = all_entries(node);
    // Mostly they are in order, each once.
    if (std::adjacent_find(entries.begin(), entries.end(), std::greater_equal<>()) == entries.end()) return;
    Row& row = row_[at(node)];
    const std::uint32_t mark = next_mark(1);
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
  std::uint32_t next_mark(std::uint32_t count) {
    if (marks_used_ > UINT32_MAX - count) {
      std::fill(mark_.begin(), mark_.end(), 0);
      marks_used_ = 1;
    }
    const std::uint32_t mark = marks_used_;
    marks_used_ += count;
    return mark;
  }

  /// Have a node looked at in the first way that may find something.
  void push(std::int32_t node) { push(node, row_[at(node)].is_near() ? 0 : 1); }

  void push(std::int32_t node, int level) {
    const auto bit = static_cast<std::uint8_t>(1 << level);
    if ((waits_[at(node)] & bit) != 0 || !may_apply(node, level)) return;
    waits_[at(node)] |= bit;
    queue_[at(level)].push(node);
  }

  bool may_apply(std::int32_t node, int level) const {
    if (level == 0) return true;
    if (level >= num_levels_ || (is_trying_ && node % kTried != 0)) return false;
    return degree(node) <= (level == 2 ? kMostFar : is_peeling_ ? most_while_peeling() : kMostAround);
  }

  std::int32_t most_while_peeling() const { return num_alive_ > kManyNodes ? kMostNear : kMostPeeling; }

  /// Nothing is left to be looked at: use what was tried with success on all nodes; false where there is nothing.
  bool decide() {
    if (!is_trying_) return false;
    is_trying_ = false;
    const auto pays = [&](std::size_t level) { return kWorth * hits_[level] > looks_[level]; };
    // What one rule leaves is what another one applies to, so that it is all of them or none.
    if (num_alive_ > kManyNodes && !pays(1) && !pays(2)) {
      num_levels_ = 1;
      return false;
    }
    for (std::int32_t node = 0; node < num_nodes(); ++node) {
      if (is_alive_[at(node)]) push(node, 1);
    }
    return true;
  }

  std::int32_t pop(int level) {
    Queue& queue = queue_[at(level)];
    if (const std::int32_t soon = queue.later(2 * kAhead); soon >= 0) prefetch(&row_[at(soon)]);
    if (const std::int32_t soon = queue.later(kAhead); soon >= 0) prefetch(arena_.data() + row_[at(soon)].first);
    const std::int32_t node = queue.pop();
    waits_[at(node)] &= static_cast<std::uint8_t>(~(1 << level));
    return node;
  }

  /// Tell the neighbours of a node that its weight has changed by so much.
  void tell_neighbours(std::int32_t node, double change) {
    if (degree(node) > kMostTold) return;
    for (const auto other : neighbours(node)) {
      row_[at(other)].around += change;
      push(other);
    }
  }

  /// Take a node out of the graph, whatever becomes of it.
  void remove(std::int32_t node) {
    is_alive_[at(node)] = 0;
    --num_alive_;
    const Nodes row = neighbours(node);
    for (const auto other : row) prefetch(&row_[at(other)]);
    for (const auto other : row) {
      --row_[at(other)].degree;
      row_[at(other)].around -= weight(node);
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
    is_alive_[at(node)] = 0;
    --num_alive_;
    // It need not be told that its neighbours go.
    waits_[at(node)] = UINT8_MAX;
    const Nodes row = neighbours(node);
    for (const auto other : row) prefetch(arena_.data() + row_[at(other)].first);
    // Rows do not change while nodes are dropped.
    for (const auto other : row) drop(other);
  }

  /// The node is in the set where none of these neighbours, a clique of heavier ones, is.
  void transfer(std::int32_t node, Nodes clique) {
    history_.add(Rule::kTransfer, node, clique);
    gained_ += weight(node);
    remove(node);
    for (const auto other : clique) {
      row_[at(other)].weight -= weight(node);
      tell_neighbours(other, -weight(node));
      if (is_peeling_) file(other);
    }
  }

  /// Neighbours form a clique with a node: drop those that weigh no more than it, and leave to the others the rest.
  void take_from_clique(std::int32_t node) {
    chosen_.clear();
    for (const auto other : neighbours(node)) {
      if (weight(other) > weight(node)) {
        chosen_.push_back(other);
      } else {
        drop(other);
      }
    }
    if (chosen_.empty()) {
      take(node);
    } else {
      transfer(node, chosen_);
    }
  }

  /// Rules for few neighbours.
  bool look_near(std::int32_t node) {
    if (weight(node) <= 0) return drop(node), true;
    const Nodes row = neighbours(node);
    double sum = 0;
    for (const auto other : row) sum += weight(other);
    row_[at(node)].around = sum;
    if (sum <= weight(node)) return take(node), true;
    if (row.size() == 1) return take_from_clique(node), true;
    if (row.size() != 2) return false;
    if (are_joined(row[0], row[1])) return take_from_clique(node), true;
    return look_between(node, row[0], row[1]);
  }

  /// Two neighbours that are not joined and together outweigh the node.
  bool look_between(std::int32_t node, std::int32_t light, std::int32_t heavy) {
    if (weight(light) > weight(heavy)) std::swap(light, heavy);
    if (!has_room()) return false;
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
    double sum = -weight(node);
    for (const auto other : others) sum += weight(other);
    const bool is_long = degree(kept) > kMostTold;
    const std::uint32_t mark = next_mark(1);
    if (!is_long) {
      for (const auto other : neighbours(kept)) {
        mark_[at(other)] = mark;
        row_[at(other)].around += sum - weight(kept);
      }
    }
    row_[at(kept)].weight = sum;
    for (const auto gone : Nodes(others).subspan(1)) {
      const std::size_t count = neighbours(gone).size();
      for (std::size_t i = 0; i < count; ++i) {
        // Rows may move as they grow.
        const std::int32_t other = arena_[row_[at(gone)].first + i];
        // A long row is not gone through for a few nodes, whose rows are shorter.
        if (mark_[at(other)] == mark || (is_long && are_joined(other, kept))) {
          --row_[at(other)].degree;
          row_[at(other)].around -= weight(gone);
        } else {
          replace(other, gone, kept);
          row_[at(other)].around += sum - weight(gone);
          append(kept, other);
        }
        mark_[at(other)] = mark;
        push(other);
      }
      is_alive_[at(gone)] = 0;
      --num_alive_;
    }
    push(kept);
    if (!is_long) {
      for (const auto other : neighbours(kept)) push(other);
    }
    if (is_peeling_) file(kept);
  }

  /// Of two neighbours, let the light one stand for both and the heavy one weigh what it has more than the node.
  void join_to_neighbours(std::int32_t node, std::int32_t light, std::int32_t heavy) {
    history_.add(Rule::kMiddle, node, std::array{light, heavy});
    gained_ += weight(node);
    remove(node);
    row_[at(heavy)].weight -= weight(node);
    tell_neighbours(heavy, -weight(node));
    const std::uint32_t mark = next_mark(1);
    for (const auto other : neighbours(light)) mark_[at(other)] = mark;
    chosen_.clear();
    for (const auto other : neighbours(heavy)) {
      if (mark_[at(other)] != mark) chosen_.push_back(other);
    }
    for (const auto other : chosen_) {
      append(light, other);
      append(other, light);
      push(other);
    }
    push(light);
    push(heavy);
    for (const auto other : neighbours(light)) push(other);
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

  /// Whether rows may grow, by what a rule adds at most.
  bool has_room() const { return arena_.size() < (std::size_t{1} << 31); }

  /// Add a neighbour to a row; what it weighs is counted.
  void append(std::int32_t node, std::int32_t other) {
    Row& row = row_[at(node)];
    if (row.length == row.room) {
      const std::size_t first = arena_.size();
      row.room = 2 * (row.length + 1);
      arena_.resize(first + at(row.room));
      std::copy_n(arena_.begin() + static_cast<std::ptrdiff_t>(row.first), row.length,
                  arena_.begin() + static_cast<std::ptrdiff_t>(first));
      row.first = static_cast<std::uint32_t>(first);
      work_ += row.length;
    }
    arena_[row.first + at(row.length)] = other;
    ++row.length;
    ++row.degree;
    row.around += weight(other);
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
    const std::uint32_t mark = next_mark(kMostAround);
    for (const auto other : neighbours(node)) {
      filter.add(other);
      const auto i = static_cast<std::size_t>(around.count++);
      around.node[i] = other;
      around.joined[i] = 0;
      prefetch(&row_[at(other)]);
      mark_[at(other)] = mark + static_cast<std::uint32_t>(i);
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
        const std::uint32_t j = mark_[at(other)] - mark;
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
    if (heavier.count > 1 || !around.is_complete || !has_room()) return false;
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
    const std::uint32_t mark = next_mark(1);
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
      remove(twin);
      row_[at(node)].weight += weight(twin);
      tell_neighbours(node, weight(twin));
      push(node);
      if (is_peeling_) file(node);
      return true;
    }
    return false;
  }

  /// Drop a node if the set that every optimum with it would contain can be exchanged for one without it.
  bool look_far(std::int32_t node) {
    if (degree(node) > kMostFar) return false;
    const std::uint32_t beside = next_mark(2), inside = beside + 1;
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
          const std::uint32_t mark = filter.may_hold(each) ? mark_[at(each)] : 0;
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

  /// List the component of a node, unless it has too many nodes, which are marked then: false.
  bool collect_component(std::int32_t first, std::uint32_t seen, std::uint32_t large) {
    reached_.assign(1, first);
    mark_[at(first)] = seen;
    bool is_small = true;
    for (std::size_t i = 0; is_small && i < reached_.size(); ++i) {
      for (const auto other : neighbours(reached_[i])) {
        is_small &= mark_[at(other)] != large && reached_.size() <= kMostSolved;
        if (mark_[at(other)] == seen || mark_[at(other)] == large) continue;
        mark_[at(other)] = seen;
        reached_.push_back(other);
      }
    }
    if (is_small && reached_.size() <= kMostSolved) return true;
    for (const auto node : reached_) mark_[at(node)] = large;
    return false;
  }

  /// Solve the component that was listed, and return the work that it took.
  std::int64_t solve_component(Clock& clock) {
    const auto count = static_cast<std::int32_t>(reached_.size());
    std::sort(reached_.begin(), reached_.end());
    std::vector<std::int32_t> number(reached_.size());
    std::iota(number.begin(), number.end(), 0);
    std::vector<CliqueBranching::Weight> weights;
    BitMatrix apart(count);
    for (std::int32_t i = 0; i < count; ++i) {
      weights.push_back(static_cast<CliqueBranching::Weight>(weight(reached_[at(i)])));
      const auto bits = apart.row(i);
      for (std::int32_t j = 0; j < count; ++j) {
        if (j != i) BitMatrix::set(bits, j);
      }
      for (const auto other : neighbours(reached_[at(i)])) {
        const auto j = std::lower_bound(reached_.begin(), reached_.end(), other) - reached_.begin();
        bits[static_cast<std::size_t>(j) / BitMatrix::kWord] ^= std::uint64_t{1} << (j % BitMatrix::kWord);
      }
    }
    // An independent set is a clique of the pairs that are apart.
    CliqueBranching branching(apart, weights, number);
    CliqueBranching::Weight limit = 0;
    if (branching.run(clock, limit, Clock::kNoLimit, kWorkPerNode * kMostSolved)) {
      for (const auto i : branching.best()) take(reached_[at(i)]);
    }
    return branching.work();
  }

  double neighbours_by_weight(std::int32_t node) const { return static_cast<double>(degree(node)) / weight(node); }

  /// Put a node into the order of peeling.
  void file(std::int32_t node) { order_.push(neighbours_by_weight(node), node); }

  /// Return a node of many neighbours for its weight, or −1 where none is left.
  std::int32_t next_peeled() {
    for (;;) {
      const std::int32_t node = order_.pop();
      if (node < 0) return -1;
      if (!is_alive_[at(node)]) continue;
      // Keys fall as neighbours go.
      if (order_.is_on_top(neighbours_by_weight(node))) return node;
      file(node);
    }
  }

  LargeVector<Row> row_;
  LargeVector<std::int32_t> arena_;
  std::vector<std::uint8_t> is_alive_, waits_;
  LargeVector<std::uint32_t> mark_;
  std::uint32_t marks_used_ = 1;
  std::int64_t num_alive_, work_ = 0;
  /// Ways to look at a node that are used, and whether all but the first are tried on some nodes only.
  int num_levels_ = kNumLevels;
  bool is_trying_ = false;
  /// Whether all weights are whole numbers whose sums are as well.
  bool is_whole_numbers_ = true;
  /// At nodes, and how often a rule applied.
  std::array<std::int64_t, kNumLevels> looks_{}, hits_{};
  bool is_peeling_ = false, has_copies_ = false;
  double gained_ = 0;
  std::array<Queue, kNumLevels> queue_;
  /// Memory for what is done at once.
  std::vector<std::int32_t> reached_, chosen_;
  PeelingOrder order_;
  PackingHistory history_;
};

}  // namespace annealco
