/// Exponential and related functions that give the same bits on every machine.
///
/// Libraries of C differ in the last bit, and one different bit can turn a search another way. These use additions,
/// products and divisions only, which IEEE 754 defines exactly; errors are about one unit in the last place.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace annealco {

namespace detail {

constexpr int kExpBits = 7;
constexpr int kExpSize = 1 << kExpBits;

/// Return exp(r) for |r| ≤ ln 2 by its Taylor series, to fill the table below.
constexpr double exp_series(double r) {
  double sum = 1.0;
  for (int k = 22; k > 0; --k) sum = 1.0 + sum * r / k;
  return sum;
}

constexpr double kLn2 = 0.693147180559945309417;

constexpr std::array<double, kExpSize> exp_table() {
  std::array<double, kExpSize> table{};
  for (int k = 0; k < kExpSize; ++k) table[static_cast<std::size_t>(k)] = exp_series(kLn2 * k / kExpSize);
  return table;
}

inline constexpr std::array<double, kExpSize> kExpTable = exp_table();

/// Chebyshev coefficients of log(erfc(z) / t) + z² in u = 4t − 2, with t = 2 / (2 + z) and z ≥ 0.
inline constexpr std::array<double, 28> kErfc = {
    -1.302653719781709434,     0.6419697923564902603,     0.01947647320418583631,    -0.009561514786808631642,
    -0.0009465953444820368663, 0.0003668394978527614519,  0.00004252332480690777164, -0.00002027857811253424315,
    -1.624290004647025513e-6,  1.303655835580523202e-6,   1.562644172206614318e-8,   -8.523809591492654253e-8,
    6.529054439098851496e-9,   5.059343495551468942e-9,   -9.913641564930330867e-10, -2.273651222931835856e-10,
    9.646791102015526802e-11,  2.394038083039114745e-12,  -6.886027526497553398e-12, 8.944879273090725717e-13,
    3.130921399342958078e-13,  -1.127082236136725237e-13, 3.810905255189232055e-16,  7.106097613609236988e-15,
    -1.523028201457104304e-15, -9.457494571291234e-17,    1.210237189224278992e-16,  -2.816663087747176972e-17,
};

}  // namespace detail

/// Return exp(x); 0 below −708, where the result would be subnormal, and infinity above 709.
inline double portable_exp(double x) {
  if (!(x > -708.0)) return x == x ? 0.0 : x;
  if (x > 709.0) return INFINITY;
  // x = (k / 128) ln 2 + r with |r| ≤ ln 2 / 256; adding and taking off 1.5·2^52 rounds to a whole number.
  constexpr double kScale = detail::kExpSize / detail::kLn2, kRound = 0x1.8p52;
  constexpr double kHigh = 0x1.62e42fefap-8, kLow = 0x1.cf79abc9e3b39p-47;  // ln 2 / 128 in two parts
  const double shifted = x * kScale + kRound;
  const double whole = shifted - kRound;
  const auto k = static_cast<std::int64_t>(whole);
  const double r = (x - whole * kHigh) - whole * kLow;
  const double tail = r + r * r * (0.5 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120))));
  const double root = detail::kExpTable[static_cast<std::size_t>(k & (detail::kExpSize - 1))];
  const double power = std::bit_cast<double>(static_cast<std::uint64_t>((k >> detail::kExpBits) + 1023) << 52);
  return (root + root * tail) * power;
}

/// Return log(x) for normal x > 0.
inline double portable_log(double x) {
  auto word = std::bit_cast<std::uint64_t>(x);
  // Scale to the range from about 0.7 to 1.4, so that the series below is short.
  const auto exponent = static_cast<std::int64_t>((word - 0x3fe6a09e00000000) >> 52);
  const auto signed_exponent = static_cast<std::int64_t>(static_cast<std::int64_t>(exponent << 52) >> 52);
  word -= static_cast<std::uint64_t>(signed_exponent) << 52;
  const double m = std::bit_cast<double>(word);
  const double f = m - 1.0, s = f / (2.0 + f), z = s * s;
  double series = 1.0 / 23;
  for (int k = 21; k > 1; k -= 2) series = 1.0 / k + z * series;
  // log(m) = 2s + 2s·z·series, and 2s = f − s·f keeps f's last bits.
  const double log_m = f - s * (f - 2.0 * z * series);
  constexpr double kHigh = 0x1.62e42fee00000p-1, kLow = 0x1.a39ef35793c76p-33;
  const auto k = static_cast<double>(signed_exponent);
  return k * kHigh + (log_m + k * kLow);
}

/// Return log(1 + x) for x > −1.
inline double portable_log1p(double x) {
  const double u = 1.0 + x;
  if (u == 1.0) return x;
  // What rounding took from u is made up for by the first derivative.
  return portable_log(u) - ((u - 1.0) - x) / u;
}

/// Return 1 − erf(x).
inline double portable_erfc(double x) {
  const double z = std::fabs(x), t = 2.0 / (2.0 + z), u = 4.0 * t - 2.0;
  double d = 0.0, dd = 0.0;
  for (std::size_t j = detail::kErfc.size() - 1; j > 0; --j) {
    const double before = d;
    d = u * d - dd + detail::kErfc[j];
    dd = before;
  }
  const double tail = t * portable_exp(-z * z + 0.5 * (detail::kErfc[0] + u * d) - dd);
  return x >= 0.0 ? tail : 2.0 - tail;
}

}  // namespace annealco
