/// Searches for a partition of a graph's nodes into few classes without clashes: cliques, or colours.
///
/// A partial partition keeps its classes free of clashes and leaves some nodes out. A move puts a node that is out into
/// a class and throws out whatever clashes with it there; it is chosen to throw out the fewest, and what was thrown out
/// may not come back to that class for a while (PartialCol, a tabu search of Blöchliger and Zufferey, 2008). When no
/// node is out, the partition is whole, and the search goes on with one class less. Where it gets no further, some
/// classes are emptied. Which nodes clash is a dense matrix: this is for graphs of up to a few thousand nodes.
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

#include "bounds/neighbours.hpp"
#include "bounds/partition.hpp"
#include "core/clock.hpp"
#include "core/random.hpp"

namespace annealco {

/// Which nodes clash, one byte each: 1 where they do. Rows are contiguous, so that they are added up as vectors.
class ClashMatrix {
 public:
  /// Joined nodes clash where the classes are colours, other nodes where they are cliques.
  ClashMatrix(const Neighbours& graph, ClassKind kind)
      : size_(static_cast<std::size_t>(graph.num_nodes())), cells_(size_ * size_, kind == ClassKind::kCliques ? 1 : 0) {
    for (std::int32_t node = 0; node < graph.num_nodes(); ++node) {
      for (const auto other : graph[node]) cells_[node * size_ + other] ^= 1;
      cells_[node * size_ + node] = 0;
    }
  }

  std::size_t size() const { return size_; }
  const std::uint8_t* row(std::int32_t node) const { return cells_.data() + node * size_; }

 private:
  std::size_t size_;
  std::vector<std::uint8_t> cells_;
};

/// Classes without clashes, and the nodes that are out.
class PartialPartition {
 public:
  /// Nodes whose label is not a class are out.
  PartialPartition(const ClashMatrix& clash, Labels label, std::int32_t num_classes)
      : clash_(clash),
        num_classes_(num_classes),
        label_(std::move(label)),
        place_(label_.size(), 0),
        members_(num_classes),
        clashes_(num_classes * clash.size(), 0),
        thrown_by_(num_classes * clash.size(), 0),
        barred_until_(num_classes * clash.size(), 0) {
    for (std::int32_t node = 0; node < static_cast<std::int32_t>(label_.size()); ++node) {
      if (label_[node] < 0 || label_[node] >= num_classes) label_[node] = kOut;
      if (label_[node] != kOut) join(node, label_[node]);
    }
    for (std::int32_t node = 0; node < static_cast<std::int32_t>(label_.size()); ++node) {
      if (label_[node] == kOut) throw_out(node);
    }
    fewest_ = out_.size();
  }

  /// Make a move; some node must be out, and there must be a class.
  void move(Random& random) {
    ++move_;
    Move best = best_move(random);
    if (best.chosen == kOut) {
      best.place = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(out_.size())));
      best.chosen = static_cast<std::int32_t>(random.below(num_classes_));
    }
    enter(best, random);
    if (out_.size() < fewest_) {
      fewest_ = out_.size();
      last_progress_ = move_;
    }
  }

  bool whole() const { return out_.empty(); }
  const Labels& label() const { return label_; }
  std::int32_t num_classes() const { return num_classes_; }
  /// Moves since fewer nodes were out than ever before.
  std::int64_t stalled() const { return move_ - last_progress_; }
  /// Whether moves can no longer be counted.
  bool worn_out() const { return move_ == kMostMoves; }

 private:
  static constexpr std::int32_t kOut = -1;
  static constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max(), kMostMoves = kNever / 2;

  struct Move {
    std::size_t place = 0;
    std::int32_t chosen = kOut;
  };
  std::int32_t* thrown_by(std::int32_t node) {
    return thrown_by_.data() + static_cast<std::size_t>(node) * num_classes_;
  }
  std::int32_t* barred_until(std::int32_t node) {
    return barred_until_.data() + static_cast<std::size_t>(node) * num_classes_;
  }
  std::uint16_t* clashes(std::int32_t each) { return clashes_.data() + static_cast<std::size_t>(each) * clash_.size(); }

  /// What a move would throw out, or kNever where it is barred; one that leaves fewer out than ever is not.
  static std::int32_t cost(std::int32_t thrown, std::int32_t until, std::int32_t move, std::int32_t aspiration) {
    // Written as bits, which compilers make vectors of.
    const std::int32_t allowed = -static_cast<std::int32_t>((until < move) | (thrown < aspiration));
    return (thrown & allowed) | (kNever & ~allowed);
  }

  /// Return a move that throws out the fewest, ties at random; no class where all moves are barred.
  Move best_move(Random& random) {
    const auto aspiration = static_cast<std::int32_t>(fewest_) - static_cast<std::int32_t>(out_.size()) + 1;
    const std::int32_t move = move_, num_classes = num_classes_;
    std::int32_t best = kNever;
    row_best_.resize(out_.size());
    for (std::size_t place = 0; place < out_.size(); ++place) {
      const std::int32_t *thrown = thrown_by(out_[place]), *until = barred_until(out_[place]);
      std::int32_t least = kNever;
      for (std::int32_t each = 0; each < num_classes; ++each) {
        least = std::min(least, cost(thrown[each], until[each], move, aspiration));
      }
      row_best_[place] = least;
      best = std::min(best, least);
    }
    if (best == kNever) return {};
    ties_.clear();
    for (std::size_t place = 0; place < out_.size(); ++place) {
      if (row_best_[place] != best) continue;
      const std::int32_t *thrown = thrown_by(out_[place]), *until = barred_until(out_[place]);
      for (std::int32_t each = 0; each < num_classes; ++each) {
        if (thrown[each] == best && cost(best, until[each], move, aspiration) == best) ties_.push_back({place, each});
      }
    }
    return ties_[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(ties_.size())))];
  }

  /// Put a node that is out into a class; throw out and bar what clashes with it there.
  void enter(const Move& move, Random& random) {
    const std::int32_t node = out_[move.place], chosen = move.chosen;
    const bool crowded = thrown_by(node)[chosen] > 0;
    out_[move.place] = out_.back();
    out_.pop_back();
    const std::size_t before = out_.size();
    if (crowded) {
      const auto until =
          move_ + static_cast<std::int32_t>(3 * before / 5) + static_cast<std::int32_t>(random.below(10));
      thrown_.clear();
      const std::uint8_t* row = clash_.row(node);
      for (const auto other : members_[chosen]) {
        if (row[other]) thrown_.push_back(other);
      }
      for (const auto other : thrown_) leave(other, chosen);
      join(node, chosen);
      for (const auto other : thrown_) {
        throw_out(other);
        barred_until(other)[chosen] = until;
      }
    } else {
      join(node, chosen);
    }
    const std::uint16_t* row = clashes(chosen);
    for (std::size_t place = 0; place < before; ++place) thrown_by(out_[place])[chosen] = row[out_[place]];
  }

  void join(std::int32_t node, std::int32_t chosen) {
    label_[node] = chosen;
    place_[node] = static_cast<std::int32_t>(members_[chosen].size());
    members_[chosen].push_back(node);
    const std::uint8_t* row = clash_.row(node);
    std::uint16_t* sum = clashes(chosen);
    for (std::size_t other = 0; other < clash_.size(); ++other)
      sum[other] = static_cast<std::uint16_t>(sum[other] + row[other]);
  }

  void leave(std::int32_t node, std::int32_t from) {
    auto& members = members_[from];
    members[place_[node]] = members.back();
    place_[members.back()] = place_[node];
    members.pop_back();
    const std::uint8_t* row = clash_.row(node);
    std::uint16_t* sum = clashes(from);
    for (std::size_t other = 0; other < clash_.size(); ++other)
      sum[other] = static_cast<std::uint16_t>(sum[other] - row[other]);
  }

  /// Put a node of no class among those that are out.
  void throw_out(std::int32_t node) {
    label_[node] = kOut;
    out_.push_back(node);
    std::int32_t* row = thrown_by(node);
    const std::uint16_t* column = clashes_.data() + node;
    for (std::int32_t each = 0; each < num_classes_; ++each) row[each] = column[each * clash_.size()];
  }

  const ClashMatrix& clash_;
  std::int32_t num_classes_;
  Labels label_;
  /// Where each node stands among the members of its class.
  std::vector<std::int32_t> place_;
  std::vector<std::vector<std::int32_t>> members_;
  /// [num_classes, num_nodes] number of members that each node clashes with.
  std::vector<std::uint16_t> clashes_;
  /// [num_nodes, num_classes] the same for nodes that are out, and the move up to which a node may not enter.
  std::vector<std::int32_t> thrown_by_, barred_until_;
  std::vector<std::int32_t> out_, row_best_, thrown_;
  std::vector<Move> ties_;
  std::size_t fewest_ = 0;
  std::int32_t move_ = 0, last_progress_ = 0;
};

/// Partitions into fewer and fewer classes.
class PartitionSearch {
 public:
  /// At most so many nodes: class sizes are 16-bit numbers, and the matrix is dense.
  static constexpr std::int32_t kMaxNodes = 1 << 14;

  /// Labels, below the number of nodes, are those of a partition without clashes.
  PartitionSearch(const Neighbours& graph, std::vector<double> weight, Labels label, ClassKind kind, std::uint64_t seed)
      : clash_(graph, kind),
        weight_(std::move(weight)),
        random_(seed),
        label_(std::move(label)),
        cheapest_(label_),
        price_(partition_price(label_, weight_)) {
    aim_lower();
  }
  PartitionSearch(const PartitionSearch&) = delete;
  PartitionSearch& operator=(const PartitionSearch&) = delete;

  /// Make moves until the price is no higher than the aim, classes were emptied so many times since the last smaller
  /// partition, or one class is left.
  void run(double aim, std::int64_t patience, Clock& clock) {
    while (price_ > aim && num_classes() > 1 && shakes_ < patience && clock.tick()) {
      partial_->move(random_);
      if (partial_->whole()) {
        take();
      } else if (partial_->stalled() > kPatience * static_cast<std::int64_t>(label_.size()) || partial_->worn_out()) {
        shake();
      }
    }
  }

  /// The partition with the fewest classes so far.
  const Labels& label() const { return label_; }
  /// The partition of the lowest price so far: every class costs as much as its heaviest node.
  const Labels& cheapest() const { return cheapest_; }
  double price() const { return price_; }
  std::int32_t num_classes() const { return num_classes_; }

 private:
  /// Moves per node without progress after which some classes are emptied, and what share of them.
  static constexpr std::int64_t kPatience = 10;
  static constexpr double kShaken = 0.2;

  void take() {
    label_ = partial_->label();
    if (const double price = partition_price(label_, weight_); price < price_) {
      price_ = price;
      cheapest_ = label_;
    }
    shakes_ = 0;
    aim_lower();
  }

  /// Number the classes by descending size, dissolve the smallest, and look for one class less.
  void aim_lower() {
    std::vector<std::int32_t> size(label_.size(), 0), classes(label_.size()), rank(label_.size());
    for (const auto each : label_) ++size[each];
    std::iota(classes.begin(), classes.end(), 0);
    std::stable_sort(classes.begin(), classes.end(), [&](auto one, auto other) { return size[one] > size[other]; });
    for (std::size_t k = 0; k < classes.size(); ++k) rank[classes[k]] = static_cast<std::int32_t>(k);
    for (auto& each : label_) each = rank[each];
    num_classes_ =
        static_cast<std::int32_t>(std::count_if(size.begin(), size.end(), [](auto each) { return each > 0; }));
    partial_.emplace(clash_, label_, std::max(num_classes_ - 1, 0));
  }

  void shake() {
    ++shakes_;
    const std::int32_t num_classes = partial_->num_classes();
    std::vector<std::uint8_t> emptied(num_classes);
    for (auto& each : emptied) each = random_.uniform() < kShaken;
    Labels label = partial_->label();
    for (auto& each : label) {
      if (each >= 0 && emptied[each]) each = -1;
    }
    partial_.emplace(clash_, std::move(label), num_classes);
  }

  ClashMatrix clash_;
  std::vector<double> weight_;
  Random random_;
  std::int32_t num_classes_ = 0;
  std::int64_t shakes_ = 0;
  Labels label_, cheapest_;
  double price_;
  std::optional<PartialPartition> partial_;
};

}  // namespace annealco
