/// Reductions: shrink a hitting set problem without losing an optimum.
///
/// Rules, until none applies: a variable without cost is chosen; the only member of a set is chosen; a variable is
/// dropped if another one that costs no more is in all of its sets; a set is dropped if it contains another set; if the
/// sets of a variable are pairs, its partners form pairs with one another and none costs more than it does, the
/// partners are chosen. On edges these take isolated and pendant nodes and corners of triangles, on neighbourhoods
/// leaves and twins. Near-linear in the size of the problem: variables of many sets and sets of many members are left
/// alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "search/hitting_set.hpp"
#include "search/packing_kernel.hpp"

namespace annealco {

/// What is left of a problem, and how to go back.
///
/// Reductions are made in stages, each on what the one before has left: on sets, then on pairs where only pairs are
/// left.
class Reduction {
 public:
  /// Begin with a problem of which all is left.
  explicit Reduction(std::shared_ptr<const HittingSet> problem)
      : kernel_(std::move(problem)),
        left_(static_cast<std::size_t>(kernel_->num_variables())),
        num_variables_(left_.size()) {
    std::iota(left_.begin(), left_.end(), 0);
  }

  /// How many variables the whole problem has.
  std::size_t num_variables() const { return num_variables_; }
  /// The smaller problem; the problem itself where no rule applied.
  const std::shared_ptr<const HittingSet>& kernel() const { return kernel_; }
  /// [num_kernel_variables] the variables of the kernel.
  std::span<const std::int32_t> left() const { return left_; }
  /// What a lifted solution costs at most beside the solution of the kernel.
  double offset() const { return offset_; }

  /// Add a stage: what it chooses, [num_variables], whatever is chosen of the variables that it leaves.
  void add(std::shared_ptr<const HittingSet> kernel, std::vector<std::uint8_t> chosen, std::vector<std::int32_t> left) {
    for (std::size_t i = 0; i < chosen.size(); ++i) offset_ += chosen[i] ? kernel_->cost()[i] : 0.0;
    advance(std::move(kernel), {std::move(chosen), std::move(left), PackingHistory()});
  }

  /// Add a stage on pairs.
  void add(std::shared_ptr<const HittingSet> kernel, const PackingReducer& reducer, std::vector<std::int32_t> left) {
    const auto total = [](std::span<const double> cost) { return std::accumulate(cost.begin(), cost.end(), 0.0); };
    // What is chosen is the complement of an independent set.
    offset_ += total(kernel_->cost()) - (reducer.gained() + total(kernel->cost()));
    std::vector<std::uint8_t> chosen(static_cast<std::size_t>(kernel_->num_variables()), 0);
    advance(std::move(kernel), {std::move(chosen), std::move(left), reducer.history()});
  }

  /// Return the solution of the whole problem that a solution of the kernel stands for.
  std::vector<std::uint8_t> lift(std::span<const std::uint8_t> kernel_chosen) const {
    std::vector<std::uint8_t> result(kernel_chosen.begin(), kernel_chosen.end());
    for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
      std::vector<std::uint8_t> before = stage->chosen;
      for (std::size_t i = 0; i < stage->left.size(); ++i) before[static_cast<std::size_t>(stage->left[i])] = result[i];
      if (stage->history.size() > 0) {
        invert(before);
        stage->history.lift(before);
        invert(before);
      }
      result = std::move(before);
    }
    return result;
  }

  /// Return the solution of the kernel that is closest to one of the whole problem: a start for a search.
  std::vector<std::uint8_t> restrict(std::span<const std::uint8_t> chosen) const {
    std::vector<std::uint8_t> result(chosen.begin(), chosen.end());
    for (const Stage& stage : stages_) {
      if (stage.history.size() > 0) {
        invert(result);
        stage.history.restrict(result);
        invert(result);
      }
      std::vector<std::uint8_t> after;
      after.reserve(stage.left.size());
      for (const auto variable : stage.left) after.push_back(result[static_cast<std::size_t>(variable)]);
      result = std::move(after);
    }
    return result;
  }

 private:
  struct Stage {
    std::vector<std::uint8_t> chosen;
    std::vector<std::int32_t> left;
    PackingHistory history;
  };

  static void invert(std::span<std::uint8_t> bits) {
    for (auto& bit : bits) bit ^= 1;
  }

  void advance(std::shared_ptr<const HittingSet> kernel, Stage stage) {
    kernel_ = std::move(kernel);
    std::vector<std::int32_t> left;
    left.reserve(stage.left.size());
    for (const auto variable : stage.left) left.push_back(left_[static_cast<std::size_t>(variable)]);
    left_ = std::move(left);
    stages_.push_back(std::move(stage));
  }

  std::shared_ptr<const HittingSet> kernel_;
  std::vector<std::int32_t> left_;
  std::size_t num_variables_;
  std::vector<Stage> stages_;
  double offset_ = 0;
};

class Reducer {
 public:
  explicit Reducer(std::shared_ptr<const HittingSet> problem)
      : problem_(std::move(problem)),
        status_(static_cast<std::size_t>(problem_->num_variables()), Status::kFree),
        degree_(static_cast<std::size_t>(problem_->num_variables())),
        is_alive_(static_cast<std::size_t>(problem_->num_sets()), 1),
        size_(static_cast<std::size_t>(problem_->num_sets())),
        variables_(problem_->num_variables()),
        sets_(problem_->num_sets()) {
    for (std::int32_t v = 0; v < problem_->num_variables(); ++v) {
      degree_[at(v)] = static_cast<std::int32_t>(problem_->sets().length(v));
      variables_.push(v);
    }
    for (std::int32_t e = 0; e < problem_->num_sets(); ++e) {
      size_[at(e)] = static_cast<std::int32_t>(problem_->set_length(e));
    }
    // Sets of one size contain no other, except for copies, which do no harm.
    const auto [least, most] = std::minmax_element(size_.begin(), size_.end());
    if (!size_.empty() && (*least == 1 || *least < *most)) {
      for (std::int32_t e = 0; e < problem_->num_sets(); ++e) sets_.push(e);
    }
  }

  /// Apply the rules until none applies or the clock ends it.
  void apply(Clock& clock) {
    while (!clock.is_over()) {
      if (!sets_.empty()) {
        if (const std::int32_t each = sets_.pop(); is_alive_[at(each)]) look_at_set(each);
      } else if (!variables_.empty()) {
        if (const std::int32_t variable = variables_.pop(); is_free(variable)) look_at_variable(variable);
      } else {
        break;
      }
    }
  }

  /// Add what was done as a stage, unless that is nothing.
  void add_to(Reduction& reduction) const {
    std::vector<std::uint8_t> chosen(status_.size(), 0);
    std::vector<std::int32_t> left;
    for (std::int32_t v = 0; v < problem_->num_variables(); ++v) {
      chosen[at(v)] = status_[at(v)] == Status::kChosen;
      if (is_free(v) && degree_[at(v)] > 0) left.push_back(v);
    }
    if (left.size() == status_.size() && num_dropped_sets_ == 0) return;
    auto smaller = kernel(left);
    reduction.add(std::move(smaller), std::move(chosen), std::move(left));
  }

 private:
  enum class Status : std::uint8_t { kFree, kChosen, kDropped };

  /// Rules look at variables of at most so many sets, and at sets of at most so many members, so that they stay cheap.
  static constexpr std::int32_t kMostSets = 8, kMostMembers = 32;

  /// A queue that holds each number at most once.
  class Waiting {
   public:
    explicit Waiting(std::int64_t count)
        : ring_(static_cast<std::size_t>(count)), waits_(static_cast<std::size_t>(count), 0) {}

    bool empty() const { return count_ == 0; }

    void push(std::int32_t number) {
      if (waits_[at(number)]) return;
      waits_[at(number)] = 1;
      const std::size_t end = first_ + count_++;
      ring_[end < ring_.size() ? end : end - ring_.size()] = number;
    }

    std::int32_t pop() {
      const std::int32_t number = ring_[first_];
      first_ = first_ + 1 == ring_.size() ? 0 : first_ + 1;
      --count_;
      waits_[at(number)] = 0;
      return number;
    }

   private:
    std::vector<std::int32_t> ring_;
    std::vector<std::uint8_t> waits_;
    std::size_t first_ = 0, count_ = 0;
  };

  static std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }
  bool is_free(std::int32_t variable) const { return status_[at(variable)] == Status::kFree; }

  /// Choose the only member, or drop the sets that hold all members.
  void look_at_set(std::int32_t each) {
    if (size_[at(each)] > kMostMembers) return;
    std::int32_t rarest = -1;
    for (const auto member : problem_->members(each)) {
      if (is_free(member) && (rarest < 0 || degree_[at(member)] < degree_[at(rarest)])) rarest = member;
    }
    if (size_[at(each)] == 1) {
      choose(rarest);
    } else if (degree_[at(rarest)] <= kMostSets) {
      for (const auto other : problem_->sets(rarest)) {
        if (other != each && is_alive_[at(other)] && contains(other, each)) drop_set(other);
      }
    }
  }

  /// Choose or drop a variable, or choose its partners.
  void look_at_variable(std::int32_t variable) {
    if (problem_->cost(variable) <= 0) {
      choose(variable);
    } else if (0 < degree_[at(variable)] && degree_[at(variable)] <= kMostSets) {
      std::int32_t smallest = -1;
      for (const auto each : problem_->sets(variable)) {
        if (is_alive_[at(each)] && (smallest < 0 || size_[at(each)] < size_[at(smallest)])) smallest = each;
      }
      if (size_[at(smallest)] > kMostMembers) return;
      if (is_dominated(variable, smallest)) {
        drop(variable);
      } else if (is_corner(variable)) {
        for (const auto each : problem_->sets(variable)) {
          if (is_alive_[at(each)]) choose(partner(each, variable));
        }
      }
    }
  }

  bool contains(std::int32_t outer, std::int32_t inner) const {
    if (size_[at(outer)] < size_[at(inner)] || is_long(outer)) return false;
    const auto members = problem_->members(inner);
    return std::all_of(members.begin(), members.end(),
                       [&](std::int32_t member) { return !is_free(member) || holds(outer, member); });
  }

  bool is_long(std::int32_t each) const { return problem_->set_length(each) > 8 * kMostMembers; }

  bool holds(std::int32_t each, std::int32_t variable) const {
    const auto members = problem_->members(each);
    return std::find(members.begin(), members.end(), variable) != members.end();
  }

  /// Tell whether some variable that costs no more is in all sets of this one.
  bool is_dominated(std::int32_t variable, std::int32_t smallest) const {
    for (const auto other : problem_->members(smallest)) {
      if (other == variable || !is_free(other) || problem_->cost(other) > problem_->cost(variable)) continue;
      if (degree_[at(other)] >= degree_[at(variable)] && is_in_all(variable, other)) return true;
    }
    return false;
  }

  bool is_in_all(std::int32_t variable, std::int32_t other) const {
    const auto sets = problem_->sets(variable);
    return std::all_of(sets.begin(), sets.end(), [&](std::int32_t each) {
      return !is_alive_[at(each)] || (!is_long(each) && holds(each, other));
    });
  }

  /// Tell whether the partners of a variable are cheap and form pairs with one another.
  bool is_corner(std::int32_t variable) const {
    std::int32_t partners[kMostSets];
    std::int32_t count = 0;
    for (const auto each : problem_->sets(variable)) {
      if (!is_alive_[at(each)]) continue;
      if (size_[at(each)] != 2) return false;
      const std::int32_t one = partner(each, variable);
      if (problem_->cost(one) > problem_->cost(variable) || degree_[at(one)] > 4 * kMostMembers) return false;
      const auto pairs_with_one = [&](std::int32_t two) { return one == two || form_pair(one, two); };
      if (!std::all_of(partners, partners + count, pairs_with_one)) return false;
      partners[count++] = one;
    }
    return true;
  }

  std::int32_t partner(std::int32_t pair, std::int32_t variable) const {
    for (const auto member : problem_->members(pair)) {
      if (member != variable && is_free(member)) return member;
    }
    return variable;
  }

  bool form_pair(std::int32_t one, std::int32_t two) const {
    const auto sets = problem_->sets(degree_[at(one)] <= degree_[at(two)] ? one : two);
    const std::int32_t other = degree_[at(one)] <= degree_[at(two)] ? two : one;
    return std::any_of(sets.begin(), sets.end(), [&](std::int32_t each) {
      return is_alive_[at(each)] && size_[at(each)] == 2 && holds(each, other);
    });
  }

  void choose(std::int32_t variable) {
    if (!is_free(variable)) return;
    status_[at(variable)] = Status::kChosen;
    for (const auto each : problem_->sets(variable)) {
      if (is_alive_[at(each)]) drop_set(each);
    }
  }

  void drop(std::int32_t variable) {
    status_[at(variable)] = Status::kDropped;
    for (const auto each : problem_->sets(variable)) {
      if (!is_alive_[at(each)]) continue;
      --size_[at(each)];
      sets_.push(each);
    }
  }

  void drop_set(std::int32_t each) {
    is_alive_[at(each)] = 0;
    ++num_dropped_sets_;
    for (const auto member : problem_->members(each)) {
      if (--degree_[at(member)] <= kMostSets && is_free(member)) variables_.push(member);
    }
  }

  std::shared_ptr<const HittingSet> kernel(std::span<const std::int32_t> left) const {
    std::vector<std::int32_t> number(status_.size(), -1);
    std::vector<double> cost;
    for (const auto variable : left) {
      number[at(variable)] = static_cast<std::int32_t>(cost.size());
      cost.push_back(problem_->cost(variable));
    }
    std::vector<std::int64_t> lengths;
    std::vector<std::int32_t> members;
    for (std::int32_t each = 0; each < problem_->num_sets(); ++each) {
      if (!is_alive_[at(each)]) continue;
      lengths.push_back(size_[at(each)]);
      for (const auto member : problem_->members(each)) {
        if (is_free(member)) members.push_back(number[at(member)]);
      }
    }
    return std::make_shared<const HittingSet>(std::move(cost), lengths, std::move(members));
  }

  std::shared_ptr<const HittingSet> problem_;
  std::vector<Status> status_;
  /// How many sets of each variable, and free members of each set, are left.
  std::vector<std::int32_t> degree_;
  std::vector<std::uint8_t> is_alive_;
  std::vector<std::int32_t> size_;
  std::int64_t num_dropped_sets_ = 0;
  Waiting variables_, sets_;
};

/// Shrink a problem until no rule applies or the clock ends it; on pairs every look at a variable is a move.
inline Reduction reduce(std::shared_ptr<const HittingSet> problem, Clock& clock) {
  Reduction reduction(std::move(problem));
  if (!reduction.kernel()->is_pairs()) {
    Reducer reducer(reduction.kernel());
    reducer.apply(clock);
    reducer.add_to(reduction);
  }
  if (reduction.kernel()->is_pairs() && !clock.is_spent()) {
    PackingReducer reducer(*reduction.kernel());
    if (reducer.apply(clock)) reducer.solve_components(clock);
    // Whoever asks for a stop does not want a kernel, which takes a while to build.
    const bool is_stopped = clock.stop() && clock.stop()->is_set();
    if (!reducer.is_whole() && !is_stopped) {
      auto left = reducer.left();
      auto kernel = reducer.kernel(left);
      reduction.add(std::move(kernel), reducer, std::move(left));
    }
  }
  return reduction;
}

}  // namespace annealco
