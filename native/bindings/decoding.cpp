#include <algorithm>
#include <string>

#include "bindings/energy.hpp"
#include "bindings/module.hpp"
#include "energy/assignment.hpp"
#include "energy/batches.hpp"
#include "search/decode.hpp"
#include "search/mean_field.hpp"
#include "search/repair.hpp"
#include "search/steepest_decoding.hpp"

namespace annealco {

namespace {

void check_table(const EnergyTerms& terms, std::size_t num_columns, std::int64_t num_threads) {
  require(static_cast<std::int64_t>(num_columns) == terms.num_nodes(), "one column per node");
  require(num_threads >= 1, "at least one thread");
}

/// What decoding a row keeps.
struct States {
  ProductState state;
  std::vector<ProductState> floors;  ///< one in the steepest order
};

void decode(const PythonTerms& terms, const InTable<double>& probability, const InOutTable<bool>& assignment,
            const std::string& order, std::int64_t num_threads) {
  check_table(terms, probability.shape(1), num_threads);
  require(order == "probability" || order == "confidence" || order == "steepest", "unknown order of decoding");
  require(assignment.shape(0) == probability.shape(0) && assignment.shape(1) == probability.shape(1),
          "as many bits as probabilities");
  const auto given = as_span(probability);
  require(std::all_of(given.begin(), given.end(), [](double each) { return each >= 0.0 && each <= 1.0; }),
          "probabilities must be from 0 to 1");
  const auto size = static_cast<std::size_t>(terms.num_nodes());
  const auto visits = order == "confidence" ? VisitOrder::kConfidence : VisitOrder::kProbability;
  unlocked([&] {
    for_each_graph(
        terms, static_cast<std::int64_t>(probability.shape(0)), num_threads,
        [&](std::int64_t row) {
          States states{ProductState(terms, given.subspan(static_cast<std::size_t>(row) * size, size)), {}};
          if (order == "steepest") states.floors.emplace_back(terms, std::vector<double>(size, 0.0));
          return states;
        },
        [&](States& states, std::int64_t row, std::int64_t graph) {
          ProductState& state = states.state;
          if (order == "steepest") {
            SteepestDecoder(terms, state, states.floors.front(), graph).decode();
          } else {
            Decoder(terms, state, visits).decode(graph);
          }
          for (std::int64_t node = terms.first_node(graph); node < terms.last_node(graph); ++node) {
            assignment.data()[static_cast<std::size_t>(row) * size + static_cast<std::size_t>(node)] =
                state.probability(node) > 0.5;
          }
        });
  });
}

void repair(const PythonTerms& terms, const InOutTable<bool>& assignment, bool make_feasible, bool improve,
            std::int64_t num_threads) {
  check_table(terms, assignment.shape(1), num_threads);
  const auto size = static_cast<std::size_t>(terms.num_nodes());
  unlocked([&] {
    for_each_graph(
        terms, static_cast<std::int64_t>(assignment.shape(0)), num_threads,
        [&](std::int64_t row) {
          return Assignment(terms,
                            std::span<const bool>(assignment.data() + static_cast<std::size_t>(row) * size, size));
        },
        [&](Assignment& bits, std::int64_t row, std::int64_t graph) {
          Repair repair(terms.size_of(graph));
          bits.load(graph);
          if (make_feasible) repair.make_feasible(bits, graph);
          if (improve) repair.improve(bits, graph);
          for (std::int64_t node = terms.first_node(graph); node < terms.last_node(graph); ++node) {
            assignment.data()[static_cast<std::size_t>(row) * size + static_cast<std::size_t>(node)] =
                bits.is_chosen(node);
          }
        });
  });
}

void cool(const PythonTerms& terms, const InOutTable<double>& probability, const InTable<double>& temperatures,
          const In<std::uint64_t>& seeds, std::int64_t num_threads) {
  check_table(terms, probability.shape(1), num_threads);
  require(static_cast<std::int64_t>(temperatures.shape(0)) == terms.num_graphs(), "one row of temperatures per graph");
  require(seeds.size() == probability.shape(0), "one seed per row");
  const auto cooled = as_span(temperatures);
  require(std::all_of(cooled.begin(), cooled.end(), [](double each) { return each > 0.0; }),
          "temperatures must be above 0");
  const auto size = static_cast<std::size_t>(terms.num_nodes()), num_sweeps = temperatures.shape(1);
  unlocked([&] {
    for_each_graph(
        terms, static_cast<std::int64_t>(probability.shape(0)), num_threads,
        [&](std::int64_t) { return ProductState(terms, std::vector<double>(size, 0.5)); },
        [&](ProductState& state, std::int64_t row, std::int64_t graph) {
          mean_field_annealing(terms, state, graph,
                               cooled.subspan(static_cast<std::size_t>(graph) * num_sweeps, num_sweeps),
                               Random(seeds.data()[row]));
          for (std::int64_t node = terms.first_node(graph); node < terms.last_node(graph); ++node) {
            probability.data()[static_cast<std::size_t>(row) * size + static_cast<std::size_t>(node)] =
                state.probability(node);
          }
        });
  });
}

}  // namespace

void bind_decoding(nb::module_& module) {
  nb::class_<ProductState>(module, "ProductState", "A product distribution with its conditional expectations.")
      .def(
          "__init__",
          [](ProductState* place, const PythonTerms& terms, const In<double>& probability) {
            new (place) ProductState(terms, as_span(probability));
            for (std::int64_t graph = 0; graph < terms.num_graphs(); ++graph) place->load(graph);
          },
          nb::arg("terms"), nb::arg("probability"), nb::keep_alive<1, 2>())
      .def(
          "update",
          [](ProductState& state, std::int64_t graph, std::int64_t node, double value) {
            check_node(state.terms(), graph, node);
            require(value >= 0.0 && value <= 1.0, "a probability is from 0 to 1");
            state.update(graph, node, value);
          },
          nb::arg("graph"), nb::arg("node"), nb::arg("value"), "Set the probability of a node.")
      .def(
          "delta",
          [](const ProductState& state, std::int64_t graph, std::int64_t node) {
            check_node(state.terms(), graph, node);
            return std::pair(state.delta<Reading::kEnergy>(graph, node), state.delta<Reading::kViolation>(graph, node));
          },
          nb::arg("graph"), nb::arg("node"), "Return E[· | x = 1] − E[· | x = 0] of f and of ψ for a node.");

  module.def("decode", &decode, nb::arg("terms"), nb::arg("probability"), nb::arg("assignment"), nb::kw_only(),
             nb::arg("order"), nb::arg("num_threads"),
             "Decode rows of probabilities by conditional expectations into rows of bits, [num_rows, num_nodes].");
  module.def("repair", &repair, nb::arg("terms"), nb::arg("assignment"), nb::kw_only(), nb::arg("make_feasible"),
             nb::arg("improve"), nb::arg("num_threads"),
             "Make rows of bits feasible and then as good as single flips can, [num_rows, num_nodes].");
  module.def("mean_field", &cool, nb::arg("terms"), nb::arg("probability"), nb::arg("temperatures"), nb::arg("seeds"),
             nb::kw_only(), nb::arg("num_threads"),
             "Fill in rows of probabilities that were cooled down, [num_rows, num_nodes]; temperatures are "
             "[num_graphs, num_sweeps].");
}

}  // namespace annealco
