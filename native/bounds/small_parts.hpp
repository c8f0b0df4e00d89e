/// Solve the connected parts of a hitting set problem that are small, one by one.
///
/// Two variables are in one part where a set has both. Where all sets are pairs, what a part leaves out is a clique of
/// the pairs that are not listed, for which `CliqueSearch` looks; else `BranchAndBound` searches all choices, with
/// prices of subgradient steps. Parts that take too many moves are left, as are large ones. Costs must be whole numbers
/// of some step, so that sums are exact.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bounds/branch_bound.hpp"
#include "bounds/set_prices.hpp"
#include "core/clock.hpp"
#include "core/rows.hpp"
#include "search/cliques.hpp"
#include "search/hitting_set.hpp"

namespace annealco {

class SmallParts {
 public:
  explicit SmallParts(const HittingSet& problem)
      : problem_(&problem),
        number_(static_cast<std::size_t>(problem.num_variables()), -1),
        chosen_(number_.size(), 0),
        is_left_(number_.size(), 1) {}

  /// Solve parts of up to so many variables, smaller ones first; costs are multiples of twice the gain.
  void run(std::int64_t most, double gain, Clock& clock) {
    std::vector<Part> parts;
    for (std::int32_t variable = 0; variable < problem_->num_variables(); ++variable) {
      if (clock.is_over(1)) return;
      if (number_[at(variable)] >= 0) continue;
      Part part = part_of(variable, clock);
      if (static_cast<std::int64_t>(part.variables.size()) <= most) parts.push_back(std::move(part));
    }
    const auto size = [](const Part& part) { return part.variables.size(); };
    std::stable_sort(parts.begin(), parts.end(), [&](const Part& i, const Part& j) { return size(i) < size(j); });
    for (const Part& part : parts) {
      if (clock.is_over(static_cast<std::int64_t>(part.variables.size()))) return;
      Clock own(kMostShare * clock.seconds_left(), kMostMoves, clock.stop());
      const auto found = problem_->is_pairs() ? solve_pairs(part, own) : solve_sets(part, gain, own);
      if (!found) continue;
      cost_ += found->cost;
      for (std::size_t i = 0; i < part.variables.size(); ++i) {
        chosen_[at(part.variables[i])] = found->chosen[i];
        is_left_[at(part.variables[i])] = 0;
      }
    }
  }

  /// The cost of the parts that are solved.
  double cost() const { return cost_; }
  /// [num_variables] the best choice in these parts, and the variables of all others.
  std::span<const std::uint8_t> chosen() const { return chosen_; }
  std::span<const std::uint8_t> is_left() const { return is_left_; }

 private:
  /// What a part may take of the time that is left, and how many moves.
  static constexpr double kMostShare = 0.25;
  static constexpr std::int64_t kMostMoves = 200'000;
  /// Subgradient steps before a part is searched.
  static constexpr std::int64_t kSteps = 100;

  struct Part {
    std::vector<std::int32_t> variables, sets;
  };
  struct Found {
    double cost;
    std::vector<std::uint8_t> chosen;
  };

  static std::size_t at(std::int32_t variable) { return static_cast<std::size_t>(variable); }

  /// Collect what is connected to a variable, which is numbered in the order in which it is met.
  Part part_of(std::int32_t first, Clock& clock) {
    Part part;
    const auto meet = [&](std::int32_t variable) {
      if (number_[at(variable)] >= 0) return;
      number_[at(variable)] = static_cast<std::int32_t>(part.variables.size());
      part.variables.push_back(variable);
    };
    meet(first);
    for (std::size_t i = 0; i < part.variables.size(); ++i) {
      for (const auto set : problem_->sets(part.variables[i])) {
        const auto members = problem_->members(set);
        clock.is_over(static_cast<std::int64_t>(members.size()));
        // A set is met by each of its members, and listed by the first of them.
        if (members[0] == part.variables[i]) part.sets.push_back(set);
        for (const auto other : members) meet(other);
      }
    }
    return part;
  }

  std::vector<double> costs_of(const Part& part) const {
    std::vector<double> cost;
    for (const auto variable : part.variables) cost.push_back(problem_->cost(variable));
    return cost;
  }

  std::optional<Found> solve_pairs(const Part& part, Clock& clock) const {
    const std::size_t count = part.variables.size();
    std::vector<std::uint8_t> joined(count * count, 0);
    for (std::size_t i = 0; i < count; ++i) joined[i * count + i] = 1;
    for (const auto set : part.sets) {
      const auto members = problem_->members(set);
      const std::size_t i = at(number_[at(members[0])]), j = at(number_[at(members[1])]);
      joined[i * count + j] = joined[j * count + i] = 1;
    }
    OwnRows free;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        if (!joined[i * count + j]) free.index.push_back(static_cast<std::int32_t>(j));
      }
      free.start.push_back(static_cast<std::int64_t>(free.index.size()));
    }
    const std::vector<double> cost = costs_of(part);
    const std::vector<std::uint8_t> none(count, 0);
    CliqueSearch search(std::move(free), cost, none, 0);
    search.run(clock, -std::numeric_limits<double>::infinity());
    if (!search.is_solved()) return std::nullopt;
    Found found{0.0, search.best()};
    for (std::size_t i = 0; i < count; ++i) {
      found.chosen[i] ^= 1;
      found.cost += found.chosen[i] ? cost[i] : 0.0;
    }
    return found;
  }

  std::optional<Found> solve_sets(const Part& part, double gain, Clock& clock) const {
    const std::vector<double> cost = costs_of(part);
    if (part.sets.empty()) return Found{0.0, std::vector<std::uint8_t>(cost.size(), 0)};
    OwnRows sets;
    for (const auto set : part.sets) {
      for (const auto variable : problem_->members(set)) sets.index.push_back(number_[at(variable)]);
      sets.start.push_back(static_cast<std::int64_t>(sets.index.size()));
    }
    const Rows rows(sets);
    const double total = std::accumulate(cost.begin(), cost.end(), 0.0);
    PriceAscent ascent(rows, cost, greedy_prices(rows, cost, clock), std::numeric_limits<double>::infinity());
    Clock brief(clock.seconds_left(), kSteps, clock.stop());
    ascent.run(total, brief);
    const std::vector<std::int32_t> demand(part.sets.size(), 1);
    BranchAndBound search(rows, demand, cost, ascent.best_price());
    const auto result = search.search(total, gain, clock);
    if (result.status != BranchAndBound::Status::kExhausted) return std::nullopt;
    return Found{result.found, {search.found_choice().begin(), search.found_choice().end()}};
  }

  const HittingSet* problem_;
  /// [num_variables] its number in its part, or −1.
  std::vector<std::int32_t> number_;
  std::vector<std::uint8_t> chosen_, is_left_;
  double cost_ = 0.0;
};

}  // namespace annealco
