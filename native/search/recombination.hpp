/// Annealing of coupled spins whose results are recombined: for quadratic functions of bits without constraints.
///
/// First the spins are eliminated that follow from a few others (`SpinReduction`). What is left is annealed several
/// times, and the results are recombined: where all of them agree on how two coupled spins lie to each other, the two
/// become one, and the model of these clusters, which is much smaller, is reduced and annealed in its turn (Houdayer
/// and Martin, 1999). Where two results differ in places that have nothing to do with each other, the reductions alone
/// take the better of both at each place. Results of recombinations are recombined again, four at a time, and each also
/// with the best so far.
///
/// On lattices and other graphs with small borders this replaces most of the annealing: coolings may be short. On
/// expanding graphs independent results differ everywhere, and longer coolings are the better use of time. Which of the
/// two it is, is measured: a cooling that is four times as long competes with the recombination of four, and takes over
/// where it wins, or where recombinations give nothing new.
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
#include "energy/terms.hpp"
#include "search/flip_search.hpp"
#include "search/incumbent.hpp"
#include "search/spin_annealing.hpp"
#include "search/spin_model.hpp"
#include "search/spin_reductions.hpp"

namespace annealco {

/// Spins that become one where several assignments agree on them.
class SpinContraction {
 public:
  /// Contract a model by assignments, [num_spins] each, at most 64; nothing where the time is over first.
  static std::optional<SpinContraction> make(const SpinModel& model, std::span<const std::vector<Spin>* const> parents,
                                             Clock& clock) {
    SpinContraction made;
    if (!made.find_clusters(model, parents, clock) || !made.join(model, clock)) return std::nullopt;
    return made;
  }

  const SpinModel& model() const { return model_; }

  /// Return the directions of the clusters in an assignment of the spins on which all of each agree.
  std::vector<Spin> contracted(std::span<const Spin> spins) const {
    std::vector<Spin> result(static_cast<std::size_t>(model_.num_spins()));
    for (std::size_t k = 0; k < spins.size(); ++k) {
      result[static_cast<std::size_t>(cluster_[k])] = static_cast<Spin>(spins[k] * sign_[k]);
    }
    return result;
  }

  std::vector<Spin> expanded(std::span<const Spin> clusters) const {
    std::vector<Spin> result(cluster_.size());
    for (std::size_t k = 0; k < result.size(); ++k) {
      result[k] = static_cast<Spin>(clusters[static_cast<std::size_t>(cluster_[k])] * sign_[k]);
    }
    return result;
  }

 private:
  bool find_clusters(const SpinModel& model, std::span<const std::vector<Spin>* const> parents, Clock& clock) {
    const auto size = static_cast<std::size_t>(model.num_spins());
    std::vector<std::uint64_t> directions(size, 0);
    for (std::size_t k = 0; k < parents.size(); ++k) {
      if (clock.is_over(static_cast<std::int64_t>(size / kCheap))) return false;
      for (std::size_t spin = 0; spin < size; ++spin) {
        directions[spin] |= static_cast<std::uint64_t>((*parents[k])[spin] > 0) << k;
      }
    }
    const std::uint64_t opposite = ~std::uint64_t{0} >> (64 - parents.size());
    cluster_.assign(size, -1);
    sign_.assign(size, 1);
    members_.clear();
    for (std::int32_t first = 0; first < model.num_spins(); ++first) {
      if (cluster_[static_cast<std::size_t>(first)] >= 0) continue;
      const auto own = static_cast<std::int32_t>(first_member_.size());
      first_member_.push_back(static_cast<std::int32_t>(members_.size()));
      cluster_[static_cast<std::size_t>(first)] = own;
      members_.push_back(first);
      for (std::size_t next = members_.size() - 1; next < members_.size(); ++next) {
        const auto spin = static_cast<std::size_t>(members_[next]);
        if (clock.is_over()) return false;
        for (const SpinCoupling& each : model[members_[next]]) {
          const auto other = static_cast<std::size_t>(each.spin);
          const std::uint64_t apart = directions[spin] ^ directions[other];
          if (cluster_[other] >= 0 || (apart != 0 && apart != opposite)) continue;
          cluster_[other] = own;
          sign_[other] = apart == 0 ? sign_[spin] : static_cast<Spin>(-sign_[spin]);
          members_.push_back(each.spin);
        }
      }
    }
    first_member_.push_back(static_cast<std::int32_t>(members_.size()));
    return true;
  }

  /// Add up the couplings between clusters.
  bool join(const SpinModel& model, Clock& clock) {
    const auto count = static_cast<std::int32_t>(first_member_.size()) - 1;
    std::vector<std::int32_t> stamp(static_cast<std::size_t>(count), -1);
    std::vector<double> sum(static_cast<std::size_t>(count)), extent(static_cast<std::size_t>(count));
    std::vector<std::int32_t> others;
    for (std::int32_t own = 0; own < count; ++own) {
      others.clear();
      const auto last = static_cast<std::size_t>(first_member_[static_cast<std::size_t>(own) + 1]);
      for (auto k = static_cast<std::size_t>(first_member_[static_cast<std::size_t>(own)]); k < last; ++k) {
        if (clock.is_over()) return false;
        const double sign = sign_[static_cast<std::size_t>(members_[k])];
        for (const SpinCoupling& each : model[members_[k]]) {
          const std::int32_t cluster = cluster_[static_cast<std::size_t>(each.spin)];
          if (cluster == own) continue;
          const auto other = static_cast<std::size_t>(cluster);
          if (stamp[other] != own) {
            stamp[other] = own;
            sum[other] = extent[other] = 0.0;
            others.push_back(cluster);
          }
          sum[other] += sign * sign_[static_cast<std::size_t>(each.spin)] * each.strength;
          extent[other] += std::fabs(each.strength);
        }
      }
      for (const auto cluster : others) {
        const auto other = static_cast<std::size_t>(cluster);
        if (std::fabs(sum[other]) > kSpinNoise * extent[other]) model_.coupling.push_back({cluster, sum[other]});
      }
      model_.start.push_back(static_cast<std::int64_t>(model_.coupling.size()));
    }
    return true;
  }

  /// Work on so many numbers is that of a move.
  static constexpr std::size_t kCheap = 8;

  std::vector<std::int32_t> cluster_;                 ///< [num_spins]
  std::vector<Spin> sign_;                            ///< [num_spins] how a spin lies to the first of its cluster
  std::vector<std::int32_t> members_, first_member_;  ///< by cluster
  SpinModel model_;
};

class Recombination final : public FlipSearch {
 public:
  /// Begin at bits of one graph, [num_nodes]; reductions of all spins stop after so many seconds.
  Recombination(const EnergyTerms& terms, std::vector<std::uint8_t> start, std::uint64_t seed, double reduction_seconds)
      : terms_(&terms),
        random_(seed),
        draws_(random_),
        whole_(spin_model_of(terms)),
        reduction_(whole_),
        reduction_seconds_(reduction_seconds) {
    const double cost = cost_of_bits(start);
    found_ = {std::move(start), cost};
  }

  Found run(Clock& clock, double target) override {
    clock.record(found_.cost);
    while (!clock.is_spent() && best_cost() > target && step(clock)) {
    }
    take_best();
    clock.record(found_.cost, /*renews=*/false);
    return found_;
  }

  std::span<const std::uint8_t> present() const override { return found_.chosen; }

  bool is_solved() const override { return phase_ == Phase::kSolved && reduction_.is_exact() && terms_->is_exact(0); }

 private:
  enum class Phase { kReduce, kSettle, kCool, kBuild, kSettleClusters, kCoolClusters, kSolved };

  struct Solution {
    std::vector<Spin> spins;  ///< of the kernel
    double energy;
  };

  /// Assignments that are recombined, in clusters on which they agree, and these again without what follows from
  /// others.
  struct Family {
    Family(SpinContraction contraction, SpinReduction reduction)
        : contraction(std::move(contraction)), reduction(std::move(reduction)), kernel(this->reduction.kernel()) {}

    SpinContraction contraction;
    SpinReduction reduction;
    SpinKernel kernel;
  };

  /// So many results are recombined at once.
  static constexpr std::size_t kParents = 4;
  /// Sweeps of the first coolings, by how much they grow, and the most.
  static constexpr std::int64_t kFirstSweeps = 64, kGrowth = 4, kMostSweeps = 16384;
  /// Clusters are cooled in at least as many sweeps as spins and at most so many, for a part of the time of a cooling.
  static constexpr std::int64_t kMostClusterSweeps = 2048, kClusterShare = 4;
  /// Results whose energies differ by no more than this part are equally good.
  static constexpr double kTie = 1e-12;

  /// Do one thing after the other; false where the time is over, or nothing is left to do.
  bool step(Clock& clock) {
    switch (phase_) {
      case Phase::kReduce:
        return reduce(clock);
      case Phase::kSettle:
        if (!annealing_->run(clock)) return false;
        temperatures_ = annealing_->temperatures();
        best_ = {annealing_->spins(), annealing_->energy()};
        measure_offset();
        clock.record(best_cost());
        begin_cooling();
        return true;
      case Phase::kCool:
        if (!annealing_->run(clock)) return false;
        end_cooling(clock);
        return true;
      case Phase::kBuild:
        return build(clock);
      case Phase::kSettleClusters:
        if (!cluster_annealing_->run(clock)) return false;
        begin_cooling_clusters();
        return true;
      case Phase::kCoolClusters:
        if (!cluster_annealing_->run(clock)) return false;
        end_cooling_clusters();
        clock.record(best_cost());
        return true;
      case Phase::kSolved:
        return false;
    }
    return false;
  }

  bool reduce(Clock& clock) {
    if (!reduction_.run(clock, reduction_seconds_)) return false;
    kernel_ = reduction_.kernel();
    std::vector<Spin> spins(static_cast<std::size_t>(whole_.num_spins()), Spin{1});
    for (std::size_t node = 0; node < found_.chosen.size(); ++node) spins[node] = found_.chosen[node] ? 1 : -1;
    best_ = {kernel_.restricted(spins), 0.0};
    best_.energy = kernel_.model.energy(best_.spins);
    measure_offset();
    if (kernel_.model.num_spins() == 0) {
      phase_ = Phase::kSolved;
      return false;
    }
    annealing_.emplace(kernel_.model, draws_, random_);
    annealing_->settle(best_.spins);
    phase_ = Phase::kSettle;
    return true;
  }

  void begin_cooling() {
    std::vector<Spin> spins(best_.spins.size());
    for (Spin& each : spins) each = random_.below(2) == 0 ? Spin{-1} : Spin{1};
    annealing_->cool(std::move(spins), temperatures_, next_sweeps(), best_.energy);
    phase_ = Phase::kCool;
  }

  /// Return the length of the next cooling. The longest ones share the time with shorter ones, of which more find
  /// something else.
  std::int64_t next_sweeps() {
    if (is_rival_) return kGrowth * num_sweeps_;
    return num_sweeps_ == kMostSweeps && random_.below(kGrowth + 1) > 0 ? num_sweeps_ / kGrowth : num_sweeps_;
  }

  void end_cooling(Clock& clock) {
    Solution result{annealing_->spins(), annealing_->energy()};
    keep(result);
    clock.record(best_cost());
    if (is_rival_) {
      is_rival_ = false;
      if (is_less(result.energy, recombined_)) {
        num_sweeps_ *= kGrowth;
        levels_.clear();
        level(0).push_back(std::move(result));
      } else {
        is_settled_ = true;
        level(1).push_back(std::move(result));
      }
    } else {
      level(0).push_back(std::move(result));
    }
    go_on();
  }

  /// Recombine where enough results of a level are there, else begin another cooling.
  void go_on() {
    for (std::size_t each = 0; each < levels_.size(); ++each) {
      if (levels_[each].size() < kParents) continue;
      parents_ = std::exchange(levels_[each], {});
      level_ = each;
      with_best_ = false;
      // A start that is better than all of them is one of them.
      const auto least = std::min_element(parents_.begin(), parents_.end(), by_energy);
      if (each == 0 && !is_settled_ && is_less(best_.energy, least->energy)) parents_.push_back(best_);
      phase_ = Phase::kBuild;
      return;
    }
    begin_cooling();
  }

  bool build(Clock& clock) {
    std::vector<const std::vector<Spin>*> given;
    for (const Solution& each : parents_) given.push_back(&each.spins);
    auto contraction = SpinContraction::make(kernel_.model, given, clock);
    if (!contraction) return false;
    SpinReduction reduction(contraction->model());
    if (!reduction.run(clock)) return false;
    family_ = std::make_unique<Family>(std::move(*contraction), std::move(reduction));
    const auto least = std::min_element(parents_.begin(), parents_.end(), by_energy);
    cluster_annealing_.emplace(family_->kernel.model, draws_, random_);
    cluster_annealing_->settle(family_->kernel.restricted(family_->contraction.contracted(least->spins)));
    phase_ = Phase::kSettleClusters;
    return true;
  }

  void begin_cooling_clusters() {
    const std::int64_t size = family_->kernel.model.num_spins();
    settled_ = {cluster_annealing_->spins(), cluster_annealing_->energy()};
    phase_ = Phase::kCoolClusters;
    if (size == 0) return;
    const std::int64_t affordable = num_sweeps_ * kernel_.model.num_spins() / (kClusterShare * size);
    const std::int64_t sweeps = std::clamp(affordable, num_sweeps_, std::max(num_sweeps_, kMostClusterSweeps));
    cluster_annealing_->cool(settled_.spins, cluster_annealing_->temperatures(), sweeps, settled_.energy);
  }

  void end_cooling_clusters() {
    const bool is_better = cluster_annealing_->energy() < settled_.energy;
    const auto spins =
        family_->kernel.lifted(family_->reduction, is_better ? cluster_annealing_->spins() : settled_.spins);
    Solution result{family_->contraction.expanded(spins), 0.0};
    result.energy = kernel_.model.energy(result.spins);
    const auto least = std::min_element(parents_.begin(), parents_.end(), by_energy);
    const bool has_gained = is_less(result.energy, least->energy);
    if (!has_gained) result = *least;
    family_.reset();
    const bool was_best = !is_less(best_.energy, result.energy);
    keep(result);
    if (with_best_) {
      go_on();
      return;
    }
    if (!is_settled_ && num_sweeps_ < kMostSweeps) {
      is_rival_ = true;
      recombined_ = result.energy;
    } else if (!has_gained && level_ == 0 && num_sweeps_ < kMostSweeps) {
      num_sweeps_ *= kGrowth;
    }
    level(level_ + 1).push_back(result);
    if (was_best) {
      go_on();
      return;
    }
    parents_.clear();
    parents_.push_back(std::move(result));
    parents_.push_back(best_);
    with_best_ = true;
    phase_ = Phase::kBuild;
  }

  std::vector<Solution>& level(std::size_t place) {
    if (levels_.size() <= place) levels_.resize(place + 1);
    return levels_[place];
  }

  static bool by_energy(const Solution& one, const Solution& two) { return one.energy < two.energy; }
  static bool is_less(double one, double two) { return one < two - kTie * std::fabs(two); }

  void keep(const Solution& result) {
    if (is_less(result.energy, best_.energy)) best_ = result;
  }

  /// Return the cost of the best so far, up to rounding.
  double best_cost() const {
    const double least = annealing_ && annealing_->lowest() ? annealing_->lowest_energy() : best_.energy;
    return phase_ == Phase::kReduce ? found_.cost
                                    : offset_ + std::ldexp(std::min(least, best_.energy), whole_.exponent);
  }

  /// Work out what a cost is besides the energy of the kernel.
  void measure_offset() {
    const double energy = best_.energy;
    const auto bits = bits_of(best_.spins);
    const double cost = cost_of_bits(bits);
    offset_ = cost - std::ldexp(energy, whole_.exponent);
    if (cost < found_.cost) found_ = {bits, cost};
  }

  /// Turn the best into bits where it is new.
  void take_best() {
    if (!annealing_) return;
    if (annealing_->lowest() && annealing_->lowest_energy() < best_.energy) {
      take(*annealing_->lowest());
    } else {
      take(best_.spins);
    }
  }

  void take(const std::vector<Spin>& spins) {
    auto bits = bits_of(spins);
    const double cost = cost_of_bits(bits);
    if (cost < found_.cost) found_ = {std::move(bits), cost};
  }

  /// Return the bits of spins of the kernel, [num_nodes].
  std::vector<std::uint8_t> bits_of(const std::vector<Spin>& spins) const {
    const auto whole = kernel_.lifted(reduction_, spins);
    std::vector<std::uint8_t> bits(static_cast<std::size_t>(terms_->num_nodes()));
    // The spin of the fields comes last and stands for 1.
    const Spin one = whole.size() > bits.size() ? whole.back() : Spin{1};
    for (std::size_t node = 0; node < bits.size(); ++node) bits[node] = whole[node] == one;
    return bits;
  }

  double cost_of_bits(const std::vector<std::uint8_t>& bits) const {
    double cost = terms_->constant[0].energy;
    std::size_t place = 0;
    for (std::size_t node = 0; node < bits.size(); ++node) {
      double sum = 0.0;
      for (const auto other : terms_->pairs[static_cast<std::int64_t>(node)]) {
        const double value = terms_->pair_value<Reading::kEnergy>(place++);
        if (bits[static_cast<std::size_t>(other)]) sum += value;
      }
      if (bits[node]) cost += terms_->linear[node].energy + 0.5 * sum;
    }
    return cost;
  }

  const EnergyTerms* terms_;
  Random random_;
  ExponentialTable draws_;
  SpinModel whole_;
  SpinReduction reduction_;
  double reduction_seconds_;
  SpinKernel kernel_;
  Found found_;  ///< the best that was turned into bits
  Phase phase_ = Phase::kReduce;
  std::optional<SpinAnnealing> annealing_;  ///< of the kernel
  std::pair<double, double> temperatures_;  ///< of its coolings
  Solution best_;
  double offset_ = 0.0;  ///< what a cost is besides the energy
  std::int64_t num_sweeps_ = kFirstSweeps;
  std::vector<std::vector<Solution>> levels_;  ///< results that wait for others, by how often they were recombined
  bool is_settled_ = false;                    ///< whether recombinations won against a longer cooling
  bool is_rival_ = false;                      ///< whether the present cooling is that longer one
  double recombined_ = 0.0;                    ///< the energy to beat then
  std::vector<Solution> parents_;              ///< what is recombined
  std::size_t level_ = 0;                      ///< of the parents
  bool with_best_ = false;                     ///< whether they are the best and a result
  std::unique_ptr<Family> family_;
  std::optional<SpinAnnealing> cluster_annealing_;
  Solution settled_;  ///< the best parent in clusters, after single flips
};

}  // namespace annealco
