#include <nanobind/stl/tuple.h>

#include <cstddef>
#include <tuple>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "graph/rows.hpp"

namespace annealco {

namespace {

void check_size(std::int64_t size) {
  require(size >= 0 && size <= std::numeric_limits<std::int32_t>::max(), "size must be from 0 to 2^31 - 1");
}

/// Offsets, columns, values.
std::tuple<Out<std::int64_t>, Out<std::int32_t>, Out<double>> bound_symmetric_rows(const In<std::int32_t>& one,
                                                                                   const In<std::int32_t>& two,
                                                                                   const In<double>& values,
                                                                                   std::int64_t size) {
  auto found = unlocked([&] {
    check_size(size);
    require(one.size() == two.size(), "both ends of the pairs must be as many");
    require(values.size() <= 1 || values.size() == one.size(), "values must be one per pair, one for all, or none");
    check_numbers(as_span(one), size, "pairs");
    check_numbers(as_span(two), size, "pairs");
    bool differ = true;
    for (std::size_t k = 0; k < one.size(); ++k) differ &= one(k) != two(k);
    require(differ, "pairs must be of two different nodes");
    return symmetric_rows(as_span(one), as_span(two), as_span(values), size);
  });
  return {as_array(std::move(found.rows.start)), as_array(std::move(found.rows.index)),
          as_array(std::move(found.values))};
}

}  // namespace

void bind_graph(nb::module_& module) {
  module.def("symmetric_rows", &bound_symmetric_rows, nb::arg("one"), nb::arg("two"), nb::arg("values"),
             nb::arg("size"), "Offsets, columns and values of the symmetric matrix with these values at these pairs.");

  module.def(
      "transposed",
      [](const In<std::int64_t>& start, const In<std::int32_t>& index, std::int64_t num_columns) {
        return as_arrays(unlocked([&] {
          check_size(num_columns);
          check_rows(as_rows(start, index), num_columns, "rows");
          return transposed(as_rows(start, index), num_columns);
        }));
      },
      nb::arg("start"), nb::arg("index"), nb::arg("num_columns"),
      "Offsets and numbers of the rows that each column occurs in, ascending.");

  module.def(
      "occurrences",
      [](const In<std::int32_t>& list, std::int64_t size) {
        return as_array(unlocked([&] {
          check_size(size);
          check_numbers(as_span(list), size, "list");
          return occurrences(as_span(list), size);
        }));
      },
      nb::arg("list"), nb::arg("size"), "How often each number below size occurs in a list.");
}

}  // namespace annealco
