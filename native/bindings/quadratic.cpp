#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "bounds/couplings.hpp"
#include "bounds/cycle_packing.hpp"
#include "bounds/cycle_separation.hpp"
#include "bounds/mixing_method.hpp"
#include "bounds/positive_definite.hpp"
#include "bounds/ranged_cut.hpp"
#include "bounds/roof_duality.hpp"
#include "bounds/spin_branching.hpp"
#include "bounds/spin_fields.hpp"
#include "core/clock.hpp"
#include "graph/components.hpp"
#include "search/spin_reductions.hpp"

namespace annealco {

namespace {

Couplings* make_couplings(std::int64_t num_spins, const In<std::int32_t>& low, const In<std::int32_t>& high,
                          const In<double>& strength) {
  return unlocked([&] { return new Couplings(num_spins, as_span(low), as_span(high), as_span(strength)); });
}

void check_by_spin(const Couplings& couplings, const In<double>& values, const char* name) {
  require(static_cast<std::int64_t>(values.size()) == couplings.num_spins, name, "there must be one for each spin");
  const auto numbers = as_span(values);
  require(std::all_of(numbers.begin(), numbers.end(), [](double each) { return std::isfinite(each); }), name,
          "numbers must be finite");
}

MixingMethod* make_mixing_method(const Couplings& couplings, const In<double>& load, double most, std::uint64_t seed) {
  check_by_spin(couplings, load, "loads");
  require(most >= 0.0, "the limit of the square must not be negative");
  return new MixingMethod(couplings, as_span(load), most, seed);
}

OutTable<double> vectors_of(const MixingMethod& method) {
  std::vector<double> table;
  for (std::int64_t spin = 0; spin < method.num_spins(); ++spin) {
    const auto vector = method.vector(spin);
    table.insert(table.end(), vector.begin(), vector.end());
  }
  return as_table(std::move(table), static_cast<std::size_t>(method.num_spins()),
                  static_cast<std::size_t>(method.dimension()));
}

std::optional<bool> is_positive_definite(const Couplings& couplings, const In<double>& diagonal, const In<double>& load,
                                         double penalty, Clock& clock) {
  check_by_spin(couplings, diagonal, "diagonal");
  check_by_spin(couplings, load, "loads");
  return unlocked([&] {
    CholeskyTest test({couplings, as_span(diagonal), as_span(load), penalty});
    return test.run(clock);
  });
}

std::tuple<Out<std::int64_t>, Out<std::int32_t>, Out<double>> pack_cycles(const Couplings& couplings, Clock& clock,
                                                                          std::optional<std::int64_t> reach) {
  auto packing = unlocked([&] {
    CyclePacking packing(couplings);
    if (reach) {
      packing.pack(*reach, clock);
    } else {
      packing.run(clock);
    }
    return packing;
  });
  auto cycles = packing.cycles();
  auto price = packing.price();
  return {as_array(std::move(cycles.start)), as_array(std::move(cycles.index)), as_array(std::move(price))};
}

std::pair<Out<std::int64_t>, Out<std::int32_t>> find_cycles(CycleSeparation& separation, const In<double>& length,
                                                            const In<std::int32_t>& roots, std::int64_t most,
                                                            Clock& clock) {
  require(static_cast<std::int64_t>(length.size()) == separation.num_pairs(),
          "lengths: there must be one for each pair");
  const auto lengths = as_span(length);
  require(std::all_of(lengths.begin(), lengths.end(), [](double each) { return each >= 0.0; }),
          "lengths must not be negative");
  const auto starts = as_span(roots);
  const auto is_spin = [&](std::int32_t each) { return each >= 0 && each < separation.num_spins(); };
  require(std::all_of(starts.begin(), starts.end(), is_spin), "roots must be numbers of spins");
  require(most >= 0, "the number of members must not be negative");
  return as_arrays(unlocked([&] { return separation.find(as_span(length), as_span(roots), most, clock); }));
}

std::optional<Out<std::int32_t>> bound_component_roots(const Couplings& couplings, Clock& clock) {
  auto roots = unlocked([&] { return component_roots(couplings.num_spins, couplings.low, couplings.high, clock); });
  if (!roots) return std::nullopt;
  return as_array(std::move(*roots));
}

std::tuple<Out<double>, Out<double>, bool> bound_spin_fields(const In<double>& linear, const In<std::int32_t>& low,
                                                             const In<std::int32_t>& high, const In<double>& value) {
  require(low.size() == value.size() && high.size() == value.size(), "both ends and values must be equally many");
  auto found = unlocked([&] { return spin_fields(as_span(linear), as_span(low), as_span(high), as_span(value)); });
  return {as_array(std::move(found.field)), as_array(std::move(found.doubt)), found.ascends};
}

RangedCut* make_ranged_cut(const Couplings& pairs, const In<double>& field, const In<double>& weight, double lower,
                           double upper, const In<std::int32_t>& chosen) {
  check_by_spin(pairs, field, "fields");
  check_by_spin(pairs, weight, "weights");
  const auto weights = as_span(weight);
  const auto nodes = as_span(chosen);
  require(std::all_of(weights.begin(), weights.end(), [](double each) { return each >= 0.0; }),
          "weights must not be negative");
  require(std::all_of(pairs.strength.begin(), pairs.strength.end(), [](double each) { return each >= 0.0; }),
          "strengths must not be negative");
  const auto is_node = [&](std::int32_t each) { return each >= 0 && each < pairs.num_spins; };
  require(std::all_of(nodes.begin(), nodes.end(), is_node), "chosen nodes must be numbers of nodes");
  require(RangedCut::size_of(pairs, as_span(field)) < RangedCut::kMostSize, "strengths and fields are too large");
  require(!std::isnan(lower) && !std::isnan(upper), "the range must not be NaN");
  return unlocked([&] { return new RangedCut(pairs, as_span(field), weights, lower, upper, nodes); });
}

/// Return couplings as a model; pairs that are listed several times are added up.
SpinModel model_of(const Couplings& couplings) {
  const CouplingRows rows(couplings);
  SpinModel model;
  std::vector<std::int64_t> place(static_cast<std::size_t>(couplings.num_spins), -1);
  for (std::int32_t spin = 0; spin < static_cast<std::int32_t>(couplings.num_spins); ++spin) {
    const auto begin = static_cast<std::int64_t>(model.coupling.size());
    for (const Coupled& each : rows[spin]) {
      std::int64_t& own = place[static_cast<std::size_t>(each.other)];
      if (own < begin) {
        own = static_cast<std::int64_t>(model.coupling.size());
        model.coupling.push_back({each.other, 0.0});
      }
      model.coupling[static_cast<std::size_t>(own)].strength += couplings.strength[static_cast<std::size_t>(each.pair)];
    }
    model.start.push_back(static_cast<std::int64_t>(model.coupling.size()));
  }
  return model;
}

std::tuple<Out<std::int32_t>, Out<std::int32_t>, Out<std::int32_t>, Out<double>> kernel_of(
    const SpinReduction& reduction) {
  const SpinKernel kernel = reduction.kernel();
  std::vector<std::int32_t> low, high;
  std::vector<double> strength;
  for (std::int32_t spin = 0; spin < kernel.model.num_spins(); ++spin) {
    for (const SpinCoupling& each : kernel.model[spin]) {
      if (each.spin < spin) continue;
      low.push_back(spin);
      high.push_back(each.spin);
      strength.push_back(each.strength);
    }
  }
  return {as_array(std::vector(kernel.spin)), as_array(std::move(low)), as_array(std::move(high)),
          as_array(std::move(strength))};
}

Out<std::int8_t> lift_spins(const SpinReduction& reduction, const In<std::int8_t>& spins) {
  const SpinKernel kernel = reduction.kernel();
  const auto given = as_span(spins);
  require(given.size() == kernel.spin.size(), "there must be one direction for each spin that is left");
  require(std::all_of(given.begin(), given.end(), [](Spin each) { return each == 1 || each == -1; }),
          "directions must be 1 or -1");
  return as_array(kernel.lifted(reduction, given));
}

SpinBranching* make_spin_branching(const Couplings& couplings, const In<double>& diagonal, const In<double>& load,
                                   double penalty, double most, const In<std::int8_t>& fixed, const In<double>& weight,
                                   double lower, double upper) {
  check_by_spin(couplings, diagonal, "diagonal");
  check_by_spin(couplings, load, "loads");
  check_by_spin(couplings, weight, "weights");
  require(couplings.num_spins <= SpinBranching::kMostSpins, "there must be at most 2^10 spins");
  require(static_cast<std::int64_t>(fixed.size()) == couplings.num_spins, "fixed", "there must be one for each spin");
  const auto values = as_span(fixed);
  require(std::all_of(values.begin(), values.end(), [](std::int8_t each) { return each >= -1 && each <= 1; }), "fixed",
          "values must be -1, 0 or 1");
  const auto weights = as_span(weight);
  require(std::all_of(weights.begin(), weights.end(), [](double each) { return each >= 0.0; }), "weights",
          "numbers must not be negative");
  require(penalty >= 0.0 && most >= 0.0, "the penalty and the limit of the square must not be negative");
  require(!std::isnan(lower) && !std::isnan(upper), "the limits of the range must be numbers");
  return unlocked([&] {
    return new SpinBranching(couplings, as_span(diagonal), as_span(load), penalty, most, values,
                             {{weights.begin(), weights.end()}, lower, upper});
  });
}

}  // namespace

void bind_quadratic(nb::module_& module) {
  module.def(
      "spin_fields", &bound_spin_fields, nb::arg("linear"), nb::arg("low"), nb::arg("high"), nb::arg("value"),
      "Return a/2 + Σ b/4 of each node and how far roundings may have moved it, [num_nodes] each, and whether the "
      "pairs ascend.");

  nb::class_<Couplings>(module, "Couplings", "Pairs of spins and the strengths of their couplings, checked once.")
      .def(nb::new_(&make_couplings), nb::arg("num_spins"), nb::arg("low"), nb::arg("high"), nb::arg("strength"));

  nb::class_<RoofDuality>(module, "RoofDuality",
                          "What a flow tells of spins, one of which is 1: how much is not satisfied, and directions.")
      .def(nb::new_([](const Couplings& couplings, std::int32_t fixed, double step) {
             require(fixed >= 0 && fixed < couplings.num_spins, "the fixed spin must be one of the spins");
             require(couplings.num_spins < (std::int64_t{1} << 29) && couplings.num_pairs() < (std::int64_t{1} << 29),
                     "there must be fewer than 2^29 spins and couplings");
             require(step >= 0.0, "the step must not be negative");
             return unlocked([&] { return new RoofDuality(couplings, fixed, step); });
           }),
           nb::arg("couplings"), nb::arg("fixed"), nb::arg("step"))
      .def("run", &RoofDuality::run, nb::arg("clock"), nb::call_guard<nb::gil_scoped_release>(),
           "Raise the flow until it is a maximum or the clock is over.")
      .def_prop_ro("unsatisfied", &RoofDuality::unsatisfied,
                   "At least so much of all strengths is not satisfied, each counted once.")
      .def_prop_ro(
          "direction",
          [](const RoofDuality& roof) {
            return as_array(std::vector<std::int8_t>(roof.direction().begin(), roof.direction().end()));
          },
          nb::rv_policy::move, "[num_spins] 1 or -1 where every optimum has it, else 0.");

  nb::class_<SpinReduction>(module, "SpinReduction",
                            "Elimination of spins whose best direction follows from a few others.")
      .def(nb::new_([](const Couplings& couplings) { return new SpinReduction(model_of(couplings)); }),
           nb::arg("couplings"))
      .def(
          "run", [](SpinReduction& reduction, Clock& clock) { return reduction.run(clock); }, nb::arg("clock"),
          nb::call_guard<nb::gil_scoped_release>(),
          "Eliminate until no rule fits; False where the clock is over before, and what was done holds.")
      .def("lift", &lift_spins, nb::arg("spins"),
           "Return the best directions of all spins, 1 or -1, where those of the spins that are left are given.")
      .def_prop_ro("is_exact", &SpinReduction::is_exact, "Whether no coupling was rounded.")
      .def_prop_ro("kernel", &kernel_of, nb::rv_policy::move,
                   "The spins that are left, [num_left], and both ends, numbered among these, and strengths of their "
                   "couplings.");

  nb::class_<MixingMethod>(module, "MixingMethod",
                           "Unit vectors on their way to the optimum of the semidefinite relaxation of spins.")
      .def(nb::new_(&make_mixing_method), nb::arg("couplings"), nb::arg("load"), nb::arg("most"), nb::arg("seed"))
      .def("run", &MixingMethod::run, nb::arg("clock"), nb::call_guard<nb::gil_scoped_release>(),
           "Go on until the vectors have converged; False where the clock is over before.")
      .def("sweep", &MixingMethod::sweep, nb::arg("clock"), nb::call_guard<nb::gil_scoped_release>(),
           "Turn each vector once; return by how much that lowered the sum.")
      .def(
          "change",
          [](MixingMethod& method, const In<double>& strength) {
            require(static_cast<std::int64_t>(strength.size()) == method.num_pairs(),
                    "strengths: there must be one for each pair");
            const auto values = as_span(strength);
            require(std::all_of(values.begin(), values.end(), [](double each) { return std::isfinite(each); }),
                    "strengths: numbers must be finite");
            unlocked([&] { method.change(values); });
          },
          nb::arg("strength"), "Go on with other strengths of the same pairs, from the vectors there are.")
      .def_prop_ro(
          "products", [](const MixingMethod& method) { return as_array(method.products()); }, nb::rv_policy::move,
          "The product of the two vectors of each pair, [num_pairs].")
      .def_prop_ro("converged", &MixingMethod::converged, "Whether the vectors have come to rest.")
      .def_prop_ro("penalty", &MixingMethod::penalty, "The multiplier of the square of the weighted sum.")
      .def_prop_ro(
          "pull",
          [](const MixingMethod& method) {
            return as_array(std::vector<double>(method.pull().begin(), method.pull().end()));
          },
          nb::rv_policy::move, "The length of the pull on each vector, [num_spins].")
      .def_prop_ro("vectors", &vectors_of, nb::rv_policy::move, "The vectors, [num_spins, dimension].");

  nb::class_<RangedCut>(module, "RangedCut",
                        "Least cost of fields of chosen nodes and strengths of separated pairs, all at least 0, where "
                        "the weight of the chosen nodes lies in a range: minimum cuts, multipliers, branch and bound.")
      .def(nb::new_(&make_ranged_cut), nb::arg("pairs"), nb::arg("field"), nb::arg("weight"), nb::arg("lower"),
           nb::arg("upper"), nb::arg("chosen"), nb::keep_alive<1, 2>())
      .def("run", &RangedCut::run, nb::arg("enough"), nb::arg("clock"), nb::call_guard<nb::gil_scoped_release>(),
           "Go on until the bound is enough or nothing better can be proven, or the clock is over.")
      .def_prop_ro(
          "bound", [](const RangedCut& cut) { return cut.bound(); }, "No choice in the range costs less.")
      .def_prop_ro("is_solved", &RangedCut::is_solved, "Whether some choice in the range costs just that.");

  nb::class_<SpinBranching>(module, "SpinBranching",
                            "A search through all choices of spins, by a convex form that bounds their energy.")
      .def(nb::new_(&make_spin_branching), nb::arg("couplings"), nb::arg("diagonal"), nb::arg("load"),
           nb::arg("penalty"), nb::arg("most"), nb::arg("fixed"), nb::arg("weight"), nb::arg("lower"), nb::arg("upper"),
           "Spins whose weight where they are 1 lies in a range; `fixed` is -1, 1, or 0 for a free spin.")
      .def(
          "run",
          [](SpinBranching& search, Clock& clock, double limit, double gain) {
            require(!std::isnan(limit) && gain >= 0.0, "limit and gain must be numbers, and the gain not negative");
            return unlocked([&] { return search.run(clock, limit, gain); });
          },
          nb::arg("clock"), nb::arg("limit"), nb::arg("gain"),
          "Look for energies below the limit less the gain; true once there are none but the best found.")
      .def_prop_ro("best", &SpinBranching::best, "The least energy found, or the limit.")
      .def_prop_ro("has_found", &SpinBranching::has_found)
      .def_prop_ro(
          "best_spins",
          [](const SpinBranching& search) {
            const auto spins = search.best_spins();
            return as_array(std::vector<std::int8_t>(spins.begin(), spins.end()));
          },
          nb::rv_policy::move, "[num_spins] -1 or 1: a choice of the least energy found.");

  module.def("is_positive_definite", &is_positive_definite, nb::arg("couplings"), nb::arg("diagonal"), nb::arg("load"),
             nb::arg("penalty"), nb::arg("clock"),
             "Tell whether the symmetric matrix with half of the couplings, plus diag(diagonal) + penalty·load·load', "
             "has a Cholesky factor; None where the clock is over before.");

  module.def("pack_cycles", &pack_cycles, nb::arg("couplings"), nb::arg("clock"), nb::arg("reach") = nb::none(),
             "Return offsets, couplings and prices of cycles that cannot all be satisfied and share no strength, found "
             "by searches that look at ever more couplings, or at so many.");

  nb::class_<CycleSeparation>(module, "CycleSeparation", "Search for short cycles that cannot all be satisfied.")
      .def(nb::init<const Couplings&>(), nb::arg("couplings"))
      .def("find", &find_cycles, nb::arg("length"), nb::arg("roots"), nb::arg("most"), nb::arg("clock"),
           "Return offsets and couplings of cycles through some of the roots that are shorter than one.");
  module.attr("SHORT_CYCLE") = CycleSeparation::kShort;

  module.def("component_roots", &bound_component_roots, nb::arg("couplings"), nb::arg("clock"),
             "Return the least spin of each spin's connected component; None where the clock is over before.");
}

}  // namespace annealco
