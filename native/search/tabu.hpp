/// One-flip tabu search with exchanges, on any energy.
///
/// Every move makes the cheapest flip that is allowed, even where it raises the energy; a node that was flipped must
/// rest for a while, unless its flip leads to a new best (Glover, 1989). A flip's price is the change of f + μ ψ, with
/// a multiplier μ ≥ 0 that rises while the search stays infeasible and falls again afterwards.
///
/// Flips wait in buckets by the local part of their price, flips that choose a node apart from flips that drop one. A
/// price that has risen is noticed when its flip comes up; one that has fallen is filed at once. What sums over the
/// graph add is worked out for a few of the locally cheapest, which is exact where it adds the same to all.
///
/// Where a range forbids every good single flip, two opposite ones may be good together: if the best flip that chooses
/// and the best that drops a node, ranges left aside, promise more than the best flip as it is, one of the two is made,
/// and the price of leaving the range makes the next move return to it.
///
/// After long without a better assignment the search starts again as in breakout local search (Benlic and Hao, 2013):
/// half of the restarts go back to the best and change a small part of it, the other half build on the empty set. The
/// part is most often a connected region that is chosen or dropped as a whole: in energies of pairs a region costs what
/// its border costs, where scattered nodes cost each their own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "energy/assignment.hpp"
#include "search/flip_buckets.hpp"
#include "search/incumbent.hpp"
#include "search/price_key.hpp"
#include "search/region.hpp"
#include "search/sweep.hpp"

namespace annealco {

template <class BitsOf>
class TabuSearch {
 public:
  using Bits = BitsOf;

  /// Begin at loaded bits of one graph.
  TabuSearch(Bits bits, Incumbent& incumbent, std::uint64_t seed)
      : bits_(std::move(bits)),
        incumbent_(incumbent),
        random_(seed),
        size_(bits_.terms().num_nodes()),
        unit_(bits_.terms().unit[0]),
        buckets_(size_),
        region_(bits_.terms()),
        patience_(kFirstPatience * base_patience()) {
    if constexpr (!Bits::kPairsOnly) {
      if (bits_.has_ranges()) sweep_.emplace(bits_, incumbent_);
    }
    // Sums over the graph add the same to all flips of a side, unless ranges or unequal coefficients tell them apart.
    alike_ = !bits_.has_ranges() && (!bits_.has_all_pairs() || bits_.terms().is_uniform(0, Reading::kEnergy));
  }

  TabuSearch(const TabuSearch&) = delete;  // The sweep refers to the bits.
  TabuSearch& operator=(const TabuSearch&) = delete;

  const Bits& bits() const { return bits_; }

  /// Make moves until the clock is spent, the target reached or the limit; return how many. A restart counts as one.
  std::int64_t advance(Clock& clock, double target, std::int64_t limit) {
    std::int64_t made = 0;
    double recorded = incumbent_.cost();
    const auto record = [&] {
      if (incumbent_.cost() < recorded) clock.record(recorded = incumbent_.cost());
    };
    while (size_ > 0 && made < limit && incumbent_.cost() > target) {
      // What the end of the time cut short is done again.
      if (is_restarting_ && !restart(clock)) break;
      if (!is_filed_ && !file_all(clock)) break;
      if (!clock.tick()) {
        // What was found since the last record renews the patience.
        record();
        if (!clock.tick()) break;
      }
      ++made;
      if (++move_ - improved_ > patience_) {
        is_restarting_ = true;
      } else {
        make_move();
      }
      if (move_ % kMovesPerRecord == 0) record();
    }
    record();
    return made;
  }

  /// Return the best assignment.
  Found best(Clock&) { return incumbent_.best(bits_.chosen()); }

 private:
  static constexpr auto kEnergy = Reading::kEnergy, kViolation = Reading::kViolation;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr std::int32_t kAbsent = FlipBuckets::kAbsent;

  /// Prices that differ by less than this part of the unit are equal.
  static constexpr double kTie = 1e-9;
  /// Flips of a side that are looked at where the best cannot be told from the buckets, or several are equal.
  static constexpr int kLooks = 12;
  /// A flipped node rests for tenure to 2·tenure moves, with the tenure drawn between these at every restart.
  static constexpr std::int64_t kShortestTenure = 4, kLongestTenure = 24;
  /// Moves without a better assignment, in all or per node, before a restart: once, twice or four times as many. The
  /// first restart waits four times as long: until then nothing is known to be worth going back to.
  static constexpr std::int64_t kLeastPatience = 300, kPatiencePerNode = 3, kNumPatiences = 3, kFirstPatience = 4;
  /// Moves after which the multiplier is looked at; half the number of nodes where that is more.
  static constexpr std::int64_t kLeastPeriod = 50;
  /// By how much the multiplier rises, as a factor and in units of the energy.
  static constexpr double kRise = 1.5, kFirstRise = 0.25;
  /// Share of the restarts that do not start from the best, and share of those that flip a connected region.
  static constexpr double kFromNothing = 0.5, kAsRegion = 0.7;
  /// A restart from the best flips at most one node in so many; one from nothing at most every second.
  static constexpr std::int64_t kLargestPart = 8;
  /// Improvements are put down no more often than this.
  static constexpr std::int64_t kMovesPerRecord = 64;
  /// Nodes filed between two looks at the clock, which take as long as a few moves.
  static constexpr std::int64_t kFiledAtOnce = 64;

  /// The best flips of a side as they are, and the best with ranges left aside.
  struct Pick {
    std::array<std::int32_t, kLooks> nodes;  ///< of equal price and violation
    std::int32_t count = 0, free_node = kAbsent;
    double price = kInfinity, free_price = kInfinity;
    double violation = 0.0;  ///< the change of ψ by flipping one of them

    void restart(double new_price, double new_violation) {
      count = 0;
      price = new_price;
      violation = new_violation;
    }
  };

  void make_move() {
    std::int64_t node = choose();
    if (node == kAbsent) node = random_.below(size_);
    flip(node);
    refile(node);
    const std::int64_t rest = 1 + tenure_ + random_.below(tenure_ + 1);
    buckets_[node].until = move_ + std::min(rest, size_ / 2);
    adapt_multiplier();
  }

  /// Return the node to flip, or kAbsent where all are tabu.
  std::int64_t choose() {
    const std::array<Pick, 2> picks{look(0), look(1)};
    const double up = picks[0].price, down = picks[1].price;
    const bool coin = random_.below(2) != 0;
    if (bits_.has_ranges()) {
      const double together = picks[0].free_price + picks[1].free_price;
      if (together < std::min(up, down) - tie_) return picks[coin].free_node;
    }
    const Pick& pick = picks[up == down ? coin : up > down];
    return pick.count == 0 ? kAbsent : pick.nodes[static_cast<std::size_t>(random_.below(pick.count))];
  }

  /// Pick the best flip of a side from the lowest buckets.
  Pick look(std::int32_t side) {
    Pick pick;
    int looks = 0;
    for (std::int32_t key = buckets_.next_key(side, 0); key < kNumPriceKeys && looks < (alike_ ? 1 : kLooks);
         key = buckets_.next_key(side, key + 1)) {
      std::int32_t node = buckets_.head(side, key);
      while (node != kAbsent && looks < kLooks) {
        const std::int32_t after = buckets_[node].after;
        const double price = local_price(node, side);
        if (!move_up(node, price) && is_allowed(node)) {
          ++looks;
          consider(node, price, pick);
        }
        node = after;
      }
      if (node != kAbsent) buckets_.rotate(node);  // The next look sees others.
    }
    return pick;
  }

  /// File a flip anew where its price has risen to another bucket; tell whether it has.
  bool move_up(std::int32_t node, double price) {
    FlipBuckets::Flip& flip = buckets_[node];
    if (price <= flip.price) return false;
    const std::int32_t key = price_key(price, tie_, unit_);
    flip.price = price;
    if (key == flip.key) return false;
    buckets_.take(node);
    buckets_.file(node, flip.side, key, price);
    return true;
  }

  /// File a flip anew where its price has fallen to another bucket.
  void move_down(std::int32_t node) {
    FlipBuckets::Flip& flip = buckets_[node];
    const double price = local_price(node, flip.side);
    if (price >= flip.price) return;
    const std::int32_t key = price_key(price, tie_, unit_);
    flip.price = price;
    if (key == flip.key) return;
    buckets_.take(node);
    buckets_.file(node, flip.side, key, price);
  }

  /// Tell whether a node is not tabu, or its flip leads to a new best.
  bool is_allowed(std::int32_t node) const {
    if (buckets_[node].until <= move_) return true;
    const double energy = bits_.energy() + bits_.template change<kEnergy>(0, node);
    if (energy >= incumbent_.cost() - tolerance(node)) return false;
    return bits_.violation() + bits_.template change<kViolation>(0, node) <= kViolationTolerance;
  }

  /// Pick a node where it is cheaper than those picked so far, or as cheap with fewer violations, or as good.
  void consider(std::int32_t node, double local_price, Pick& pick) const {
    const double free_price = local_price + price_of_sums(node, local_price);
    if (free_price < pick.free_price) {
      pick.free_price = free_price;
      pick.free_node = node;
    }
    const double price = free_price + price_of_ranges(node);
    if (price > pick.price + tie_) return;
    const double violation = bits_.template change<kViolation>(0, node);
    if (price < pick.price - tie_ || violation < pick.violation - kViolationTolerance) {
      pick.restart(price, violation);
    } else if (violation > pick.violation + kViolationTolerance) {
      return;
    }
    pick.nodes[static_cast<std::size_t>(pick.count++)] = node;
  }

  double tolerance(std::int64_t node) const { return bits_.terms().tolerance[static_cast<std::size_t>(node)]; }

  /// Return the price of a flip as far as it comes from the node's field.
  double local_price(std::int64_t node, std::int32_t side) const {
    const auto& field = bits_.field(node);
    const double rise = field.template of<kEnergy>() + multiplier_ * field.template of<kViolation>();
    return negated_if(side != 0, rise);
  }

  /// Return what terms over all pairs add to it.
  double price_of_sums(std::int64_t node, double local_price) const {
    if (!bits_.has_all_pairs()) return 0.0;
    return bits_.template local_change<kEnergy>(0, node) +
           multiplier_ * bits_.template local_change<kViolation>(0, node) - local_price;
  }

  /// Return what ranges add to it.
  double price_of_ranges(std::int64_t node) const {
    return bits_.has_ranges() ? bits_.range_change(0, node, 1.0, multiplier_) : 0.0;
  }

  void file(std::int64_t node) {
    const std::int32_t side = bits_.is_chosen(node) ? 1 : 0;
    const double price = local_price(node, side);
    buckets_.file(static_cast<std::int32_t>(node), side, price_key(price, tie_, unit_), price);
  }

  /// File every node by its present price; false where the time is over first.
  bool file_all(Clock& clock) {
    buckets_.clear();
    for (std::int64_t node = 0; node < size_; ++node) {
      file(node);
      if (node % kFiledAtOnce == 0 && clock.is_over()) return false;
    }
    return is_filed_ = true;
  }

  /// File a node that was flipped, and what has become cheaper by that.
  void refile(std::int64_t node) {
    buckets_.take(static_cast<std::int32_t>(node));
    file(node);
    for (const auto other : bits_.touched()) move_down(other);
  }

  /// Flip a node and keep the best; the buckets are not told.
  void flip(std::int64_t node) {
    incumbent_.note_flip(bits_.chosen(), node);
    bits_.flip(0, node);
    if (!bits_.is_feasible()) return;
    feasible_ = move_;
    if (bits_.energy() < incumbent_.cost() - tolerance(node)) {
      incumbent_.record(bits_.energy());
      improved_ = move_;
    }
  }

  /// Raise the price of violations after a time without a feasible assignment, and lower it after one with some.
  void adapt_multiplier() {
    const std::int64_t period = std::max(kLeastPeriod, size_ / 2);
    if (move_ % period != 0) return;
    const double before = multiplier_, least = kFirstRise * unit_;
    if (move_ - feasible_ >= period) {
      multiplier_ = kRise * before + least;
    } else {
      multiplier_ = before > least ? before / kRise : 0.0;
    }
    if (multiplier_ != before) is_filed_ = false;
  }

  std::int64_t base_patience() const { return std::max(kLeastPatience, kPatiencePerNode * size_); }

  /// Restart, and draw how long nodes rest and how long the next restart waits; false where the time is over first.
  bool restart(Clock& clock) {
    is_filed_ = false;
    const bool from_nothing = random_.uniform() < kFromNothing;
    if (!go_back(from_nothing, clock)) return false;
    const std::int64_t most = std::max<std::int64_t>(1, size_ / (from_nothing ? 2 : kLargestPart));
    const std::int64_t count = 1 + random_.below(most);
    const bool as_region = random_.uniform() < kAsRegion, value = from_nothing || random_.below(2) == 0;
    if (!(as_region ? set_region(count, value, clock) : flip_some(count, clock))) return false;
    if (sweep_) {
      sweep_->begin(from_nothing || (as_region && !value));
      if (!sweep_->run(clock)) return false;
    }
    tenure_ = kShortestTenure + random_.below(kLongestTenure - kShortestTenure);
    patience_ = base_patience() << random_.below(kNumPatiences);
    improved_ = move_;
    multiplier_ = 0.0;
    is_restarting_ = false;
    return true;
  }

  /// Go back to the best, or to the empty set.
  bool go_back(bool to_nothing, Clock& clock) {
    incumbent_.save(bits_.chosen());
    for (std::int64_t node = 0; node < size_; ++node) {
      const bool goal = !to_nothing && incumbent_.saved()[static_cast<std::size_t>(node)] != 0;
      if (bits_.is_chosen(node) == goal) continue;
      flip(node);
      if (clock.is_over()) return false;
    }
    return true;
  }

  /// Choose, or drop, a connected region of so many nodes.
  bool set_region(std::int64_t count, bool value, Clock& clock) {
    if (!region_.collect(random_.below(size_), count, clock)) return false;
    for (const auto node : region_.nodes()) {
      if (bits_.is_chosen(node) == value) continue;
      flip(node);
      if (clock.is_over()) return false;
    }
    return true;
  }

  bool flip_some(std::int64_t count, Clock& clock) {
    for (std::int64_t k = 0; k < count; ++k) {
      flip(random_.below(size_));
      if (clock.is_over()) return false;
    }
    return true;
  }

  Bits bits_;
  Incumbent& incumbent_;
  Random random_;
  std::int64_t size_;
  double unit_, tie_ = kTie * unit_;  ///< of prices: the unit, and differences that do not count
  FlipBuckets buckets_;               ///< all nodes, where `is_filed_`
  Region region_;
  std::optional<RangeSweep> sweep_;                      ///< where there are ranges
  std::int64_t move_ = 0, improved_ = 0, feasible_ = 0;  ///< this move, the last new best, the last feasible bits
  std::int64_t tenure_ = kShortestTenure, patience_;     ///< moves that nodes rest, and without a new best
  double multiplier_ = 0.0;                              ///< μ, the price of violations
  bool alike_ = false, is_filed_ = false, is_restarting_ = false;
};

}  // namespace annealco
