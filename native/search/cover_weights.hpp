/// Weights of sets, and what they make variables worth, for the weighting local search on hitting sets.
///
/// Every set has a weight. A chosen variable is worth the weight of the sets that only it hits, which dropping it would
/// lose; a variable that is not chosen is worth the weight of the missed sets it is in, which choosing it would gain.
/// Two classes with one interface keep these scores up to date under moves: `PairWeights` where all sets are pairs,
/// `SetWeights` for sets of any size.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "search/hitting_set.hpp"

namespace annealco {

/// What the inner loops read and write of a variable; 8 bytes, so that most of a problem fits into the cache.
struct CoverVariable {
  /// Chosen, and not in the queue of those that may be dropped.
  static constexpr std::int32_t kHeld = std::numeric_limits<std::int32_t>::min();
  /// Not chosen. Barred is one whose sets have not changed since it was dropped.
  static constexpr std::int32_t kBarred = std::numeric_limits<std::int32_t>::max() - 1;
  static constexpr std::int32_t kFree = std::numeric_limits<std::int32_t>::max();

  std::int32_t score = 0;
  /// A state above, or, of a chosen variable in the queue, the score below which its place there must be looked at. So
  /// one comparison, `score < limit`, finds both kinds of variables that need more than a new score when they lose
  /// some.
  std::int32_t limit = kFree;

  bool is_chosen() const { return limit < kBarred; }
  bool is_free() const { return limit == kFree; }
};

using CoverVariables = std::span<CoverVariable>;

/// Return a weight that has been forgotten in part. A weight of 0 would make the variable that hits the set look
/// superfluous.
inline std::int32_t faded(std::int32_t weight, double factor) {
  return std::max(1, static_cast<std::int32_t>(factor * weight));
}

/// All sets are pairs. A pair's weight stands at both ends beside the partner, so that moves read memory in order.
class PairWeights {
 public:
  explicit PairWeights(std::shared_ptr<const HittingSet> problem)
      : problem_(std::move(problem)), place_(static_cast<std::size_t>(problem_->num_sets())) {
    entries_.reserve(problem_->partners().size());
    for (const auto partner : problem_->partners()) entries_.push_back({partner, 1});
  }

  std::size_t num_missed() const { return missed_.size(); }
  std::span<const std::int32_t> missed_members(std::size_t i) const { return missed_[i].members; }

  /// Update scores when a chosen variable is dropped.
  void drop(std::int32_t variable, CoverVariables variables) {
    const auto [first, last] = range(variable);
    for (std::size_t k = first; k < last; ++k) {
      const Entry entry = entries_[k];
      CoverVariable& partner = variables[static_cast<std::size_t>(entry.partner)];
      // The partner loses the weight with its drop if it is chosen, and gains it with its choice if not.
      partner.score += entry.weight;
      if (!partner.is_chosen()) {
        partner.limit = CoverVariable::kFree;
        add_missed(problem_->sets().index[k], variable, entry.partner);
      }
    }
  }

  /// Update scores when a variable is chosen, and call `lowered(other)` for those whose place in the queue may change.
  template <class Lowered>
  void choose(std::int32_t variable, CoverVariables variables, Lowered&& lowered) {
    const auto [first, last] = range(variable);
    for (std::size_t k = first; k < last; ++k) {
      const Entry entry = entries_[k];
      CoverVariable& partner = variables[static_cast<std::size_t>(entry.partner)];
      partner.score -= entry.weight;
      if (partner.score < partner.limit) {
        if (partner.is_chosen()) {
          lowered(entry.partner);
        } else {
          partner.limit = CoverVariable::kFree;
          partner.score -= remove_missed(problem_->sets().index[k]);
        }
      }
    }
  }

  /// Add one to the weight of every missed set. The weights themselves follow when the set is hit.
  void raise(CoverVariables variables) {
    ++num_raises_;
    for (const Missed& each : missed_) {
      ++variables[static_cast<std::size_t>(each.members[0])].score;
      ++variables[static_cast<std::size_t>(each.members[1])].score;
    }
  }

  /// Shrink all weights; return their sum. Scores must be counted anew.
  std::int64_t forget(double factor) {
    settle();
    std::int64_t sum = 0;
    for (Entry& entry : entries_) sum += entry.weight = faded(entry.weight, factor);
    return sum / 2;
  }

  /// Compute scores and missed sets from the choice and the weights; false where the clock ended it.
  bool recount(CoverVariables variables, Clock& clock) {
    settle();
    missed_.clear();
    for (CoverVariable& each : variables) each.score = 0;
    const auto count = static_cast<std::int32_t>(variables.size());
    for (std::int32_t variable = 0; variable < count; ++variable) {
      if (variables[static_cast<std::size_t>(variable)].is_chosen()) continue;
      const auto [first, last] = range(variable);
      if (clock.is_over(1 + static_cast<std::int64_t>(last - first) / kEntriesPerMove)) return false;
      for (std::size_t k = first; k < last; ++k) {
        const std::int32_t other = entries_[k].partner;
        CoverVariable& partner = variables[static_cast<std::size_t>(other)];
        partner.score += entries_[k].weight;
        if (other > variable && !partner.is_chosen()) add_missed(problem_->sets().index[k], variable, other);
      }
    }
    return true;
  }

 private:
  struct Entry {
    std::int32_t partner, weight;
  };
  /// A missed set; its weight has grown by one at every raise since it was listed.
  struct Missed {
    std::int32_t set;
    std::uint32_t since;
    std::array<std::int32_t, 2> members;
  };
  static constexpr std::int64_t kEntriesPerMove = 16;

  std::pair<std::size_t, std::size_t> range(std::int32_t variable) const {
    const auto start = problem_->sets().start;
    return {static_cast<std::size_t>(start[static_cast<std::size_t>(variable)]),
            static_cast<std::size_t>(start[static_cast<std::size_t>(variable) + 1])};
  }

  void add_missed(std::int32_t set, std::int32_t one, std::int32_t two) {
    place_[static_cast<std::size_t>(set)] = static_cast<std::int32_t>(missed_.size());
    missed_.push_back({set, num_raises_, {one, two}});
  }

  /// Take a set from the list; return by how much its weight had grown.
  std::int32_t remove_missed(std::int32_t set) {
    const auto place = static_cast<std::size_t>(place_[static_cast<std::size_t>(set)]);
    const std::int32_t growth = settle(missed_[place]);
    missed_[place] = missed_.back();
    place_[static_cast<std::size_t>(missed_[place].set)] = static_cast<std::int32_t>(place);
    missed_.pop_back();
    return growth;
  }

  std::int32_t settle(Missed& missed) {
    const auto growth = static_cast<std::int32_t>(num_raises_ - missed.since);
    if (growth == 0) return 0;
    missed.since = num_raises_;
    const auto positions = problem_->positions().subspan(2 * static_cast<std::size_t>(missed.set), 2);
    for (const auto position : positions) entries_[static_cast<std::size_t>(position)].weight += growth;
    return growth;
  }

  void settle() {
    for (Missed& each : missed_) settle(each);
  }

  std::shared_ptr<const HittingSet> problem_;
  std::vector<Entry> entries_;
  std::vector<Missed> missed_;
  std::vector<std::int32_t> place_;
  std::uint32_t num_raises_ = 0;
};

/// Sets of any size. How many members are chosen is counted for each, and which one it is where it is one.
class SetWeights {
 public:
  explicit SetWeights(std::shared_ptr<const HittingSet> problem)
      : problem_(std::move(problem)), sets_(static_cast<std::size_t>(problem_->num_sets())) {}

  std::size_t num_missed() const { return missed_.size(); }
  std::span<const std::int32_t> missed_members(std::size_t i) const { return problem_->members(missed_[i]); }

  void drop(std::int32_t variable, CoverVariables variables) {
    for (const auto each : problem_->sets(variable)) {
      Set& set = sets_[static_cast<std::size_t>(each)];
      set.keeper ^= variable;
      if (--set.hits == 1) {
        variables[static_cast<std::size_t>(set.keeper)].score += set.weight;
      } else if (set.hits == 0) {
        add_missed(each);
        change_gains(variable, each, set.weight, variables);
      }
    }
  }

  template <class Lowered>
  void choose(std::int32_t variable, CoverVariables variables, Lowered&& lowered) {
    for (const auto each : problem_->sets(variable)) {
      Set& set = sets_[static_cast<std::size_t>(each)];
      if (set.hits == 1) {
        CoverVariable& keeper = variables[static_cast<std::size_t>(set.keeper)];
        keeper.score -= set.weight;
        if (keeper.score < keeper.limit) lowered(set.keeper);
      } else if (set.hits == 0) {
        remove_missed(each);
        change_gains(variable, each, -set.weight, variables);
      }
      ++set.hits;
      set.keeper ^= variable;
    }
  }

  void raise(CoverVariables variables) {
    for (const auto each : missed_) {
      ++sets_[static_cast<std::size_t>(each)].weight;
      for (const auto member : problem_->members(each)) ++variables[static_cast<std::size_t>(member)].score;
    }
  }

  std::int64_t forget(double factor) {
    std::int64_t sum = 0;
    for (Set& set : sets_) sum += set.weight = faded(set.weight, factor);
    return sum;
  }

  bool recount(CoverVariables variables, Clock& clock) {
    missed_.clear();
    for (CoverVariable& each : variables) each.score = 0;
    const auto count = static_cast<std::int32_t>(sets_.size());
    for (std::int32_t each = 0; each < count; ++each) {
      const auto members = problem_->members(each);
      if (clock.is_over(1 + static_cast<std::int64_t>(members.size()) / kMembersPerMove)) return false;
      Set& set = sets_[static_cast<std::size_t>(each)];
      set.hits = set.keeper = 0;
      for (const auto member : members) {
        const bool chosen = variables[static_cast<std::size_t>(member)].is_chosen();
        set.hits += chosen;
        set.keeper ^= chosen ? member : 0;
      }
      if (set.hits == 1) {
        variables[static_cast<std::size_t>(set.keeper)].score += set.weight;
      } else if (set.hits == 0) {
        add_missed(each);
        for (const auto member : members) variables[static_cast<std::size_t>(member)].score += set.weight;
      }
    }
    return true;
  }

 private:
  /// All that moves read of a set.
  struct alignas(16) Set {
    std::int32_t weight = 1, hits = 0;
    /// The exclusive-or of the chosen members: the only one where there is one.
    std::int32_t keeper = 0;
    /// Where the set stands in the list of those that are missed.
    std::int32_t place = 0;
  };
  static constexpr std::int64_t kMembersPerMove = 16;

  void change_gains(std::int32_t variable, std::int32_t each, std::int32_t by, CoverVariables variables) {
    for (const auto member : problem_->members(each)) {
      if (member != variable) {
        variables[static_cast<std::size_t>(member)].score += by;
        variables[static_cast<std::size_t>(member)].limit = CoverVariable::kFree;
      }
    }
  }

  void add_missed(std::int32_t each) {
    sets_[static_cast<std::size_t>(each)].place = static_cast<std::int32_t>(missed_.size());
    missed_.push_back(each);
  }

  void remove_missed(std::int32_t each) {
    const std::int32_t last = missed_.back(), place = sets_[static_cast<std::size_t>(each)].place;
    missed_[static_cast<std::size_t>(place)] = last;
    sets_[static_cast<std::size_t>(last)].place = place;
    missed_.pop_back();
  }

  std::shared_ptr<const HittingSet> problem_;
  std::vector<Set> sets_;
  std::vector<std::int32_t> missed_;
};

}  // namespace annealco
