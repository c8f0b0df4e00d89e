/// The mixing method for the semidefinite relaxation of spins (Wang, Chang and Kolter, 2017).
///
///     min Σ J_uv ⟨v_u, v_v⟩ + ρ ‖Σ d_i v_i‖²   over unit vectors v_i
///
/// Given all others, the best v_i points against their pull g_i = Σ_j J_ij v_j + 2ρ d_i (Σ_j d_j v_j − d_i v_i). Going
/// round the vectors this way converges to the optimum where they have √(2n) dimensions or more, and the lengths ‖g_i‖
/// to the dual variables. With a limit M on (d·s)² of the spins, the multiplier ρ is searched for as well: it rises
/// where ‖Σ d_i v_i‖² is above M and falls where it is not, by ever smaller factors.
///
/// A sweep takes O(num_pairs · √num_spins).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "bounds/couplings.hpp"
#include "core/clock.hpp"
#include "core/random.hpp"
#include "core/wide_vectors.hpp"

namespace annealco {

class MixingMethod {
 public:
  /// `load` is d, all zeros where nothing limits (d·s)²; `most` is M. The first vectors are random.
  MixingMethod(const Couplings& couplings, std::span<const double> load, double most, std::uint64_t seed)
      : load_(load.begin(), load.end()),
        pull_(load.size()),
        most_(most),
        dimension_(static_cast<std::int64_t>(std::sqrt(2.0 * static_cast<double>(couplings.num_spins))) + 2),
        num_blocks_((dimension_ + kBlock - 1) / kBlock),
        vectors_(static_cast<std::size_t>(couplings.num_spins * num_blocks_ * kBlock / 8)),
        total_(static_cast<std::size_t>(num_blocks_ * kBlock / 8)),
        pulled_(total_.size()) {
    const CouplingRows rows(couplings);
    start_.assign(rows.start.begin(), rows.start.end());
    entries_.reserve(rows.entries.size());
    for (const auto& each : rows.entries) {
      entries_.push_back({couplings.strength[static_cast<std::size_t>(each.pair)], each.other});
      pair_.push_back(each.pair);
    }
    low_.assign(couplings.low.begin(), couplings.low.end());
    high_.assign(couplings.high.begin(), couplings.high.end());
    for (const double each : couplings.strength) strength_ += std::fabs(each);
    for (const double each : load_) reach_ += std::fabs(each);
    penalty_ = reach_ > 0 ? strength_ / (reach_ * reach_) : 0.0;
    highest_penalty_ = kMaxRise * penalty_;
    draw_vectors(seed);
  }

  /// Go on until the vectors have converged; false where the clock is over before. A sweep is a move.
  bool run(Clock& clock) {
    while (!converged_ && clock.tick()) {
      const double lowered = sweep(clock);
      if (clock.is_over(0)) break;
      lowered_ += lowered;
      if (++sweeps_ < kSweeps) continue;
      if (penalty_ > 0 && factor_ > kLastFactor) {
        adjust_penalty();
      } else {
        converged_ = lowered_ <= kConverged * strength_;
      }
      sweeps_ = 0;
      lowered_ = 0.0;
    }
    return converged_;
  }

  /// Turn each vector once, or as many as the clock allows; return by how much that lowered the sum.
  double sweep(Clock& clock) {
    return with_wide_vectors([&](auto lanes) { return sweep_with<lanes()>(clock); });
  }

  /// Go on with other strengths of the same pairs, [num_pairs], from the vectors there are.
  void change(std::span<const double> strength) {
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      entries_[k].coupling = strength[static_cast<std::size_t>(pair_[k])];
    }
    strength_ = 0.0;
    for (const double each : strength) strength_ += std::fabs(each);
    converged_ = false;
    sweeps_ = 0;
    lowered_ = 0.0;
  }

  /// ⟨v_u, v_v⟩ of each pair, [num_pairs].
  std::vector<double> products() const {
    std::vector<double> found(low_.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      const double* one = data_of(vectors_) + low_[k] * stride();
      const double* two = data_of(vectors_) + high_[k] * stride();
      double sum[4] = {};
      for (std::int64_t place = 0; place < stride(); place += 4) {
        for (std::int64_t lane = 0; lane < 4; ++lane) sum[lane] += one[place + lane] * two[place + lane];
      }
      found[k] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
    return found;
  }

  bool converged() const { return converged_; }
  double penalty() const { return penalty_; }
  std::span<const double> pull() const { return pull_; }
  std::int64_t num_spins() const { return static_cast<std::int64_t>(load_.size()); }
  std::int64_t num_pairs() const { return static_cast<std::int64_t>(low_.size()); }
  std::int64_t dimension() const { return dimension_; }
  std::span<const double> vector(std::int64_t spin) const {
    return {data_of(vectors_) + spin * stride(), static_cast<std::size_t>(dimension_)};
  }

 private:
  /// Vectors are padded by zeros to blocks of so many dimensions.
  static constexpr std::int64_t kBlock = 16;

  /// So many sweeps are made between two looks at what they did.
  static constexpr int kSweeps = 5;

  /// The vectors have converged when these lower the sum by no more than this share of all couplings.
  static constexpr double kConverged = 1e-9;

  /// By what the penalty is changed at first and at last, and how far it may rise in all.
  static constexpr double kFirstFactor = 4.0, kLastFactor = 1.0005, kMaxRise = 1e4;

  /// An excess of ‖Σ d_i v_i‖² by this share of the largest possible value does not count.
  static constexpr double kNegligible = 1e-9;

  struct Entry {
    double coupling;
    std::int32_t other;
  };

  std::int64_t stride() const { return num_blocks_ * kBlock; }

  void draw_vectors(std::uint64_t seed) {
    Random random(seed);
    for (std::int64_t spin = 0; spin < num_spins(); ++spin) {
      double* vector = data_of(vectors_) + spin * stride();
      double square = 0.0;
      for (std::int64_t place = 0; place < dimension_; ++place) {
        vector[place] = 2.0 * random.uniform() - 1.0;
        square += vector[place] * vector[place];
      }
      const double scale = 1.0 / std::sqrt(square);
      for (std::int64_t place = 0; place < dimension_; ++place) {
        vector[place] *= scale;
        data_of(total_)[place] += load_[static_cast<std::size_t>(spin)] * vector[place];
      }
    }
  }

  /// Raise the penalty where the weighted sum is too large and lower it where it is not, ever more finely.
  void adjust_penalty() {
    double square = 0.0;
    for (std::int64_t place = 0; place < dimension_; ++place) square += data_of(total_)[place] * data_of(total_)[place];
    const bool exceeded = square > most_ + kNegligible * reach_ * reach_;
    if (exceeded && penalty_ >= highest_penalty_) {
      // A range that no choice lies in would raise it for ever; any penalty proves a bound.
      factor_ = kLastFactor;
      return;
    }
    if (exceeded != exceeded_) {
      factor_ = std::sqrt(factor_);
      exceeded_ = exceeded;
    }
    penalty_ *= exceeded ? factor_ : 1.0 / factor_;
  }

  template <int kLanes>
  double sweep_with(Clock& clock) {
    double lowered = 0.0;
    for (std::int64_t spin = 0; spin < num_spins(); ++spin) {
      const auto first = static_cast<std::size_t>(start_[static_cast<std::size_t>(spin)]);
      const auto last = static_cast<std::size_t>(start_[static_cast<std::size_t>(spin) + 1]);
      if (clock.is_over(1 + static_cast<std::int64_t>(last - first))) break;
      lowered += turn<kLanes>(spin, std::span(entries_).subspan(first, last - first));
    }
    return lowered;
  }

  /// Turn a vector against its pull; return by how much that lowered the sum.
  template <int kLanes>
  double turn(std::int64_t spin, std::span<const Entry> row) {
    const double load = load_[static_cast<std::size_t>(spin)];
    double* own = data_of(vectors_) + spin * stride();
    const auto [square, along] = compute_pull<kLanes>(row, own, load);
    const double length = std::sqrt(square);
    pull_[static_cast<std::size_t>(spin)] = length;
    if (!(length > 0.0)) return 0.0;
    const double *pulled = data_of(pulled_), scale = -1.0 / length;
    for (std::int64_t place = 0; place < stride(); place += kLanes) {
      const auto turned = scale * lanes_at<kLanes>(pulled + place);
      if (load != 0.0) {
        auto change = turned;
        change -= lanes_at<kLanes>(own + place);
        lanes_at<kLanes>(data_of(total_) + place) += load * change;
      }
      lanes_at<kLanes>(own + place) = turned;
    }
    return along + length;
  }

  struct Products {
    double square, along;
  };

  /// Write g to `pulled_`; return ⟨g, g⟩ and ⟨g, own⟩.
  template <int kLanes>
  Products compute_pull(std::span<const Entry> row, const double* own, double load) {
    constexpr int kVectors = kBlock / kLanes;
    const double weight = 2.0 * penalty_ * load;
    Vector<kLanes> square[kVectors]{}, along[kVectors]{};
    for (std::int64_t block = 0; block < stride(); block += kBlock) {
      Vector<kLanes> sum[kVectors]{};
      const double* vectors = data_of(vectors_) + block;
      for (const auto& each : row) {
        const double* other = vectors + each.other * stride();
        for (int k = 0; k < kVectors; ++k) sum[k] += each.coupling * lanes_at<kLanes>(other + k * kLanes);
      }
      for (int k = 0; k < kVectors; ++k) {
        const std::int64_t place = block + k * kLanes;
        const auto vector = lanes_at<kLanes>(own + place);
        if (weight != 0.0) {
          auto total = lanes_at<kLanes>(data_of(total_) + place);
          total -= load * vector;
          sum[k] += weight * total;
        }
        square[k] += sum[k] * sum[k];
        along[k] += sum[k] * vector;
        lanes_at<kLanes>(data_of(pulled_) + place) = sum[k];
      }
    }
    return {sum_of_lanes<kLanes>(square), sum_of_lanes<kLanes>(along)};
  }

  /// Add up in one order, whatever the width.
  template <int kLanes>
  static double sum_of_lanes(const Vector<kLanes> (&vectors)[kBlock / kLanes]) {
    double sum = 0.0;
    for (const auto& vector : vectors) {
      for (int lane = 0; lane < kLanes; ++lane) sum += vector[lane];
    }
    return sum;
  }

  std::vector<std::int64_t> start_;
  std::vector<Entry> entries_;
  /// The pair of each entry, and the ends of each pair.
  std::vector<std::int32_t> pair_, low_, high_;
  std::vector<double> load_, pull_;
  double most_, strength_ = 0.0, reach_ = 0.0;
  double penalty_, highest_penalty_, factor_ = kFirstFactor, lowered_ = 0.0;
  int sweeps_ = 0;
  bool exceeded_ = false, converged_ = false;
  std::int64_t dimension_, num_blocks_;
  AlignedDoubles vectors_, total_, pulled_;
};

}  // namespace annealco
