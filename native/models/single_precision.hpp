/// Vectors of single precision, as wide as the machine has them, and functions that compilers turn into such.
///
/// As in `core/wide_vectors.hpp`, lanes never meet and all machines give the same bits. Products are fused with sums:
/// machines of the last ten years round both once, and for others `fused` computes what they do. Errors of the
/// functions are a few units in the last place of 1, which is what a network's weights are worth.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace annealco {

template <int kLanes>
struct FloatsOf {
#if defined(__GNUC__)
  typedef float Type __attribute__((vector_size(kLanes * sizeof(float)), may_alias));
#else
  struct Type {
    std::array<float, kLanes> lane{};
    float& operator[](std::size_t i) { return lane[i]; }
    float operator[](std::size_t i) const { return lane[i]; }
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

/// Call `work` with 0, ..., kCount − 1 as constants.
template <std::size_t kCount, class Work>
void unrolled(Work&& work) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    (work(std::integral_constant<std::size_t, k>{}), ...);
  }(std::make_index_sequence<kCount>{});
}

/// Return a · b + c, rounded once.
template <int kLanes>
float fused(float a, float b, float c) {
#if defined(__GNUC__) && defined(__x86_64__)
  if constexpr (kLanes == 4) {
    // No vectors of AVX2, so no such instruction. The product of two floats is exact as a double. Where the sum is
    // not, its last bit is made 1: rounded once more, to a float, the result is that of rounding once.
    const double product = static_cast<double>(a) * b, sum = product + c, part = sum - product;
    const double lost = (product - (sum - part)) + (c - part);
    auto word = std::bit_cast<std::uint64_t>(sum);
    const bool is_rounded = lost < 0.0 || lost > 0.0;
    if (is_rounded && word % 2 == 0) word += (lost > 0.0) == (sum > 0.0) ? 1 : ~std::uint64_t{0};
    return static_cast<float>(std::bit_cast<double>(word));
  } else {
    return __builtin_fmaf(a, b, c);
  }
#else
  return std::fma(a, b, c);
#endif
}

/// Add the products of two vectors, rounded once.
template <int kLanes>
void add_products(Floats<kLanes>& sum, const Floats<kLanes>& one, const Floats<kLanes>& two) {
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__OPTIMIZE__)
  // In a loop over the lanes GCC finds the instruction for some sums only, which took four times as long. Its own
  // functions for it are unknown outside of code for one kind of machine, and this becomes such by being inlined.
  if constexpr (kLanes > 4) {
    Floats<kLanes> result = sum;
    asm("vfmadd231ps %2, %1, %0" : "+v"(result) : "v"(one), "v"(two));
    sum = result;
    return;
  }
#endif
  for (std::size_t i = 0; i < kLanes; ++i) sum[i] = fused<kLanes>(one[i], two[i], sum[i]);
}

/// Add a multiple of a vector, rounded once.
template <int kLanes>
void add_product(Floats<kLanes>& sum, float factor, const Floats<kLanes>& vector) {
  Floats<kLanes> factors{};
#if defined(__GNUC__)
  // A number less nothing is the number, in every lane.
  factors = factor - factors;
#else
  for (std::size_t i = 0; i < kLanes; ++i) factors[i] = factor;
#endif
  add_products<kLanes>(sum, factors, vector);
}

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
__attribute__((target("avx2,fma"), flatten)) auto with_avx2_floats(Work& work) {
  return work(std::integral_constant<int, 8>{});
}
#endif

/// Call `work` with the number of lanes as a constant: 16 with AVX-512, 8 with AVX2, else 4; no more than `most_lanes`.
template <class Work>
auto with_wide_floats([[maybe_unused]] std::int64_t most_lanes, Work&& work) {
#if defined(__GNUC__) && defined(__x86_64__)
  if (most_lanes >= 16 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")) {
    return with_avx512_floats(work);
  }
  if (most_lanes >= 8 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return with_avx2_floats(work);
#endif
  return work(std::integral_constant<int, 4>{});
}

/// Return exp(x), for |x| above 87 that of ±87: no result is subnormal or infinite.
template <int kLanes>
float single_exp(float x, float most = 87.0F) {
  // exp(x) = 2^(k + f) with |f| ≤ 1/2; adding 1.5·2^23 rounds to a whole number, which then is the last bits.
  constexpr float kRound = 0x1.8p23F, kLog2E = 0x1.715476p0F;
  x = x < -most ? -most : x;
  x = x > most ? most : x;
  const float shifted = fused<kLanes>(x, kLog2E, kRound);
  const float f = fused<kLanes>(x, kLog2E, -(shifted - kRound));
  // 2^f − 1, divided by f: the polynomial of degree 4 whose largest relative error of 2^f is least.
  float series = fused<kLanes>(f, 0x1.5bba14p-10F, 0x1.3cea88p-7F);
  series = fused<kLanes>(f, series, 0x1.c6b752p-5F);
  series = fused<kLanes>(f, series, 0x1.ebf9bcp-3F);
  series = fused<kLanes>(f, series, 0x1.62e42ap-1F);
  const std::uint32_t scale = (std::bit_cast<std::uint32_t>(shifted) + 127U) << 23;
  return fused<kLanes>(f, series, 1.0F) * std::bit_cast<float>(scale);
}

template <int kLanes>
float single_sigmoid(float x) {
  return 1.0F / (1.0F + single_exp<kLanes>(-x));
}

template <int kLanes>
float single_tanh(float x) {
  return 1.0F - 2.0F / (1.0F + single_exp<kLanes>(2.0F * x));
}

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
