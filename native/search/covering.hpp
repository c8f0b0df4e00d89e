/// Local search with weights for cheap hitting sets, and scouts that look for others far away.
///
/// From a hitting set without superfluous variables, drop the two whose loss costs least, then hit the missed sets
/// again: pick one at random, choose its best variable, and add one to the weight of every set that is still missed.
/// Best is the largest weight gained per cost. A variable is not chosen while its sets have not changed since it was
/// dropped, and not dropped before the next hitting set once it is chosen.
///
/// Where this finds nothing better for long, the search continues below the best cost: it drops one variable, and
/// chooses only as long as the cost stays below the best, whether all sets are hit or not. On large problems the first
/// way is far ahead, because there many sets would stay missed and be weighted at every move; near an optimum, with
/// costs, the second is.
///
/// In a sparse problem, what is gained in one place is lost in others before all sets are hit again. There the search
/// stays close to its best: once it costs too much more, or has not hit all sets for long, it goes back, which undoes
/// what was changed since. A hitting set that costs as much as the best takes its place, so that the search walks on.
/// What a drop leaves missed is weighted at once, or the same would be tried for ever, and with costs a second variable
/// is dropped near the first. After a long time without a better set it goes further: without costs what it may cost
/// more grows, with costs it searches as in other problems.
///
/// On edges this is close to NuMVC (Cai, Su, Luo and Sattar, 2013) and its weighted successors, on neighbourhoods to
/// weighting searches for set covers and domination (Gao, Weise and Li, 2015); here sets may be of any size and costs
/// of any kind.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/bucket_queue.hpp"
#include "core/clock.hpp"
#include "core/random.hpp"
#include "graph/components.hpp"
#include "search/cover_weights.hpp"
#include "search/hitting_set.hpp"

namespace annealco {

/// Tell whether a problem is searched close to the best that is known; see above.
inline bool is_sparse(const HittingSet& problem) {
  constexpr std::int64_t kMostSets = 64, kLeastVariables = 16;
  const std::int64_t most_sets = std::min(kMostSets, problem.num_variables() / kLeastVariables);
  return static_cast<std::int64_t>(problem.members().size()) <= most_sets * problem.num_variables();
}

/// One local search; see `make_weighting_search`.
class WeightingSearch {
 public:
  virtual ~WeightingSearch() = default;

  /// Compute scores and hit all missed sets greedily; false where the clock ended it, to be continued by another call.
  virtual bool prepare(Clock& clock) = 0;

  /// Hit all missed sets in one pass, without scores; for large problems, and where there is no time to prepare.
  virtual void complete_quickly(Clock& clock) = 0;

  /// Make at most so many moves; false once a hitting set costs no more than the target or nothing can be dropped.
  virtual bool run(Clock& clock, std::int64_t most_moves, double target) = 0;

  /// The cheapest hitting set so far, [num_variables] of 0 and 1: at first all variables.
  std::span<const std::uint8_t> best() const { return best_; }
  double best_cost() const { return best_cost_; }
  /// Whether the start has been completed to a hitting set.
  bool is_complete() const { return is_complete_; }
  std::int64_t moves() const { return moves_; }
  std::int64_t moves_since_best() const { return moves_ - improved_; }

 protected:
  std::vector<std::uint8_t> best_;
  double best_cost_ = 0;
  std::int64_t moves_ = 0, improved_ = 0;
  bool is_complete_ = false;
};

/// The search on pairs or on any sets, with costs that are all alike or not.
template <class Weights, bool kUniform>
class WeightingSearchOn final : public WeightingSearch {
 public:
  WeightingSearchOn(std::shared_ptr<const HittingSet> problem, std::span<const std::uint8_t> chosen, std::uint64_t seed,
                    double offset)
      : problem_(std::move(problem)),
        weights_(problem_),
        variables_(chosen.size()),
        age_(chosen.size(), 0),
        queue_(problem_->num_variables(), kNumKeys),
        is_stale_(chosen.size(), 1),
        stale_(chosen.size()),
        random_(seed),
        offset_(offset),
        weight_sum_(problem_->num_sets()) {
    best_.assign(chosen.size(), 1);
    best_cost_ = std::accumulate(problem_->cost().begin(), problem_->cost().end(), 0.0);
    std::iota(stale_.begin(), stale_.end(), 0);
    // What costs nothing is chosen for good.
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (chosen[i] || problem_->cost()[i] <= 0) variables_[i].limit = CoverVariable::kHeld;
    }
    const double mean_weight = kForgetAbove * static_cast<double>(problem_->num_variables());
    most_weight_ = std::min(mean_weight * static_cast<double>(problem_->num_sets()), kMostWeight);
    if constexpr (!kUniform) set_rates();
    if (is_sparse_) slack_ = kSlack * median_cost();
  }

  bool prepare(Clock& clock) override {
    // Greedy choices jump all over a large problem, which takes longer than a pass and is not worth it.
    if (!is_complete_ && problem_->members().size() > kMostGreedyMembers) complete_quickly(clock);
    if (!is_counted_ && !recount(clock)) return false;
    return is_complete_ || complete(clock);
  }

  void complete_quickly(Clock& clock) override {
    for (std::int32_t each = 0; each < problem_->num_sets(); ++each) {
      const auto members = problem_->members(each);
      const auto is_chosen = [&](std::int32_t member) {
        return variables_[static_cast<std::size_t>(member)].is_chosen();
      };
      if (std::any_of(members.begin(), members.end(), is_chosen)) continue;
      std::int32_t picked = members[0];
      for (const auto member : members.subspan(1)) {
        if (has_more_sets(member, picked)) picked = member;
      }
      variables_[static_cast<std::size_t>(picked)].limit = CoverVariable::kHeld;
      note_change(picked);
    }
    is_complete_ = true;
    is_counted_ = false;
    total_ = 0;
    for (std::int32_t variable = 0; variable < problem_->num_variables(); ++variable) {
      if (variables_[static_cast<std::size_t>(variable)].is_chosen()) total_ += cost(variable);
    }
    keep(clock);
  }

  bool run(Clock& clock, std::int64_t most_moves, double target) override {
    const std::int64_t patience = kPatience * problem_->num_variables();
    for (; most_moves > 0; --most_moves) {
      if (!prepare(clock) || !clock.tick()) return true;
      if (weights_.num_missed() == 0) {
        if (!leave(clock, target)) return false;
      } else if (stays_close() && moves_ - departed_ > kLongestWay) {
        go_back();
      } else if (!stays_close() && moves_since_best() > patience) {
        stay_below();
      } else {
        choose(pick());
        raise_weights();
      }
      ++moves_;
    }
    return true;
  }

 private:
  /// Scores up to 2^7 have a key each; beyond, a key spans at most 1 % of the score.
  static constexpr int kMantissaBits = 7;
  static constexpr std::int32_t kNumKeys = 64 << kMantissaBits;
  /// Scores per cost from here on share the last key.
  static constexpr double kLargestKey = 0x1.0p62;
  /// Weights shrink to this part of theirs when their mean exceeds this part of the number of variables.
  static constexpr double kForgetAbove = 0.5, kForgetTo = 0.3;
  /// Or when their sum, which bounds every score, could leave 32 bits.
  static constexpr double kMostWeight = 0x1.0p30;
  /// Moves per variable without a better hitting set after which the search stays below the best cost.
  static constexpr std::int64_t kPatience = 25;
  /// Where the search stays close to its best: by how many median costs it may cost more, at first and at most, for how
  /// many moves sets may stay missed, and the moves per variable without a better set after which it goes further.
  static constexpr double kSlack = 2.0, kMostSlack = 64.0;
  static constexpr std::int64_t kLongestWay = 100, kCloseMoves = 20;

  /// In a problem of more members than this, a start is not completed greedily.
  static constexpr std::size_t kMostGreedyMembers = std::size_t{1} << 20;

  /// How many variables are dropped from a hitting set. One alone would often be chosen again, except where its sets
  /// are weighted at once; but one that costs more than others only makes room together with a second.
  int num_drops() const { return kUniform && is_sparse_ ? 1 : 2; }

  bool stays_close() const {
    return is_sparse_ && (kUniform || moves_since_best() <= kCloseMoves * problem_->num_variables());
  }

  bool has_strayed() const {
    double slack = slack_;
    for (std::int64_t wait = kCloseMoves * problem_->num_variables(); moves_since_best() > wait; wait *= 2) {
      if (slack >= kMostSlack / kSlack * slack_) break;
      slack *= 2;
    }
    return total_ > best_cost_ + slack;
  }

  /// Keep a hitting set without its superfluous variables, and drop some more; false where there is nothing to drop.
  bool leave(Clock& clock, double target) {
    bool kept = false;
    std::int32_t dropped = BucketQueue::kAbsent;
    for (int drops = 0; drops < num_drops();) {
      std::int32_t variable = cheapest();
      if (!kept && (variable == BucketQueue::kAbsent || score(variable) > 0 || clock.is_over())) {
        keep(clock);
        kept = true;
        if (stays_close() && has_strayed()) {
          go_back();
          continue;
        }
      }
      if (best_cost_ <= target) return false;
      if (drops > 0 && stays_close()) {
        if (const std::int32_t near = cheapest_near(dropped); near != BucketQueue::kAbsent) variable = near;
      }
      if (variable != BucketQueue::kAbsent) {
        drops += kept;
        dropped = variable;
        drop(variable);
      } else if (!held_.empty()) {
        release();
      } else if (drops > 0) {
        break;
      } else {
        return false;
      }
    }
    release();
    departed_ = moves_;
    if (stays_close()) raise_weights();
    return true;
  }

  /// Return to the best hitting set.
  void go_back() {
    const std::vector<std::int32_t> changed = std::exchange(stale_, {});
    for (const auto variable : changed) is_stale_[static_cast<std::size_t>(variable)] = 0;
    for (const auto variable : changed) {
      const auto i = static_cast<std::size_t>(variable);
      if (best_[i] && !variables_[i].is_chosen()) choose(variable);
    }
    release();
    for (const auto variable : changed) {
      const auto i = static_cast<std::size_t>(variable);
      if (!best_[i] && variables_[i].is_chosen()) drop(variable);
    }
    for (const auto variable : stale_) is_stale_[static_cast<std::size_t>(variable)] = 0;
    stale_.clear();
    total_ = best_cost_;
  }

  /// Drop a variable, then choose for missed sets as long as the cost stays below the best.
  void stay_below() {
    if (const std::int32_t variable = cheapest(); variable != BucketQueue::kAbsent) drop(variable);
    release();
    while (weights_.num_missed() > 0) {
      const std::int32_t variable = pick();
      if (total_ + cost(variable) >= best_cost_) break;
      choose(variable);
      raise_weights();
      if (!is_counted_) break;
    }
  }

  /// Hit all sets that a start leaves out, greedily: moves would weight all of them anew each time.
  bool complete(Clock& clock) {
    while (weights_.num_missed() > 0) {
      if (clock.is_over()) return false;
      choose(pick());
    }
    release();
    keep(clock);
    return is_complete_ = true;
  }

  /// Keep a hitting set that is cheaper than the best, in time linear in what has changed since the last.
  void keep(Clock& clock) {
    if (total_ > best_cost_ || (total_ == best_cost_ && !stays_close())) return;
    if (total_ < best_cost_) improved_ = moves_;
    best_cost_ = total_;
    for (const auto variable : stale_) {
      const auto i = static_cast<std::size_t>(variable);
      best_[i] = variables_[i].is_chosen();
      is_stale_[i] = 0;
    }
    stale_.clear();
    clock.record(best_cost_ + offset_);
  }

  void note_change(std::int32_t variable) {
    if (is_stale_[static_cast<std::size_t>(variable)]) return;
    is_stale_[static_cast<std::size_t>(variable)] = 1;
    stale_.push_back(variable);
  }

  /// Return the chosen variable that loses least weight per cost, or kAbsent.
  std::int32_t cheapest() {
    for (;;) {
      const std::int32_t variable = queue_.first();
      if (variable == BucketQueue::kAbsent) return variable;
      const std::int32_t key = key_of(variable);
      if (key <= queue_.key(variable)) return variable;
      queue_.take(variable);
      file(variable, key);
    }
  }

  /// Return a chosen variable two steps from another: of those in two random sets the one that loses least weight per
  /// cost, or kAbsent.
  std::int32_t cheapest_near(std::int32_t variable) {
    std::int32_t found = BucketQueue::kAbsent;
    for (int i = 0; i < 2 && !problem_->sets(variable).empty(); ++i) {
      const std::int32_t neighbour = one_of(problem_->members(one_of(problem_->sets(variable))));
      for (const auto each : problem_->members(one_of(problem_->sets(neighbour)))) {
        const CoverVariable& candidate = variables_[static_cast<std::size_t>(each)];
        if (!candidate.is_chosen() || candidate.limit == CoverVariable::kHeld) continue;
        if (found == BucketQueue::kAbsent || score(each) * cost(found) < score(found) * cost(each)) found = each;
      }
    }
    return found;
  }

  std::int32_t one_of(std::span<const std::int32_t> items) {
    return items[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(items.size())))];
  }

  void drop(std::int32_t variable) {
    queue_.take(variable);
    note_change(variable);
    total_ -= cost(variable);
    // The loss of a chosen variable is the gain of the same variable once it is dropped: its score stays.
    variables_[static_cast<std::size_t>(variable)].limit = CoverVariable::kBarred;
    age_[static_cast<std::size_t>(variable)] = moves_;
    weights_.drop(variable, variables_);
  }

  /// Choose a variable, and hold it, so that it is not dropped at once.
  void choose(std::int32_t variable) {
    note_change(variable);
    total_ += cost(variable);
    variables_[static_cast<std::size_t>(variable)].limit = CoverVariable::kHeld;
    weights_.choose(variable, variables_, [this](std::int32_t other) { lower(other); });
    age_[static_cast<std::size_t>(variable)] = moves_;
    held_.push_back(variable);
  }

  /// File the variables that were held.
  void release() {
    for (const auto variable : held_) file(variable, key_of(variable));
    held_.clear();
  }

  void file(std::int32_t variable, std::int32_t key) {
    queue_.file(variable, key);
    variables_[static_cast<std::size_t>(variable)].limit = score(variable);
  }

  /// File a variable anew that has come to lose less than its key says.
  void lower(std::int32_t variable) {
    const std::int32_t key = key_of(variable);
    if (key < queue_.key(variable)) {
      queue_.take(variable);
      queue_.file(variable, key);
    }
    variables_[static_cast<std::size_t>(variable)].limit = score(variable);
  }

  /// Return the best variable of a random missed set: most weight per cost, then the one unchanged for longest.
  std::int32_t pick() {
    const auto count = static_cast<std::int64_t>(weights_.num_missed());
    const auto members = weights_.missed_members(static_cast<std::size_t>(random_.below(count)));
    std::int32_t picked = BucketQueue::kAbsent;
    for (const auto member : members) {
      if (!variables_[static_cast<std::size_t>(member)].is_free()) continue;
      if (picked == BucketQueue::kAbsent || is_better(member, picked)) picked = member;
    }
    if (picked != BucketQueue::kAbsent) return picked;
    return one_of(members);
  }

  bool is_better(std::int32_t one, std::int32_t two) const {
    const auto is_older = [&] { return age_[static_cast<std::size_t>(one)] < age_[static_cast<std::size_t>(two)]; };
    if constexpr (kUniform) {
      return score(one) != score(two) ? score(one) > score(two) : is_older();
    } else {
      const double left = score(one) * cost(two), right = score(two) * cost(one);
      return left != right ? left > right : is_older();
    }
  }

  /// Compare two variables by the number of their sets per cost.
  bool has_more_sets(std::int32_t one, std::int32_t two) const {
    const auto left = static_cast<double>(problem_->sets().length(one)) * cost(two);
    return left > static_cast<double>(problem_->sets().length(two)) * cost(one);
  }

  /// Add one to the weight of every missed set; forget old weights when they have grown large.
  void raise_weights() {
    weights_.raise(variables_);
    weight_sum_ += static_cast<std::int64_t>(weights_.num_missed());
    if (static_cast<double>(weight_sum_) > most_weight_) {
      weight_sum_ = weights_.forget(kForgetTo);
      is_counted_ = false;
    }
  }

  /// Compute everything from the choice and the weights; false where the clock ended it.
  bool recount(Clock& clock) {
    if (!weights_.recount(variables_, clock)) return false;
    queue_.clear();
    held_.clear();
    total_ = 0;
    for (std::int32_t variable = 0; variable < problem_->num_variables(); ++variable) {
      if (!variables_[static_cast<std::size_t>(variable)].is_chosen()) continue;
      total_ += cost(variable);
      if (cost(variable) > 0) file(variable, key_of(variable));
    }
    return is_counted_ = true;
  }

  /// Return the median of the costs that are positive, 1 where none is: a mean would overflow before its terms do.
  double median_cost() const {
    std::vector<double> positive;
    std::copy_if(problem_->cost().begin(), problem_->cost().end(), std::back_inserter(positive),
                 [](double each) { return each > 0; });
    if (positive.empty()) return 1.0;
    const auto middle = positive.begin() + static_cast<std::ptrdiff_t>(positive.size() / 2);
    std::nth_element(positive.begin(), middle, positive.end());
    return *middle;
  }

  void set_rates() {
    const double scale = median_cost();
    rate_.resize(variables_.size());
    // What costs next to nothing beside the others has a rate that is large, but no more than a float holds.
    for (std::size_t i = 0; i < rate_.size(); ++i) rate_[i] = scale / std::max(problem_->cost()[i], 1e-300 * scale);
  }

  std::int32_t score(std::int32_t variable) const { return variables_[static_cast<std::size_t>(variable)].score; }
  double cost(std::int32_t variable) const { return problem_->cost(variable); }

  std::int32_t key_of(std::int32_t variable) const {
    if constexpr (kUniform) {
      return leading_bits(score(variable), kMantissaBits);
    } else {
      const double value = score(variable) * rate_[static_cast<std::size_t>(variable)];
      return value < kLargestKey ? leading_bits(value, kMantissaBits) : kNumKeys - 1;
    }
  }

  std::shared_ptr<const HittingSet> problem_;
  Weights weights_;
  std::vector<CoverVariable> variables_;
  std::vector<double> rate_;
  /// The move at which each variable last changed.
  std::vector<std::int64_t> age_;
  /// The chosen variables by what dropping them loses per cost; keys may be too low.
  BucketQueue queue_;
  /// The variables chosen since the last hitting set.
  std::vector<std::int32_t> held_;
  /// The variables that changed since the best was kept.
  std::vector<std::uint8_t> is_stale_;
  std::vector<std::int32_t> stale_;
  Random random_;
  double offset_, total_ = 0, most_weight_ = 0, slack_ = 0;
  std::int64_t weight_sum_;
  /// The move at which variables of a hitting set were last dropped.
  std::int64_t departed_ = 0;
  bool is_counted_ = false, is_sparse_ = is_sparse(*problem_);
};

/// Return a local search from any choice of variables; `offset` is added to costs that the clock records.
inline std::unique_ptr<WeightingSearch> make_weighting_search(const std::shared_ptr<const HittingSet>& problem,
                                                              std::span<const std::uint8_t> chosen, std::uint64_t seed,
                                                              double offset) {
  const auto cost = problem->cost();
  const auto is_first = [&](double each) { return each == cost[0] && each > 0; };
  const bool uniform = std::all_of(cost.begin(), cost.end(), is_first);
  if (problem->is_pairs()) {
    if (uniform) return std::make_unique<WeightingSearchOn<PairWeights, true>>(problem, chosen, seed, offset);
    return std::make_unique<WeightingSearchOn<PairWeights, false>>(problem, chosen, seed, offset);
  }
  if (uniform) return std::make_unique<WeightingSearchOn<SetWeights, true>>(problem, chosen, seed, offset);
  return std::make_unique<WeightingSearchOn<SetWeights, false>>(problem, chosen, seed, offset);
}

/// Return a hitting set that costs no more than either of two: in each part in which they differ it is the cheaper one.
///
/// A set that has a member in common to both is hit whatever is taken. In any other, what the two have chosen is bound
/// together: one of the two must be taken as a whole. What is bound together, directly or not, is a part (partition
/// crossover: Whitley, Hains and Howe, 2009, for tours).
inline std::vector<std::uint8_t> join_hitting_sets(const HittingSet& problem, std::span<const std::uint8_t> one,
                                                   std::span<const std::uint8_t> two) {
  const auto count = static_cast<std::size_t>(problem.num_variables());
  DisjointSets parts(problem.num_variables());
  for (std::int32_t each = 0; each < problem.num_sets(); ++each) {
    const auto members = problem.members(each);
    const auto is_common = [&](std::int32_t member) {
      return (one[static_cast<std::size_t>(member)] & two[static_cast<std::size_t>(member)]) != 0;
    };
    if (std::any_of(members.begin(), members.end(), is_common)) continue;
    std::int32_t first = -1;
    for (const auto member : members) {
      if ((one[static_cast<std::size_t>(member)] | two[static_cast<std::size_t>(member)]) == 0) continue;
      if (first < 0) first = member;
      parts.join(first, member);
    }
  }
  const std::vector<std::int32_t> part = parts.roots();
  std::vector<double> saved(count, 0.0);  // by taking the second, by part
  for (std::int32_t variable = 0; variable < problem.num_variables(); ++variable) {
    const auto i = static_cast<std::size_t>(variable);
    saved[static_cast<std::size_t>(part[i])] += (one[i] - two[i]) * problem.cost(variable);
  }
  std::vector<std::uint8_t> joined(count);
  for (std::int32_t variable = 0; variable < problem.num_variables(); ++variable) {
    const auto i = static_cast<std::size_t>(variable);
    joined[i] = saved[static_cast<std::size_t>(part[i])] > 0 ? two[i] : one[i];
  }
  return joined;
}

/// The local search with scouts, which can be continued.
///
/// A search that drops and chooses a few variables at a time stays near its hitting set. Where good ones lie far apart,
/// as large cliques with few nodes in common do, it would never leave the first it met. So after a time without
/// improvement a scout starts elsewhere with weights of its own, and where it finds a cheaper set the search continues
/// from there. Scouts are sent at growing intervals: most problems are not of that kind.
///
/// In a large sparse problem a scout is better in some places and worse in others. It searches until it finds nothing
/// better for a while, then of every part in which the two hitting sets differ the cheaper one is taken
/// (`join_hitting_sets`), and the search continues from there.
class CoveringSearch {
 public:
  CoveringSearch(std::shared_ptr<const HittingSet> problem, std::span<const std::uint8_t> start, std::uint64_t seed,
                 double offset)
      : problem_(std::move(problem)),
        offset_(offset),
        joins_(is_sparse(*problem_) && problem_->num_variables() > kMostScouted),
        patience_(joins_ && problem_->is_pairs() ? kNever
                                                 : (joins_ ? kFirstJoin : kFirstScout) * problem_->num_variables()),
        random_(seed) {
    require(static_cast<std::int64_t>(start.size()) == problem_->num_variables(), "a start must name every variable");
    search_ = make_weighting_search(problem_, start, random_.bits(), offset_);
  }

  /// Continue until the clock ends, so many moves are made or the cost plus the offset is at the target; tell whether
  /// there is more to do.
  bool run(Clock& clock, double target, std::int64_t most_moves = Clock::kNoLimit) {
    const std::int64_t before = clock.moves();
    const bool go_on = problem_->num_variables() > 0 && advance(clock, target - offset_, most_moves);
    clock.record(search_->best_cost() + offset_);
    moves_ += clock.moves() - before;
    return go_on;
  }

  std::span<const std::uint8_t> best() const { return search_->best(); }
  double best_cost() const { return search_->best_cost(); }
  std::int64_t moves() const { return moves_; }
  std::int64_t num_scouts() const { return num_scouts_; }

 private:
  /// Moves per variable without a better set before the first scout, and moves per variable of each.
  static constexpr std::int64_t kFirstScout = 20, kScoutMoves = 3;
  /// In sparse problems of more variables scouts have to search everywhere again, and are joined to the best; those of
  /// pairs get none, since they are searched in regions too.
  static constexpr std::int64_t kMostScouted = 1'500;
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 2;
  /// Moves per variable without a better set before the first scout that is joined; those of a scout without a better
  /// set, and altogether, before it is.
  static constexpr std::int64_t kFirstJoin = 40, kJoinAfter = 10, kMostJoined = 60;
  /// By how much the time before the next scout grows when one was joined in vain.
  static constexpr std::int64_t kVain = 4;
  /// By how much the time before the next scout grows.
  static constexpr double kLaterScouts = 1.3;

  bool advance(Clock& clock, double target, std::int64_t most_moves) {
    if (!search_->prepare(clock)) {
      if (!search_->is_complete()) search_->complete_quickly(clock);
      return search_->best_cost() > target;
    }
    // A scout may have been under way when the last call ended: what it finds counts from the best on.
    clock.record(search_->best_cost() + offset_);
    const std::int64_t before = clock.moves();
    while (!clock.is_spent() && clock.moves() - before < most_moves) {
      const std::int64_t left = most_moves - (clock.moves() - before);
      if (!scout_ && until_scout() <= 0) send_scout();
      if (scout_) {
        advance_scout(clock, target, left);
        if (search_->best_cost() <= target) return false;
      } else if (!search_->run(clock, std::min(left, until_scout()), target)) {
        return false;
      }
    }
    return true;
  }

  void advance_scout(Clock& clock, double target, std::int64_t most_moves) {
    if (joins_) {
      advance_join(clock, target, most_moves);
      return;
    }
    const std::int64_t most = kScoutMoves * problem_->num_variables();
    const bool go_on = scout_->run(clock, std::min(most_moves, most - scout_->moves()), target);
    if (scout_->best_cost() < search_->best_cost()) {
      search_ = std::move(scout_);
    } else if (!go_on || scout_->moves() >= most) {
      scout_.reset();
    }
  }

  /// Continue a scout of a large sparse problem, and join it to the best once it finds nothing better for a while.
  void advance_join(Clock& clock, double target, std::int64_t most_moves) {
    const std::int64_t wait = std::min(kJoinAfter * problem_->num_variables() - scout_->moves_since_best(),
                                       kMostJoined * problem_->num_variables() - scout_->moves());
    if (wait > 0 && scout_->run(clock, std::min(most_moves, wait), target)) return;
    const auto joined = join_hitting_sets(*problem_, search_->best(), scout_->best());
    scout_.reset();
    if (cost_of(joined) >= search_->best_cost()) {
      patience_ *= kVain;
      return;
    }
    search_ = make_weighting_search(problem_, joined, random_.bits(), offset_);
    if (!search_->prepare(clock) && !search_->is_complete()) search_->complete_quickly(clock);
    patience_ = kFirstJoin * problem_->num_variables();
  }

  double cost_of(std::span<const std::uint8_t> chosen) const {
    double total = 0;
    for (std::size_t i = 0; i < chosen.size(); ++i) total += chosen[i] ? problem_->cost()[i] : 0.0;
    return total;
  }

  std::int64_t until_scout() const { return patience_ - search_->moves_since_best(); }

  /// Start from a random variable that is left out: what this forces is chosen, and the rest greedily.
  void send_scout() {
    ++num_scouts_;
    if (!joins_) patience_ = static_cast<std::int64_t>(kLaterScouts * static_cast<double>(patience_));
    std::vector<std::uint8_t> chosen(static_cast<std::size_t>(problem_->num_variables()), 0);
    const auto variable = static_cast<std::int32_t>(random_.below(problem_->num_variables()));
    for (const auto each : problem_->sets(variable)) {
      const auto members = problem_->members(each);
      if (members.size() == 2) chosen[static_cast<std::size_t>(members[0] ^ members[1] ^ variable)] = 1;
    }
    scout_ = make_weighting_search(problem_, chosen, random_.bits(), offset_);
  }

  std::shared_ptr<const HittingSet> problem_;
  double offset_;
  bool joins_;
  std::int64_t patience_, num_scouts_ = 0, moves_ = 0;
  Random random_;
  std::unique_ptr<WeightingSearch> search_, scout_;
};

}  // namespace annealco
