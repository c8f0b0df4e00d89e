/// The lower triangle of a symmetric matrix, kept in panels of 32 columns, and products of such panels.
///
/// A panel has its columns from the row of its first column on; each row has 32 numbers next to each other. Rows that
/// only fill up the last panel are those of the identity: they change nothing of the others.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/wide_vectors.hpp"

namespace annealco {

class Panels {
 public:
  static constexpr std::int64_t kWidth = 32;
  static constexpr int kTileRows = 4;

  /// A square block of numbers.
  struct alignas(64) Block {
    std::array<double, static_cast<std::size_t>(kWidth* kWidth)> value{};
    double* data() { return value.data(); }
    const double* data() const { return value.data(); }
  };

  /// All zeros but for the rows that fill up.
  explicit Panels(std::int64_t num_rows) : size_((num_rows + kWidth - 1) / kWidth * kWidth), panels_(count()) {
    for (std::int64_t panel = 0; panel < count(); ++panel) {
      panels_[static_cast<std::size_t>(panel)].resize(static_cast<std::size_t>(length(panel) * kWidth / 8));
    }
    fill_up(num_rows);
  }

  /// Set all to zeros, but for the rows that fill up.
  void clear(std::int64_t num_rows) {
    for (auto& panel : panels_) std::fill(panel.begin(), panel.end(), CacheLine{});
    fill_up(num_rows);
  }

  std::int64_t size() const { return size_; }
  std::int64_t count() const { return size_ / kWidth; }
  /// How many rows a panel has.
  std::int64_t length(std::int64_t panel) const { return size_ - panel * kWidth; }

  /// Rows of a panel from some row of the matrix on.
  double* rows(std::int64_t panel, std::int64_t row) {
    return data_of(panels_[static_cast<std::size_t>(panel)]) + (row - panel * kWidth) * kWidth;
  }
  const double* rows(std::int64_t panel, std::int64_t row) const {
    return data_of(panels_[static_cast<std::size_t>(panel)]) + (row - panel * kWidth) * kWidth;
  }
  double& entry(std::int64_t row, std::int64_t column) { return rows(column / kWidth, row)[column % kWidth]; }
  double entry(std::int64_t row, std::int64_t column) const { return rows(column / kWidth, row)[column % kWidth]; }

  static void transpose(const double* block, Block& transposed) {
    for (std::int64_t row = 0; row < kWidth; ++row) {
      for (std::int64_t column = 0; column < kWidth; ++column) {
        transposed.data()[column * kWidth + row] = block[row * kWidth + column];
      }
    }
  }

  /// Subtract the product of rows and a block from as many other rows, a multiple of `kTileRows`.
  template <int kLanes>
  static void subtract_products(double* target, const double* source, const Block& block, std::int64_t count) {
    for (std::int64_t row = 0; row < count; row += kTileRows) {
      for (std::int64_t column = 0; column < kWidth; column += 2 * kLanes) {
        subtract_tile<kLanes>(target + row * kWidth + column, source + row * kWidth, block.data() + column);
      }
    }
  }

  /// Replace a block by its factor, with zeros above the diagonal; false where a pivot is not positive.
  static bool factorise(double* block) {
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

 private:
  void fill_up(std::int64_t num_rows) {
    for (std::int64_t i = num_rows; i < size_; ++i) entry(i, i) = 1.0;
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

  std::int64_t size_;
  std::vector<AlignedDoubles> panels_;
};

}  // namespace annealco
