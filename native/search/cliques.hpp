/// Search for a heavy clique of a large sparse graph, whose pairs that are not joined are too many to list.
///
/// In a degeneracy order a clique lies among its first node and that node's later neighbours, which are few. A greedy
/// pass looks at the later neighbours of every node. Then those that could still hold a heavier clique are searched one
/// by one, as small hitting set problems: the nodes left out must hit every pair that is not joined. Before that, nodes
/// whose neighbours there are too light for a heavier clique are peeled off; what this leaves empty needs no search.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "core/rows.hpp"
#include "graph/degeneracy.hpp"
#include "search/covering.hpp"

namespace annealco {

class CliqueSearch {
 public:
  /// rows: the neighbours of every node, ascending and in both directions.
  /// weight: [num_nodes], finite and not negative.
  /// start: [num_nodes]; its nodes that are joined to all before them are the first clique.
  CliqueSearch(OwnRows rows, std::vector<double> weight, std::span<const std::uint8_t> start, std::uint64_t seed)
      : rows_(std::move(rows)),
        weight_(std::move(weight)),
        order_(check(start)),
        greedy_left_(static_cast<std::int32_t>(weight_.size())),
        random_(seed) {
    for (std::int32_t node = 0; node < num_nodes(); ++node) {
      const auto row = Rows(rows_)[node];
      const auto is_joined = [&](std::int32_t other) { return std::binary_search(row.begin(), row.end(), other); };
      if (start[at(node)] && std::all_of(best_.begin(), best_.end(), is_joined)) best_.push_back(node);
    }
    for (const auto node : best_) best_weight_ += weight_[at(node)];
  }

  /// Continue until the clock ends or the weight reaches −target; tell whether there is more to do.
  ///
  /// A move is a node of the greedy pass, a neighbourhood that is looked at, or a move of the search in one.
  bool run(Clock& clock, double target) {
    const std::int64_t before = clock.moves();
    clock.record(-best_weight_);
    const bool go_on = -best_weight_ > target && advance(clock, target);
    moves_ += clock.moves() - before;
    return go_on;
  }

  /// The heaviest clique so far, [num_nodes] of 0 and 1.
  std::vector<std::uint8_t> best() const {
    std::vector<std::uint8_t> chosen(weight_.size(), 0);
    for (const auto node : best_) chosen[at(node)] = 1;
    return chosen;
  }
  double best_weight() const { return best_weight_; }
  std::int64_t moves() const { return moves_; }

  /// Whether it is known that no neighbourhood holds a heavier clique.
  bool is_solved() const { return is_exhausted_ && unproven_ <= best_weight_; }

 private:
  /// Moves of the search in a neighbourhood per node of it.
  static constexpr std::int64_t kMovesPerNode = 50;
  /// Few rounds of peeling find nearly all there is.
  static constexpr int kPeelRounds = 8;

  /// A node, by its place in the order, and a bound on the weight of cliques of which it is the first.
  struct Candidate {
    double reach;
    std::int32_t place;

    bool operator<(const Candidate& other) const {
      return reach < other.reach || (reach == other.reach && place < other.place);
    }
  };

  /// A search among the later neighbours of a node that peeling has left.
  struct Neighbourhood {
    std::int32_t first;
    std::vector<std::int32_t> places;
    std::unique_ptr<WeightingSearch> search;
    /// From the cost of a hitting set to the weight of its clique, negated.
    double offset;
    std::int64_t moves_left;
  };

  static std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }
  std::int64_t num_nodes() const { return static_cast<std::int64_t>(weight_.size()); }

  Rows check(std::span<const std::uint8_t> start) const {
    const Rows rows = rows_;
    require(num_nodes() < INT32_MAX, "a graph must have fewer than 2^31 nodes");
    require(rows.size() == num_nodes() && start.size() == weight_.size(),
            "rows, weights and start must be of all nodes");
    const auto size = static_cast<std::int64_t>(rows.index.size());
    require(
        rows.start.front() == 0 && rows.start.back() == size && std::is_sorted(rows.start.begin(), rows.start.end()),
        "offsets of neighbours must rise from 0 to their number");
    bool ascend = true;
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      std::int64_t before = -1;
      for (const auto each : rows[i]) {
        ascend &= each > before && each != i;
        before = each;
      }
      ascend &= before < num_nodes();
    }
    require(ascend, "neighbours must be nodes in ascending order, and no node its own");
    const auto is_weight = [](double each) { return std::isfinite(each) && each >= 0; };
    require(std::all_of(weight_.begin(), weight_.end(), is_weight), "weights must be finite and not negative");
    return rows;
  }

  bool advance(Clock& clock, double target) {
    if (!prepare(clock)) return true;
    while (!clock.is_spent()) {
      if (greedy_left_ > 0) {
        grow_next(clock);
      } else if (current_) {
        search_current(clock, target);
      } else if (!open_next(clock)) {
        return false;
      }
      if (-best_weight_ <= target) return false;
    }
    return true;
  }

  /// Order the nodes; from then on they go by their places, and have only later neighbours, ascending.
  bool prepare(Clock& clock) {
    if (!is_ordered_) {
      if (!order_.advance(clock)) return false;
      later_ = order_.release_later();
      rows_ = OwnRows();
      is_ordered_ = true;
    }
    for (; num_prepared_ < num_nodes(); ++num_prepared_) {
      if (clock.is_over()) return false;
      const std::int32_t place = num_prepared_;
      const auto first = later_.index.begin() + later_.start[at(place)];
      const auto last = later_.index.begin() + later_.start[at(place) + 1];
      double reach = weight_at(place);
      for (auto each = first; each != last; ++each) {
        reach += weight_[at(*each)];
        *each = order_.rank(*each);
      }
      std::sort(first, last);
      candidates_.push_back({reach, place});
    }
    return true;
  }

  std::span<const std::int32_t> later(std::int32_t place) const { return Rows(later_)[place]; }
  double weight_at(std::int32_t place) const { return weight_[at(order_.order()[at(place)])]; }

  /// Two places are joined if the later one is among the later neighbours of the other.
  bool are_joined(std::int32_t one, std::int32_t two) const {
    const auto row = later(std::min(one, two));
    return std::binary_search(row.begin(), row.end(), std::max(one, two));
  }

  /// Add later neighbours to the next node, the heaviest and then the latest first, while all are joined.
  void grow_next(Clock& clock) {
    const std::int32_t first = greedy_left_ - 1;
    if (candidates_[at(first)].reach > best_weight_) {
      if (!clock.tick()) return;
      std::vector<std::int32_t> row(later(first).rbegin(), later(first).rend());
      std::stable_sort(row.begin(), row.end(),
                       [&](std::int32_t one, std::int32_t two) { return weight_at(one) > weight_at(two); });
      std::vector<std::int32_t> clique;
      for (const auto place : row) {
        const auto is_joined = [&](std::int32_t other) { return are_joined(place, other); };
        if (std::all_of(clique.begin(), clique.end(), is_joined)) clique.push_back(place);
      }
      keep(first, clique, clock);
    } else if (clock.is_over()) {
      return;
    }
    if (--greedy_left_ == 0) std::make_heap(candidates_.begin(), candidates_.end());
  }

  /// Peel the most promising neighbourhood that is left, and begin a search in what remains; false where there is none.
  bool open_next(Clock& clock) {
    is_exhausted_ = candidates_.empty() || candidates_.front().reach <= best_weight_;
    if (is_exhausted_) return false;
    if (!clock.tick()) return true;
    const std::int32_t first = candidates_.front().place;
    std::pop_heap(candidates_.begin(), candidates_.end());
    candidates_.pop_back();
    std::vector<std::int32_t> places = peeled(first);
    double reach = weight_at(first);
    for (const auto place : places) reach += weight_at(place);
    if (reach > best_weight_) {
      unproven_ = std::max(unproven_, reach);
      begin_search(first, std::move(places), reach);
    }
    return true;
  }

  /// Return the later neighbours of a node without those that cannot be in a heavier clique with it.
  std::vector<std::int32_t> peeled(std::int32_t first) const {
    std::vector<std::int32_t> left(later(first).begin(), later(first).end()), kept;
    std::vector<double> reach;
    for (int round = 0; round < kPeelRounds; ++round) {
      reach.assign(left.size(), weight_at(first));
      for (std::size_t i = 0; i < left.size(); ++i) {
        reach[i] += weight_at(left[i]);
        const auto row = later(left[i]);
        for (std::size_t j = i + 1, k = 0; j < left.size() && k < row.size();) {
          if (row[k] == left[j]) {
            reach[i] += weight_at(left[j]);
            reach[j] += weight_at(left[i]);
          }
          const bool behind = row[k] < left[j];
          j += !behind;
          k += behind;
        }
      }
      kept.clear();
      for (std::size_t i = 0; i < left.size(); ++i) {
        if (reach[i] > best_weight_) kept.push_back(left[i]);
      }
      if (kept.size() == left.size()) break;
      left.swap(kept);
    }
    return left;
  }

  void begin_search(std::int32_t first, std::vector<std::int32_t> places, double reach) {
    std::vector<std::int32_t> unjoined;
    std::vector<double> cost;
    const auto count = static_cast<std::int32_t>(places.size());
    for (std::int32_t i = 0; i < count; ++i) {
      cost.push_back(weight_at(places[at(i)]));
      const auto row = later(places[at(i)]);
      auto next = row.begin();
      for (std::int32_t j = i + 1; j < count; ++j) {
        while (next != row.end() && *next < places[at(j)]) ++next;
        if (next == row.end() || *next != places[at(j)]) unjoined.insert(unjoined.end(), {i, j});
      }
    }
    const auto problem = std::make_shared<const HittingSet>(std::move(cost), std::move(unjoined));
    const std::vector<std::uint8_t> all(places.size(), 1);
    auto search = make_weighting_search(problem, all, random_.bits(), -reach);
    current_ = Neighbourhood{first, std::move(places), std::move(search), -reach, kMovesPerNode * (count + 1)};
  }

  void search_current(Clock& clock, double target) {
    Neighbourhood& near = *current_;
    const std::int64_t before = near.search->moves();
    const bool go_on = near.search->run(clock, near.moves_left, target - near.offset);
    near.moves_left -= near.search->moves() - before;
    if (-(near.search->best_cost() + near.offset) > best_weight_) {
      std::vector<std::int32_t> clique;
      for (std::size_t i = 0; i < near.places.size(); ++i) {
        if (!near.search->best()[i]) clique.push_back(near.places[i]);
      }
      keep(near.first, clique, clock);
    }
    if (!go_on || near.moves_left <= 0) current_.reset();
  }

  /// Keep a node and later neighbours of it that are all joined, if they are heavier than the best.
  void keep(std::int32_t first, std::span<const std::int32_t> others, Clock& clock) {
    double weight = weight_at(first);
    for (const auto place : others) weight += weight_at(place);
    if (weight <= best_weight_) return;
    best_weight_ = weight;
    best_.assign(1, order_.order()[at(first)]);
    for (const auto place : others) best_.push_back(order_.order()[at(place)]);
    clock.record(-weight);
  }

  OwnRows rows_;
  std::vector<double> weight_;
  DegeneracyOrder order_;
  OwnRows later_;
  bool is_ordered_ = false;
  std::int32_t num_prepared_ = 0;
  /// By place at first; a heap once the greedy pass is over.
  std::vector<Candidate> candidates_;
  std::int32_t greedy_left_;
  std::optional<Neighbourhood> current_;
  std::vector<std::int32_t> best_;
  double best_weight_ = 0;
  /// The largest bound of a neighbourhood that was searched, but not exhausted.
  double unproven_ = -std::numeric_limits<double>::infinity();
  bool is_exhausted_ = false;
  std::int64_t moves_ = 0;
  Random random_;
};

}  // namespace annealco
