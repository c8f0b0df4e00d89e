/// One cooling of coupled spins, by single flips at a falling temperature.
///
/// As `Annealing`, for couplings alone. A flip that raises the energy by Δ is made where Δ < τ e, with e drawn from the
/// exponential distribution, which is the Metropolis rule; as Isakov et al. (2015) do, e comes from a table that is
/// entered at a random place every few hundred visits, and the prices of eight flips are compared at once. A visit
/// takes a third of the time that a draw for each would take. The last sweeps lower the energy only, until nothing
/// does.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/memory.hpp"
#include "core/portable_math.hpp"
#include "core/random.hpp"
#include "search/spin_model.hpp"

namespace annealco {

/// Draws from the exponential distribution of mean 1, in a ring.
class ExponentialTable {
 public:
  static constexpr std::int32_t kLength = 4096, kRun = 256;

  explicit ExponentialTable(Random& random) {
    for (std::int32_t k = 0; k < kLength; ++k) {
      values_[static_cast<std::size_t>(k)] = -portable_log(1.0 - random.uniform());
    }
    for (std::int32_t k = 0; k < kRun; ++k)
      values_[static_cast<std::size_t>(kLength + k)] = values_[static_cast<std::size_t>(k)];
  }

  /// Return kRun draws from a random place on.
  const double* run(Random& random) const { return values_.data() + random.below(kLength); }

 private:
  std::array<double, kLength + kRun> values_;
};

class SpinAnnealing {
 public:
  SpinAnnealing(const SpinModel& model, const ExponentialTable& draws, Random& random)
      : model_(&model), draws_(&draws), random_(&random), price_(static_cast<std::size_t>(model.num_spins())) {}

  /// Begin at an assignment, [num_spins], where nothing is annealed yet: the spins come to rest, then `run` is done.
  void settle(std::vector<Spin> spins) {
    load(std::move(spins));
    num_sweeps_ = sweep_ = 0;
    has_lowest_ = false;
  }

  /// Begin to cool at an assignment, in so many sweeps from the first to the last temperature. What has a lower energy
  /// than a known one at the end of a sweep is kept.
  void cool(std::vector<Spin> spins, std::pair<double, double> temperatures, std::int64_t num_sweeps, double lowest) {
    load(std::move(spins));
    lowest_energy_ = lowest;
    has_lowest_ = false;
    num_sweeps_ = num_sweeps;
    sweep_ = 0;
    temperature_ = temperatures.first;
    fall_ = num_sweeps > 1 && temperatures.second < temperatures.first
                ? portable_exp((portable_log(temperatures.second) - portable_log(temperatures.first)) /
                               static_cast<double>(num_sweeps - 1))
                : 1.0;
  }

  /// Visit spins until they have come to rest; false where the clock is spent first.
  bool run(Clock& clock) {
    while (!is_at_rest_) {
      if (clock.is_spent()) return false;
      const auto size = model_->num_spins();
      // However a run is cut, the same draws are for the same visits.
      const std::int32_t begun = spin_ % ExponentialTable::kRun;
      const std::int64_t count =
          std::min<std::int64_t>({ExponentialTable::kRun - begun, size - spin_, clock.moves_left()});
      if (sweep_ < num_sweeps_) {
        if (begun == 0) run_ = draws_->run(*random_);
        visit(static_cast<std::int32_t>(count));
      } else {
        descend(static_cast<std::int32_t>(count));
      }
      clock.count(count);
      if (spin_ == size) {
        end_sweep();
        keep_lowest();
      }
    }
    return true;
  }

  const std::vector<Spin>& spins() const { return spins_; }
  double energy() const { return energy_; }

  /// Return the best at the end of a sweep of this cooling, where it is better than what was known.
  const std::vector<Spin>* lowest() const { return has_lowest_ ? &lowest_ : nullptr; }
  double lowest_energy() const { return lowest_energy_; }

  /// Return where cooling begins and ends by default, read off the prices of flips of spins at rest; as
  /// `default_temperatures`.
  std::pair<double, double> temperatures() const {
    constexpr double kHot = 0.28, kCold = 0.1, kCheap = 0.1;
    std::vector<double> prices;
    double sum = 0.0;
    for (std::int32_t spin = 0; spin < model_->num_spins(); ++spin) {
      const double price = std::fabs(price_[static_cast<std::size_t>(spin)]);
      if (price > tolerance(spin)) {
        prices.push_back(price);
        sum += price;
      }
    }
    if (prices.empty()) return {1.0, 1.0};
    const auto low = prices.begin() + static_cast<std::ptrdiff_t>(kCheap * static_cast<double>(prices.size() - 1));
    std::nth_element(prices.begin(), low, prices.end());
    const double last = kCold * *low;
    return {std::max(kHot * (sum / static_cast<double>(prices.size())), last), last};
  }

 private:
  /// Changes of the energy up to this part of a spin's largest coupling are rounding.
  static constexpr double kLeast = 1e-9;
  /// Sweeps after which prices are summed up anew, so that rounding does not add up.
  static constexpr std::int64_t kSweepsPerLoad = 512;
  static constexpr std::int32_t kAtOnce = 8;

  void load(std::vector<Spin> spins) {
    spins_ = std::move(spins);
    energy_ = 0.0;
    for (std::int32_t spin = 0; spin < model_->num_spins(); ++spin) {
      const double own = spins_[static_cast<std::size_t>(spin)] * model_->field(spin, spins_);
      price_[static_cast<std::size_t>(spin)] = -2.0 * own;
      energy_ += 0.5 * own;
    }
    spin_ = 0;
    has_flipped_ = false;
    is_at_rest_ = model_->num_spins() == 0;
  }

  void flip(std::int32_t spin) {
    const auto i = static_cast<std::size_t>(spin);
    energy_ += price_[i];
    price_[i] = -price_[i];
    const double change = 4.0 * spins_[i];
    spins_[i] = static_cast<Spin>(-spins_[i]);
    for (const SpinCoupling& each : (*model_)[spin]) {
      const auto j = static_cast<std::size_t>(each.spin);
      price_[j] += change * spins_[j] * each.strength;
    }
  }

  double tolerance(std::int32_t spin) const {
    double largest = 0.0;
    for (const SpinCoupling& each : (*model_)[spin]) largest = std::max(largest, std::fabs(each.strength));
    return kLeast * largest;
  }

  void visit(std::int32_t count) {
    const double* draw = run_ + spin_ % ExponentialTable::kRun;
    const double temperature = temperature_;
    std::int32_t done = 0;
    for (; done + kAtOnce <= count; done += kAtOnce) {
      const double* price = price_.data() + spin_ + done;
      bool any = false;
      for (std::int32_t k = 0; k < kAtOnce; ++k) any |= price[k] < temperature * draw[done + k];
      if (!any) continue;
      for (std::int32_t k = 0; k < kAtOnce; ++k) {
        if (price[k] < temperature * draw[done + k]) flip(spin_ + done + k);
      }
    }
    for (; done < count; ++done) {
      if (price_[static_cast<std::size_t>(spin_ + done)] < temperature * draw[done]) flip(spin_ + done);
    }
    spin_ += count;
  }

  void descend(std::int32_t count) {
    for (const std::int32_t last = spin_ + count; spin_ < last; ++spin_) {
      const double price = price_[static_cast<std::size_t>(spin_)];
      if (price < 0.0 && price < -tolerance(spin_)) {
        flip(spin_);
        has_flipped_ = true;
      }
    }
  }

  void keep_lowest() {
    if (!(energy_ < lowest_energy_)) return;
    lowest_ = spins_;
    lowest_energy_ = energy_;
    has_lowest_ = true;
  }

  void end_sweep() {
    spin_ = 0;
    if (sweep_ == num_sweeps_) {
      is_at_rest_ = !has_flipped_;
      has_flipped_ = false;
      return;
    }
    ++sweep_;
    temperature_ *= fall_;
    if (sweep_ % kSweepsPerLoad == 0 || sweep_ == num_sweeps_) load(std::move(spins_));
  }

  const SpinModel* model_;
  const ExponentialTable* draws_;
  Random* random_;
  const double* run_ = nullptr;  ///< draws of the present visits
  std::vector<Spin> spins_;      ///< [num_spins]
  LargeVector<double> price_;    ///< [num_spins] of flips
  double energy_ = 0.0, temperature_ = 1.0, fall_ = 1.0;
  std::int64_t num_sweeps_ = 0, sweep_ = 0;  ///< with a temperature, and those that are done
  std::int32_t spin_ = 0;                    ///< which is visited next
  std::vector<Spin> lowest_;                 ///< [num_spins] where `has_lowest_`
  double lowest_energy_ = 0.0;
  bool has_lowest_ = false;
  bool has_flipped_ = false;  ///< in this sweep, where only the energy counts
  bool is_at_rest_ = false;
};

}  // namespace annealco
