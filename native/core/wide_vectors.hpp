/// Vectors of doubles, as wide as the machine has them, with the same bits on every machine.
///
/// `with_wide_vectors(work)` calls `work` with the number of lanes as a constant: 4 where the machine has AVX2, else 2.
/// All that `work` calls is compiled once for each. Lanes never meet, so that the width changes no result, as long as
/// callers add up in an order of their own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace annealco {

template <int kLanes>
struct VectorOf {
#if defined(__GNUC__)
  typedef double Type __attribute__((vector_size(kLanes * sizeof(double)), may_alias));
#else
  struct Type {
    std::array<double, kLanes> lane{};
    Type& operator+=(const Type& other) {
      for (std::size_t i = 0; i < kLanes; ++i) lane[i] += other.lane[i];
      return *this;
    }
    Type& operator-=(const Type& other) {
      for (std::size_t i = 0; i < kLanes; ++i) lane[i] -= other.lane[i];
      return *this;
    }
    friend Type operator*(double factor, Type vector) {
      for (auto& each : vector.lane) each *= factor;
      return vector;
    }
    friend Type operator*(Type one, const Type& two) {
      for (std::size_t i = 0; i < kLanes; ++i) one.lane[i] *= two.lane[i];
      return one;
    }
    double operator[](std::size_t i) const { return lane[i]; }
  };
#endif
};

template <int kLanes>
using Vector = typename VectorOf<kLanes>::Type;

/// The vector that begins at a number, whose address must be a multiple of the vector's size.
template <int kLanes>
Vector<kLanes>& lanes_at(double* first) {
  return *reinterpret_cast<Vector<kLanes>*>(first);
}
template <int kLanes>
const Vector<kLanes>& lanes_at(const double* first) {
  return *reinterpret_cast<const Vector<kLanes>*>(first);
}

/// Eight doubles in a cache line of their own: the element of arrays that are read as vectors.
struct alignas(64) CacheLine {
  std::array<double, 8> value{};
};

using AlignedDoubles = std::vector<CacheLine>;

inline double* data_of(AlignedDoubles& lines) { return lines.data()->value.data(); }
inline const double* data_of(const AlignedDoubles& lines) { return lines.data()->value.data(); }

#if defined(__GNUC__) && defined(__x86_64__)
template <class Work>
__attribute__((target("avx2"), flatten)) auto with_avx2(Work& work) {
  return work(std::integral_constant<int, 4>{});
}
#endif

template <class Work>
auto with_wide_vectors(Work&& work) {
#if defined(__GNUC__) && defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return with_avx2(work);
#endif
  return work(std::integral_constant<int, 2>{});
}

}  // namespace annealco
