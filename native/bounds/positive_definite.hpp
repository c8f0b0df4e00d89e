/// A proof that a symmetric matrix has no eigenvalue far below 0: a Cholesky factorisation that succeeds.
///
/// If the factorisation of a floating-point matrix A runs to its end, then λ_min(A) ≥ −(n+1)ε/(1 − 2(n+1)ε)·trace(A)
/// whatever the order of its operations (Demmel, 1989; Rump, 2006). No eigenvalue solver has to be believed.
///
/// The matrix is factorised panel by panel from the left: a panel is lessened by the products of all panels before it,
/// then eliminated itself. O(n³) time and n²/2 numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "bounds/couplings.hpp"
#include "bounds/panels.hpp"
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
  explicit CholeskyTest(const SpinMatrix& matrix) : panels_(matrix.couplings.num_spins) { fill(matrix); }

  /// Tell whether the factorisation runs to its end; nothing where the clock is over before. Call it once.
  std::optional<bool> run(Clock& clock) {
    return with_wide_vectors([&](auto lanes) { return factorise<lanes()>(clock); });
  }

 private:
  static constexpr std::int64_t kWidth = Panels::kWidth;
  static constexpr int kTileRows = Panels::kTileRows;

  void fill(const SpinMatrix& matrix) {
    const std::int64_t num_spins = matrix.couplings.num_spins;
    if (matrix.penalty != 0.0) {
      for (std::int64_t panel = 0; panel < panels_.count(); ++panel) fill_products(matrix, panel);
    }
    for (std::size_t k = 0; k < matrix.couplings.strength.size(); ++k) {
      const std::int32_t low = matrix.couplings.low[k], high = matrix.couplings.high[k];
      panels_.entry(std::max(low, high), std::min(low, high)) += matrix.couplings.strength[k] / 2;
    }
    for (std::int64_t i = 0; i < num_spins; ++i) panels_.entry(i, i) += matrix.diagonal[static_cast<std::size_t>(i)];
  }

  void fill_products(const SpinMatrix& matrix, std::int64_t panel) {
    const std::int64_t num_spins = matrix.couplings.num_spins, first = panel * kWidth;
    const std::int64_t last = std::min(first + kWidth, num_spins);
    for (std::int64_t row = first; row < num_spins; ++row) {
      double* values = panels_.rows(panel, row);
      const double load = matrix.load[static_cast<std::size_t>(row)];
      for (std::int64_t column = first; column < last; ++column) {
        values[column - first] = matrix.penalty * (load * matrix.load[static_cast<std::size_t>(column)]);
      }
    }
  }

  template <int kLanes>
  std::optional<bool> factorise(Clock& clock) {
    for (std::int64_t panel = 0; panel < panels_.count(); ++panel) {
      const std::int64_t first = panel * kWidth, length = panels_.length(panel);
      if (clock.is_over(length)) return std::nullopt;
      for (std::int64_t before = 0; before < panel; ++before) {
        if (clock.is_over(length)) return std::nullopt;
        Panels::transpose(panels_.rows(before, first), transposed_);
        Panels::subtract_products<kLanes>(panels_.rows(panel, first), panels_.rows(before, first), transposed_, length);
      }
      if (!Panels::factorise(panels_.rows(panel, first))) return false;
      Panels::transpose(panels_.rows(panel, first), transposed_);
      eliminate<kLanes>(panels_.rows(panel, first) + kWidth * kWidth, length - kWidth);
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

  Panels panels_;
  Panels::Block transposed_;
};

}  // namespace annealco
