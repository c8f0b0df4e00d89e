/// Between Python's arrays and the core's spans.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/rows.hpp"

namespace annealco {

namespace nb = nanobind;

/// A contiguous array that Python owns, read only and not converted: a wrong type is a TypeError.
template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InTable = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// One that the core writes to.
template <class T>
using InOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOutTable = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// NumPy arrays that the core makes.
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
template <class T>
using OutTable = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>;

template <class Array>
auto as_span(const Array& array) {
  return std::span(array.data(), array.size());
}

inline Rows as_rows(const In<std::int64_t>& start, const In<std::int32_t>& index) {
  return {as_span(start), as_span(index)};
}

/// Give a vector's memory to NumPy, without a copy.
template <class T, class Allocator>
Out<T> as_array(std::vector<T, Allocator>&& values) {
  using Vector = std::vector<T, Allocator>;
  auto* owned = new Vector(std::move(values));
  nb::capsule owner(owned, [](void* each) noexcept { delete static_cast<Vector*>(each); });
  return Out<T>(owned->data(), {owned->size()}, owner);
}

template <class T, class Allocator>
OutTable<T> as_table(std::vector<T, Allocator>&& values, std::size_t num_rows, std::size_t num_columns) {
  using Vector = std::vector<T, Allocator>;
  auto* owned = new Vector(std::move(values));
  nb::capsule owner(owned, [](void* each) noexcept { delete static_cast<Vector*>(each); });
  return OutTable<T>(owned->data(), {num_rows, num_columns}, owner);
}

inline std::pair<Out<std::int64_t>, Out<std::int32_t>> as_arrays(OwnRows&& rows) {
  return {as_array(std::move(rows.start)), as_array(std::move(rows.index))};
}

/// Call without the interpreter's lock.
template <class Work>
decltype(auto) unlocked(Work&& work) {
  const nb::gil_scoped_release released;
  return std::forward<Work>(work)();
}

}  // namespace annealco
