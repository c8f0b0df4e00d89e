#include "search/covering.hpp"

#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "search/cliques.hpp"
#include "search/hitting_set.hpp"
#include "search/packing_search.hpp"
#include "search/reductions.hpp"

namespace annealco {

namespace {

template <class T>
std::vector<T> as_vector(const In<T>& array) {
  return {array.data(), array.data() + array.size()};
}

std::span<const std::uint8_t> as_bytes(const In<bool>& bits) {
  return {reinterpret_cast<const std::uint8_t*>(bits.data()), bits.size()};
}

/// Give bytes of 0 and 1 to NumPy as bits.
Out<bool> as_bits(std::vector<std::uint8_t>&& bytes) {
  auto* owned = new std::vector<std::uint8_t>(std::move(bytes));
  nb::capsule owner(owned, [](void* each) noexcept { delete static_cast<std::vector<std::uint8_t>*>(each); });
  return Out<bool>(reinterpret_cast<bool*>(owned->data()), {owned->size()}, owner);
}

Out<bool> as_bits(std::span<const std::uint8_t> bytes) {
  return as_bits(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
}

/// Show NumPy an array that belongs to the object whose property it is.
template <class T>
Out<const T> as_view(std::span<const T> values) {
  return Out<const T>(values.data(), {values.size()}, nb::handle());
}

/// An argument whose type must be right: conversion could change numbers, and takes time.
auto array(const char* name) { return nb::arg(name).noconvert(); }

/// Properties that make their value, instead of showing a part of the object.
constexpr auto kNew = nb::rv_policy::automatic;

using Problem = std::shared_ptr<HittingSet>;

HittingSet* make_problem(const In<double>& cost, const In<std::int64_t>& lengths, const In<std::int32_t>& members) {
  return unlocked([&] { return new HittingSet(as_vector(cost), as_span(lengths), as_vector(members)); });
}

HittingSet* make_pairs(const In<double>& cost, const InTable<std::int32_t>& pairs) {
  require(pairs.shape(0) == 2, "pairs must be [2, num_pairs]");
  return unlocked([&] {
    const std::size_t count = pairs.shape(1);
    std::vector<std::int32_t> members(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
      members[2 * i] = pairs.data()[i];
      members[2 * i + 1] = pairs.data()[count + i];
    }
    return new HittingSet(as_vector(cost), std::move(members));
  });
}

/// Offsets of the sets; those of pairs are not stored.
Out<std::int64_t> set_offsets(const HittingSet& problem) {
  if (!problem.is_pairs()) return as_array(std::vector(problem.set_start().begin(), problem.set_start().end()));
  std::vector<std::int64_t> start(static_cast<std::size_t>(problem.num_sets()) + 1);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = 2 * static_cast<std::int64_t>(i);
  return as_array(std::move(start));
}

Out<bool> lift(const Reduction& reduction, const In<bool>& kernel_chosen) {
  require(kernel_chosen.size() == reduction.left().size(), "a solution of the kernel must name each of its variables");
  return as_bits(unlocked([&] { return reduction.lift(as_bytes(kernel_chosen)); }));
}

Out<bool> restrict(const Reduction& reduction, const In<bool>& chosen) {
  require(chosen.size() == reduction.num_variables(), "a solution must name every variable");
  return as_bits(unlocked([&] { return reduction.restrict(as_bytes(chosen)); }));
}

Out<bool> join(const Problem& problem, const In<bool>& one, const In<bool>& two) {
  require(static_cast<std::int64_t>(one.size()) == problem->num_variables() && one.size() == two.size(),
          "hitting sets must name every variable");
  return as_bits(unlocked([&] { return join_hitting_sets(*problem, as_bytes(one), as_bytes(two)); }));
}

PackingSearch* make_packing(const Problem& problem, const In<bool>& start, std::uint64_t seed, double offset) {
  return unlocked([&] { return new PackingSearch(problem, as_bytes(start), seed, offset); });
}

CoveringSearch* make_covering(const Problem& problem, const In<bool>& start, std::uint64_t seed, double offset) {
  return unlocked([&] { return new CoveringSearch(problem, as_bytes(start), seed, offset); });
}

OwnRows as_own_rows(const In<std::int64_t>& start, const In<std::int32_t>& index) {
  const auto offsets = as_span(start);
  const auto numbers = as_span(index);
  return {{offsets.begin(), offsets.end()}, {numbers.begin(), numbers.end()}};
}

CliqueSearch* make_clique(const In<std::int64_t>& start, const In<std::int32_t>& index, const In<double>& weight,
                          const In<bool>& first, std::uint64_t seed, double limit) {
  require(!std::isnan(limit), "limit must be a number");
  return unlocked(
      [&] { return new CliqueSearch(as_own_rows(start, index), as_vector(weight), as_bytes(first), seed, limit); });
}

void bind_hitting_set(nb::module_& module) {
  nb::class_<HittingSet>(module, "HittingSet",
                         "Choose variables of least total cost such that every set has a chosen member.")
      .def(nb::new_(&make_problem), array("cost"), array("lengths"), array("members"),
           "Build a problem from costs [num_variables], lengths [num_sets] of sets, and their members one after the "
           "other.")
      .def_static("of_pairs", &make_pairs, array("cost"), array("pairs"), nb::rv_policy::take_ownership,
                  "Build a problem whose sets are pairs, [2, num_pairs].")
      .def_prop_ro("num_variables", &HittingSet::num_variables)
      .def_prop_ro("num_sets", &HittingSet::num_sets)
      .def_prop_ro("is_pairs", &HittingSet::is_pairs, "Whether all sets have two members.")
      .def_prop_ro(
          "cost", [](const HittingSet& each) { return as_view(each.cost()); }, "[num_variables]")
      .def_prop_ro(
          "members", [](const HittingSet& each) { return as_view(each.members()); },
          "[num_members] variables of all sets.")
      .def_prop_ro("set_ptr", &set_offsets, kNew, "[num_sets + 1] offsets into members.")
      .def_prop_ro(
          "variable_ptr", [](const HittingSet& each) { return as_view(each.sets().start); },
          "[num_variables + 1] offsets into sets.")
      .def_prop_ro(
          "sets", [](const HittingSet& each) { return as_view(each.sets().index); },
          "[num_members] sets of each variable, ascending.")
      .def_prop_ro(
          "partner", [](const HittingSet& each) { return as_view(each.partners()); },
          "[num_members] the other member of each pair, beside sets; empty unless all sets are pairs.");
}

void bind_reductions(nb::module_& module) {
  nb::class_<Reduction>(module, "Reduction", "What reductions leave of a hitting set problem, and how to go back.")
      .def_prop_ro(
          "kernel", [](const Reduction& each) { return std::const_pointer_cast<HittingSet>(each.kernel()); },
          "The smaller problem; the same object where no rule applied.")
      .def_prop_ro("offset", &Reduction::offset,
                   "What a lifted solution costs at most beside that of the kernel; an optimum costs just this.")
      .def_prop_ro(
          "left", [](const Reduction& each) { return as_array(std::vector(each.left().begin(), each.left().end())); },
          kNew, "[num_kernel_variables] the variables of the kernel; where several became one, the one that stayed.")
      .def("lift", &lift, array("kernel_chosen"),
           "Return the solution [num_variables] that a solution of the kernel stands for.")
      .def("restrict", & restrict, array("chosen"),
           "Return the solution [num_kernel_variables] of the kernel that is closest to one of the whole.");

  module.def(
      "reduce_sets",
      [](const Problem& problem, Clock& clock) { return unlocked([&] { return reduce(problem, clock); }); },
      nb::arg("problem"), nb::arg("clock"), "Shrink a problem until no rule applies or the time is over.");
}

void bind_searches(nb::module_& module) {
  module.def("join_hitting_sets", &join, nb::arg("problem"), array("one"), array("two"),
             "Return a hitting set [num_variables] that is the cheaper of two in each part in which they differ.");
  nb::class_<CoveringSearch>(module, "CoveringSearch", "Local search with weights and scouts for a cheap hitting set.")
      .def(nb::new_(&make_covering), nb::arg("problem"), array("start"), nb::arg("seed"), nb::arg("offset") = 0.0,
           "Begin with any choice of variables; the offset is added to all costs that a clock records.")
      .def(
          "run",
          [](CoveringSearch& search, Clock& clock, double target) {
            return unlocked([&] { return search.run(clock, target); });
          },
          nb::arg("clock"), nb::arg("target"),
          "Continue until the clock ends or cost plus offset is at the target; tell whether there is more to do.")
      .def_prop_ro(
          "best", [](const CoveringSearch& search) { return as_bits(search.best()); }, kNew,
          "[num_variables] the cheapest hitting set so far.")
      .def_prop_ro("best_cost", &CoveringSearch::best_cost)
      .def_prop_ro("moves", &CoveringSearch::moves)
      .def_prop_ro("num_scouts", &CoveringSearch::num_scouts);

  nb::class_<PackingSearch>(module, "PackingSearch",
                            "Local search in regions, and with weights, for a cheap hitting set of sparse pairs.")
      .def(nb::new_(&make_packing), nb::arg("problem"), array("start"), nb::arg("seed"), nb::arg("offset") = 0.0,
           "Begin with any choice of variables; the offset is added to all costs that a clock records.")
      .def(
          "run",
          [](PackingSearch& search, Clock& clock, double target) {
            return unlocked([&] { return search.run(clock, target); });
          },
          nb::arg("clock"), nb::arg("target"),
          "Continue until the clock ends or cost plus offset is at the target; tell whether there is more to do.")
      .def_prop_ro(
          "best", [](const PackingSearch& search) { return as_bits(search.best()); }, kNew,
          "[num_variables] the cheapest hitting set so far.")
      .def_prop_ro("best_cost", &PackingSearch::best_cost)
      .def_prop_ro("moves", &PackingSearch::moves);

  nb::class_<CliqueSearch>(module, "CliqueSearch", "Search for a heavy clique by later neighbours in degeneracy order.")
      .def(nb::new_(&make_clique), array("indptr"), array("indices"), array("weight"), array("start"), nb::arg("seed"),
           nb::arg("limit") = 0.0,
           "Begin with a clique of a graph, given by the sorted neighbours of every node; only cliques heavier than it "
           "and than the limit are wanted.")
      .def(
          "run",
          [](CliqueSearch& search, Clock& clock, double target, std::optional<std::int64_t> most_work) {
            return unlocked([&] { return search.run(clock, target, most_work.value_or(Clock::kNoLimit)); });
          },
          nb::arg("clock"), nb::arg("target"), nb::arg("most_work").none() = nb::none(),
          "Continue until the clock ends, the weight is at minus the target, or all calls have done so much work; tell "
          "whether there is more to do.")
      .def(
          "raise_limit",
          [](CliqueSearch& search, double weight) {
            require(!std::isnan(weight), "weight must be a number");
            search.raise_limit(weight);
          },
          nb::arg("weight"), "Want only cliques that are heavier from now on.")
      .def_prop_ro(
          "best", [](const CliqueSearch& search) { return as_bits(search.best()); }, kNew,
          "[num_nodes] the heaviest clique so far.")
      .def_prop_ro("best_weight", &CliqueSearch::best_weight)
      .def_prop_ro("moves", &CliqueSearch::moves)
      .def_prop_ro("work", &CliqueSearch::work, "Of all calls, in words of bit sets that were gone through.")
      .def_prop_ro("bound", &CliqueSearch::bound, "A weight that no clique exceeds, infinite before one is known.")
      .def_prop_ro("is_solved", &CliqueSearch::is_solved, "Whether it is known that no clique is heavier.");
}

}  // namespace

void bind_covering(nb::module_& module) {
  bind_hitting_set(module);
  bind_reductions(module);
  bind_searches(module);
}

}  // namespace annealco
