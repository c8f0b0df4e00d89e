#include <cmath>
#include <optional>

#include "bindings/energy.hpp"
#include "bindings/module.hpp"
#include "search/alternating.hpp"
#include "search/annealing.hpp"
#include "search/flip_search.hpp"
#include "search/recombination.hpp"
#include "search/repair.hpp"
#include "search/tabu.hpp"

namespace annealco {

namespace {

/// Give bits to NumPy.
Out<bool> as_bits(std::vector<std::uint8_t>&& bits) {
  auto* owned = new std::vector<std::uint8_t>(std::move(bits));
  nb::capsule owner(owned, [](void* each) noexcept { delete static_cast<std::vector<std::uint8_t>*>(each); });
  return Out<bool>(reinterpret_cast<bool*>(owned->data()), {owned->size()}, owner);
}

/// Return a start of one graph, made feasible and then as good as single flips can.
template <class Bits>
Bits repaired(const EnergyTerms& terms, std::span<const bool> start) {
  require(terms.num_graphs() == 1, "a search is of one graph");
  Bits bits(terms, start);
  bits.load(0);
  Repair(terms.num_nodes()).finish(bits, 0);
  return bits;
}

/// Temperatures of sweeps are kept in a table.
constexpr std::int64_t kMostSweeps = 100'000'000;

FlipSearch* make_annealing(const PythonTerms& terms, const In<bool>& start, std::uint64_t seed,
                           const std::vector<In<double>>& coolings, std::optional<std::int64_t> num_sweeps) {
  const std::int64_t sweeps = num_sweeps.value_or(0);
  require(!num_sweeps || (sweeps >= 1 && sweeps <= kMostSweeps), "a cooling has from 1 to 10^8 sweeps");
  Coolings copies;
  for (const auto& each : coolings) {
    const auto values = as_span(each);
    require(!values.empty(), "a cooling needs a sweep");
    require(std::all_of(values.begin(), values.end(), [](double value) { return value > 0.0; }),
            "temperatures must be above 0");
    copies.emplace_back(values.begin(), values.end());
  }
  return unlocked([&]() -> FlipSearch* {
    if (terms.has_only_pairs()) {
      return new SingleSearch<Annealing<PairAssignment>>(repaired<PairAssignment>(terms, as_span(start)), seed,
                                                         std::move(copies), sweeps);
    }
    return new SingleSearch<Annealing<Assignment>>(repaired<Assignment>(terms, as_span(start)), seed, std::move(copies),
                                                   sweeps);
  });
}

FlipSearch* make_tabu_search(const PythonTerms& terms, const In<bool>& start, std::uint64_t seed) {
  return unlocked([&]() -> FlipSearch* {
    if (terms.has_only_pairs()) {
      return new SingleSearch<TabuSearch<PairAssignment>>(repaired<PairAssignment>(terms, as_span(start)), seed);
    }
    return new SingleSearch<TabuSearch<Assignment>>(repaired<Assignment>(terms, as_span(start)), seed);
  });
}

FlipSearch* make_alternating_search(const PythonTerms& terms, const In<bool>& start, std::uint64_t seed) {
  return unlocked([&] { return new AlternatingSearch(repaired<Assignment>(terms, as_span(start)), seed); });
}

FlipSearch* make_recombination(const PythonTerms& terms, const In<bool>& start, std::uint64_t seed,
                               double reduction_seconds) {
  require(terms.has_only_pairs(), "recombination is for terms of nodes and pairs alone");
  require(!std::isnan(reduction_seconds), "seconds must be a number");
  return unlocked([&]() -> FlipSearch* {
    const PairAssignment bits = repaired<PairAssignment>(terms, as_span(start));
    return new Recombination(terms, std::vector(bits.chosen().begin(), bits.chosen().end()), seed, reduction_seconds);
  });
}

}  // namespace

void bind_flip_searches(nb::module_& module) {
  nb::class_<FlipSearch>(module, "FlipSearch", "A search of one graph by flips that can be continued.")
      .def(
          "run",
          [](FlipSearch& search, Clock& clock, double target) {
            Found found = unlocked([&] { return search.run(clock, target); });
            return std::pair(as_bits(std::move(found.chosen)), found.cost);
          },
          nb::arg("clock"), nb::arg("target"),
          "Go on until the clock is spent or the target reached; return the best assignment, [num_nodes], and its "
          "cost.")
      .def_prop_ro(
          "present",
          [](const FlipSearch& search) {
            const auto present = search.present();
            return as_bits(std::vector(present.begin(), present.end()));
          },
          nb::rv_policy::move, "The present assignment, [num_nodes].")
      .def_prop_ro("is_solved", &FlipSearch::is_solved,
                   "Whether nothing is left to look at, so that the best is an optimum.");

  module.def("annealing", &make_annealing, nb::arg("terms"), nb::arg("start"), nb::kw_only(), nb::arg("seed"),
             nb::arg("coolings"), nb::arg("num_sweeps") = nb::none(), nb::rv_policy::take_ownership,
             nb::keep_alive<0, 1>(),
             "Simulated annealing from a start, [num_nodes], which is repaired first. The temperatures of the sweeps "
             "of each cooling are given, "
             "of which the last is repeated; where none are, the default, of so many sweeps each or as many as suit.");
  module.def("tabu_search", &make_tabu_search, nb::arg("terms"), nb::arg("start"), nb::kw_only(), nb::arg("seed"),
             nb::rv_policy::take_ownership, nb::keep_alive<0, 1>(),
             "Tabu search from a start, [num_nodes], which is repaired first.");
  module.def("alternating_search", &make_alternating_search, nb::arg("terms"), nb::arg("start"), nb::kw_only(),
             nb::arg("seed"), nb::rv_policy::take_ownership, nb::keep_alive<0, 1>(),
             "Annealing and tabu search in turns from a start, [num_nodes], which is repaired first.");
  module.def("recombination", &make_recombination, nb::arg("terms"), nb::arg("start"), nb::kw_only(), nb::arg("seed"),
             nb::arg("reduction_seconds"), nb::rv_policy::take_ownership, nb::keep_alive<0, 1>(),
             "Annealing of spins whose results are recombined, from a start, [num_nodes], which is repaired first. "
             "Reductions of all spins stop after so many seconds.");
  module.def(
      "default_temperatures",
      [](const PythonTerms& terms, const In<bool>& chosen) {
        return unlocked([&] {
          Assignment bits(terms, as_span(chosen));
          for (std::int64_t graph = 0; graph < terms.num_graphs(); ++graph) bits.load(graph);
          return default_temperatures(bits);
        });
      },
      nb::arg("terms"), nb::arg("chosen"),
      "Return the temperatures between which annealing cools by default, read off the prices of flips of bits.");
}

}  // namespace annealco
