/// Searches all choices of nodes that cost no more than a limit, depth first; if none covers, every cover costs more.
///
/// Rows of nodes have demands: Σ_{i∈h} x_i ≥ r_h. At every step of the search, prices y ≥ 0 of the rows bound what the
/// rest must cost: with loads l_i = Σ_{h∋i} y_h, the free nodes cost at least Σ_h r_h y_h − Σ_i (l_i − w_i)_+ over open
/// rows. Subgradient steps from the prices of the step before raise that bound. A node whose choice would push it over
/// the limit is fixed to the other value; so is one without which a demand cannot be met. This is Lagrangean branch and
/// bound for set covering (Beasley, 1987).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "bounds/exact_sum.hpp"
#include "core/clock.hpp"
#include "core/rows.hpp"

namespace annealco {

/// What is left to decide at a step of the search: open rows and their free nodes, numbered anew.
class OpenRows {
 public:
  struct Bound {
    double value;
    /// How wrong rounding can make the value.
    double error;
  };

  void clear() {
    row_.clear();
    need_.clear();
    price_.clear();
    start_.assign(1, 0);
    member_.clear();
    node_.clear();
    weight_.clear();
    count_.clear();
  }

  void add_node(std::int32_t node, double weight) {
    node_.push_back(node);
    weight_.push_back(weight);
    count_.push_back(0);
  }
  void add_member(std::int32_t node) {
    member_.push_back(node);
    ++count_[node];
  }
  void end_row(std::int32_t row, std::int32_t need, double price) {
    row_.push_back(row);
    need_.push_back(need);
    price_.push_back(price);
    start_.push_back(static_cast<std::int64_t>(member_.size()));
  }

  std::int32_t num_nodes() const { return static_cast<std::int32_t>(node_.size()); }
  std::size_t num_rows() const { return row_.size(); }
  std::int32_t row(std::size_t each) const { return row_[each]; }
  double price(std::size_t each) const { return price_[each]; }
  std::int32_t node(std::int32_t each) const { return node_[each]; }
  double weight(std::int32_t each) const { return weight_[each]; }
  double load(std::int32_t each) const { return load_[each]; }

  /// The node in the most rows.
  std::int32_t busiest() const { return node_[std::max_element(count_.begin(), count_.end()) - count_.begin()]; }

  /// Make subgradient steps until the bound passes the goal; return the best bound, with its prices and loads.
  Bound raise(double goal, double short_step, int steps, Clock& clock) {
    load_.resize(node_.size());
    is_over_.resize(node_.size());
    slope_.resize(row_.size());
    best_price_ = price_;
    double agility = kAgility, best = -std::numeric_limits<double>::infinity();
    for (int step = 0, stalled = 0; step < steps; ++step) {
      const Bound now = evaluate();
      if (now.value - now.error > best) {
        best = now.value - now.error;
        stalled = 0;
        if (best > goal) return now;
        best_price_ = price_;
      } else if (++stalled == kPatience) {
        agility *= kSlowDown;
        stalled = 0;
      }
      const double norm = find_slopes();
      if (norm == 0.0 || clock.is_over(1 + static_cast<std::int64_t>(member_.size()) / 16)) break;
      const double length = agility * (std::max(goal - now.value, 0.0) + short_step) / norm;
      for (std::size_t each = 0; each < price_.size(); ++each) {
        price_[each] = std::max(0.0, price_[each] + length * slope_[each]);
      }
    }
    price_.swap(best_price_);
    return evaluate();
  }

 private:
  /// How long steps are at first, in units of Polyak's: long steps took a third to a tenth of the time to a proof.
  static constexpr double kAgility = 2.5;
  /// Steps without a better bound after which steps become shorter, and by what factor.
  static constexpr int kPatience = 3;
  static constexpr double kSlowDown = 0.6;

  Bound evaluate() {
    std::fill(load_.begin(), load_.end(), 0.0);
    double total = 0.0, carried = 0.0, gain = 0.0;
    for (std::size_t each = 0; each < price_.size(); ++each) {
      const double price = price_[each];
      if (price <= 0.0) continue;
      total += need_[each] * price;
      for (auto place = start_[each]; place < start_[each + 1]; ++place) load_[member_[place]] += price;
    }
    for (std::size_t node = 0; node < load_.size(); ++node) {
      carried += load_[node];
      is_over_[node] = load_[node] > weight_[node];
      gain += std::max(0.0, load_[node] - weight_[node]);
    }
    // A sum of k positive doubles is off by at most k roundings of itself, each of half an epsilon.
    const auto terms = static_cast<double>(price_.size() + load_.size() + 4);
    return {total - gain, 4 * terms * kEpsilon * (total + carried)};
  }

  /// Find by how much raising each price would raise the bound; return the sum of squares.
  double find_slopes() {
    double norm = 0.0;
    for (std::size_t each = 0; each < price_.size(); ++each) {
      std::int32_t slope = need_[each];
      for (auto place = start_[each]; place < start_[each + 1]; ++place) slope -= is_over_[member_[place]];
      // A price of 0 cannot fall: such a slope would only make all steps shorter.
      if (slope < 0 && price_[each] <= 0.0) slope = 0;
      slope_[each] = slope;
      norm += static_cast<double>(slope) * slope;
    }
    return norm;
  }

  std::vector<std::int32_t> row_, need_;
  std::vector<double> price_, best_price_;
  std::vector<std::int64_t> start_;
  std::vector<std::int32_t> member_, node_, count_, slope_;
  std::vector<double> weight_, load_;
  std::vector<std::uint8_t> is_over_;
};

class BranchAndBound {
 public:
  enum class Status { kExhausted, kTooDeep, kHopeless, kOutOfTime };

  struct Result {
    Status status;
    /// Where the search was exhausted, every cover costs more, but for the one that was found.
    double limit;
    /// Cost of the cheapest cover found, or infinity.
    double found;
  };

  /// Weights are positive, prices of the rows are good ones from whatever source; rows and weights must outlive this.
  BranchAndBound(const Rows& rows, std::span<const std::int32_t> demand, std::span<const double> weight,
                 std::span<const double> price)
      : rows_(rows),
        rows_of_(transposed(rows, static_cast<std::int64_t>(weight.size()))),
        weight_(weight),
        root_price_(price.begin(), price.end()),
        value_(weight.size(), Value::kFree),
        number_(weight.size(), kNone) {
    for (std::int64_t row = 0; row < rows.size(); ++row) {
      row_.push_back({demand[row], static_cast<std::int32_t>(rows.length(row))});
    }
    for (const double each : weight) short_step_ += kShortStep * each / static_cast<double>(weight.size());
  }

  /// Search covers that cost no more than the limit; having found one, those that are cheaper by `gain`.
  ///
  /// Each move bounds one step of the search. A search that was not exhausted begins anew. It is given up where next to
  /// nothing is searched after a share of the time.
  Result search(double limit, double gain, Clock& clock) {
    start(limit, gain);
    double trial_seconds = kTrialShare * clock.seconds_left();
    for (std::int64_t step = 1;; ++step) {
      if (!clock.tick()) return {Status::kOutOfTime, limit_, found_};
      if (step % kStepsPerLook == 0 && clock.seconds_left() < trial_seconds) {
        if (progress() < kLeastProgress) return {Status::kHopeless, limit_, found_};
        trial_seconds = -std::numeric_limits<double>::infinity();
      }
      const Outcome outcome = bound(clock);
      if (outcome == Outcome::kOpen && depth() == kMaxDepth) return {Status::kTooDeep, limit_, found_};
      if (outcome == Outcome::kOpen) branch();
      if (outcome == Outcome::kRefuted && !turn_back()) return {Status::kExhausted, limit_, found_};
    }
  }

  /// The cheapest cover found by the last search that found one, [num_nodes] of 0 and 1.
  std::span<const std::uint8_t> found_choice() const { return found_choice_; }

 private:
  enum class Value : std::uint8_t { kFree, kChosen, kLeftOut };
  enum class Outcome { kOpen, kRefuted, kAgain };

  struct Row {
    /// How many of the row must still be chosen, and how many are free.
    std::int32_t need, free;
  };
  struct Branch {
    std::int32_t node;
    std::size_t trail_length;
    /// Whether the node was chosen, and is to be left out next.
    bool first;
  };

  static constexpr std::int32_t kNone = -1;
  static constexpr std::size_t kMaxDepth = 250;
  /// Subgradient steps at the root, and below.
  static constexpr int kFirstSteps = 100, kSteps = 16;
  /// What share of the time is left when the search is looked at, what share of it must be done then, and how many
  /// steps are made between two looks at the time. A search that ends by then has seldom done so little.
  static constexpr double kTrialShare = 0.75, kLeastProgress = 1e-12;
  static constexpr std::int64_t kStepsPerLook = 16;
  /// By what share of a mean weight a step aims past its goal.
  static constexpr double kShortStep = 0.3;

  void start(double limit, double gain) {
    undo(0);
    branches_.clear();
    limit_ = limit;
    gain_ = gain;
    found_ = std::numeric_limits<double>::infinity();
    num_open_ = 0;
    for (std::size_t row = 0; row < row_.size(); ++row) {
      if (row_[row].need <= 0) continue;
      ++num_open_;
      tight_.push_back(static_cast<std::int32_t>(row));
    }
    if (price_.empty()) price_.emplace_back();
    price_[0] = root_price_;
    has_prices_ = true;
  }

  std::size_t depth() const { return branches_.size(); }

  /// The share of the search that is done, if both halves of every branching were equally large.
  double progress() const {
    double done = 0.0, half = 0.5;
    for (const Branch& each : branches_) {
      done += each.first ? 0.0 : half;
      half /= 2;
    }
    return done;
  }

  /// Fix what is forced, and bound the rest; kAgain where more may be fixed. A cover that is found is taken note of,
  /// and refuted: what is left must be cheaper.
  Outcome bound(Clock& clock) {
    if (!meet_demands()) return Outcome::kRefuted;
    const double spent = weight_of_chosen(), doubt = 2 * kEpsilon * spent;
    if (spent - doubt > limit_) return Outcome::kRefuted;
    if (num_open_ == 0) {
      found_ = spent;
      limit_ = spent - gain_;
      found_choice_.assign(value_.size(), 0);
      for (std::size_t node = 0; node < value_.size(); ++node) found_choice_[node] = value_[node] == Value::kChosen;
      return Outcome::kRefuted;
    }
    gather_open();
    const int steps = depth() == 0 ? kFirstSteps : kSteps;
    const auto [rest, error] = open_.raise(limit_ - spent + doubt, short_step_, steps, clock);
    keep_prices();
    const double least = spent + rest - doubt - error;
    if (least > limit_) return Outcome::kRefuted;
    return fix_by_price(least - error) ? Outcome::kAgain : Outcome::kOpen;
  }

  /// Choose all free nodes of rows that need them all; false where some row cannot be met.
  bool meet_demands() {
    while (!tight_.empty()) {
      const std::int32_t row = tight_.back();
      tight_.pop_back();
      const auto [need, free] = row_[row];
      if (need <= 0 || free > need) continue;
      if (free < need) {
        tight_.clear();
        return false;
      }
      for (const auto node : rows_[row]) {
        if (value_[node] == Value::kFree) fix(node, Value::kChosen);
      }
    }
    return true;
  }

  void fix(std::int32_t node, Value value) {
    value_[node] = value;
    trail_.push_back(node);
    for (const auto each : Rows(rows_of_)[node]) {
      Row& row = row_[each];
      --row.free;
      if (value == Value::kChosen && --row.need == 0) --num_open_;
      if (row.need > 0 && row.free <= row.need) tight_.push_back(each);
    }
  }

  /// Free the nodes that were fixed last, until so many are left.
  void undo(std::size_t length) {
    while (trail_.size() > length) {
      const std::int32_t node = trail_.back();
      trail_.pop_back();
      for (const auto each : Rows(rows_of_)[node]) {
        Row& row = row_[each];
        ++row.free;
        if (value_[node] == Value::kChosen && ++row.need == 1) ++num_open_;
      }
      value_[node] = Value::kFree;
    }
    tight_.clear();
  }

  /// Return the weight of the chosen nodes, off by one rounding: what every sum on the way loses is kept apart.
  double weight_of_chosen() const {
    double spent = 0.0, lost = 0.0;
    for (const auto node : trail_) {
      if (value_[node] != Value::kChosen) continue;
      const double weight = weight_[node], total = spent + weight;
      lost += spent >= weight ? (spent - total) + weight : (weight - total) + spent;
      spent = total;
    }
    return spent + lost;
  }

  void gather_open() {
    open_.clear();
    const std::vector<double>& price = price_[has_prices_ ? depth() : depth() - 1];
    for (std::size_t each = 0; each < row_.size(); ++each) {
      if (row_[each].need <= 0) continue;
      for (const auto node : rows_[static_cast<std::int64_t>(each)]) {
        if (value_[node] != Value::kFree) continue;
        if (number_[node] == kNone) {
          number_[node] = open_.num_nodes();
          open_.add_node(node, weight_[node]);
        }
        open_.add_member(number_[node]);
      }
      open_.end_row(static_cast<std::int32_t>(each), row_[each].need, price[each]);
    }
    for (std::int32_t each = 0; each < open_.num_nodes(); ++each) number_[open_.node(each)] = kNone;
  }

  void keep_prices() {
    if (price_.size() == depth()) price_.emplace_back(row_.size());
    has_prices_ = true;
    for (std::size_t each = 0; each < open_.num_rows(); ++each) price_[depth()][open_.row(each)] = open_.price(each);
  }

  /// Fix the free nodes whose other value would cost more than the limit; tell whether there were any.
  bool fix_by_price(double least) {
    const std::size_t before = trail_.size();
    for (std::int32_t each = 0; each < open_.num_nodes(); ++each) {
      const double weight = open_.weight(each), load = open_.load(each), extra = weight - load;
      // What rounding can do to this difference; that of the loads is part of what was taken off the least cost.
      if (least + (std::fabs(extra) - 2 * kEpsilon * (weight + load)) > limit_) {
        fix(open_.node(each), extra > 0.0 ? Value::kLeftOut : Value::kChosen);
      }
    }
    return trail_.size() > before;
  }

  void branch() {
    const std::int32_t node = open_.busiest();
    branches_.push_back({node, trail_.size(), true});
    has_prices_ = false;
    fix(node, Value::kChosen);
  }

  /// Go back to the last branching whose second half is still to be searched, and enter it; false where there is none.
  bool turn_back() {
    while (!branches_.empty()) {
      Branch& last = branches_.back();
      undo(last.trail_length);
      if (std::exchange(last.first, false)) {
        has_prices_ = false;
        fix(last.node, Value::kLeftOut);
        return true;
      }
      branches_.pop_back();
    }
    undo(0);
    return false;
  }

  Rows rows_;
  OwnRows rows_of_;
  std::span<const double> weight_;
  std::vector<double> root_price_;
  double short_step_ = 0.0;

  std::vector<Value> value_;
  std::vector<Row> row_;
  /// Rows that may need all of their free nodes.
  std::vector<std::int32_t> tight_;
  /// The nodes that are not free, in the order in which they were fixed.
  std::vector<std::int32_t> trail_;
  std::vector<Branch> branches_;
  std::int64_t num_open_ = 0;
  double limit_ = 0.0, gain_ = 0.0, found_ = 0.0;
  std::vector<std::uint8_t> found_choice_;

  OpenRows open_;
  /// Number of each node among the open ones, while they are gathered.
  std::vector<std::int32_t> number_;
  /// By depth, the prices of the rows that were open.
  std::vector<std::vector<double>> price_;
  /// Whether the present step has prices of its own already; it begins with those of the step before.
  bool has_prices_ = false;
};

}  // namespace annealco
