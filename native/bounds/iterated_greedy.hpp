/// Improves a partition of a large sparse graph by going through its classes again, greedily (Culberson and Luo, 1996).
///
/// The classes are cliques, or independent sets (colours). Nodes are handed out class by class, in another order of the
/// classes. A class fits into one group, so that there are never more groups than there were classes, and often fewer.
/// One pass takes linear time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bounds/colouring.hpp"
#include "bounds/neighbours.hpp"
#include "bounds/partition.hpp"
#include "core/clock.hpp"
#include "core/random.hpp"

namespace annealco {

/// Put each node in turn into the largest clique that it is joined to all of, else into a new one.
inline std::optional<Labels> cliques_in_order(const Neighbours& graph, std::span<const std::int32_t> order,
                                              Clock& clock) {
  struct Clique {
    std::int32_t size = 0, met = 0, met_by = -1;
  };
  Labels label(order.size(), -1);
  LargeVector<Clique> cliques;
  for (std::size_t place = 0; place < order.size(); ++place) {
    prefetch_row(graph, order, place);
    const std::int32_t node = order[place];
    std::int32_t best = -1;
    for (const auto other : graph[node]) {
      if (label[other] < 0) continue;
      Clique& each = cliques[label[other]];
      each.met = each.met_by == node ? each.met + 1 : 1;
      each.met_by = node;
      if (each.met == each.size && (best < 0 || each.size > cliques[best].size)) best = label[other];
    }
    if (best < 0) {
      best = static_cast<std::int32_t>(cliques.size());
      cliques.emplace_back();
    }
    label[node] = best;
    ++cliques[best].size;
    if (clock.is_over(1 + graph.degree(node))) return std::nullopt;
  }
  return label;
}

class IteratedGreedy {
 public:
  /// Labels, below the number of nodes, are those of a partition of the kind.
  IteratedGreedy(std::shared_ptr<const Neighbours> graph, std::vector<double> weight, Labels label, ClassKind kind,
                 std::uint64_t seed)
      : graph_(std::move(graph)),
        weight_(std::move(weight)),
        kind_(kind),
        random_(seed),
        label_(std::move(label)),
        cheapest_(label_) {
    price_ = partition_price(label_, weight_);
  }

  /// Make passes, each one move, until the price is no higher than the aim.
  void run(double aim, Clock& clock) {
    while (!label_.empty() && price_ > aim && clock.tick()) {
      const auto order = next_order(clock);
      auto label = kind_ == ClassKind::kCliques ? cliques_in_order(*graph_, order, clock)
                                                : colour_in_order(*graph_, order, clock);
      if (!label) return;
      label_ = std::move(*label);
      if (const double price = partition_price(label_, weight_); price < price_) {
        price_ = price;
        cheapest_ = label_;
      }
    }
  }

  double price() const { return price_; }
  /// The partition of the lowest price so far.
  const Labels& cheapest() const { return cheapest_; }

 private:
  /// The nodes class by class: larger classes first, in reverse, or shuffled.
  LargeVector<std::int32_t> next_order(Clock& clock) {
    LargeVector<std::int64_t> end(1 + static_cast<std::size_t>(*std::max_element(label_.begin(), label_.end())), 0);
    for (const auto each : label_) ++end[each];
    std::int64_t filled = 0;
    for (const auto each : order_of_classes(end)) filled += std::exchange(end[each], filled);
    LargeVector<std::int32_t> order(label_.size());
    for (std::size_t node = 0; node < label_.size(); ++node) {
      order[end[label_[node]]++] = static_cast<std::int32_t>(node);
      if (node % kClockBlock == 0 && clock.is_over(kClockBlock)) break;
    }
    return order;
  }

  LargeVector<std::int32_t> order_of_classes(const LargeVector<std::int64_t>& size) {
    LargeVector<std::int32_t> classes(size.size());
    std::iota(classes.begin(), classes.end(), 0);
    const double draw = random_.uniform();
    if (draw < kReversed) {
      std::reverse(classes.begin(), classes.end());
      return classes;
    }
    random_.shuffle(std::span(classes));
    if (draw >= kReversed + kShuffled) sort_by_size(classes, size);
    return classes;
  }

  /// Counting sort by descending size; equal ones keep their order.
  static void sort_by_size(LargeVector<std::int32_t>& classes, const LargeVector<std::int64_t>& size) {
    const std::int64_t most = *std::max_element(size.begin(), size.end());
    std::vector<std::int64_t> place(static_cast<std::size_t>(most) + 2, 0);
    for (const auto each : size) ++place[most - each + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    LargeVector<std::int32_t> sorted(classes.size());
    for (const auto each : classes) sorted[place[most - size[each]]++] = each;
    classes.swap(sorted);
  }

  /// How often classes come in reverse, and how often shuffled; else larger ones come first.
  static constexpr double kReversed = 0.3, kShuffled = 0.2;

  std::shared_ptr<const Neighbours> graph_;
  std::vector<double> weight_;
  ClassKind kind_;
  Random random_;
  Labels label_, cheapest_;
  double price_;
};

}  // namespace annealco
