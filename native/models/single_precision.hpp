/// Vectors of single precision, as wide as the machine has them, and functions that compilers turn into such.
///
/// As in `core/wide_vectors.hpp`, lanes never meet and all machines give the same bits. Errors of the functions are a
/// few units in the last place of 1, which is what a network's weights are worth.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace annealco {

template <int kLanes>
struct FloatsOf {
#if defined(__GNUC__)
  typedef float Type __attribute__((vector_size(kLanes * sizeof(float)), may_alias));
#else
  struct Type {
    std::array<float, kLanes> lane{};
    Type& operator+=(const Type& other) {
      for (std::size_t i = 0; i < kLanes; ++i) lane[i] += other.lane[i];
      return *this;
    }
    friend Type operator*(float factor, Type vector) {
      for (auto& each : vector.lane) each *= factor;
      return vector;
    }
  };
#endif
};

template <int kLanes>
using Floats = typename FloatsOf<kLanes>::Type;

/// The vector that begins at a number, whose address must be a multiple of the vector's size.
template <int kLanes>
const Floats<kLanes>& floats_at(const float* first) {
  return *reinterpret_cast<const Floats<kLanes>*>(first);
}

/// Write a vector to any place.
template <int kLanes>
void store(float* first, const Floats<kLanes>& vector) {
  const auto values = std::bit_cast<std::array<float, kLanes>>(vector);
  for (std::size_t i = 0; i < kLanes; ++i) first[i] = values[i];
}

/// Sixteen numbers in a cache line of their own: the element of arrays that are read as vectors.
struct alignas(64) FloatLine {
  std::array<float, 16> value{};
};

using AlignedFloats = std::vector<FloatLine>;

#if defined(__GNUC__) && defined(__x86_64__)
template <class Work>
__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,prefer-vector-width=512"), flatten)) auto with_avx512_floats(
    Work& work) {
  return work(std::integral_constant<int, 16>{});
}
template <class Work>
__attribute__((target("avx2"), flatten)) auto with_avx2_floats(Work& work) {
  return work(std::integral_constant<int, 8>{});
}
#endif

/// Call `work` with the number of lanes as a constant: 16 with AVX-512, 8 with AVX2, else 4.
template <class Work>
auto with_wide_floats(Work&& work) {
#if defined(__GNUC__) && defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq")) {
    return with_avx512_floats(work);
  }
  if (__builtin_cpu_supports("avx2")) return with_avx2_floats(work);
#endif
  return work(std::integral_constant<int, 4>{});
}

/// Return exp(x), for |x| above 87 that of ±87: no result is subnormal or infinite. The error grows with |x|, to 10^-5
/// at the ends; sigmoid and tanh, which are flat there, lose nothing by it.
inline float single_exp(float x) {
  // exp(x) = 2^(k + f) with |f| ≤ 1/2; adding 1.5·2^23 rounds to a whole number, which then is the last bits.
  constexpr float kRound = 0x1.8p23F, kMost = 125.5F;
  float power = x * 0x1.715476p0F;
  power = power < -kMost ? -kMost : power;
  power = power > kMost ? kMost : power;
  const float shifted = power + kRound;
  const float f = power - (shifted - kRound);
  // 2^f − 1, divided by f: the polynomial of degree 4 whose largest relative error of 2^f is least.
  const float series =
      0x1.62e42ap-1F + f * (0x1.ebf9bcp-3F + f * (0x1.c6b752p-5F + f * (0x1.3cea88p-7F + f * 0x1.5bba14p-10F)));
  const std::uint32_t scale = (std::bit_cast<std::uint32_t>(shifted) + 127U) << 23;
  return (1.0F + f * series) * std::bit_cast<float>(scale);
}

inline float single_sigmoid(float x) { return 1.0F / (1.0F + single_exp(-x)); }

inline float single_tanh(float x) { return 1.0F - 2.0F / (1.0F + single_exp(2.0F * x)); }

/// Return log(x) for normal x > 0.
inline float single_log(float x) {
  // Scale to the range from about 0.7 to 1.4, so that the series below is short.
  constexpr std::uint32_t kRootHalf = 0x3f3504f3U;
  const std::uint32_t word = std::bit_cast<std::uint32_t>(x) - kRootHalf;
  const auto exponent = static_cast<std::int32_t>(word) >> 23;
  const float m = std::bit_cast<float>((word & 0x007fffffU) + kRootHalf);
  const float s = (m - 1.0F) / (m + 1.0F), z = s * s;
  const float series = 2.0F + z * (2.0F / 3 + z * (2.0F / 5 + z * (2.0F / 7 + z * (2.0F / 9))));
  return static_cast<float>(exponent) * 0x1.62e43p-1F + s * series;
}

/// Return the inverse of sinh.
inline float single_asinh(float x) {
  constexpr float kLn2 = 0x1.62e43p-1F, kLarge = 1e9F;
  const float size = x < 0.0F ? -x : x;
  // Past this a square could overflow, and asinh is log(2x).
  const bool is_large = size > kLarge;
  const float small = is_large ? kLarge : size;
  const float excess = small + small * small / (1.0F + std::sqrt(1.0F + small * small));
  const float sum = 1.0F + excess;
  // log(1 + excess): what rounding took from the sum is made up for by the first derivative.
  const float lost = ((sum - 1.0F) - excess) / sum;
  const float result = single_log(is_large ? size : sum) + (is_large ? kLn2 : -lost);
  return x < 0.0F ? -result : result;
}

}  // namespace annealco
