/// Keys for prices of either sign that grow with the price, finest around 0.
///
/// Prices count in units of an energy's smallest coefficient. Whole numbers of units up to 15 have a key each; beyond,
/// a key spans 6 % of its price. A price within the tolerance of 0 has the key in the middle to itself, so that what
/// costs nothing is never mixed with what costs little.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/bucket_queue.hpp"

namespace annealco {

constexpr int kPriceMantissaBits = 4;
constexpr double kLargestPrice = 0x1.0p24;
constexpr std::int32_t kMiddlePriceKey = (24 << kPriceMantissaBits) + 2;
constexpr std::int32_t kNumPriceKeys = 2 * kMiddlePriceKey + 1;

/// Return the key of a price, from 0 to kNumPriceKeys − 1.
inline std::int32_t price_key(double price, double tolerance, double unit) {
  const double size = std::fabs(price);
  if (size <= tolerance) return kMiddlePriceKey;
  // In this order what is no number becomes the largest.
  const std::int32_t level = leading_bits(std::min(kLargestPrice, size / unit), kPriceMantissaBits);
  return price > 0.0 ? kMiddlePriceKey + 1 + level : kMiddlePriceKey - 1 - level;
}

}  // namespace annealco
