/// Bring a weighted sum into a range that single flips jump over: by a subset sum, by two flips at once, or by counts.
///
/// Only nodes whose flip violates no pair and no set take part. If what they do together violates something after all,
/// it is taken back.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include "energy/assignment.hpp"

namespace annealco {

/// A set of sums from 0 to a largest one, as bits.
class SumSet {
 public:
  explicit SumSet(std::int64_t largest) : largest_(largest), word_(static_cast<std::size_t>(largest / 64 + 1)) {
    word_[0] = 1;
  }

  bool contains(std::int64_t sum) const {
    return sum >= 0 && sum <= largest_ && (word_[static_cast<std::size_t>(sum / 64)] >> (sum % 64) & 1) != 0;
  }

  /// Add every sum plus 0 to `count` times `size`; O(log count · largest / 64).
  void add(std::int64_t size, std::int64_t count) {
    if (size == 0) return;
    for (std::int64_t some = 1; count > 0; some *= 2) {
      add_shifted(size * std::min(some, count));
      count -= std::min(some, count);
    }
  }

 private:
  void add_shifted(std::int64_t by) {
    if (by > largest_) return;
    const auto words = static_cast<std::size_t>(by / 64), bits = static_cast<std::size_t>(by % 64);
    for (std::size_t k = word_.size(); k-- > words;) {
      std::uint64_t moved = word_[k - words] << bits;
      if (bits != 0 && k > words) moved |= word_[k - words - 1] >> (64 - bits);
      word_[k] |= moved;
    }
  }

  std::int64_t largest_;
  std::vector<std::uint64_t> word_;
};

class NarrowRanges {
 public:
  NarrowRanges(Assignment& bits, std::int64_t graph) : bits_(bits), terms_(bits.terms()), graph_(graph) {}

  /// Flip several nodes of the loaded graph at once as long as that lowers its violations.
  void fit() {
    bool lower = true;
    while (lower) {
      lower = false;
      for (std::size_t r = 0; r < terms_.ranges.size(); ++r) {
        const double away = violation_of(r) * terms_.ranges[r].outside(graph_, bits_.total(r, graph_));
        if (away > kViolationTolerance) {
          lower = try_flips(subset(r)) || try_flips(pair(r)) || try_flips(counts(r)) || lower;
        }
      }
    }
  }

 private:
  using Nodes = std::vector<std::int64_t>;

  /// Largest table of a subset sum, nodes times sums.
  static constexpr double kMaxCells = 2e7;
  /// Largest table of sums that are told apart by their weights alone, different weights times sums.
  static constexpr double kMaxBits = 0x1.0p30;
  /// Most nodes of which all pairs are tried.
  static constexpr std::size_t kMaxPaired = 300;
  /// Price of a flip that costs nothing, in units of the energy: of two ways the shorter.
  static constexpr double kLeastPrice = 1e-3;

  double violation_of(std::size_t r) const {
    return terms_.ranges[r].coefficient[static_cast<std::size_t>(graph_)].violation;
  }

  bool try_flips(const Nodes& nodes) {
    const double before = bits_.violation(graph_);
    for (const auto node : nodes) bits_.flip(graph_, node);
    if (bits_.violation(graph_) < before - kViolationTolerance) return true;
    for (const auto node : nodes) bits_.flip(graph_, node);
    return false;
  }

  /// Return the nodes whose flip violates no pair and no set.
  Nodes usable() const {
    Nodes nodes;
    for (std::int64_t node = terms_.first_node(graph_); node < terms_.last_node(graph_); ++node) {
      if (bits_.local_change<Reading::kViolation>(graph_, node) <= kViolationTolerance) nodes.push_back(node);
    }
    return nodes;
  }

  double price(std::int64_t node) const {
    return std::max(bits_.local_change<Reading::kEnergy>(graph_, node), 0.0) +
           kLeastPrice * terms_.unit[static_cast<std::size_t>(graph_)];
  }

  double weight(std::size_t r, std::int64_t node) const {
    return terms_.ranges[r].weight[static_cast<std::size_t>(node)];
  }

  double step(std::size_t r, std::int64_t node) const {
    return bits_.is_chosen(node) ? -weight(r, node) : weight(r, node);
  }

  /// Return Σ weights, or −1 where one is negative or no whole number.
  double whole_sum(std::size_t r, const Nodes& nodes) const {
    double sum = 0.0;
    for (const auto node : nodes) {
      if (weight(r, node) < 0.0 || weight(r, node) != std::floor(weight(r, node))) return -1.0;
      sum += weight(r, node);
    }
    return sum;
  }

  /// Return the part of a range's sum that nodes other than these bring.
  double fixed_part(std::size_t r, const Nodes& nodes) const {
    double total = bits_.total(r, graph_);
    for (const auto node : nodes) {
      if (bits_.is_chosen(node)) total -= weight(r, node);
    }
    return total;
  }

  /// Return the cheapest nodes that bring the sum nearest to its range, for whole weights and small graphs.
  Nodes subset(std::size_t r) const {
    const Nodes nodes = usable();
    const double sum = whole_sum(r, nodes);
    if (sum < 0.0 || (sum + 1.0) * static_cast<double>(nodes.size()) > kMaxCells) return {};
    const auto width = static_cast<std::size_t>(sum) + 1;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    std::vector<double> best(width, kInfinity);
    std::vector<std::uint8_t> flipped(nodes.size() * width);
    best[0] = 0.0;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      // A node adds its weight where it ends up chosen: downward, so that sums without it are still there.
      const auto step_up = static_cast<std::size_t>(weight(r, nodes[k]));
      const bool chosen = bits_.is_chosen(nodes[k]);
      const double left_price = chosen ? price(nodes[k]) : 0.0, put_price = chosen ? 0.0 : price(nodes[k]);
      for (std::size_t total = width; total-- > 0;) {
        const double left_out = best[total] + left_price;
        const double put_in = total >= step_up ? best[total - step_up] + put_price : kInfinity;
        best[total] = std::min(left_out, put_in);
        flipped[k * width + total] = (put_in < left_out) != chosen;
      }
    }
    const double fixed = fixed_part(r, nodes);
    std::size_t goal = 0;
    double away = kInfinity;
    for (std::size_t total = 0; total < width; ++total) {
      const double here =
          best[total] < kInfinity ? terms_.ranges[r].outside(graph_, fixed + static_cast<double>(total)) : kInfinity;
      if (here < away || (here == away && best[total] < best[goal])) goal = total, away = here;
    }
    Nodes found;
    for (std::size_t k = nodes.size(); k-- > 0;) {
      const bool flips = flipped[k * width + goal] != 0;
      if (flips) found.push_back(nodes[k]);
      if (bits_.is_chosen(nodes[k]) != flips) goal -= static_cast<std::size_t>(weight(r, nodes[k]));
    }
    return found;
  }

  /// Return two nodes that together bring the sums nearest to their ranges, of those the cheapest found.
  ///
  /// All pairs of a small graph are tried; of a large one those that bring the sum in question nearest, O(n log n).
  Nodes pair(std::size_t r) const {
    Nodes nodes = usable();
    std::stable_sort(nodes.begin(), nodes.end(), [&](auto one, auto two) { return step(r, one) < step(r, two); });
    std::tuple<double, double> least{std::numeric_limits<double>::infinity(), 0.0};
    Nodes best;
    const auto consider = [&](std::int64_t one, std::int64_t two) {
      double away = 0.0;
      for (std::size_t each = 0; each < terms_.ranges.size(); ++each) {
        const double total = bits_.total(each, graph_) + step(each, one) + step(each, two);
        away += violation_of(each) * terms_.ranges[each].outside(graph_, total);
      }
      const std::tuple<double, double> found{away, price(one) + price(two)};
      if (found < least) least = found, best = {one, two};
    };
    if (nodes.size() <= kMaxPaired) {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (std::size_t j = i + 1; j < nodes.size(); ++j) consider(nodes[i], nodes[j]);
      }
      return best;
    }
    const double goal = terms_.ranges[r].lower[static_cast<std::size_t>(graph_)] - bits_.total(r, graph_);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      // The first partner that reaches the goal and its neighbours, of which one may be the node itself.
      const double wanted = goal - step(r, nodes[i]);
      const auto found = std::lower_bound(nodes.begin(), nodes.end(), wanted,
                                          [&](auto node, double value) { return step(r, node) < value; });
      const auto middle = found - nodes.begin();
      const auto last = std::min<std::ptrdiff_t>(middle + 2, static_cast<std::ptrdiff_t>(nodes.size()));
      for (auto j = std::max<std::ptrdiff_t>(middle - 2, 0); j < last; ++j) {
        if (j != static_cast<std::ptrdiff_t>(i)) consider(nodes[i], nodes[static_cast<std::size_t>(j)]);
      }
    }
    return best;
  }

  /// Return nodes that bring the sum into its range, or as near as whole weights allow, on graphs of any size.
  ///
  /// Nodes of one weight are alike here: what is looked for is how many of them are chosen, near to how many are now;
  /// which of them flip is decided by their prices.
  Nodes counts(std::size_t r) const {
    Nodes nodes = usable();
    const double sum = whole_sum(r, nodes);
    if (sum < 0.0) return {};
    std::stable_sort(nodes.begin(), nodes.end(), [&](auto one, auto two) { return weight(r, one) < weight(r, two); });
    std::vector<std::size_t> first;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (k == 0 || weight(r, nodes[k]) != weight(r, nodes[k - 1])) first.push_back(k);
    }
    if ((sum + 1.0) * static_cast<double>(first.size()) > kMaxBits) return {};
    first.push_back(nodes.size());
    std::vector<SumSet> reached{SumSet(static_cast<std::int64_t>(sum))};
    for (std::size_t kind = 0; kind + 1 < first.size(); ++kind) {
      reached.push_back(reached.back());
      reached.back().add(static_cast<std::int64_t>(weight(r, nodes[first[kind]])),
                         static_cast<std::int64_t>(first[kind + 1] - first[kind]));
    }
    std::int64_t goal = nearest_sum(r, reached.back(), static_cast<std::int64_t>(sum), fixed_part(r, nodes));
    Nodes found;
    for (std::size_t kind = first.size() - 1; kind-- > 0;) {
      const Nodes alike(nodes.begin() + static_cast<std::ptrdiff_t>(first[kind]),
                        nodes.begin() + static_cast<std::ptrdiff_t>(first[kind + 1]));
      const auto size = static_cast<std::int64_t>(weight(r, alike[0]));
      const auto before = std::count_if(alike.begin(), alike.end(), [&](auto node) { return bits_.is_chosen(node); });
      const std::int64_t wanted = nearest_count(reached[kind], goal, size, static_cast<std::int64_t>(alike.size()),
                                                static_cast<std::int64_t>(before));
      goal -= wanted * size;
      add_cheapest(found, alike, /*chosen=*/wanted < before, static_cast<std::size_t>(std::abs(wanted - before)));
    }
    return found;
  }

  std::int64_t nearest_sum(std::size_t r, const SumSet& reached, std::int64_t largest, double fixed) const {
    std::int64_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t sum = 0; sum <= largest; ++sum) {
      if (!reached.contains(sum)) continue;
      const double away = terms_.ranges[r].outside(graph_, fixed + static_cast<double>(sum));
      if (away < least) least = away, best = sum;
    }
    return best;
  }

  /// Return how many nodes of one weight to choose, such that the others can make up the rest of the goal.
  static std::int64_t nearest_count(const SumSet& others, std::int64_t goal, std::int64_t size, std::int64_t most,
                                    std::int64_t before) {
    std::int64_t best = -1;
    for (std::int64_t count = 0; count <= most && count * size <= goal; ++count) {
      const bool nearer = best < 0 || std::abs(count - before) < std::abs(best - before);
      if (nearer && others.contains(goal - count * size)) best = count;
    }
    return std::max<std::int64_t>(best, 0);
  }

  /// Add the cheapest of the nodes that are chosen, or not, to the nodes found.
  void add_cheapest(Nodes& found, const Nodes& alike, bool chosen, std::size_t count) const {
    Nodes some;
    std::copy_if(alike.begin(), alike.end(), std::back_inserter(some),
                 [&](auto node) { return bits_.is_chosen(node) == chosen; });
    std::stable_sort(some.begin(), some.end(), [&](auto one, auto two) { return price(one) < price(two); });
    found.insert(found.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(std::min(count, some.size())));
  }

  Assignment& bits_;
  const EnergyTerms& terms_;
  std::int64_t graph_;
};

}  // namespace annealco
