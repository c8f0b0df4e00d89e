/// A proof that a symmetric matrix has no eigenvalue far below 0: a Cholesky factorisation that succeeds.
///
/// If the factorisation of a floating-point matrix A runs to its end, then λ_min(A) ≥ −(n+1)ε/(1 − 2(n+1)ε)·trace(A)
/// whatever the order of its operations (Demmel, 1989; Rump, 2006). No eigenvalue solver has to be believed.
///
/// The lower triangle is kept in panels of 32 columns, and factorised panel by panel from the left: a panel is lessened
/// by the products of all panels before it, then eliminated itself. O(n³) time and n²/2 numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bounds/couplings.hpp"
#include "core/clock.hpp"
#include "core/wide_vectors.hpp"

namespace annealco {

/// The symmetric matrix with half of each strength at both places of its pair, plus diag(diagonal) +
/// penalty·load·load'.
struct SpinMatrix {
  const Couplings& couplings;
  std::span<const double> diagonal, load;
  double penalty;
};

class CholeskyTest {
 public:
  explicit CholeskyTest(const SpinMatrix& matrix)
      : size_((matrix.couplings.num_spins + kWidth - 1) / kWidth * kWidth), panels_(num_panels()) {
    for (std::int64_t panel = 0; panel < num_panels(); ++panel) {
      panels_[static_cast<std::size_t>(panel)].resize(static_cast<std::size_t>(num_rows(panel) * kWidth / 8));
    }
    fill(matrix);
  }

  /// Tell whether the factorisation runs to its end; nothing where the clock is over before. Call it once.
  std::optional<bool> run(Clock& clock) {
    return with_wide_vectors([&](auto lanes) { return factorise<lanes()>(clock); });
  }

 private:
  static constexpr std::int64_t kWidth = 32;
  static constexpr int kTileRows = 4;

  std::int64_t num_panels() const { return size_ / kWidth; }
  std::int64_t num_rows(std::int64_t panel) const { return size_ - panel * kWidth; }

  /// Rows of a panel from some row of the matrix on, each of kWidth numbers.
  double* rows(std::int64_t panel, std::int64_t row) {
    return data_of(panels_[static_cast<std::size_t>(panel)]) + (row - panel * kWidth) * kWidth;
  }
  double& entry(std::int64_t row, std::int64_t column) { return rows(column / kWidth, row)[column % kWidth]; }

  void fill(const SpinMatrix& matrix) {
    const std::int64_t num_spins = matrix.couplings.num_spins;
    if (matrix.penalty != 0.0) {
      for (std::int64_t panel = 0; panel < num_panels(); ++panel) fill_products(matrix, panel);
    }
    for (std::size_t k = 0; k < matrix.couplings.strength.size(); ++k) {
      const std::int32_t low = matrix.couplings.low[k], high = matrix.couplings.high[k];
      entry(std::max(low, high), std::min(low, high)) += matrix.couplings.strength[k] / 2;
    }
    for (std::int64_t i = 0; i < num_spins; ++i) entry(i, i) += matrix.diagonal[static_cast<std::size_t>(i)];
    // Rows that only fill up the last panel are those of the identity: they change nothing of the others.
    for (std::int64_t i = num_spins; i < size_; ++i) entry(i, i) = 1.0;
  }

  void fill_products(const SpinMatrix& matrix, std::int64_t panel) {
    const std::int64_t num_spins = matrix.couplings.num_spins, first = panel * kWidth;
    const std::int64_t last = std::min(first + kWidth, num_spins);
    for (std::int64_t row = first; row < num_spins; ++row) {
      double* values = rows(panel, row);
      const double load = matrix.load[static_cast<std::size_t>(row)];
      for (std::int64_t column = first; column < last; ++column) {
        values[column - first] = matrix.penalty * (load * matrix.load[static_cast<std::size_t>(column)]);
      }
    }
  }

  template <int kLanes>
  std::optional<bool> factorise(Clock& clock) {
    for (std::int64_t panel = 0; panel < num_panels(); ++panel) {
      const std::int64_t first = panel * kWidth;
      if (clock.is_over(num_rows(panel))) return std::nullopt;
      for (std::int64_t before = 0; before < panel; ++before) {
        if (clock.is_over(num_rows(panel))) return std::nullopt;
        transpose(rows(before, first));
        subtract_products<kLanes>(rows(panel, first), rows(before, first), num_rows(panel));
      }
      if (!factorise_diagonal(rows(panel, first))) return false;
      transpose(rows(panel, first));
      eliminate<kLanes>(rows(panel, first) + kWidth * kWidth, num_rows(panel) - kWidth);
    }
    return true;
  }

  /// Keep the transpose of a square block; above its diagonal, if it is a factor, are zeros.
  void transpose(const double* block) {
    for (std::int64_t row = 0; row < kWidth; ++row) {
      for (std::int64_t column = 0; column < kWidth; ++column) {
        transposed_[static_cast<std::size_t>(column * kWidth + row)] = block[row * kWidth + column];
      }
    }
  }

  /// Subtract the product of rows and the transposed block from other rows.
  template <int kLanes>
  void subtract_products(double* target, const double* source, std::int64_t count) {
    for (std::int64_t row = 0; row < count; row += kTileRows) {
      for (std::int64_t column = 0; column < kWidth; column += 2 * kLanes) {
        subtract_tile<kLanes>(target + row * kWidth + column, source + row * kWidth, transposed_.data() + column);
      }
    }
  }

  template <int kLanes>
  static void subtract_tile(double* target, const double* left, const double* right) {
    Vector<kLanes> sum[kTileRows][2];
    for (int row = 0; row < kTileRows; ++row) {
      for (int k = 0; k < 2; ++k) sum[row][k] = lanes_at<kLanes>(target + row * kWidth + k * kLanes);
    }
    for (std::int64_t inner = 0; inner < kWidth; ++inner) {
      const auto one = lanes_at<kLanes>(right + inner * kWidth),
                 two = lanes_at<kLanes>(right + inner * kWidth + kLanes);
      for (int row = 0; row < kTileRows; ++row) {
        const double factor = left[row * kWidth + inner];
        sum[row][0] -= factor * one;
        sum[row][1] -= factor * two;
      }
    }
    for (int row = 0; row < kTileRows; ++row) {
      for (int k = 0; k < 2; ++k) lanes_at<kLanes>(target + row * kWidth + k * kLanes) = sum[row][k];
    }
  }

  /// Replace a square block by its factor, with zeros above the diagonal; false where a pivot is not positive.
  static bool factorise_diagonal(double* block) {
    for (std::int64_t row = 0; row < kWidth; ++row) {
      double* own = block + row * kWidth;
      for (std::int64_t column = 0; column < row; ++column) {
        const double* other = block + column * kWidth;
        for (std::int64_t k = 0; k < column; ++k) own[column] -= own[k] * other[k];
        own[column] /= other[column];
      }
      for (std::int64_t k = 0; k < row; ++k) own[row] -= own[k] * own[k];
      // An infinite pivot would make zeros of its column.
      if (!(own[row] > 0.0) || std::isinf(own[row])) return false;
      own[row] = std::sqrt(own[row]);
      std::fill(own + row + 1, own + kWidth, 0.0);
    }
    return true;
  }

  /// Solve X·L' = rows for X, where the transposed block is L'.
  template <int kLanes>
  void eliminate(double* values, std::int64_t count) {
    for (std::int64_t row = 0; row < count; row += kTileRows, values += kTileRows * kWidth) {
      for (std::int64_t column = 0; column < kWidth; ++column) {
        const double* right = transposed_.data() + column * kWidth;
        for (int k = 0; k < kTileRows; ++k) {
          double* own = values + k * kWidth;
          const double factor = own[column] / right[column];
          for (std::int64_t place = column / kLanes * kLanes; place < kWidth; place += kLanes) {
            lanes_at<kLanes>(own + place) -= factor * lanes_at<kLanes>(right + place);
          }
          own[column] = factor;
        }
      }
    }
  }

  std::int64_t size_;
  std::vector<AlignedDoubles> panels_;
  alignas(64) std::array<double, static_cast<std::size_t>(kWidth* kWidth)> transposed_{};
};

}  // namespace annealco
