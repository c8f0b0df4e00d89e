#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "baselines/capacity_releasing_diffusion.hpp"
#include "baselines/clique_rows.hpp"
#include "baselines/greedy_clique.hpp"
#include "baselines/greedy_growth.hpp"
#include "baselines/greedy_sets.hpp"
#include "baselines/pagerank.hpp"
#include "baselines/sweep_cut.hpp"
#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "core/clock.hpp"

namespace annealco {

namespace {

using Offsets = In<std::int64_t>;
using Numbers = In<std::int32_t>;
using Order = In<std::int64_t>;

Out<bool> as_bits(std::vector<std::uint8_t>&& bits) {
  auto* owned = new std::vector<std::uint8_t>(std::move(bits));
  nb::capsule owner(owned, [](void* each) noexcept { delete static_cast<std::vector<std::uint8_t>*>(each); });
  return Out<bool>(reinterpret_cast<bool*>(owned->data()), {owned->size()}, owner);
}

void check_by_row(const Rows& rows, std::size_t count, const char* name) {
  require(rows.size() == static_cast<std::int64_t>(count), name, "there must be one for each node");
}

void check_order(std::span<const std::int64_t> order, std::int64_t num_nodes, const char* name) {
  const auto is_node = [&](std::int64_t each) { return each >= 0 && each < num_nodes; };
  require(std::all_of(order.begin(), order.end(), is_node), name, "numbers must be those of nodes");
}

/// Rows of nodes that name each other.
Rows checked_graph(const Offsets& start, const Numbers& index, const char* name) {
  const Rows rows = as_rows(start, index);
  check_rows(rows, rows.size(), name);
  return rows;
}

void check_packing(const HittingSet& problem) { require(problem.is_pairs(), "all sets must be pairs"); }

Out<bool> bound_pack_in_order(const HittingSet& problem, const Order& order, Clock& clock) {
  check_packing(problem);
  return as_bits(unlocked([&] {
    check_order(as_span(order), problem.num_variables(), "order");
    return pack_in_order(problem, as_span(order), clock);
  }));
}

Out<bool> bound_pack_updated(const HittingSet& problem, Clock& clock) {
  check_packing(problem);
  return as_bits(unlocked([&] { return pack_updated(problem, clock); }));
}

Out<bool> bound_cover_in_order(const HittingSet& problem, const Order& order, Clock& clock) {
  return as_bits(unlocked([&] {
    check_order(as_span(order), problem.num_variables(), "order");
    return cover_in_order(problem, as_span(order), clock);
  }));
}

Out<bool> bound_cover_updated(const HittingSet& problem, Clock& clock) {
  return as_bits(unlocked([&] { return cover_updated(problem, clock); }));
}

Out<bool> bound_drop_in_order(const HittingSet& problem, const In<bool>& chosen, const Order& order, Clock& clock) {
  return as_bits(unlocked([&] {
    require(chosen.size() == problem.cost().size(), "chosen: there must be one for each node");
    check_order(as_span(order), problem.num_variables(), "order");
    GreedyBits bits(as_span(chosen).begin(), as_span(chosen).end());
    drop_in_order(problem, as_span(order), bits, clock);
    return bits;
  }));
}

Out<bool> bound_clique_in_order(const Offsets& start, const Numbers& partners, const Order& order, Clock& clock) {
  return as_bits(unlocked([&] {
    const Rows rows = checked_graph(start, partners, "partners");
    check_order(as_span(order), rows.size(), "order");
    return clique_in_order(rows, as_span(order), clock);
  }));
}

Out<bool> bound_clique_updated(const Offsets& start, const Numbers& partners, const In<double>& weight, Clock& clock) {
  return as_bits(unlocked([&] {
    const Rows rows = checked_graph(start, partners, "partners");
    check_by_row(rows, weight.size(), "weights");
    return GreedyClique(rows, as_span(weight)).run(clock);
  }));
}

std::pair<Out<std::int64_t>, Out<std::int32_t>> bound_clique_rows(std::int64_t num_nodes, const Numbers& low,
                                                                  const Numbers& high, Clock& clock) {
  return as_arrays(unlocked([&] {
    constexpr std::int64_t kMost = 1 << 13;
    require(num_nodes >= 0 && num_nodes <= kMost, "the number of nodes must be from 0 to 2^13");
    require(low.size() == high.size(), "both ends of the pairs must be as many");
    check_numbers(as_span(low), num_nodes, "pairs");
    check_numbers(as_span(high), num_nodes, "pairs");
    bool apart = true;
    for (std::size_t k = 0; k < low.size(); ++k) apart &= low(k) != high(k);
    require(apart, "pairs must be of two different nodes");
    return CliqueRows(num_nodes, as_span(low), as_span(high)).run(clock);
  }));
}

QuadraticObjective checked_objective(const In<double>& linear, const Offsets& start, const Numbers& others,
                                     const In<double>& values) {
  const Rows rows = checked_graph(start, others, "pairs");
  check_by_row(rows, linear.size(), "linear");
  require(values.size() == 1 || values.size() == others.size(), "values must be one for all pairs or one each");
  const auto is_finite = [](double each) { return std::isfinite(each); };
  require(std::all_of(as_span(values).begin(), as_span(values).end(), is_finite), "values must be finite");
  return {as_span(linear), rows, as_span(values)};
}

Out<bool> bound_most_decided_first(const In<double>& linear, const Offsets& start, const Numbers& others,
                                   const In<double>& values, Clock& clock) {
  return as_bits(
      unlocked([&] { return MostDecidedFirst(checked_objective(linear, start, others, values)).run(clock); }));
}

std::tuple<double, std::int64_t, Out<std::int64_t>> bound_grow_set(const In<double>& linear, const Offsets& start,
                                                                   const Numbers& others, const In<double>& values,
                                                                   const In<double>& weight,
                                                                   std::pair<double, double> limits, const Order& first,
                                                                   Clock& clock) {
  auto growth = unlocked([&] {
    const QuadraticObjective objective = checked_objective(linear, start, others, values);
    check_by_row(objective.others, weight.size(), "weights");
    check_order(as_span(first), objective.num_nodes(), "start");
    return grow_set(objective, as_span(weight), limits.first, limits.second, as_span(first), clock);
  });
  return {growth.least_cost, growth.best_size, as_array(std::move(growth.order))};
}

WeightedRows checked_weighted_rows(const Offsets& start, const Numbers& neighbours, const In<double>& weight) {
  const Rows rows = checked_graph(start, neighbours, "neighbours");
  require(weight.size() == neighbours.size(), "weights: there must be one for each neighbour");
  return {rows, as_span(weight)};
}

std::pair<Out<double>, Out<double>> bound_approximate_pagerank(const Offsets& start, const Numbers& neighbours,
                                                               const In<double>& weight, std::int64_t seed,
                                                               double alpha, double epsilon, Clock& clock) {
  auto [rank, residual] = unlocked([&] {
    const WeightedRows rows = checked_weighted_rows(start, neighbours, weight);
    const auto is_positive = [](double each) { return each > 0.0 && each < std::numeric_limits<double>::infinity(); };
    require(std::all_of(rows.weight.begin(), rows.weight.end(), is_positive), "weights must be positive");
    require(seed >= 0 && seed < rows.neighbours.size() && rows.neighbours.length(seed) > 0,
            "the seed must be a node with neighbours");
    require(alpha > 0.0 && alpha <= 1.0 && epsilon > 0.0, "alpha must be from 0 to 1, and epsilon positive");
    ApproximatePageRank pagerank(rows, seed, alpha, epsilon);
    pagerank.run(clock);
    return std::pair(pagerank.rank(), pagerank.residual());
  });
  return {as_array(std::move(rank)), as_array(std::move(residual))};
}

std::pair<Out<double>, Out<std::int64_t>> bound_sweep_sums(const Offsets& start, const Numbers& neighbours,
                                                           const In<double>& weight, const Order& order, Clock& clock) {
  auto sums = unlocked([&] {
    const WeightedRows rows = checked_weighted_rows(start, neighbours, weight);
    check_order(as_span(order), rows.neighbours.size(), "order");
    return sweep_sums(rows, as_span(order), clock);
  });
  return {as_array(std::move(sums.cut)), as_array(std::move(sums.volume))};
}

void check_flow(std::int64_t capacity, std::int64_t height) {
  require(capacity >= 0 && capacity < std::int64_t{1} << 30, "the capacity must be from 0 to 2^30 - 1");
  require(height >= 0 && height < std::int64_t{1} << 24, "the height must be from 0 to 2^24 - 1");
}

std::pair<Out<std::int64_t>, Out<std::int64_t>> bound_diffuse(const Offsets& start, const Numbers& neighbours,
                                                              std::int64_t seed, std::int64_t capacity,
                                                              std::int64_t height, std::int64_t rounds, double most,
                                                              Clock& clock) {
  auto [mass, label] = unlocked([&] {
    const Rows rows = checked_graph(start, neighbours, "neighbours");
    require(seed >= 0 && seed < rows.size(), "the seed must be a node");
    check_flow(capacity, height);
    CapacityReleasingDiffusion diffusion(rows);
    diffusion.diffuse(seed, static_cast<std::int32_t>(capacity), static_cast<std::int32_t>(height), rounds, most,
                      clock);
    return std::pair(diffusion.mass(), diffusion.label());
  });
  return {as_array(std::move(mass)), as_array(std::move(label))};
}

std::tuple<Out<std::int64_t>, Out<std::int64_t>, Out<std::int32_t>> bound_unit_flow(const Offsets& start,
                                                                                    const Numbers& neighbours,
                                                                                    const In<std::int64_t>& given,
                                                                                    std::int64_t capacity,
                                                                                    std::int64_t height, Clock& clock) {
  auto [mass, label, flow] = unlocked([&] {
    const Rows rows = checked_graph(start, neighbours, "neighbours");
    check_by_row(rows, given.size(), "mass");
    const auto is_mass = [](std::int64_t each) { return each >= 0 && each < std::int64_t{1} << 50; };
    require(std::all_of(as_span(given).begin(), as_span(given).end(), is_mass), "mass must be from 0 to 2^50 - 1");
    check_flow(capacity, height);
    CapacityReleasingDiffusion diffusion(rows);
    diffusion.spread(as_span(given), static_cast<std::int32_t>(capacity), static_cast<std::int32_t>(height), clock);
    return std::tuple(diffusion.mass(), diffusion.label(), diffusion.flow());
  });
  return {as_array(std::move(mass)), as_array(std::move(label)), as_array(std::move(flow))};
}

void bind_greedy_sets(nb::module_& module) {
  module.def("pack_in_order", &bound_pack_in_order, nb::arg("problem"), nb::arg("order"), nb::arg("clock"),
             "Add nodes in an order while no partner is chosen, [num_nodes].");
  module.def(
      "pack_updated", &bound_pack_updated, nb::arg("problem"), nb::arg("clock"),
      "Choose the node of largest weight / (1 + remaining partners), drop its partners, and repeat, [num_nodes].");
  module.def("cover_in_order", &bound_cover_in_order, nb::arg("problem"), nb::arg("order"), nb::arg("clock"),
             "Add nodes in an order where one of their sets is not hit yet, [num_nodes].");
  module.def("cover_updated", &bound_cover_updated, nb::arg("problem"), nb::arg("clock"),
             "Choose the node that hits most new sets for its cost, and repeat until all are hit, [num_nodes].");
  module.def("drop_in_order", &bound_drop_in_order, nb::arg("problem"), nb::arg("chosen"), nb::arg("order"),
             nb::arg("clock"), "Drop chosen nodes in an order while every set that is hit stays hit, [num_nodes].");
}

void bind_greedy_rest(nb::module_& module) {
  module.def("clique_in_order", &bound_clique_in_order, nb::arg("start"), nb::arg("partners"), nb::arg("order"),
             nb::arg("clock"), "Add nodes in an order while all pairs are partners, [num_nodes].");
  module.def("clique_updated", &bound_clique_updated, nb::arg("start"), nb::arg("partners"), nb::arg("weight"),
             nb::arg("clock"),
             "Choose the candidate of largest weight / (1 + candidates it excludes), keep its partners, and repeat, "
             "[num_nodes].");
  module.def("clique_rows", &bound_clique_rows, nb::arg("num_nodes"), nb::arg("low"), nb::arg("high"), nb::arg("clock"),
             "Return offsets and members of cliques that cover all pairs.");
  module.def("most_decided_first", &bound_most_decided_first, nb::arg("linear"), nb::arg("start"), nb::arg("others"),
             nb::arg("values"), nb::arg("clock"),
             "Set the node whose conditional expectation is most decided, the others being even, and repeat, "
             "[num_nodes].");
  module.def("grow_set", &bound_grow_set, nb::arg("linear"), nb::arg("start"), nb::arg("others"), nb::arg("values"),
             nb::arg("weight"), nb::arg("limits"), nb::arg("first"), nb::arg("clock"),
             "Grow a set by the node of least cost for its weight; return the least cost within the limits of weight, "
             "infinite for none, how many nodes that set has, and the order of all.");
}

void bind_clustering(nb::module_& module) {
  module.def("approximate_pagerank", &bound_approximate_pagerank, nb::arg("start"), nb::arg("neighbours"),
             nb::arg("weight"), nb::arg("seed"), nb::arg("alpha"), nb::arg("epsilon"), nb::arg("clock"),
             "Return approximate PageRank and residual, [num_nodes] each.");
  module.def("sweep_sums", &bound_sweep_sums, nb::arg("start"), nb::arg("neighbours"), nb::arg("weight"),
             nb::arg("order"), nb::arg("clock"),
             "Return cut and volume of the first 1, 2, ... nodes of an order, [num_swept] each.");
  module.def("capacity_releasing_diffusion", &bound_diffuse, nb::arg("start"), nb::arg("neighbours"), nb::arg("seed"),
             nb::arg("capacity"), nb::arg("height"), nb::arg("rounds"), nb::arg("most"), nb::arg("clock"),
             "Return mass and labels, [num_nodes] each, when too much mass is lost or the total has come to `most`.");
  module.def("unit_flow", &bound_unit_flow, nb::arg("start"), nb::arg("neighbours"), nb::arg("given"),
             nb::arg("capacity"), nb::arg("height"), nb::arg("clock"),
             "Push and relabel until no node below the height has more than its degree; return mass and labels, "
             "[num_nodes], and the flow over each entry of the rows.");
}

}  // namespace

void bind_baselines(nb::module_& module) {
  bind_greedy_sets(module);
  bind_greedy_rest(module);
  bind_clustering(module);
}

}  // namespace annealco
