/// Lovász's theta number of a graph with node weights, from above: no independent set weighs more.
///
/// Let B be a positive definite matrix with ones on its diagonal and zeros at all pairs that are not joined, and
/// u_i = √w_i. For an independent set S of weight W and x_i = u_i in S, x'Bx = W; so by Cauchy and Schwarz
///
///     W² = (u'x)² ≤ (u'B⁻¹u) (x'Bx) = (u'B⁻¹u) W,     θ_w = inf_B u'B⁻¹u
///
/// (Lovász, 1979; Grötschel, Lovász and Schrijver, 1981). The best B is singular. A barrier keeps away from that:
/// u'B⁻¹u − μ log det B is lowered in the entries of joined pairs, where its gradient is −2 (y_i y_j + μ P_ij) with
/// P = B⁻¹ and y = Pu, by steps of the limited-memory BFGS method, and μ falls every few steps. Every B on the way is a
/// bound.
///
/// B is inverted in place by symmetric sweeps of 32 columns at a time: n³ operations, of which nearly all are products
/// of blocks. A sweep that meets no positive definite block shows that B is not.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bounds/neighbours.hpp"
#include "bounds/panels.hpp"
#include "core/clock.hpp"
#include "core/portable_math.hpp"
#include "core/wide_vectors.hpp"

namespace annealco {

class Theta {
 public:
  /// `joined` are the pairs of which at most one node is chosen; `root` is u, positive.
  Theta(const Neighbours& joined, std::span<const double> root)
      : root_(root.begin(), root.end()), matrix_(joined.num_nodes()), column_(lines()), scaled_(lines()) {
    for (std::int32_t node = 0; node < joined.num_nodes(); ++node) {
      for (const auto other : joined[node]) {
        if (other < node) continue;
        low_.push_back(node);
        high_.push_back(other);
      }
    }
    for (const double each : root_) value_ += each * each;
    entry_.assign(low_.size(), 0.0);
    best_ = entry_;
  }

  /// Go on until the bound is no more than the limit, or has come to rest; false where the clock is over before.
  ///
  /// A matrix that is inverted is a move.
  bool run(double limit, Clock& clock) {
    while (!converged_ && value_ > limit) {
      if (!(is_begun_ ? step(clock) : begin(clock))) return false;
    }
    return true;
  }

  bool converged() const { return converged_; }
  /// u'B⁻¹u of the best matrix.
  double value() const { return value_; }
  std::span<const std::int32_t> low() const { return low_; }
  std::span<const std::int32_t> high() const { return high_; }
  /// Entries of the best matrix, one for each pair.
  std::span<const double> entry() const { return best_; }

 private:
  static constexpr std::int64_t kWidth = Panels::kWidth;

  /// How many steps the method remembers: each is two numbers for each pair.
  static constexpr std::size_t kMemory = 10;
  /// The barrier counts as much as the bound at first, falls to so much of itself after so many steps, and no further
  /// than to such a share of the bound.
  static constexpr double kFirstBarrier = 1.0, kFall = 0.5, kLeastBarrier = 1e-3;
  static constexpr int kSteps = 6;
  /// The bound is at rest when so many steps lower it by a smaller share.
  static constexpr double kAtRest = 2e-4;
  /// The first matrix is so far from being singular.
  static constexpr double kFirstShare = 0.85;
  static constexpr int kPowers = 40, kMostTrials = 40, kMostHalvings = 30;
  /// What a step must gain of what its slope promises.
  static constexpr double kGained = 1e-4;

  struct Point {
    double bound, log_determinant;
    /// P_ij y_i y_j by pair.
    std::vector<double> inverse, product;

    double objective(double barrier) const { return bound - barrier * log_determinant; }
  };

  std::size_t num_nodes() const { return root_.size(); }
  std::size_t lines() const { return static_cast<std::size_t>(matrix_.size() * kWidth / 8); }

  /// Start with the same entry for all pairs; false where the clock is over.
  bool begin(Clock& clock) {
    if (low_.empty()) {
      converged_ = true;
      return true;
    }
    double share = kFirstShare / std::max(1.0, -least_eigenvalue());
    std::optional<Point> found;
    for (int trial = 0; !found; ++trial, share *= kFirstShare) {
      // Weights whose sum is no number have no bound.
      converged_ = trial == kMostTrials;
      if (converged_) return true;
      std::fill(entry_.begin(), entry_.end(), share);
      found = evaluate(entry_, clock);
      if (is_over_) return false;
    }
    point_ = std::move(*found);
    keep_if_better();
    barrier_ = kFirstBarrier * point_.bound / static_cast<double>(num_nodes());
    gradient_ = gradient_of(point_);
    before_ = value_;
    is_begun_ = true;
    return true;
  }

  /// Make one step; false where the clock is over.
  bool step(Clock& clock) {
    std::vector<double> direction = direction_of(gradient_);
    double slope = dot(gradient_, direction);
    if (!(slope < 0.0)) {
      forget();
      direction = direction_of(gradient_);
      slope = dot(gradient_, direction);
    }
    double length = 1.0;
    const double objective = point_.objective(barrier_);
    for (int halvings = 0;; ++halvings, length /= 2) {
      if (halvings == kMostHalvings || !(slope < 0.0)) {
        // Rounding is all that is left, or what is remembered misleads.
        converged_ = change_.empty();
        forget();
        return true;
      }
      trial_.resize(entry_.size());
      for (std::size_t k = 0; k < entry_.size(); ++k) trial_[k] = entry_[k] + length * direction[k];
      auto found = evaluate(trial_, clock);
      if (is_over_) return false;
      if (!found || !(found->objective(barrier_) <= objective + kGained * length * slope)) continue;
      take(std::move(*found));
      break;
    }
    if (++steps_ % kSteps == 0) end_round();
    return true;
  }

  /// Let the trial be the present point, and remember the step.
  void take(Point&& found) {
    auto gradient = gradient_of(found);
    std::vector<double> moved(entry_.size()), turned(entry_.size());
    for (std::size_t k = 0; k < entry_.size(); ++k) {
      moved[k] = trial_[k] - entry_[k];
      turned[k] = gradient[k] - gradient_[k];
    }
    const double curvature = dot(moved, turned);
    if (curvature > 0.0) {
      if (change_.size() == kMemory) {
        change_.erase(change_.begin());
      }
      change_.push_back({std::move(moved), std::move(turned), curvature});
    }
    entry_.swap(trial_);
    gradient_ = std::move(gradient);
    point_ = std::move(found);
    keep_if_better();
  }

  void end_round() {
    const double least = kLeastBarrier * value_ / static_cast<double>(num_nodes());
    if (barrier_ > least) {
      barrier_ = std::max(least, kFall * barrier_);
      gradient_ = gradient_of(point_);
    } else {
      converged_ = before_ - value_ < kAtRest * value_;
    }
    before_ = value_;
  }

  void keep_if_better() {
    if (!(point_.bound < value_)) return;
    value_ = point_.bound;
    best_ = entry_;
  }

  void forget() { change_.clear(); }

  std::vector<double> gradient_of(const Point& point) const {
    std::vector<double> gradient(point.inverse.size());
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      gradient[k] = -2.0 * (point.product[k] + barrier_ * point.inverse[k]);
    }
    return gradient;
  }

  /// The downward direction of the limited-memory BFGS method (Nocedal, 1980).
  std::vector<double> direction_of(const std::vector<double>& gradient) const {
    std::vector<double> direction(gradient);
    std::vector<double> share(change_.size());
    for (std::size_t k = change_.size(); k-- > 0;) {
      share[k] = dot(change_[k].moved, direction) / change_[k].curvature;
      add(direction, -share[k], change_[k].turned);
    }
    double scale = 0.0;
    if (change_.empty()) {
      const double size = std::sqrt(dot(direction, direction));
      scale = size > 0.0 ? kFirstMove * std::sqrt(dot(entry_, entry_)) / size : 0.0;
    } else {
      scale = change_.back().curvature / dot(change_.back().turned, change_.back().turned);
    }
    for (double& each : direction) each *= -scale;
    for (std::size_t k = 0; k < change_.size(); ++k) {
      const double along = dot(change_[k].turned, direction) / change_[k].curvature;
      add(direction, -share[k] - along, change_[k].moved);
    }
    return direction;
  }

  static constexpr double kFirstMove = 0.1;

  /// Add up in one order, whatever the machine.
  static double dot(const std::vector<double>& one, const std::vector<double>& two) {
    double sum[8] = {};
    std::size_t k = 0;
    for (; k + 8 <= one.size(); k += 8) {
      for (std::size_t lane = 0; lane < 8; ++lane) sum[lane] += one[k + lane] * two[k + lane];
    }
    for (; k < one.size(); ++k) sum[0] += one[k] * two[k];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
  }

  static void add(std::vector<double>& target, double factor, const std::vector<double>& source) {
    for (std::size_t k = 0; k < target.size(); ++k) target[k] += factor * source[k];
  }

  /// About the least eigenvalue of the matrix with ones at joined pairs, by powers of it less its largest degree.
  double least_eigenvalue() const {
    std::vector<double> degree(num_nodes(), 0.0);
    for (const auto node : low_) degree[static_cast<std::size_t>(node)] += 1.0;
    for (const auto node : high_) degree[static_cast<std::size_t>(node)] += 1.0;
    const double shift = *std::max_element(degree.begin(), degree.end()) / 2;
    std::vector<double> vector(num_nodes()), image(num_nodes());
    // Any start will do that is orthogonal to no eigenvector.
    for (std::size_t i = 0; i < vector.size(); ++i) {
      vector[i] = 0.1 + static_cast<double>((i * 2654435761u) % 1021) / 1021.0 - 0.5;
    }
    double quotient = 0.0;
    for (int power = 0; power < kPowers; ++power) {
      std::fill(image.begin(), image.end(), 0.0);
      for (std::size_t k = 0; k < low_.size(); ++k) {
        const auto i = static_cast<std::size_t>(low_[k]), j = static_cast<std::size_t>(high_[k]);
        image[i] += vector[j];
        image[j] += vector[i];
      }
      const double square = dot(vector, vector);
      if (!(square > 0.0)) break;
      quotient = dot(vector, image) / square;
      for (std::size_t i = 0; i < vector.size(); ++i) image[i] -= shift * vector[i];
      const double size = std::sqrt(dot(image, image));
      if (!(size > 0.0)) break;
      for (std::size_t i = 0; i < vector.size(); ++i) vector[i] = image[i] / size;
    }
    return quotient;
  }

  /// Return what the matrix with these entries proves; nothing where it is not positive definite, or out of time.
  std::optional<Point> evaluate(const std::vector<double>& entries, Clock& clock) {
    is_over_ = !clock.tick();
    if (is_over_) return std::nullopt;
    matrix_.clear(static_cast<std::int64_t>(num_nodes()));
    for (std::size_t i = 0; i < num_nodes(); ++i) {
      matrix_.entry(static_cast<std::int64_t>(i), static_cast<std::int64_t>(i)) = 1.0;
    }
    for (std::size_t k = 0; k < entries.size(); ++k) matrix_.entry(high_[k], low_[k]) = entries[k];
    Point point{};
    const bool inverted = with_wide_vectors([&](auto lanes) { return invert<lanes()>(point.log_determinant, clock); });
    if (!inverted) return std::nullopt;
    const std::vector<double> image = solve();
    for (std::size_t i = 0; i < num_nodes(); ++i) point.bound += root_[i] * image[i];
    if (!(point.bound > 0.0) || !std::isfinite(point.bound)) return std::nullopt;
    point.inverse.resize(entries.size());
    point.product.resize(entries.size());
    for (std::size_t k = 0; k < entries.size(); ++k) {
      point.inverse[k] = -matrix_.entry(high_[k], low_[k]);
      point.product[k] = image[static_cast<std::size_t>(low_[k])] * image[static_cast<std::size_t>(high_[k])];
    }
    return point;
  }

  /// Replace the matrix by minus its inverse; false where it is not positive definite, or out of time.
  template <int kLanes>
  bool invert(double& log_determinant, Clock& clock) {
    for (std::int64_t pivot = 0; pivot < matrix_.count(); ++pivot) {
      is_over_ = clock.is_over(matrix_.size());
      if (is_over_) return false;
      gather(pivot);
      double* const own = data_of(column_) + pivot * kWidth * kWidth;
      Panels::Block inverse;
      if (!invert_block(own, inverse, log_determinant)) return false;
      std::fill(scaled_.begin(), scaled_.end(), CacheLine{});
      // Minus the product, so that subtracting adds it.
      Panels::subtract_products<kLanes>(data_of(scaled_), data_of(column_), inverse, matrix_.size());
      negate(data_of(scaled_), matrix_.size() * kWidth);
      for (std::int64_t panel = 0; panel < matrix_.count(); ++panel) {
        is_over_ = clock.is_over(matrix_.length(panel));
        if (is_over_) return false;
        const std::int64_t first = panel * kWidth;
        Panels::transpose(data_of(column_) + first * kWidth, transposed_);
        Panels::subtract_products<kLanes>(matrix_.rows(panel, first), data_of(scaled_) + first * kWidth, transposed_,
                                          matrix_.length(panel));
      }
      scatter(pivot, inverse);
    }
    return true;
  }

  static void negate(double* values, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) values[i] = -values[i];
  }

  /// Copy the columns of a panel, the part above its diagonal too.
  void gather(std::int64_t pivot) {
    const std::int64_t first = pivot * kWidth;
    double* const column = data_of(column_);
    for (std::int64_t panel = 0; panel < pivot; ++panel) {
      const double* block = matrix_.rows(panel, first);
      for (std::int64_t row = 0; row < kWidth; ++row) {
        for (std::int64_t k = 0; k < kWidth; ++k) column[(panel * kWidth + row) * kWidth + k] = block[k * kWidth + row];
      }
    }
    const double* below = matrix_.rows(pivot, first);
    std::copy(below, below + matrix_.length(pivot) * kWidth, column + first * kWidth);
    // Above the diagonal of its own block nothing was kept up to date.
    double* const own = column + first * kWidth;
    for (std::int64_t row = 0; row < kWidth; ++row) {
      for (std::int64_t k = row + 1; k < kWidth; ++k) own[row * kWidth + k] = own[k * kWidth + row];
    }
  }

  /// Put the columns of a panel back, times the inverse of its block, which becomes minus its inverse.
  void scatter(std::int64_t pivot, const Panels::Block& inverse) {
    const std::int64_t first = pivot * kWidth;
    const double* const scaled = data_of(scaled_);
    for (std::int64_t panel = 0; panel < pivot; ++panel) {
      double* block = matrix_.rows(panel, first);
      for (std::int64_t row = 0; row < kWidth; ++row) {
        for (std::int64_t k = 0; k < kWidth; ++k) block[k * kWidth + row] = scaled[(panel * kWidth + row) * kWidth + k];
      }
    }
    double* below = matrix_.rows(pivot, first);
    std::copy(scaled + first * kWidth, scaled + matrix_.size() * kWidth, below);
    for (std::int64_t k = 0; k < kWidth * kWidth; ++k) below[k] = -inverse.data()[k];
  }

  /// Invert a block by its factor, and add the logarithm of its determinant; false where it has none.
  static bool invert_block(const double* block, Panels::Block& inverse, double& log_determinant) {
    Panels::Block factor, solved;
    std::copy(block, block + kWidth * kWidth, factor.data());
    if (!Panels::factorise(factor.data())) return false;
    const double* const lower = factor.data();
    double* const below = solved.data();
    for (std::int64_t row = 0; row < kWidth; ++row) {
      log_determinant += 2.0 * portable_log(lower[row * kWidth + row]);
      for (std::int64_t column = 0; column <= row; ++column) {
        double sum = row == column ? 1.0 : 0.0;
        for (std::int64_t k = column; k < row; ++k) sum -= lower[row * kWidth + k] * below[k * kWidth + column];
        below[row * kWidth + column] = sum / lower[row * kWidth + row];
      }
    }
    for (std::int64_t row = 0; row < kWidth; ++row) {
      for (std::int64_t column = 0; column <= row; ++column) {
        double sum = 0.0;
        for (std::int64_t k = row; k < kWidth; ++k) sum += below[k * kWidth + row] * below[k * kWidth + column];
        inverse.data()[row * kWidth + column] = inverse.data()[column * kWidth + row] = sum;
      }
    }
    return true;
  }

  /// B⁻¹u, where the matrix has become −B⁻¹.
  std::vector<double> solve() const {
    std::vector<double> image(static_cast<std::size_t>(matrix_.size()), 0.0);
    std::vector<double> given(root_);
    given.resize(image.size(), 0.0);
    for (std::int64_t panel = 0; panel < matrix_.count(); ++panel) {
      const std::int64_t first = panel * kWidth;
      for (std::int64_t row = first; row < matrix_.size(); ++row) {
        const double* values = matrix_.rows(panel, row);
        const std::int64_t end = std::min(kWidth, row - first);
        double sum = 0.0;
        for (std::int64_t k = 0; k < end; ++k) {
          sum -= values[k] * given[static_cast<std::size_t>(first + k)];
          image[static_cast<std::size_t>(first + k)] -= values[k] * given[static_cast<std::size_t>(row)];
        }
        if (row < first + kWidth) sum -= values[row - first] * given[static_cast<std::size_t>(row)];
        image[static_cast<std::size_t>(row)] += sum;
      }
    }
    return image;
  }

  struct Change {
    std::vector<double> moved, turned;
    double curvature;
  };

  std::vector<double> root_;
  std::vector<std::int32_t> low_, high_;
  /// Entries of the present matrix, of the next one, and of the best so far.
  std::vector<double> entry_, trial_, best_;
  std::vector<double> gradient_;
  Point point_{};
  std::vector<Change> change_;
  double value_ = 0.0, before_ = 0.0, barrier_ = 0.0;
  int steps_ = 0;
  bool is_begun_ = false, converged_ = false, is_over_ = false;
  Panels matrix_;
  /// Columns of a panel in full, and the same times the inverse of the panel's own block.
  AlignedDoubles column_, scaled_;
  Panels::Block transposed_;
};

}  // namespace annealco
