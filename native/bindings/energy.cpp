#include "bindings/energy.hpp"

#include "bindings/module.hpp"
#include "energy/assignment.hpp"

namespace annealco {

namespace {

using Doubles = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

/// A view of an array [..., 2] of f and ψ.
std::span<const Coefficient> as_coefficients(const Doubles& array, const char* name) {
  require(array.ndim() > 0 && array.shape(array.ndim() - 1) == 2, name, "the last axis is f and ψ");
  return {reinterpret_cast<const Coefficient*>(array.data()), array.size() / 2};
}

PythonTerms* make_terms(const In<std::int64_t>& node_start, const Doubles& linear, const In<std::int64_t>& pair_start,
                        const In<std::int32_t>& pair_index, const In<double>& pair_energy,
                        const In<double>& pair_violation, const In<std::int64_t>& set_offsets,
                        const In<std::int32_t>& set_members, const In<std::int64_t>& set_of_start,
                        const In<std::int32_t>& set_of, const Doubles& cover, const In<std::int64_t>& set_start,
                        const Doubles& all_pairs, const InTable<std::int32_t>& place, const InTable<bool>& uniform,
                        const InTable<double>& range_weight, const InTable<double>& range_lower,
                        const InTable<double>& range_upper, const Doubles& range, const Doubles& constant) {
  auto terms = std::make_unique<PythonTerms>();
  terms->node_start = as_span(node_start);
  terms->linear = as_coefficients(linear, "linear");
  terms->pairs = as_rows(pair_start, pair_index);
  terms->pair_energy = as_span(pair_energy);
  terms->pair_violation = as_span(pair_violation);
  terms->sets = as_rows(set_offsets, set_members);
  terms->sets_of = as_rows(set_of_start, set_of);
  terms->cover = as_coefficients(cover, "cover");
  terms->set_start = as_span(set_start);
  terms->all_pairs = as_coefficients(all_pairs, "all_pairs");
  terms->place = as_span(place);
  terms->uniform = as_span(uniform);
  terms->constant = as_coefficients(constant, "constant");
  const auto num_ranges = range_weight.shape(0);
  require(range_lower.shape(0) == num_ranges && range_upper.shape(0) == num_ranges && range.ndim() == 3 &&
              range.shape(0) == num_ranges,
          "ranges do not fit");
  for (std::size_t r = 0; r < num_ranges; ++r) {
    const auto row = [r](const auto& table) { return as_span(table).subspan(r * table.shape(1), table.shape(1)); };
    terms->ranges.push_back({row(range_weight), row(range_lower), row(range_upper),
                             as_coefficients(range, "range").subspan(r * range.shape(1), range.shape(1))});
  }
  terms->arrays = {nb::ndarray<>(node_start),   nb::ndarray<>(linear),      nb::ndarray<>(pair_start),
                   nb::ndarray<>(pair_index),   nb::ndarray<>(pair_energy), nb::ndarray<>(pair_violation),
                   nb::ndarray<>(set_offsets),  nb::ndarray<>(set_members), nb::ndarray<>(set_of_start),
                   nb::ndarray<>(set_of),       nb::ndarray<>(cover),       nb::ndarray<>(set_start),
                   nb::ndarray<>(all_pairs),    nb::ndarray<>(place),       nb::ndarray<>(uniform),
                   nb::ndarray<>(range_weight), nb::ndarray<>(range_lower), nb::ndarray<>(range_upper),
                   nb::ndarray<>(range),        nb::ndarray<>(constant)};
  unlocked([&] { terms->check_and_measure(); });
  return terms.release();
}

}  // namespace

void bind_energy(nb::module_& module) {
  nb::class_<PythonTerms>(module, "EnergyTerms", "f and ψ of an instance as flat arrays; see `core_terms`.")
      .def(nb::new_(&make_terms), nb::kw_only(), nb::arg("node_start"), nb::arg("linear"), nb::arg("pair_start"),
           nb::arg("pair_index"), nb::arg("pair_energy"), nb::arg("pair_violation"), nb::arg("set_offsets"),
           nb::arg("set_members"), nb::arg("set_of_start"), nb::arg("set_of"), nb::arg("cover"), nb::arg("set_start"),
           nb::arg("all_pairs"), nb::arg("place"), nb::arg("uniform"), nb::arg("range_weight"), nb::arg("range_lower"),
           nb::arg("range_upper"), nb::arg("range"), nb::arg("constant"))
      .def_prop_ro("num_nodes", &PythonTerms::num_nodes)
      .def_prop_ro("num_graphs", &PythonTerms::num_graphs)
      .def_prop_ro(
          "tolerance", [](const PythonTerms& terms) { return as_array(std::vector(terms.tolerance)); },
          nb::rv_policy::move, "Changes of f by a flip of each node that count as ties, [num_nodes].")
      .def_prop_ro(
          "unit", [](const PythonTerms& terms) { return as_array(std::vector(terms.unit)); }, nb::rv_policy::move,
          "The smallest coefficient of f that is not 0, [num_graphs].");

  nb::class_<Assignment>(module, "Assignment", "Bits with the change that every flip would make.")
      .def(
          "__init__",
          [](Assignment* place, const PythonTerms& terms, const In<bool>& chosen) {
            new (place) Assignment(terms, as_span(chosen));
            for (std::int64_t graph = 0; graph < terms.num_graphs(); ++graph) place->load(graph);
          },
          nb::arg("terms"), nb::arg("chosen"), nb::keep_alive<1, 2>())
      .def(
          "flip",
          [](Assignment& bits, std::int64_t graph, std::int64_t node) {
            check_node(bits.terms(), graph, node);
            bits.flip(graph, node);
          },
          nb::arg("graph"), nb::arg("node"), "Flip a node.")
      .def(
          "change",
          [](const Assignment& bits, std::int64_t graph, std::int64_t node) {
            check_node(bits.terms(), graph, node);
            return std::pair(bits.change<Reading::kEnergy>(graph, node), bits.change<Reading::kViolation>(graph, node));
          },
          nb::arg("graph"), nb::arg("node"), "Return the change of f and of ψ by a flip.")
      .def(
          "touched",
          [](const Assignment& bits, std::int64_t graph) {
            require(graph >= 0 && graph < bits.terms().num_graphs(), "no such graph");
            const auto nodes = bits.touched(graph);
            return as_array(std::vector(nodes.begin(), nodes.end()));
          },
          nb::arg("graph"), "Return the nodes whose field the last flip changed.")
      .def_prop_ro(
          "chosen",
          [](const Assignment& bits) {
            const auto chosen = bits.chosen();
            return as_array(std::vector<std::uint8_t>(chosen.begin(), chosen.end()));
          },
          nb::rv_policy::move, "The bits, [num_nodes].")
      .def_prop_ro(
          "fields",
          [](const Assignment& bits) {
            std::vector<double> table;
            for (std::int64_t node = 0; node < bits.terms().num_nodes(); ++node) {
              table.insert(table.end(), {bits.field(node).energy, bits.field(node).violation});
            }
            return as_table(std::move(table), static_cast<std::size_t>(bits.terms().num_nodes()), 2);
          },
          nb::rv_policy::move, "The local part of the conditional difference of f and of ψ, [num_nodes, 2].")
      .def_prop_ro(
          "values",
          [](const Assignment& bits) {
            std::vector<double> table;
            for (std::int64_t graph = 0; graph < bits.terms().num_graphs(); ++graph) {
              table.insert(table.end(), {bits.energy(graph), bits.violation(graph)});
            }
            return as_table(std::move(table), static_cast<std::size_t>(bits.terms().num_graphs()), 2);
          },
          nb::rv_policy::move, "f and ψ of each graph, [num_graphs, 2].");
}

}  // namespace annealco
