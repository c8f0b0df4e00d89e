/// The tail of the normal distribution, without branches and tables, so that compilers turn loops over it into vectors.
///
/// Additions, products and divisions only, as in `core/portable_math.hpp`: all machines give the same bits.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace annealco {

/// P(N > z) and the density at z of a standard normal variable N, both 0 to 300 digits from z = 38 on.
struct NormalTail {
  double mass, density;
  double limited;  ///< z, or 38 where it is more
};

/// Return the tail from z ≥ 0 on; relative errors are below 10^-12.
inline NormalTail normal_tail(double z) {
  // (z + 4) P(N > z) exp(z² / 2) as a polynomial in u = (z − 4) / (z + 4), which interpolates it for z from 0 to 38.
  constexpr std::array<double, 17> kRatio = {
      0.7552851304158607,     -0.6078966419722333,    0.38713740072217123,     -0.18652185795662665,
      0.06039657549568353,    -0.007540188647482759,  -0.0034796992873630133,  0.0016308123124294481,
      0.00013338262381533053, -0.0002310501916425478, -2.0192139284624162e-06, 3.4980751761012294e-05,
      8.768725331088268e-07,  -5.595680890465484e-06, -7.01929958750741e-07,   6.843414811474528e-07,
      1.9725797759058488e-07,
  };
  constexpr double kLimit = 38.0, kDensity = 0.398942280401432677940;
  const double limited = z < kLimit ? z : kLimit;
  const double u = (limited - 4.0) / (limited + 4.0);
  double ratio = kRatio.back();
  for (std::size_t k = kRatio.size() - 1; k-- > 0;) ratio = ratio * u + kRatio[k];
  // exp(−z² / 2) = 2^k exp(r) with |r| ≤ ln 2 / 2; adding and taking off 1.5·2^52 rounds to a whole number.
  constexpr double kRound = 0x1.8p52, kLog2E = 1.44269504088896340736;
  constexpr double kHigh = 0x1.62e42fefa0000p-1, kLow = 0x1.cf79abc9e3b39p-40;  // ln 2 in two parts
  const double power = -0.5 * limited * limited, shifted = power * kLog2E + kRound, whole = shifted - kRound;
  const double r = (power - whole * kHigh) - whole * kLow;
  double series = 1.0 / 39916800;
  constexpr std::array<double, 11> kFactorials = {
      1.0, 1.0, 0.5, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800};
  for (std::size_t k = kFactorials.size(); k-- > 0;) series = series * r + kFactorials[k];
  // The last bits of the shifted number are the exponent; from −1042 on, two powers make it, none of them subnormal.
  const auto exponent =
      static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(shifted) - std::bit_cast<std::uint64_t>(kRound));
  const std::int64_t half = exponent >> 1;
  const auto two_to = [](std::int64_t k) { return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52); };
  const double falling = series * two_to(half) * two_to(exponent - half);
  return {falling * ratio / (limited + 4.0), kDensity * falling, limited};
}

}  // namespace annealco
