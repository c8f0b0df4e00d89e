/// Search for a heaviest clique, and a bound on its weight, by neighbourhoods in degeneracy order.
///
/// In this order a clique lies among its first node and that node's later neighbours, which are few in a sparse graph.
/// A greedy pass looks at the later neighbours of every node. Then those that could still hold a heavier clique are
/// searched one by one, the most promising first: nodes whose neighbours there are too light are peeled off, and what
/// remains is searched by branch and bound (`bounds/clique_branching.hpp`). A neighbourhood that takes too many steps
/// is searched for a while as a hitting set problem, by local search: the nodes left out must hit every pair that is
/// not joined. It has more steps in the next pass. Where no neighbourhood is left, the best clique is a heaviest one
/// (Carraghan and Pardalos, 1990; Eppstein et al., 2010).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bounds/bit_matrix.hpp"
#include "bounds/clique_branching.hpp"
#include "bounds/exact_sum.hpp"
#include "core/clock.hpp"
#include "core/random.hpp"
#include "core/rows.hpp"
#include "graph/degeneracy.hpp"
#include "search/covering.hpp"

namespace annealco {

/// Weights as whole numbers of a unit, rounded up where they are not: sums are exact, and none is below the true one.
class WholeWeights {
 public:
  using Whole = CliqueBranching::Weight;

  /// weight: finite and not negative; at most `most_summed` of them are ever added up.
  WholeWeights(std::span<const double> weight, std::int64_t most_summed) : unit_(grid_step(weight)) {
    whole_.reserve(weight.size());
    if (unit_ > 0.0) {
      for (const double each : weight) whole_.push_back(static_cast<Whole>(each / unit_));
      return;
    }
    const double largest = *std::max_element(weight.begin(), weight.end());
    // The largest is below 2^ilogb + 1, and so many of them are below 2^62 units.
    exponent_ =
        std::ilogb(largest) + 1 + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most_summed))) - 62;
    for (const double each : weight) {
      const double units = std::ceil(std::ldexp(each, -exponent_));
      // What is too small to be seen still counts.
      whole_.push_back(each > 0.0 ? std::max(Whole{1}, static_cast<Whole>(units)) : 0);
    }
  }

  Whole operator[](std::int32_t node) const { return whole_[static_cast<std::size_t>(node)]; }

  /// Return how many units are not above a weight; it may be a unit off where the weight is not a multiple.
  Whole below(double weight) const {
    const double units = unit_ > 0.0 ? weight / unit_ : std::ldexp(weight, -exponent_);
    return static_cast<Whole>(std::clamp(std::floor(units), 0.0, 0x1p62));
  }

  /// Return the least double that is not below a number of units.
  double upper(Whole whole) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    auto rounded = static_cast<double>(whole);
    // Both are below 2^63.
    if (static_cast<Whole>(rounded) < whole) rounded = std::nextafter(rounded, kInfinity);
    if (unit_ == 0.0) {
      const double scaled = std::ldexp(rounded, exponent_);
      return std::ldexp(scaled, -exponent_) < rounded ? std::nextafter(scaled, kInfinity) : scaled;
    }
    const double product = rounded * unit_;
    return std::fma(rounded, unit_, -product) > 0.0 ? std::nextafter(product, kInfinity) : product;
  }

 private:
  /// A step of which all weights are multiples, or 0, and then a power of 2.
  double unit_;
  int exponent_ = 0;
  std::vector<Whole> whole_;
};

class CliqueSearch {
 public:
  using Whole = WholeWeights::Whole;

  /// rows: the neighbours of every node, ascending and in both directions.
  /// weight: [num_nodes], finite and not negative.
  /// start: [num_nodes]; its nodes that are joined to all before them are the first clique.
  /// limit: only cliques that are heavier than this are wanted.
  CliqueSearch(OwnRows rows, std::vector<double> weight, std::span<const std::uint8_t> start, std::uint64_t seed,
               double limit = 0.0)
      : rows_(std::move(rows)),
        weight_(std::move(weight)),
        order_(check(start)),
        whole_(weight_, most_neighbours() + 1),
        greedy_left_(static_cast<std::int32_t>(weight_.size())),
        random_(seed) {
    for (std::int32_t node = 0; node < num_nodes(); ++node) {
      const auto row = Rows(rows_)[node];
      const auto is_joined = [&](std::int32_t other) { return std::binary_search(row.begin(), row.end(), other); };
      if (start[at(node)] && std::all_of(best_.begin(), best_.end(), is_joined)) best_.push_back(node);
    }
    Whole whole = 0;
    for (const auto node : best_) {
      best_weight_ += weight_[at(node)];
      whole += whole_[node];
    }
    limit_ = std::max(whole, whole_.below(limit));
  }

  /// Continue until the clock ends or the weight reaches −target; tell whether there is more to do.
  ///
  /// It ends as well where all calls together have done `most_work`, in words of bit sets that were gone through.
  ///
  /// A move is a node of the greedy pass, a neighbourhood that is looked at, a step of branch and bound in one, or a
  /// move of the local search in one.
  bool run(Clock& clock, double target, std::int64_t most_work = Clock::kNoLimit) {
    const std::int64_t before = clock.moves();
    clock.record(-best_weight_);
    const bool go_on = -best_weight_ > target && advance(clock, target, most_work);
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
  std::int64_t work() const { return work_; }

  /// Want only cliques that are heavier than this from now on.
  void raise_limit(double weight) { limit_ = std::max(limit_, whole_.below(weight)); }

  /// Whether it is known that no neighbourhood holds a heavier clique, or one that is heavier than the limit.
  bool is_solved() const { return is_exhausted_ && unproven_ <= limit_; }

  /// Return a weight that no clique exceeds, infinite before the neighbourhoods are known.
  double bound() const {
    if (!is_ordered_ || num_prepared_ < num_nodes()) return std::numeric_limits<double>::infinity();
    Whole most = std::max(limit_, unproven_);
    if (greedy_left_ > 0) {
      most = std::max(most, std::max_element(candidates_.begin(), candidates_.end())->reach);
    } else if (!candidates_.empty()) {
      most = std::max(most, candidates_.front().reach);
    }
    for (const Candidate& each : parked_) most = std::max(most, each.reach);
    if (current_) most = std::max(most, current_->reach);
    return whole_.upper(most);
  }

 private:
  /// Steps of branch and bound in a neighbourhood, in the first pass, and how many times as many in each further one.
  static constexpr std::int64_t kFirstSteps = 1000, kMoreSteps = 8;
  /// Up to so many nodes of a neighbourhood are held as a matrix of bits.
  static constexpr std::size_t kMaxBranched = 4096;
  /// Moves of the local search in a neighbourhood per node of it.
  static constexpr std::int64_t kMovesPerNode = 50;
  /// What a neighbour in the greedy pass and a move of the local search take, in words of bit sets.
  static constexpr std::int64_t kWorkPerNeighbour = 16, kWorkPerMove = 512;
  static constexpr std::int32_t kNone = -1;

  /// A node, by its place in the order, and a bound on the weight of cliques of which it is the first.
  struct Candidate {
    Whole reach;
    std::int32_t place;

    bool operator<(const Candidate& other) const {
      return reach < other.reach || (reach == other.reach && place < other.place);
    }
  };

  /// The later neighbours of a node that peeling has left, and what is searched there.
  struct Neighbourhood {
    std::int32_t first;
    std::vector<std::int32_t> places;
    /// A bound on the weight of cliques of which the node is the first.
    Whole reach;
    std::unique_ptr<CliqueBranching> branching;
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

  std::int64_t most_neighbours() const {
    std::int64_t most = 0;
    for (std::int64_t i = 0; i < num_nodes(); ++i) most = std::max(most, Rows(rows_).length(i));
    return most;
  }

  bool advance(Clock& clock, double target, std::int64_t most_work) {
    if (!prepare(clock)) return true;
    while (!clock.is_spent() && work_ < most_work) {
      if (greedy_left_ > 0) {
        grow_next(clock);
      } else if (current_) {
        search_current(clock, target, most_work);
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
      candidates_.resize(weight_.size());
      colour_.resize(weight_.size());
    }
    // A node that comes last has all of its neighbours' colours before it is given one.
    for (; num_prepared_ < num_nodes(); ++num_prepared_) {
      const auto place = static_cast<std::int32_t>(num_nodes()) - 1 - num_prepared_;
      const auto first = later_.index.begin() + later_.start[at(place)];
      const auto last = later_.index.begin() + later_.start[at(place) + 1];
      if (clock.is_over(1 + (last - first))) return false;
      for (auto each = first; each != last; ++each) *each = order_.rank(*each);
      std::sort(first, last);
      candidates_[at(place)] = {coloured_reach(place), place};
    }
    return true;
  }

  /// Give a node the first colour that its later neighbours leave; return what it and the heaviest of each colour
  /// weigh.
  Whole coloured_reach(std::int32_t place) {
    const auto row = later(place);
    if (heaviest_.size() <= row.size()) heaviest_.resize(row.size() + 1);
    Whole reach = whole_at(place);
    // A later neighbour's colour is below its own number of later neighbours, which may be more than these.
    for (const auto each : row) {
      const auto colour = at(colour_[at(each)]);
      if (colour >= heaviest_.size()) heaviest_.resize(colour + 1);
      Whole& most = heaviest_[colour];
      const Whole weight = whole_at(each);
      // One more than the weight tells a colour that is there from one that is not.
      if (weight + 1 > most) {
        reach += weight - (most > 0 ? most - 1 : 0);
        most = weight + 1;
      }
    }
    std::int32_t free = 0;
    while (heaviest_[at(free)] > 0) ++free;
    colour_[at(place)] = free;
    for (const auto each : row) heaviest_[at(colour_[at(each)])] = 0;
    // Whoever begins with a node of no weight is no lighter without it.
    return whole_at(place) > 0 ? reach : 0;
  }

  std::span<const std::int32_t> later(std::int32_t place) const { return Rows(later_)[place]; }
  double weight_at(std::int32_t place) const { return weight_[at(order_.order()[at(place)])]; }
  Whole whole_at(std::int32_t place) const { return whole_[order_.order()[at(place)]]; }

  /// Two places are joined if the later one is among the later neighbours of the other.
  bool are_joined(std::int32_t one, std::int32_t two) const {
    const auto row = later(std::min(one, two));
    return std::binary_search(row.begin(), row.end(), std::max(one, two));
  }

  /// Add later neighbours to the next node, the heaviest and then the latest first, while all are joined.
  void grow_next(Clock& clock) {
    const std::int32_t first = greedy_left_ - 1;
    if (candidates_[at(first)].reach > limit_) {
      if (!clock.tick()) return;
      std::vector<std::int32_t> row(later(first).rbegin(), later(first).rend());
      work_ += kWorkPerNeighbour * static_cast<std::int64_t>(row.size());
      std::stable_sort(row.begin(), row.end(),
                       [&](std::int32_t one, std::int32_t two) { return whole_at(one) > whole_at(two); });
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

  /// Peel the most promising neighbourhood that is left, and begin to search what remains; false where there is none.
  bool open_next(Clock& clock) {
    if (candidates_.empty() || candidates_.front().reach <= limit_) {
      std::erase_if(parked_, [&](const Candidate& each) { return each.reach <= limit_; });
      candidates_.swap(parked_);
      parked_.clear();
      std::make_heap(candidates_.begin(), candidates_.end());
      num_steps_ *= kMoreSteps;
      is_first_pass_ = false;
    }
    is_exhausted_ = candidates_.empty();
    if (is_exhausted_) return false;
    if (!clock.tick()) return true;
    const Candidate next = candidates_.front();
    std::pop_heap(candidates_.begin(), candidates_.end());
    candidates_.pop_back();
    std::vector<std::int32_t> places(later(next.place).begin(), later(next.place).end());
    std::erase_if(places, [&](std::int32_t place) { return whole_at(place) == 0; });
    if (places.size() > kMaxBranched) {
      unproven_ = std::max(unproven_, next.reach);
      if (is_first_pass_) begin_local_search({next.place, std::move(places), next.reach, nullptr, nullptr, 0, 0});
    } else {
      begin_branching(next, std::move(places));
    }
    return true;
  }

  void begin_branching(const Candidate& from, std::vector<std::int32_t> places) {
    BitMatrix joined = joined_among(places);
    std::vector<Whole> weight;
    for (const auto place : places) weight.push_back(whole_at(place));
    const std::vector<std::int32_t> kept = peeled(joined, weight, limit_ - whole_at(from.place));
    Whole reach = whole_at(from.place);
    for (const auto each : kept) reach += weight[at(each)];
    if (reach <= limit_) return;
    auto branching = std::make_unique<CliqueBranching>(joined, weight, kept);
    reach = std::min({from.reach, reach, whole_at(from.place) + branching->colour_bound()});
    work_ += branching->work();
    if (reach <= limit_) return;
    for (std::size_t i = 0; i < kept.size(); ++i) places[i] = places[at(kept[i])];
    places.resize(kept.size());
    current_ = Neighbourhood{from.place, std::move(places), reach, std::move(branching), nullptr, 0, num_steps_};
  }

  /// Return which of some places, ascending, are joined.
  BitMatrix joined_among(std::span<const std::int32_t> places) {
    const auto count = static_cast<std::int32_t>(places.size());
    if (number_.empty()) number_.assign(weight_.size(), kNone);
    for (std::int32_t i = 0; i < count; ++i) number_[at(places[at(i)])] = i;
    BitMatrix joined(count);
    for (std::int32_t i = 0; i < count; ++i) {
      const auto row = joined.row(i);
      const auto later_row = later(places[at(i)]);
      for (const auto other : later_row) {
        const std::int32_t j = number_[at(other)];
        if (j == kNone) continue;
        BitMatrix::set(row, j);
        BitMatrix::set(joined.row(j), i);
      }
      work_ += static_cast<std::int64_t>(later_row.size());
    }
    for (const auto place : places) number_[at(place)] = kNone;
    return joined;
  }

  /// Return the nodes that can be in a clique heavier than a limit: those whose neighbours weigh enough with them.
  static std::vector<std::int32_t> peeled(const BitMatrix& joined, std::span<const Whole> weight, Whole limit) {
    std::vector<std::int32_t> left(weight.size()), kept;
    std::iota(left.begin(), left.end(), 0);
    std::vector<std::uint64_t> inside(joined.num_words(), 0);
    for (const auto node : left) BitMatrix::set(inside, node);
    for (;;) {
      kept.clear();
      for (const auto node : left) {
        Whole reach = weight[at(node)];
        const auto row = joined.row(node);
        for (std::size_t word = 0; word < row.size() && reach <= limit; ++word) {
          for (std::uint64_t rest = row[word] & inside[word]; rest != 0; rest &= rest - 1) {
            reach += weight[word * BitMatrix::kWord + static_cast<std::size_t>(std::countr_zero(rest))];
          }
        }
        if (reach > limit) kept.push_back(node);
      }
      if (kept.size() == left.size()) return kept;
      std::fill(inside.begin(), inside.end(), 0);
      for (const auto node : kept) BitMatrix::set(inside, node);
      left.swap(kept);
    }
  }

  void begin_local_search(Neighbourhood near) {
    std::vector<std::int32_t> unjoined;
    std::vector<double> cost;
    const auto count = static_cast<std::int32_t>(near.places.size());
    double total = weight_at(near.first);
    for (std::int32_t i = 0; i < count; ++i) {
      cost.push_back(weight_at(near.places[at(i)]));
      total += cost.back();
      const auto row = later(near.places[at(i)]);
      auto next = row.begin();
      for (std::int32_t j = i + 1; j < count; ++j) {
        while (next != row.end() && *next < near.places[at(j)]) ++next;
        if (next == row.end() || *next != near.places[at(j)]) unjoined.insert(unjoined.end(), {i, j});
      }
    }
    const auto problem = std::make_shared<const HittingSet>(std::move(cost), std::move(unjoined));
    const std::vector<std::uint8_t> all(near.places.size(), 1);
    near.branching = nullptr;
    near.search = make_weighting_search(problem, all, random_.bits(), -total);
    near.offset = -total;
    near.moves_left = kMovesPerNode * (count + 1);
    current_ = std::move(near);
  }

  void search_current(Clock& clock, double target, std::int64_t most_work) {
    Neighbourhood& near = *current_;
    if (!near.branching) {
      search_locally(clock, target);
      return;
    }
    // Cliques of the later neighbours alone are as heavy as those with the first node, less its weight.
    Whole limit = limit_ - whole_at(near.first);
    const Whole before = limit;
    const std::int64_t steps = near.branching->steps();
    const std::int64_t work = near.branching->work(), work_left = most_work - work_;
    const std::int64_t until = work_left < Clock::kNoLimit - work ? work + work_left : Clock::kNoLimit;
    const bool finished = near.branching->run(clock, limit, near.moves_left, until);
    near.moves_left -= near.branching->steps() - steps;
    work_ += near.branching->work() - work;
    if (limit > before) {
      std::vector<std::int32_t> clique;
      for (const auto each : near.branching->best()) clique.push_back(near.places[at(each)]);
      keep(near.first, clique, clock);
    }
    if (finished) {
      current_.reset();
    } else if (near.moves_left <= 0) {
      parked_.push_back({near.reach, near.first});
      if (is_first_pass_) {
        begin_local_search(std::move(near));
      } else {
        current_.reset();
      }
    }
  }

  void search_locally(Clock& clock, double target) {
    Neighbourhood& near = *current_;
    const std::int64_t before = near.search->moves();
    const bool go_on = near.search->run(clock, near.moves_left, target - near.offset);
    near.moves_left -= near.search->moves() - before;
    work_ += kWorkPerMove * (near.search->moves() - before);
    std::vector<std::int32_t> clique;
    for (std::size_t i = 0; i < near.places.size(); ++i) {
      if (!near.search->best()[i]) clique.push_back(near.places[i]);
    }
    keep(near.first, clique, clock);
    if (!go_on || near.moves_left <= 0) current_.reset();
  }

  /// Keep a node and later neighbours of it that are all joined, if they are heavier than the best.
  void keep(std::int32_t first, std::span<const std::int32_t> others, Clock& clock) {
    double weight = weight_at(first);
    Whole whole = whole_at(first);
    for (const auto place : others) {
      weight += weight_at(place);
      whole += whole_at(place);
    }
    if (whole <= limit_) return;
    best_weight_ = weight;
    limit_ = whole;
    best_.assign(1, order_.order()[at(first)]);
    for (const auto place : others) best_.push_back(order_.order()[at(place)]);
    clock.record(-weight);
  }

  OwnRows rows_;
  std::vector<double> weight_;
  DegeneracyOrder order_;
  WholeWeights whole_;
  OwnRows later_;
  bool is_ordered_ = false;
  std::int32_t num_prepared_ = 0;
  /// Colour of each place, and while one is found, 1 more than the heaviest weight of each colour.
  std::vector<std::int32_t> colour_;
  std::vector<Whole> heaviest_{0};
  /// By place at first; a heap once the greedy pass is over.
  std::vector<Candidate> candidates_;
  /// Number of each place among those that are looked at, while they are.
  std::vector<std::int32_t> number_;
  /// What took too many steps in this pass.
  std::vector<Candidate> parked_;
  std::int64_t num_steps_ = kFirstSteps;
  bool is_first_pass_ = true;
  std::int32_t greedy_left_;
  std::optional<Neighbourhood> current_;
  std::vector<std::int32_t> best_;
  double best_weight_ = 0;
  /// Only heavier cliques are wanted: the best, or what is known from elsewhere.
  Whole limit_ = 0;
  /// The largest bound of a neighbourhood that is too large for branch and bound.
  Whole unproven_ = 0;
  bool is_exhausted_ = false;
  std::int64_t moves_ = 0, work_ = 0;
  Random random_;
};

}  // namespace annealco
