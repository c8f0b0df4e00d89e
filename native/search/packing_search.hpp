/// Search for heavy independent sets of sparse graphs with node weights, on the pairs of a hitting set problem.
///
/// `RegionSearch` begins with a peeled set (`packing_kernel.hpp`). A step forces one or a few nodes that are near one
/// another into the set, drops their neighbours that are there, then takes nodes that outweigh their neighbours in the
/// set for as long as there are any around. What comes out lighter is undone, in the time that it took. Once that finds
/// little, steps stay for a while in a region of some ten to some hundred nodes, where lighter sets are kept with a
/// chance that falls to none, as in annealing; at the end a set that is lighter than the best is undone as a whole. So
/// a step costs the same however large the graph is, and far parts of it do not wait for one another. What does not fit
/// the cache is gone through part by part from the beginning.
///
/// `PackingSearch` shares the moves between this and the search with weights (`covering.hpp`), which is ahead where no
/// part of a graph is far from the others. Sources: Andrade, Resende and Werneck (2012), Nogueira, Pinheiro and
/// Subramanian (2018) for steps; Großmann, Langedal and Schulz (2024) for the idea to look at parts.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/memory.hpp"
#include "core/portable_math.hpp"
#include "core/prefetch.hpp"
#include "core/random.hpp"
#include "search/covering.hpp"
#include "search/hitting_set.hpp"
#include "search/packing_kernel.hpp"

namespace annealco {

class RegionSearch {
 public:
  /// Begin with the better of a start and a peeled set; `start` [num_variables] is a hitting set or nearly one. Where
  /// that leaves nothing for the independent set, `prepare` begins with nodes of much weight and few neighbours.
  RegionSearch(std::shared_ptr<const HittingSet> problem, std::span<const std::uint8_t> start, std::uint64_t seed,
               double offset)
      : problem_(std::move(problem)),
        nodes_(start.size()),
        best_(start.size(), 1),
        is_stale_(start.size(), 0),
        step_forced_(start.size(), -1),
        region_of_(start.size(), -1),
        random_(seed),
        offset_(offset) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      nodes_[i].weight = problem_->cost()[i];
      total_ += nodes_[i].weight;
    }
    for (std::int32_t node = 0; node < num_nodes(); ++node) {
      if (!start[at(node)] && is_free(node)) add(node);
    }
    is_filled_ = !journal_.empty();
    journal_.clear();
    keep();
  }

  /// Make a set where the start is none; peel one and go over to it; false where the time was over before, to be
  /// continued by another call.
  bool prepare(Clock& clock) {
    if (!is_filled_) fill(clock);
    if (phase_ == Phase::kBegin) {
      // There may be no time to peel many nodes: then the start had better be as good as it can be at once.
      const auto size = static_cast<double>(num_nodes() + problem_->num_sets());
      const bool is_short = num_nodes() > kManyNodes && clock.seconds_left() < kPeelSeconds * size;
      phase_ = is_short ? Phase::kImproveStart : Phase::kPeel;
    }
    if (phase_ == Phase::kImproveStart) {
      const bool is_done = go_over_all(clock);
      keep();
      clock.record(best_cost() + offset_);
      if (!is_done) return false;
      phase_ = Phase::kPeel;
    }
    if (phase_ == Phase::kPeel) {
      if (!peeler_) {
        // To begin takes a while, for which there may be no time.
        if (clock.is_over(num_nodes())) return false;
        peeler_ = std::make_unique<PackingReducer>(*problem_);
      }
      if (!peeler_->peel(clock)) return use_peeled_part(), false;
      peeled_.assign(nodes_.size(), 0);
      peeler_->history().lift(peeled_);
      peeler_.reset();
      phase_ = Phase::kLeave;
    }
    while (phase_ != Phase::kSearch) {
      if (!go_over_all(clock)) return false;
      phase_ = phase_ == Phase::kLeave ? Phase::kEnter : phase_ == Phase::kEnter ? Phase::kImprove : Phase::kSearch;
      if (phase_ == Phase::kSearch) begin(clock);
    }
    return true;
  }

  /// Make at most so many moves, until the clock ends it or the cost is at the target.
  void run(Clock& clock, std::int64_t most_moves, double target) {
    for (; most_moves > 0 && best_cost() > target && clock.tick(); --most_moves) {
      if (steps_left_ == 0) enter_region();
      step();
      ++moves_;
      if (weight_ > best_weight_) {
        keep();
        clock.record(best_cost() + offset_);
      }
      if (--steps_left_ == 0 && weight_ < best_weight_) restore();
    }
  }

  /// The lightest complement of an independent set so far, [num_variables] of 0 and 1.
  std::span<const std::uint8_t> best() const { return best_; }
  double best_cost() const { return total_ - best_weight_; }
  std::int64_t moves() const { return moves_; }

 private:
  struct Node {
    double weight = 0;
    /// What the neighbours in the set weigh, and how many they are.
    double blocked = 0;
    std::int32_t num_blocking = 0;
    std::uint8_t is_in = 0;
  };

  /// Steps per node that are made anywhere, before they are made in regions.
  static constexpr std::int64_t kFirstSteps = 8;
  /// Nodes with more neighbours in the set than this are not forced into it.
  static constexpr std::int32_t kMostBlocking = 8;
  /// More nodes than this do not fit the cache, and so many do.
  static constexpr std::size_t kPart = 4096;
  /// What peeling takes per node and pair, about.
  static constexpr double kPeelSeconds = 3e-7;
  /// What is kept for the end of `fill`, per node and pair; it reads the clock after so many nodes.
  static constexpr double kRestSeconds = 3e-8;
  static constexpr std::int64_t kFilled = 1024;
  /// The first steps are made in so many passes over all parts.
  static constexpr std::int64_t kNumPasses = 4;
  static constexpr std::int32_t kManyNodes = 1 << 18;
  /// Regions have this many nodes, or twice as many, up to this many times; and steps in one per node of it.
  static constexpr std::int64_t kSmallestRegion = 16, kNumDoublings = 6, kRegionSteps = 10;
  /// A region does not grow beyond a node of more neighbours than this: it would be all of their neighbourhoods.
  static constexpr std::size_t kMostGrown = 64;
  /// The first temperature in a region, in mean weights.
  static constexpr double kHeat = 0.2;
  /// After each node that is forced, the chance that another one is, and after two hops, that there are two more.
  static constexpr double kNextForced = 0.5, kNextHops = 0.3;
  /// Of so many candidates the best is sought; of more, any is taken.
  static constexpr std::size_t kMostCompared = 16;
  /// Picks before a step is given up: a region may be all in the set.
  static constexpr int kMostPicks = 16;

  /// Improve the start where time is short; peel; leave the start where the peeled set is another; enter that; improve
  /// it; search.
  enum class Phase : std::uint8_t { kBegin, kImproveStart, kPeel, kLeave, kEnter, kImprove, kSearch };

  static std::size_t at(std::int32_t node) { return static_cast<std::size_t>(node); }
  std::int32_t num_nodes() const { return static_cast<std::int32_t>(nodes_.size()); }

  /// What `fill` knows of a node: small, since it is read all over memory.
  struct Left {
    float weight;
    /// Neighbours that are left; where the node itself is not, whether it was taken.
    std::int32_t degree;

    static constexpr std::int32_t kGone = -1, kTaken = -2;

    /// Positive numbers are in the order of their bits, of which the first 16 tell enough.
    std::size_t bucket() const { return std::bit_cast<std::uint32_t>(weight / static_cast<float>(1 + degree)) >> 16; }
  };

  /// Take the node of most weight for itself and its neighbours, and its neighbours out of what is left, until nothing
  /// is. Where all weigh the same, only neighbours that are left count, as long as there is time: 454,047 instead of
  /// 425,246 nodes of a Barabási–Albert graph of 10^6. With weights that takes three times as long for 1 to 2 % more.
  void fill(Clock& clock) {
    const auto cost = problem_->cost();
    bool counts_left = std::adjacent_find(cost.begin(), cost.end(), std::not_equal_to<>()) == cost.end();
    const Rows rows{problem_->sets().start, problem_->partners()};
    const double rest = kRestSeconds * static_cast<double>(num_nodes() + problem_->num_sets());
    LargeVector<Left> left(nodes_.size());
    // Nodes that wait in a bucket, as lists through all entries.
    LargeVector<std::pair<std::int32_t, std::int32_t>> entries;
    std::vector<std::int32_t> head(1 << 16, -1);
    entries.reserve(nodes_.size() + (counts_left ? rows.index.size() / 2 : 0));
    std::size_t top = 0;
    const auto push = [&](std::int32_t node) {
      const std::size_t bucket = left[at(node)].bucket();
      entries.push_back({node, std::exchange(head[bucket], static_cast<std::int32_t>(entries.size()))});
      top = std::max(top, bucket);
    };
    for (std::int32_t node = num_nodes() - 1; node >= 0; --node) {
      left[at(node)] = {static_cast<float>(problem_->cost(node)), static_cast<std::int32_t>(rows[node].size())};
      push(node);
    }
    for (std::int64_t count = 1;; ++count) {
      while (top > 0 && head[top] < 0) --top;
      if (head[top] < 0) break;
      if (counts_left && count % kFilled == 0) counts_left = !clock.is_over(kFilled) && clock.seconds_left() > rest;
      const auto [node, next] = entries[at(head[top])];
      head[top] = next;
      // Keys rise as neighbours go, and a node waits again in its new place.
      if (left[at(node)].degree < 0 || left[at(node)].bucket() != top) continue;
      left[at(node)].degree = Left::kTaken;
      if (counts_left) {
        for (const auto gone : rows[node]) prefetch(rows.index.data() + rows.start[at(gone)]);
      }
      for (const auto gone : rows[node]) {
        if (left[at(gone)].degree < 0) continue;
        left[at(gone)].degree = Left::kGone;
        if (!counts_left) continue;
        for (const auto other : rows[gone]) {
          if (left[at(other)].degree < 0) continue;
          --left[at(other)].degree;
          push(other);
        }
      }
    }
    for (std::int32_t node = 0; node < num_nodes(); ++node) {
      if (left[at(node)].degree == Left::kTaken) add(node);
    }
    is_filled_ = true;
    journal_.clear();
    keep();
    clock.record(best_cost() + offset_);
  }

  /// Do what a phase of `prepare` does with every node; false where the time was over before.
  bool go_over_all(Clock& clock) {
    for (; place_ < num_nodes(); ++place_) {
      if (clock.is_over()) return false;
      go_over(place_);
    }
    place_ = 0;
    return true;
  }

  /// Do what a phase of `prepare` does with one node.
  void go_over(std::int32_t node) {
    if (phase_ == Phase::kLeave) {
      if (nodes_[at(node)].is_in && !peeled_[at(node)]) remove(node, false);
    } else if (phase_ == Phase::kEnter) {
      if (peeled_[at(node)] && is_free(node)) add(node);
    } else if (gain(node) > 0) {
      candidates_.push_back(node);
      improve();
    }
    journal_.clear();
  }

  void begin(Clock& clock) {
    peeled_ = {};
    if (weight_ > best_weight_) {
      keep();
    } else {
      restore();
    }
    clock.record(best_cost() + offset_);
  }

  /// Where there was no time to peel to the end: what is left by then is as in the start.
  void use_peeled_part() {
    std::vector<std::uint8_t> set(best_.size());
    for (std::size_t i = 0; i < set.size(); ++i) set[i] = !best_[i];
    peeler_->history().restrict(set);
    peeler_->history().lift(set);
    double weight = 0;
    for (std::size_t i = 0; i < set.size(); ++i) weight += set[i] ? nodes_[i].weight : 0.0;
    if (weight <= best_weight_) return;
    best_weight_ = weight;
    stale_.resize(set.size());
    std::iota(stale_.begin(), stale_.end(), 0);
    for (std::size_t i = 0; i < set.size(); ++i) {
      best_[i] = !set[i];
      is_stale_[i] = 1;
    }
  }

  bool is_free(std::int32_t node) const { return !nodes_[at(node)].is_in && nodes_[at(node)].num_blocking == 0; }
  std::span<const std::int32_t> neighbours(std::int32_t node) const {
    return Rows{problem_->sets().start, problem_->partners()}[node];
  }

  void add(std::int32_t node) {
    Node& own = nodes_[at(node)];
    own.is_in = 1;
    weight_ += own.weight;
    for (const auto each : neighbours(node)) {
      Node& other = nodes_[at(each)];
      ++other.num_blocking;
      other.blocked += own.weight;
    }
    note(node);
  }

  /// Take a node out; `looks` where what it blocked is to be looked at.
  void remove(std::int32_t node, bool looks) {
    Node& own = nodes_[at(node)];
    own.is_in = 0;
    weight_ -= own.weight;
    for (const auto each : neighbours(node)) {
      Node& other = nodes_[at(each)];
      // What is blocked by nothing is so exactly, whatever was rounded before.
      other.blocked = --other.num_blocking == 0 ? 0.0 : other.blocked - own.weight;
      if (looks && other.weight > other.blocked) candidates_.push_back(each);
    }
    note(node);
  }

  void note(std::int32_t node) {
    journal_.push_back(node);
    if (is_stale_[at(node)]) return;
    is_stale_[at(node)] = 1;
    stale_.push_back(node);
  }

  /// Put a node into the set and take out its neighbours; not where one of these was forced in by this step.
  void force(std::int32_t node) {
    blocking_.clear();
    for (const auto other : neighbours(node)) {
      if (!nodes_[at(other)].is_in) continue;
      if (step_forced_[at(other)] == moves_) return;
      blocking_.push_back(other);
    }
    for (const auto other : blocking_) {
      // A pair may be listed twice.
      if (nodes_[at(other)].is_in) remove(other, true);
    }
    add(node);
  }

  double gain(std::int32_t node) const {
    const Node& own = nodes_[at(node)];
    return own.is_in ? 0.0 : own.weight - own.blocked;
  }

  /// Take candidates that outweigh their neighbours in the set until there is none.
  void improve() {
    while (!candidates_.empty()) {
      if (candidates_.size() <= kMostCompared) {
        std::erase_if(candidates_, [this](std::int32_t each) { return gain(each) <= 0; });
        const auto less = [this](std::int32_t one, std::int32_t two) { return gain(one) < gain(two); };
        const auto best = std::max_element(candidates_.begin(), candidates_.end(), less);
        if (best == candidates_.end()) return;
        std::iter_swap(best, candidates_.end() - 1);
      }
      const std::int32_t node = candidates_.back();
      candidates_.pop_back();
      if (gain(node) > 0) force(node);
    }
  }

  void step() {
    std::int32_t node = pick();
    if (node < 0) return;
    const double before = weight_;
    journal_.clear();
    for (;;) {
      force(node);
      step_forced_[at(node)] = moves_;
      if (random_.uniform() >= kNextForced) break;
      do {
        node = any_neighbour(any_neighbour(node));
      } while (random_.uniform() < kNextHops);
      if (!may_be_forced(node)) break;
    }
    improve();
    if (weight_ < before && !accepts(before - weight_)) undo(before);
  }

  /// What would take many nodes out of the set does not come back, and takes long.
  bool may_be_forced(std::int32_t node) const {
    return !nodes_[at(node)].is_in && nodes_[at(node)].num_blocking <= kMostBlocking;
  }

  /// A random node of the region that is not in the set, or −1 where it is hard to find.
  std::int32_t pick() {
    const auto count = region_.empty() ? num_nodes() : static_cast<std::int64_t>(region_.size());
    for (int i = 0; i < kMostPicks; ++i) {
      const std::int64_t place = random_.below(count);
      const auto node = region_.empty() ? static_cast<std::int32_t>(place) : region_[static_cast<std::size_t>(place)];
      if (may_be_forced(node)) return node;
    }
    return -1;
  }

  std::int32_t any_neighbour(std::int32_t node) {
    const auto row = neighbours(node);
    return row.empty() ? node : row[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(row.size())))];
  }

  bool accepts(double loss) {
    if (heat_ <= 0) return false;
    const double cooled = heat_ * static_cast<double>(steps_left_) / static_cast<double>(num_steps_);
    return loss < -portable_log1p(-random_.uniform()) * cooled;
  }

  /// Undo the flips of a step.
  void undo(double before) {
    undone_.swap(journal_);
    for (auto node = undone_.rbegin(); node != undone_.rend(); ++node) {
      if (nodes_[at(*node)].is_in) {
        remove(*node, false);
      } else {
        add(*node);
      }
    }
    undone_.clear();
    weight_ = before;
  }

  /// Go back to the best, in time linear in what has changed since.
  void restore() {
    undone_.swap(stale_);
    for (const auto node : undone_) {
      if (nodes_[at(node)].is_in && best_[at(node)]) remove(node, false);
    }
    for (const auto node : undone_) {
      if (!nodes_[at(node)].is_in && !best_[at(node)]) add(node);
    }
    for (const auto node : undone_) is_stale_[at(node)] = 0;
    undone_.clear();
    stale_.clear();
    weight_ = best_weight_;
  }

  /// Make the present set the best, in time linear in what has changed since the last.
  void keep() {
    best_weight_ = weight_;
    for (const auto node : stale_) {
      best_[at(node)] = !nodes_[at(node)].is_in;
      is_stale_[at(node)] = 0;
    }
    stale_.clear();
  }

  /// Choose where the next steps are made, and how many.
  void enter_region() {
    region_.clear();
    ++num_regions_;
    if (moves_ < kFirstSteps * num_nodes() && num_nodes() <= kManyNodes) {
      steps_left_ = kFirstSteps * num_nodes() - moves_;
      return;
    }
    if (enter_next_part()) return;
    const auto most = static_cast<std::size_t>(kSmallestRegion << random_.below(kNumDoublings));
    join_region(static_cast<std::int32_t>(random_.below(num_nodes())));
    grow_region(most, [](std::int32_t) { return true; });
    steps_left_ = num_steps_ = kRegionSteps * static_cast<std::int64_t>(region_.size());
    heat_ = kHeat * total_ / static_cast<double>(num_nodes());
  }

  /// What does not fit the cache is gone through part by part first, some times; false where that was done.
  bool enter_next_part() {
    if (num_nodes() <= kManyNodes) return false;
    const auto is_new = [this](std::int32_t node) { return region_of_[at(node)] <= last_of_pass_; };
    while (place_ < num_nodes() && !is_new(place_)) ++place_;
    if (place_ == num_nodes()) {
      if (passes_left_ == 0) return false;
      --passes_left_;
      place_ = 0;
      last_of_pass_ = num_regions_ - 1;
    }
    join_region(place_);
    grow_region(kPart, is_new);
    steps_left_ = kFirstSteps / kNumPasses * static_cast<std::int64_t>(region_.size());
    return true;
  }

  template <class Condition>
  void grow_region(std::size_t most, Condition may_join) {
    for (std::size_t i = 0; i < region_.size() && region_.size() < most; ++i) {
      const auto row = neighbours(region_[i]);
      if (row.size() > kMostGrown) continue;
      for (const auto other : row) {
        if (may_join(other)) join_region(other);
      }
    }
  }

  void join_region(std::int32_t node) {
    if (region_of_[at(node)] == num_regions_) return;
    region_of_[at(node)] = num_regions_;
    region_.push_back(node);
  }

  std::shared_ptr<const HittingSet> problem_;
  LargeVector<Node> nodes_;
  std::vector<std::uint8_t> best_;
  /// Nodes that changed since the best was kept.
  std::vector<std::uint8_t> is_stale_;
  std::vector<std::int32_t> stale_;
  /// Flips of the present step, nodes to be looked at, and memory for what is done at once.
  std::vector<std::int32_t> journal_, candidates_, blocking_, undone_;
  /// The last step that forced each node.
  std::vector<std::int64_t> step_forced_;
  std::vector<std::int32_t> region_;
  std::vector<std::int64_t> region_of_;
  /// Passes over all parts that are left after this one, and the last region before it.
  std::int64_t passes_left_ = kNumPasses - 1, last_of_pass_ = -1;
  std::int64_t num_regions_ = 0, steps_left_ = 0, num_steps_ = 0, moves_ = 0;
  std::unique_ptr<PackingReducer> peeler_;
  Random random_;
  double offset_, total_ = 0, weight_ = 0, best_weight_ = 0, heat_ = 0;
  /// Where `prepare` is, and then where the next region is; and what was peeled.
  Phase phase_ = Phase::kBegin;
  bool is_filled_ = false;
  std::int32_t place_ = 0;
  std::vector<std::uint8_t> peeled_;
};

/// The two searches in turns, which can be continued.
class PackingSearch {
 public:
  PackingSearch(std::shared_ptr<const HittingSet> problem, std::span<const std::uint8_t> start, std::uint64_t seed,
                double offset)
      : problem_(checked(std::move(problem), start)),
        offset_(offset),
        random_(seed),
        regions_(problem_, start, random_.bits(), offset),
        turn_left_(kFirstTurn * problem_->num_variables()) {}

  /// Continue until the clock ends or the cost plus the offset is at the target; tell whether there is more to do.
  bool run(Clock& clock, double target) {
    if (problem_->num_variables() == 0) return false;
    target -= offset_;
    if (!regions_.prepare(clock)) {
      // Patience is for the search, which has not begun.
      clock.record(best_cost() + offset_, false);
      return best_cost() > target;
    }
    // Without pairs all of it is in the set.
    if (problem_->num_sets() == 0) return false;
    while (best_cost() > target && !clock.is_spent()) {
      const std::int64_t before = clock.moves();
      if (is_weighting_) {
        weighting_->run(clock, target + offset_, turn_left_);
      } else {
        regions_.run(clock, turn_left_, target);
      }
      const std::int64_t made = clock.moves() - before;
      moves_ += made;
      turn_left_ -= made;
      // Where the search with weights has nothing to drop it makes no moves.
      if (turn_left_ <= 0 || (made == 0 && !clock.is_spent())) take_turns();
    }
    return best_cost() > target;
  }

  std::span<const std::uint8_t> best() const { return weighting_leads() ? weighting_->best() : regions_.best(); }
  double best_cost() const { return weighting_leads() ? weighting_->best_cost() : regions_.best_cost(); }
  std::int64_t moves() const { return moves_; }

 private:
  /// Moves per node of the first turn, after which the search with weights begins, and of later ones.
  static constexpr std::int64_t kFirstTurn = 30, kLaterTurn = 1;
  /// Moves of the search with weights for one of the other, which take about as long, and turns of what is ahead.
  static constexpr std::int64_t kWeightingMoves = 3, kLead = 4;
  static constexpr std::int64_t kLeastTurn = 1000;

  static std::shared_ptr<const HittingSet> checked(std::shared_ptr<const HittingSet> problem,
                                                   std::span<const std::uint8_t> start) {
    require(problem->is_pairs(), "the sets of a packing search must be pairs");
    require(static_cast<std::int64_t>(start.size()) == problem->num_variables(), "a start must name every variable");
    return problem;
  }

  bool weighting_leads() const { return weighting_ && weighting_->best_cost() < regions_.best_cost(); }

  void take_turns() {
    is_weighting_ = !is_weighting_;
    if (!weighting_) {
      weighting_ = std::make_unique<CoveringSearch>(problem_, regions_.best(), random_.bits(), offset_);
    }
    const std::int64_t lead = is_weighting_ == weighting_leads() ? kLead : 1;
    turn_left_ = std::max<std::int64_t>(kLeastTurn, kLaterTurn * problem_->num_variables()) * lead;
    if (is_weighting_) turn_left_ *= kWeightingMoves;
  }

  std::shared_ptr<const HittingSet> problem_;
  double offset_;
  Random random_;
  RegionSearch regions_;
  std::unique_ptr<CoveringSearch> weighting_;
  std::int64_t turn_left_, moves_ = 0;
  bool is_weighting_ = false;
};

}  // namespace annealco
