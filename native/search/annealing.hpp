/// Simulated annealing: random single flips at a falling temperature, on any energy.
///
/// Nodes are visited in turn; a flip that changes f by Δ is made with probability min(1, exp(−Δ / τ)), and τ falls from
/// sweep to sweep (Metropolis et al., 1953; Kirkpatrick, Gelatt and Vecchi, 1983). At a constant temperature
/// assignments are visited as often as exp(−f / τ) says. The change of every flip is kept up to date by the flips
/// themselves, so a flip that is refused takes a few nanoseconds, and one that is made O(degree).
///
/// Near the bound of a range single flips stop long before all is settled, so there half of the moves exchange two
/// nodes, one in and one out. Both kinds of moves keep the balance of exp(−f / τ).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/portable_math.hpp"
#include "core/random.hpp"
#include "energy/assignment.hpp"
#include "search/flip_search.hpp"
#include "search/incumbent.hpp"
#include "search/metropolis.hpp"
#include "search/repair.hpp"

namespace annealco {

/// The temperatures of the sweeps of each cooling; after the last cooling it comes again and again.
using Coolings = std::vector<std::vector<double>>;

/// Return where cooling begins and ends by default, read off the prices of flips in a local minimum of all graphs.
template <class Bits>
std::pair<double, double> default_temperatures(const Bits& bits) {
  constexpr double kHot = 0.28;  // Of the mean price, where it begins,
  constexpr double kCold = 0.1,
                   kCheap = 0.1;  // and of the price that this part of the flips stays below, where it ends.
  const EnergyTerms& terms = bits.terms();
  std::vector<double> prices;
  double sum = 0.0;
  for (std::int64_t graph = 0; graph < terms.num_graphs(); ++graph) {
    for (std::int64_t node = terms.first_node(graph); node < terms.last_node(graph); ++node) {
      const double price = std::fabs(bits.template local_change<Reading::kEnergy>(graph, node));
      if (price > terms.tolerance[static_cast<std::size_t>(node)]) {
        prices.push_back(price);
        sum += price;
      }
    }
  }
  if (prices.empty()) {
    const double unit = terms.unit.empty() ? 1.0 : terms.unit[0];
    return {unit, unit};
  }
  const double place = kCheap * static_cast<double>(prices.size() - 1);
  const auto low = prices.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(prices.begin(), low, prices.end());
  const double above = low + 1 == prices.end() ? *low : *std::min_element(low + 1, prices.end());
  const double cheap = *low + (place - static_cast<double>(low - prices.begin())) * (above - *low);
  // Of the smallest floats there are no parts.
  const double last = std::max(kCold * cheap, std::numeric_limits<double>::denorm_min());
  return {std::max(kHot * (sum / static_cast<double>(prices.size())), last), last};
}

/// Return temperatures that fall by the same factor from sweep to sweep.
inline std::vector<double> geometric_cooling(double first, double last, std::int64_t num_sweeps) {
  const auto log_of = [](double value) { return portable_log(std::max(value, std::numeric_limits<double>::min())); };
  const double fall = log_of(last) - log_of(first);
  std::vector<double> temperatures(static_cast<std::size_t>(num_sweeps), first);
  for (std::size_t k = 1; k < temperatures.size(); ++k) {
    const double progress = static_cast<double>(k) / static_cast<double>(temperatures.size() - 1);
    temperatures[k] = std::max(first * portable_exp(progress * fall), last);
  }
  return temperatures;
}

/// Return coolings between the default temperatures: of so many sweeps, or where that is 0, each twice as long as the
/// one before, up to 2,048 sweeps.
template <class Bits>
Coolings default_coolings(const Bits& bits, std::int64_t given_sweeps) {
  constexpr std::int64_t kFirstSweeps = 64, kLastSweeps = 2048;
  const auto [first, last] = default_temperatures(bits);
  if (given_sweeps > 0) return {geometric_cooling(first, last, given_sweeps)};
  Coolings coolings;
  for (std::int64_t num_sweeps = kFirstSweeps; num_sweeps <= kLastSweeps; num_sweeps *= 2) {
    coolings.push_back(geometric_cooling(first, last, num_sweeps));
  }
  return coolings;
}

template <class BitsOf>
class Annealing {
 public:
  using Bits = BitsOf;

  /// Begin at loaded bits of one graph; the default coolings, of so many sweeps, where none are given.
  Annealing(Bits bits, Incumbent& incumbent, std::uint64_t seed, Coolings coolings = {}, std::int64_t num_sweeps = 0)
      : bits_(std::move(bits)),
        incumbent_(incumbent),
        random_(seed),
        coolings_(coolings.empty() ? default_coolings(bits_, num_sweeps) : std::move(coolings)) {}

  Bits& bits() { return bits_; }
  const Bits& bits() const { return bits_; }

  /// Visit nodes until the clock is spent, the target reached or the limit; return how many were visited.
  std::int64_t advance(Clock& clock, double target, std::int64_t limit) {
    const std::int64_t size = bits_.terms().num_nodes();
    std::int64_t made = 0;
    while (size > 0 && made < limit && incumbent_.cost() > target && !clock.is_spent()) {
      if (sweep_ == coolings_[cooling_].size()) {
        end_cooling();
        clock.record(incumbent_.cost());
        continue;
      }
      rule_.set_temperature(coolings_[cooling_][sweep_]);
      const std::int64_t count = std::min({kVisitsAtOnce, size - node_, limit - made, clock.moves_left()});
      const double before = incumbent_.cost();
      const std::int64_t visited = bits_.has_ranges() ? visit<true>(count, target) : visit<false>(count, target);
      if (incumbent_.cost() < before) clock.record(incumbent_.cost());
      if (node_ == size) {
        node_ = 0;
        ++sweep_;
        is_odd_sweep_ = !is_odd_sweep_;
      }
      made += visited;
      clock.count(visited);
    }
    return made;
  }

  /// Return the best assignment, or the present one finished where that is better. What follows does not depend on it.
  Found best(Clock& clock) {
    const EnergyTerms& terms = bits_.terms();
    const auto work = terms.num_nodes() + static_cast<std::int64_t>(terms.pairs.index.size() + terms.sets.index.size());
    if (!clock.is_over() || (work <= kWorkAfterTime && bits_.is_feasible())) {
      const Bits finished = finished_copy();
      if (cost_of(finished) < incumbent_.cost()) {
        return {std::vector(finished.chosen().begin(), finished.chosen().end()), cost_of(finished)};
      }
    }
    return incumbent_.best(bits_.chosen());
  }

 private:
  static constexpr auto kEnergy = Reading::kEnergy;
  /// Nodes visited between two looks at the clock.
  static constexpr std::int64_t kVisitsAtOnce = 256;
  /// Sizes of terms up to which a feasible assignment is finished although the time is over: it takes a millisecond.
  static constexpr std::int64_t kWorkAfterTime = 100'000;

  Bits finished_copy() const {
    Bits copy = bits_;
    Repair(bits_.terms().num_nodes()).finish(copy, 0);
    return copy;
  }

  /// Keep what the cooling led to, and begin the next.
  void end_cooling() {
    const Bits finished = finished_copy();
    if (cost_of(finished) < incumbent_.cost()) incumbent_.replace(finished.chosen(), cost_of(finished));
    sweep_ = 0;
    if (cooling_ + 1 < coolings_.size()) ++cooling_;
  }

  /// Visit so many nodes, fewer where the target is reached; return how many.
  template <bool with_exchanges>
  std::int64_t visit(std::int64_t count, double target) {
    Random random = random_;  // A copy can stay in registers.
    const std::int64_t first = node_, last = first + count;
    std::int64_t node = first;
    for (bool reached = false; node < last && !reached; ++node) {
      // Flips and exchanges take turns from node to node and from sweep to sweep.
      const bool exchanges = with_exchanges && ((node & 1) != 0) == is_odd_sweep_;
      const bool changed = exchanges ? try_any_exchange(node, random) : try_flip(node, random);
      reached = changed && keep_best(node) && incumbent_.cost() <= target;
    }
    random_ = random;
    node_ = node;
    return node - first;
  }

  bool try_flip(std::int64_t node, Random& random) {
    if (!rule_.accepts(bits_.template change<kEnergy>(0, node), random)) return false;
    flip(node);
    return true;
  }

  /// Exchange a node for a random one, where that is of the other side.
  bool try_any_exchange(std::int64_t node, Random& random) {
    const std::int64_t other = random.below(bits_.terms().num_nodes());
    return bits_.is_chosen(other) != bits_.is_chosen(node) && try_exchange(node, other, random);
  }

  /// Flip two nodes of different sides with the probability that keeps the balance of exp(−f / τ).
  ///
  /// What the two have to do with each other is known only once they are flipped. A first draw goes by the sum A of
  /// their own changes, a second one makes up for the difference, as in delayed acceptance (Christen and Fox, 2005):
  /// with A' the sum for the way back, it accepts min(1, exp(−A' / τ)) exp(−Δ / τ) / min(1, exp(−A / τ)).
  bool try_exchange(std::int64_t node, std::int64_t other, Random& random) {
    const double estimate = sum_of_changes(node, other);
    if (!rule_.accepts(estimate, random)) return false;
    const double before = bits_.energy();
    flip(node);
    flip(other);
    const double back = sum_of_changes(node, other);
    const double rise = bits_.energy() - before + std::max(back, 0.0) - std::max(estimate, 0.0);
    if (rise <= bits_.terms().tolerance[static_cast<std::size_t>(node)] || rule_.accepts(rise, random)) return true;
    flip(other);
    flip(node);
    return false;
  }

  /// Return the change of f by flipping two nodes of different sides, exact for ranges and as if nothing else joined
  /// the two.
  double sum_of_changes(std::int64_t node, std::int64_t other) const {
    const auto one = static_cast<std::size_t>(node), two = static_cast<std::size_t>(other);
    const auto step = [&](const double* weight) {
      return negated_if(bits_.is_chosen(node), weight[one] - weight[two]);
    };
    return bits_.template local_change<kEnergy>(0, node) + bits_.template local_change<kEnergy>(0, other) +
           bits_.range_change(0, 1.0, 0.0, step);
  }

  void flip(std::int64_t node) {
    incumbent_.note_flip(bits_.chosen(), node);
    bits_.flip(0, node);
  }

  /// Keep the present assignment where it is feasible and better than the best; tell whether it is.
  bool keep_best(std::int64_t node) {
    const double energy = bits_.energy();
    if (energy >= incumbent_.cost() - bits_.terms().tolerance[static_cast<std::size_t>(node)]) return false;
    if (!bits_.is_feasible()) return false;
    incumbent_.record(energy);
    return true;
  }

  Bits bits_;
  Incumbent& incumbent_;
  Random random_;
  MetropolisRule rule_;
  Coolings coolings_;
  std::size_t cooling_ = 0, sweep_ = 0;  ///< which cooling, and which of its sweeps
  std::int64_t node_ = 0;                ///< the node that is visited next
  bool is_odd_sweep_ = false;            ///< of all sweeps
};

}  // namespace annealco
