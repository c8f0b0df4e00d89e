/// The least cost Σ h_i x_i + Σ c_uv [x_u ≠ x_v] with c ≥ 0 of x ∈ {0, 1}^n whose sum d·x lies in a range.
///
/// With a multiplier λ for the range, what is left is a minimum cut: for λ ≥ 0 no x with d·x ≥ D0 costs less than
/// min_x f(x) − λ d·x + λ D0, and likewise with D1 for λ ≤ 0 (Lagrangean relaxation). The best multiplier is found by
/// intersecting the lines of two cuts, one below the range and one above (Dinkelbach, 1967). What gap is left is closed
/// by branch and bound, the part with the least bound first: a node in which the two cuts differ is chosen in one half
/// and left out in the other.
///
/// All capacities are whole numbers, rounded down, so that flows are exact and bounds hold.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "bounds/couplings.hpp"
#include "bounds/exact_sum.hpp"
#include "bounds/maximum_flow.hpp"
#include "core/clock.hpp"

namespace annealco {

class RangedCut {
 public:
  /// What is known of a node of the graph.
  enum class Side : std::int8_t { kFree, kChosen, kLeftOut };

  /// `pairs` have strengths c ≥ 0; `field` is h, `weight` is d ≥ 0; d·x must lie within `lower` and `upper`.
  RangedCut(const Couplings& pairs, std::span<const double> field, std::span<const double> weight, double lower,
            double upper, std::span<const std::int32_t> chosen)
      : field_(field.begin(), field.end()),
        weight_(weight.begin(), weight.end()),
        pairs_(pairs),
        lower_(lower),
        upper_(upper),
        scale_(scale_of(pairs, field)),
        flow_(pairs, capacities(pairs, scale_)),
        terminal_(field.size()) {
    for (const double each : weight) total_weight_ += each;
    Part root{-std::numeric_limits<double>::infinity(), 0.0, std::vector<Side>(field.size(), Side::kFree)};
    for (const auto node : chosen) root.side[static_cast<std::size_t>(node)] = Side::kChosen;
    open_.push(std::move(root));
  }

  /// What all strengths and fields come to; it must be less than kMostSize.
  static double size_of(const Couplings& pairs, std::span<const double> field) {
    double total = 0.0;
    for (const double each : pairs.strength) total += each;
    for (const double each : field) total += std::fabs(each);
    return total;
  }
  static constexpr double kMostSize = 1e280;

  /// Go on until no part has a bound below `enough`, or the clock is over. Each move bounds one part.
  void run(double enough, Clock& clock) {
    while (!open_.empty() && open_.top().bound < enough && open_.top().bound < closed_ && clock.tick()) {
      if (open_.size() * field_.size() > kMostMemory) return;
      Part part = open_.top();
      open_.pop();
      const Verdict verdict = bound(part, enough, clock);
      if (verdict == Verdict::kOutOfTime) {
        open_.push(std::move(part));
        return;
      }
      if (verdict == Verdict::kSolved) closed_ = std::min(closed_, part.bound);
      if (verdict == Verdict::kEnough) refuted_ = std::min(refuted_, part.bound);
      if (verdict == Verdict::kOpen) branch(std::move(part));
    }
  }

  /// No x in the range costs less; infinite where there is none.
  double bound() const {
    const double open = open_.empty() ? std::numeric_limits<double>::infinity() : open_.top().bound;
    return std::min({open, closed_, refuted_});
  }

  /// Whether the bound is that of a part whose least cost is known: nothing better can be proven.
  bool is_solved() const { return closed_ <= bound(); }

 private:
  enum class Verdict { kOpen, kSolved, kEnough, kEmpty, kOutOfTime };

  struct Part {
    double bound;
    /// The best multiplier of the part that this is a half of.
    double multiplier;
    std::vector<Side> side;

    bool operator<(const Part& other) const { return bound > other.bound; }
  };

  /// A cut as a line: its cost without the range, f(x), and its sum, d·x.
  struct Cut {
    double cost, sum;
    std::vector<std::uint8_t> inside;
  };

  static constexpr double kMostSum = 0x1p50, kLeastSize = 1e-280;
  /// Multipliers may add this much to what all numbers come to; what is infinite is more.
  static constexpr double kMostPriced = 0x1p57;
  static constexpr std::int64_t kInfinite = std::int64_t{1} << 60;
  static constexpr int kMaxCuts = 60;
  /// A part is solved where its bound is within this share of the cost of a cut in the range.
  static constexpr double kSolvedShare = 1e-12;
  /// Bytes of all parts that are kept.
  static constexpr std::size_t kMostMemory = std::size_t{1} << 28;

  /// A power of two by which all numbers can be multiplied before they are rounded.
  static double scale_of(const Couplings& pairs, std::span<const double> field) {
    return std::exp2(std::floor(std::log2(kMostSum / std::max(size_of(pairs, field), kLeastSize))));
  }

  static std::vector<std::int64_t> capacities(const Couplings& pairs, double scale) {
    std::vector<std::int64_t> found;
    for (const double each : pairs.strength) found.push_back(static_cast<std::int64_t>(std::floor(each * scale)));
    return found;
  }

  /// Raise the bound of a part by the best multiplier.
  Verdict bound(Part& part, double enough, Clock& clock) {
    double least_sum = 0.0, free_sum = 0.0;
    for (std::size_t node = 0; node < weight_.size(); ++node) {
      if (part.side[node] == Side::kChosen) least_sum += weight_[node];
      if (part.side[node] == Side::kFree) free_sum += weight_[node];
    }
    const double doubt = 1e-9 * (least_sum + free_sum);
    if (least_sum > upper_ + doubt || least_sum + free_sum < lower_ - doubt) return Verdict::kEmpty;
    if (!cut(part, 0.0, clock, middle_)) return Verdict::kOutOfTime;
    if (middle_.sum >= lower_ && middle_.sum <= upper_) return Verdict::kSolved;
    const bool rises = middle_.sum < lower_;
    const double edge = rises ? lower_ : upper_;
    near_ = middle_;
    // The other line is that of all free nodes chosen, or left out.
    extreme(part, rises, far_);
    double multiplier = part.multiplier;
    const bool has_guess = rises ? multiplier > 0.0 : multiplier < 0.0;
    for (int count = 0; count < kMaxCuts; ++count) {
      if (part.bound >= enough) return Verdict::kEnough;
      if (count > 0 || !has_guess) multiplier = (far_.cost - near_.cost) / (far_.sum - near_.sum);
      if (!(std::fabs(multiplier) * total_weight_ * scale_ < kMostPriced)) break;
      if (rises ? multiplier <= 0.0 : multiplier >= 0.0) break;
      if (!cut(part, multiplier, clock, middle_)) return Verdict::kOutOfTime;
      const bool is_far = rises ? middle_.sum >= edge : middle_.sum <= edge;
      Cut& side = is_far ? far_ : near_;
      const bool same = middle_.sum == side.sum && middle_.cost == side.cost;
      const bool guessed = count == 0 && has_guess;
      if (!guessed && (same || slack(middle_, multiplier) >= slack(side, multiplier))) break;
      side = middle_;
      part.multiplier = multiplier;
    }
    if (part.bound >= enough) return Verdict::kEnough;
    return part.bound >= far_.cost - kSolvedShare * std::fabs(far_.cost) && is_within(far_) ? Verdict::kSolved
                                                                                            : Verdict::kOpen;
  }

  static double slack(const Cut& cut, double multiplier) { return cut.cost - multiplier * cut.sum; }
  bool is_within(const Cut& cut) const { return cut.sum >= lower_ && cut.sum <= upper_; }

  /// Find the minimum cut at a multiplier, and raise the part's bound by it; false where the clock is over before.
  bool cut(Part& part, double multiplier, Clock& clock, Cut& found) {
    std::int64_t constant = 0;
    for (std::size_t node = 0; node < field_.size(); ++node) {
      const double share = multiplier * weight_[node];
      const double exact = field_[node] - share, doubt = 3 * kEpsilon * (std::fabs(field_[node]) + std::fabs(share));
      // Rounded down, so that a node costs no more than it does.
      const auto gain = static_cast<std::int64_t>(std::floor((exact - doubt) * scale_));
      const Side side = part.side[node];
      terminal_[node] = side == Side::kFree ? -gain : side == Side::kChosen ? kInfinite : -kInfinite;
      if (side == Side::kChosen || (side == Side::kFree && gain < 0)) constant += gain;
    }
    flow_.reset(terminal_);
    const bool is_maximum = flow_.run(clock);
    const double limit = multiplier >= 0.0 ? lower_ : upper_;
    const double least = static_cast<double>(constant + flow_.value()) / scale_;
    const double priced = multiplier == 0.0 ? 0.0 : multiplier * limit;
    const double doubt = 4 * kEpsilon * (std::fabs(least) + std::fabs(priced));
    part.bound = std::max(part.bound, least + priced - doubt);
    if (is_maximum) describe(part, found);
    return is_maximum;
  }

  /// Read a cut off the flow.
  void describe(const Part& part, Cut& found) {
    found.inside.resize(field_.size());
    for (std::size_t node = 0; node < field_.size(); ++node) {
      const bool chosen = part.side[node] == Side::kFree ? flow_.is_inside(static_cast<std::int32_t>(node))
                                                         : part.side[node] == Side::kChosen;
      found.inside[node] = chosen;
    }
    measure(found);
  }

  void extreme(const Part& part, bool all, Cut& found) {
    found.inside.resize(field_.size());
    for (std::size_t node = 0; node < field_.size(); ++node) {
      found.inside[node] = part.side[node] == Side::kFree ? all : part.side[node] == Side::kChosen;
    }
    measure(found);
  }

  void measure(Cut& found) const {
    found.cost = found.sum = 0.0;
    for (std::size_t node = 0; node < field_.size(); ++node) {
      if (!found.inside[node]) continue;
      found.cost += field_[node];
      found.sum += weight_[node];
    }
    for (std::size_t pair = 0; pair < pairs_.strength.size(); ++pair) {
      const bool apart = found.inside[static_cast<std::size_t>(pairs_.low[pair])] !=
                         found.inside[static_cast<std::size_t>(pairs_.high[pair])];
      if (apart) found.cost += pairs_.strength[pair];
    }
  }

  /// Split a part at the free node of largest weight in which the cuts below and above the range differ.
  void branch(Part&& part) {
    std::size_t best = field_.size();
    for (std::size_t node = 0; node < field_.size(); ++node) {
      if (part.side[node] != Side::kFree || near_.inside[node] == far_.inside[node]) continue;
      if (best == field_.size() || weight_[node] > weight_[best]) best = node;
    }
    if (best == field_.size()) {
      // The cuts agree in all that is free: nothing is left to decide.
      closed_ = std::min(closed_, part.bound);
      return;
    }
    Part other = part;
    part.side[best] = Side::kChosen;
    other.side[best] = Side::kLeftOut;
    open_.push(std::move(part));
    open_.push(std::move(other));
  }

  std::vector<double> field_, weight_;
  const Couplings& pairs_;
  double lower_, upper_, scale_, total_weight_ = 0.0;
  MaximumFlow flow_;
  std::vector<std::int64_t> terminal_;
  Cut near_, far_, middle_;
  std::priority_queue<Part> open_;
  /// Least bounds of parts that are solved, and of those that cost enough.
  double closed_ = std::numeric_limits<double>::infinity(), refuted_ = std::numeric_limits<double>::infinity();
};

}  // namespace annealco
