#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "core/clock.hpp"
#include "graph/edges.hpp"
#include "graph/formats.hpp"
#include "graph/rows.hpp"

namespace annealco {

namespace {

void check_size(std::int64_t size) {
  require(size >= 0 && size <= std::numeric_limits<std::int32_t>::max(), "sizes must be from 0 to 2^31 - 1");
}

template <class Id>
void check_ends(const In<Id>& one, const In<Id>& two) {
  require(one.size() == two.size(), "both ends of the pairs must be as many");
}

std::string_view as_text(const nb::bytes& content) { return {content.c_str(), content.size()}; }

/// Offsets, columns, values.
std::tuple<Out<std::int64_t>, Out<std::int32_t>, Out<double>> bound_symmetric_rows(const In<std::int32_t>& one,
                                                                                   const In<std::int32_t>& two,
                                                                                   const In<double>& values,
                                                                                   std::int64_t size) {
  auto found = unlocked([&] {
    check_size(size);
    check_ends(one, two);
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

template <class Id>
std::int64_t bound_first_outside(const In<Id>& one, const In<Id>& two, std::int64_t num_nodes) {
  return unlocked([&] {
    check_size(num_nodes);
    check_ends(one, two);
    return first_outside(as_span(one), as_span(two), num_nodes);
  });
}

/// Edges, weights, numbers of self-loops and duplicates, places of two equal edges that differ in weight.
template <class Id>
std::tuple<OutTable<std::int32_t>, Out<double>, std::int64_t, std::int64_t, std::int64_t, std::int64_t>
bound_normalised_edges(const In<Id>& one, const In<Id>& two, const In<double>& weights, std::int64_t num_nodes) {
  auto edges = unlocked([&] {
    check_size(num_nodes);
    check_ends(one, two);
    require(weights.size() == 0 || weights.size() == one.size(), "weights must be one per edge, or none");
    require(first_outside(as_span(one), as_span(two), num_nodes) < 0, "edges must be between nodes of the graph");
    return normalised_edges(as_span(one), as_span(two), as_span(weights), num_nodes);
  });
  const std::size_t num_edges = edges.ends.size() / 2;
  // Views of an object would keep it alive for as long as a graph lives, which may be until the interpreter ends.
  return {as_table(std::move(edges.ends), 2, num_edges),
          as_array(std::move(edges.weights)),
          edges.num_loops,
          edges.num_duplicates,
          edges.clash_before,
          edges.clash};
}

std::string_view rest_of(const nb::bytes& content, std::int64_t begin) {
  require(begin >= 0 && begin <= static_cast<std::int64_t>(content.size()), "the text must begin within the content");
  return as_text(content).substr(static_cast<std::size_t>(begin));
}

/// A vector's memory as an array; the object that has the vector lives as long.
template <class T>
Out<T> view(LargeVector<T>& values) {
  return Out<T>(values.data(), {values.size()}, nb::handle());
}

void bind_rows(nb::module_& module) {
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

  module.def(
      "sums",
      [](const In<std::int32_t>& list, const In<double>& values, std::int64_t size) {
        return as_array(unlocked([&] {
          check_size(size);
          check_numbers(as_span(list), size, "list");
          require(values.size() == 0 ? list.size() == 0 : list.size() % values.size() == 0,
                  "the list must be as long as the values, or several times");
          return sums(as_span(list), as_span(values), size);
        }));
      },
      nb::arg("list"), nb::arg("values"), nb::arg("size"), "The sum of the values of all entries with each number.");

  module.def(
      "closed_rows",
      [](const In<std::int64_t>& start, const In<std::int32_t>& index) {
        return as_arrays(unlocked([&] {
          const Rows rows = as_rows(start, index);
          check_size(rows.size());
          check_rows(rows, std::numeric_limits<std::int32_t>::max(), "rows");
          return closed_rows(rows);
        }));
      },
      nb::arg("start"), nb::arg("index"), "Rows with the number of each row before its own entries.");
}

constexpr auto kView = nb::rv_policy::reference_internal;

void bind_complements(nb::module_& module) {
  module.def(
      "unlisted_pairs",
      [](const In<std::int32_t>& one, const In<std::int32_t>& two, const In<std::int64_t>& node_start) {
        auto found = unlocked([&] {
          const auto start = as_span(node_start);
          require(!start.empty() && start[0] == 0 && std::is_sorted(start.begin(), start.end()),
                  "node offsets must begin with 0 and must not fall");
          check_size(start.back());
          check_ends(one, two);
          check_numbers(as_span(one), start.back(), "pairs");
          check_numbers(as_span(two), start.back(), "pairs");
          return unlisted_pairs(as_span(one), as_span(two), start);
        });
        const std::size_t count = found.size() / 2;
        return as_table(std::move(found), 2, count);
      },
      nb::arg("one"), nb::arg("two"), nb::arg("node_start"),
      "The pairs of nodes of each graph that are not listed, [2, num_unlisted], ascending.");
}

void bind_arcs(nb::module_& module) {
  module.def(
      "is_symmetric",
      [](const In<std::int32_t>& tail, const In<std::int32_t>& head, const In<double>& weights,
         std::int64_t num_nodes) {
        return unlocked([&] {
          check_size(num_nodes);
          check_ends(tail, head);
          check_numbers(as_span(tail), num_nodes, "tail");
          check_numbers(as_span(head), num_nodes, "head");
          require(weights.size() == 0 || weights.size() == tail.size(), "weights must be one per arc, or none");
          const ArcDirections directions(as_span(tail), as_span(head), as_span(weights), num_nodes);
          return directions.match() == ArcDirections::Match::kOnce;
        });
      },
      nb::arg("tail"), nb::arg("head"), nb::arg("weights"), nb::arg("num_nodes"),
      "Whether every arc but self-loops occurs once, and once in the other direction with the same weight.");
}

template <class Id>
void bind_edges(nb::module_& module) {
  module.def("first_outside", &bound_first_outside<Id>, nb::arg("one"), nb::arg("two"), nb::arg("num_nodes"),
             "The place of the first edge with an end that is no node from 0 to num_nodes - 1, or -1.");
  module.def("normalised_edges", &bound_normalised_edges<Id>, nb::arg("one"), nb::arg("two"), nb::arg("weights"),
             nb::arg("num_nodes"),
             "Edges [2, num_edges] in ascending order without self-loops and duplicates, their weights, how many "
             "self-loops and duplicates there were, and the places of two equal edges that differ in weight, or -1.");
}

void bind_files(nb::module_& module) {
  nb::class_<ListedEdges>(module, "ListedEdges", "Edges in the order of a list.")
      .def_prop_ro(
          "one", [](ListedEdges& edges) { return view(edges.one); }, kView, "[num_edges]")
      .def_prop_ro(
          "two", [](ListedEdges& edges) { return view(edges.two); }, kView, "[num_edges]")
      .def_prop_ro(
          "weights", [](ListedEdges& edges) { return view(edges.weights); }, kView, "[num_edges], or [0]")
      .def_ro("num_listed", &ListedEdges::num_listed, "Edges in the list, both directions where it has them.");

  nb::class_<DimacsFile>(module, "DimacsFile", "What a DIMACS file says.")
      .def_ro("word", &DimacsFile::word, "What follows 'p'.")
      .def_ro("num_nodes", &DimacsFile::num_nodes, "Nodes that are declared.")
      .def_ro("num_edges", &DimacsFile::num_edges, "Edges that are declared.")
      .def_ro("header_line", &DimacsFile::header_line, "Number of the line of the header, from 1.")
      .def_ro("comment_bytes", &DimacsFile::comment_bytes, "Bytes of comments.")
      .def_ro("edges", &DimacsFile::edges)
      .def_prop_ro(
          "weighted_nodes", [](DimacsFile& file) { return view(file.weighted_nodes); }, kView)
      .def_prop_ro("node_weights", [](DimacsFile& file) { return view(file.node_weights); }, kView);

  nb::class_<EdgeListFile>(module, "EdgeListFile", "What an edge list says; edges are between places of names.")
      .def_ro("edges", &EdgeListFile::edges)
      .def_prop_ro("names", [](EdgeListFile& file) { return view(file.names); }, kView);

  nb::class_<MetisFile>(module, "MetisFile", "What the lines of a METIS file say.")
      .def_ro("edges", &MetisFile::edges)
      .def_prop_ro("node_weights", [](MetisFile& file) { return view(file.node_weights); }, kView);
}

void bind_readers(nb::module_& module) {
  module.def(
      "read_dimacs",
      [](const nb::bytes& content, Clock& clock) {
        const std::string_view text = as_text(content);
        return unlocked([&] { return DimacsReader(text).read(clock); });
      },
      nb::arg("content"), nb::arg("clock"), "Read a DIMACS file; None where it is not in plain form.");
  module.def(
      "read_edge_list",
      [](const nb::bytes& content, Clock& clock) {
        const std::string_view text = as_text(content);
        return unlocked([&] { return EdgeListReader(text).read(clock); });
      },
      nb::arg("content"), nb::arg("clock"), "Read an edge list; None where it is not in plain form.");
  module.def(
      "read_entries",
      [](const nb::bytes& content, std::int64_t begin, std::int64_t num_nodes, bool weighted, bool both_directions,
         Clock& clock) {
        const std::string_view text = rest_of(content, begin);
        check_size(num_nodes);
        return unlocked([&] { return read_entries(text, num_nodes, weighted, both_directions, clock); });
      },
      nb::arg("content"), nb::arg("begin"), nb::arg("num_nodes"), nb::arg("weighted"), nb::arg("both_directions"),
      nb::arg("clock"), "Read the entries of a Matrix Market file; None where they are not in plain form.");
  module.def(
      "read_metis",
      [](const nb::bytes& content, std::int64_t begin, std::int64_t num_nodes, bool node_weighted, bool edge_weighted,
         Clock& clock) {
        const std::string_view text = rest_of(content, begin);
        check_size(num_nodes);
        return unlocked([&] { return MetisReader(num_nodes, node_weighted, edge_weighted).read(text, clock); });
      },
      nb::arg("content"), nb::arg("begin"), nb::arg("num_nodes"), nb::arg("node_weighted"), nb::arg("edge_weighted"),
      nb::arg("clock"), "Read the lines of the nodes of a METIS file; None where they are not in plain form.");
}

}  // namespace

void bind_graph(nb::module_& module) {
  bind_rows(module);
  bind_edges<std::int32_t>(module);
  bind_edges<std::int64_t>(module);
  bind_arcs(module);
  bind_complements(module);
  bind_files(module);
  bind_readers(module);
}

}  // namespace annealco
