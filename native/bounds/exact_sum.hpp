/// Sums of doubles without rounding, for bounds that must hold in floating point (Shewchuk, 1997).
#pragma once

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace annealco {

static_assert(FLT_EVAL_METHOD == 0, "sums are exact only where doubles are rounded to doubles");

/// Distance from 1 to the next double, twice the largest relative error of one operation.
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// A sum as a list of doubles that do not overlap, in ascending order of size.
class ExactSum {
 public:
  void add(double value) {
    std::size_t kept = 0;
    for (const double part : parts_) {
      // The exact sum of two doubles is a double and an error that is a double (Knuth).
      const double total = value + part, other = total - value;
      const double error = (value - (total - other)) + (part - other);
      if (error != 0.0) parts_[kept++] = error;
      value = total;
    }
    parts_.resize(kept);
    parts_.push_back(value);
    if (!std::isfinite(value)) {
      broken_ = true;
      parts_.clear();
    }
  }

  void add(std::span<const double> values) {
    for (const double each : values) add(each);
  }

  /// Return the largest double that is not above the sum; −∞ where a part or a sum on the way was not finite.
  double lower() const {
    if (broken_) return -std::numeric_limits<double>::infinity();
    const auto [sum, rest] = rounded();
    return rest < 0.0 ? std::nextafter(sum, -std::numeric_limits<double>::infinity()) : sum;
  }

  /// Return the least double that is not below the sum, or ∞.
  double upper() const {
    if (broken_) return std::numeric_limits<double>::infinity();
    const auto [sum, rest] = rounded();
    return rest > 0.0 ? std::nextafter(sum, std::numeric_limits<double>::infinity()) : sum;
  }

 private:
  struct Rounded {
    double sum, rest;
  };

  /// Return the sum up to one rounding, and something of the sign of what is missing.
  Rounded rounded() const {
    double sum = 0.0;
    for (std::size_t i = parts_.size(); i-- > 0;) {
      const double total = sum + parts_[i];
      // All parts that follow are smaller than the last bit of this error.
      if (const double error = parts_[i] - (total - sum); error != 0.0) return {total, error};
      sum = total;
    }
    return {sum, 0.0};
  }

  std::vector<double> parts_;
  bool broken_ = false;
};

/// Return the largest step of which every value is a multiple, 1 for zeros alone, or 0 where sums would not be exact.
///
/// Sums of any of the values are then multiples too, and exact: all together they are below 2^53 steps.
inline double grid_step(std::span<const double> values) {
  constexpr int kBits = std::numeric_limits<double>::digits, kFirst = -1074;
  int finest = std::numeric_limits<int>::max(), largest = std::numeric_limits<int>::min();
  double before = 0.0;
  for (const double each : values) {
    // Most weights are equal to those before them.
    if (each == before || each == 0.0) continue;
    if (!std::isfinite(each)) return 0.0;
    before = each;
    const auto word = std::bit_cast<std::uint64_t>(each);
    const auto exponent = static_cast<int>((word >> 52) & 0x7ff);
    const std::uint64_t digits = (word & 0xfffffffffffff) | (exponent > 0 ? 0x10000000000000 : 0);
    const int last_bit = kFirst + std::max(exponent - 1, 0);
    finest = std::min(finest, last_bit + std::countr_zero(digits));
    largest = std::max(largest, last_bit + static_cast<int>(std::bit_width(digits)));
  }
  if (finest > largest) return 1.0;
  // The largest alone is too many steps, perhaps more than a double can count.
  if (largest - finest > kBits) return 0.0;
  // In two factors, of which each is a double.
  const double scale = std::ldexp(1.0, -finest / 2), again = std::ldexp(1.0, -finest - -finest / 2);
  std::int64_t divisor = 0;
  double steps = 0.0;
  for (const double each : values) {
    const double whole = std::fabs(each) * scale * again;
    steps += whole;
    if (divisor != 1) divisor = std::gcd(divisor, static_cast<std::int64_t>(whole));
  }
  return steps < 0x1p53 ? std::ldexp(static_cast<double>(divisor), finest) : 0.0;
}

}  // namespace annealco
