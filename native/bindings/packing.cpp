#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "bounds/branch_bound.hpp"
#include "bounds/clique_cover.hpp"
#include "bounds/clique_separation.hpp"
#include "bounds/colouring.hpp"
#include "bounds/exact_sum.hpp"
#include "bounds/iterated_greedy.hpp"
#include "bounds/neighbours.hpp"
#include "bounds/pair_cover.hpp"
#include "bounds/partition_search.hpp"
#include "bounds/set_prices.hpp"
#include "bounds/small_parts.hpp"
#include "bounds/theta.hpp"
#include "core/clock.hpp"
#include "core/rows.hpp"
#include "graph/rows.hpp"
#include "search/hitting_set.hpp"

namespace annealco {

namespace {

using Ints = In<std::int32_t>;
using Offsets = In<std::int64_t>;
using Doubles = In<double>;
using ArraysOfRows = std::pair<Out<std::int64_t>, Out<std::int32_t>>;

/// Rows and weights of their nodes that Python owns, and keeps for as long as this lives.
struct WeightedRows {
  Offsets start;
  Ints member;
  Doubles weight;

  Rows rows() const { return as_rows(start, member); }

  /// To be called without the interpreter's lock.
  void check(const Doubles& price) const {
    check_rows(rows(), static_cast<std::int64_t>(weight.size()), "sets");
    require(static_cast<std::int64_t>(price.size()) == rows().size(), "prices must be as many as sets");
  }
};

struct PythonPriceAscent {
  WeightedRows sets;
  PriceAscent ascent;
};

constexpr std::int64_t kMostInPart = 1000;

struct PythonBranchAndBound {
  WeightedRows rows;
  BranchAndBound search;
};

void check_finite(const Doubles& values, const char* name) {
  const auto all = as_span(values);
  require(std::all_of(all.begin(), all.end(), [](double each) { return std::isfinite(each); }), name, "must be finite");
}

void check_weights(const Doubles& weight, std::int64_t num_nodes) {
  require(static_cast<std::int64_t>(weight.size()) == num_nodes, "weights must be as many as nodes");
  check_finite(weight, "weights");
}

Labels checked_labels(const Ints& label, const Neighbours& graph) {
  const auto all = as_span(label);
  require(static_cast<std::int64_t>(all.size()) == graph.num_nodes(), "labels must be as many as nodes");
  require(std::all_of(all.begin(), all.end(), [&](auto each) { return each >= 0 && each < graph.num_nodes(); }),
          "labels must be from 0 to num_nodes − 1");
  return {all.begin(), all.end()};
}

std::vector<double> as_vector(const Doubles& values) { return {values.data(), values.data() + values.size()}; }

/// A matrix of all pairs must fit into memory.
void check_dense(const Neighbours& graph) {
  require(graph.num_nodes() <= PartitionSearch::kMaxNodes, "a matrix of so many nodes is too large");
}

/// What nothing points to is None.
std::optional<SharedNeighbours> as_optional(SharedNeighbours&& graph) {
  if (!graph) return std::nullopt;
  return std::move(graph);
}

/// To be called without the interpreter's lock.
void check_pairs(const Ints& one, const Ints& two, std::int32_t num_nodes) {
  require(one.size() == two.size(), "pairs must have two ends");
  bool fit = true;
  for (std::size_t k = 0; k < one.size(); ++k) {
    const std::int32_t low = std::min(one.data()[k], two.data()[k]), high = std::max(one.data()[k], two.data()[k]);
    fit &= (low >= 0) & (low < high) & (high < num_nodes);
  }
  require(fit, "pairs must be of different nodes from 0 to num_nodes − 1");
}

SharedNeighbours make_neighbours(const Ints& one, const Ints& two, std::int32_t num_nodes) {
  require(num_nodes >= 0, "num_nodes must not be negative");
  return unlocked([&] {
    check_pairs(one, two, num_nodes);
    return std::make_shared<Neighbours>(symmetric_rows(as_span(one), as_span(two), {}, num_nodes).rows);
  });
}

/// A view of memory that belongs to an object of Python's.
template <class T>
nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig> as_view(const LargeVector<T>& values, nb::handle owner) {
  return {values.data(), {values.size()}, owner};
}

std::optional<Out<std::int32_t>> as_optional(std::optional<Labels>&& values) {
  if (!values) return std::nullopt;
  return as_array(std::move(*values));
}

void bind_neighbours(nb::module_& module) {
  nb::class_<Neighbours>(module, "Neighbours", "A symmetric relation between nodes: the neighbours of each, ascending.")
      .def(nb::new_(&make_neighbours), nb::arg("one"), nb::arg("two"), nb::arg("num_nodes"),
           "The relation of pairs of different nodes, in any order and some perhaps twice.")
      .def_prop_ro("num_nodes", &Neighbours::num_nodes)
      .def_prop_ro("num_entries", &Neighbours::num_entries, "Twice the number of pairs.")
      .def_prop_ro(
          "start", [](nb::handle self) { return as_view(nb::cast<Neighbours&>(self).rows().start, self); },
          nb::rv_policy::move, "[num_nodes + 1] offsets into ``node``.")
      .def_prop_ro(
          "node", [](nb::handle self) { return as_view(nb::cast<Neighbours&>(self).rows().index, self); },
          nb::rv_policy::move, "[num_entries] the neighbours of one node after the other.")
      .def(
          "induced",
          [](const Neighbours& graph, const In<bool>& kept, Clock& clock) {
            require(static_cast<std::int64_t>(kept.size()) == graph.num_nodes(), "kept must be as long as nodes");
            return as_optional(unlocked([&] { return induced(graph, as_span(kept), clock); }));
          },
          nb::arg("kept"), nb::arg("clock"),
          "The relation among kept nodes, numbered anew in their order; None where the clock was over first.")
      .def(
          "complement",
          [](const Neighbours& graph, Clock& clock) {
            check_dense(graph);
            return as_optional(unlocked([&] { return complement(graph, clock); }));
          },
          nb::arg("clock"), "The pairs that are not listed; None where the clock was over first.");
}

void bind_covers(nb::module_& module) {
  module.def(
      "greedy_colouring",
      [](const Neighbours& graph, const Doubles& weight, Clock& clock) {
        check_weights(weight, graph.num_nodes());
        return as_optional(unlocked([&] { return greedy_colouring(graph, as_span(weight), clock); }));
      },
      nb::arg("graph"), nb::arg("weight"), nb::arg("clock"),
      "A colour for each node, heavier and denser ones first; None where the clock was over first.");

  module.def(
      "within_reach",
      [](const Neighbours& graph, const Doubles& weight, double limit, Clock& clock) {
        check_weights(weight, graph.num_nodes());
        return as_array(unlocked([&] { return within_reach(graph, as_span(weight), limit, clock); }));
      },
      nb::arg("graph"), nb::arg("weight"), nb::arg("limit"), nb::arg("clock"),
      "1 for each node that can be in a clique heavier than the limit, as far as was found.");

  module.def(
      "greedy_clique_cover",
      [](const Neighbours& graph, const Doubles& weight, Clock& clock) {
        check_weights(weight, graph.num_nodes());
        CliqueCover cover = unlocked([&] { return GreedyCliqueCover(graph, as_span(weight)).run(clock); });
        return std::make_tuple(as_array(std::move(cover.cliques.start)), as_array(std::move(cover.cliques.index)),
                               as_array(std::move(cover.price)), cover.whole);
      },
      nb::arg("graph"), nb::arg("weight"), nb::arg("clock"),
      "Offsets, members and prices of cliques, and whether they cover all weights: there may have been no time.");

  module.def(
      "price_pairs",
      [](const Ints& one, const Ints& two, const Doubles& weight) {
        check_weights(weight, static_cast<std::int64_t>(weight.size()));
        CliqueCover cover = unlocked([&] {
          check_pairs(one, two, static_cast<std::int32_t>(weight.size()));
          return price_pairs(as_span(one), as_span(two), as_span(weight));
        });
        return std::make_tuple(as_array(std::move(cover.cliques.start)), as_array(std::move(cover.cliques.index)),
                               as_array(std::move(cover.price)));
      },
      nb::arg("one"), nb::arg("two"), nb::arg("weight"),
      "Offsets, members and prices of pairs, each priced by the lighter of what its two nodes have left.");

  module.def(
      "cover_pairs",
      [](const Neighbours& graph, const Offsets& start, const Ints& member, std::int64_t most,
         Clock& clock) -> std::optional<ArraysOfRows> {
        check_dense(graph);
        const Rows given = as_rows(start, member);
        check_rows(given, graph.num_nodes(), "cliques");
        require(most >= 0, "the number of members must not be negative");
        auto found = unlocked([&] { return PairCover(graph).run(given, most, clock); });
        if (!found) return std::nullopt;
        return as_arrays(std::move(*found));
      },
      nb::arg("graph"), nb::arg("start"), nb::arg("member"), nb::arg("most"), nb::arg("clock"),
      "Cliques that hold, with the given ones, every pair of neighbours; None where that takes too many members in "
      "all, "
      "or where the clock was over first.");

  module.def(
      "overfilled_cliques",
      [](const Neighbours& graph, const Doubles& value, std::uint64_t seed, std::int64_t most, Clock& clock) {
        check_weights(value, graph.num_nodes());
        require(most >= 0, "the number of members must not be negative");
        return as_arrays(unlocked([&] { return CliqueSeparation(graph, as_span(value), seed).run(most, clock); }));
      },
      nb::arg("graph"), nb::arg("value"), nb::arg("seed"), nb::arg("most"), nb::arg("clock"),
      "Maximal cliques whose nodes have values above 1 in all; not many more members than `most`.");

  module.def(
      "certified_price",
      [](const Offsets& start, const Ints& member, const Doubles& price, const Doubles& weight,
         const std::optional<Doubles>& most) {
        const WeightedRows cliques{start, member, weight};
        const std::span<const double> limits = most ? as_span(*most) : std::span<const double>();
        require(!most || limits.size() == price.size(), "limits must be as many as sets");
        require(std::all_of(limits.begin(), limits.end(), [](double each) { return each >= 0.0 && each <= 1e9; }),
                "limits must be from 0 to 10^9");
        return unlocked([&] {
          cliques.check(price);
          return certified_price(cliques.rows(), as_span(price), as_span(weight), limits);
        });
      },
      nb::arg("start"), nb::arg("member"), nb::arg("price"), nb::arg("weight"), nb::arg("most") = nb::none(),
      "The most that a choice with at most `most` nodes of each set, or one, can weigh, as prices of the sets prove.");
}

void bind_partitions(nb::module_& module) {
  const auto kind = [](bool colours) { return colours ? ClassKind::kColours : ClassKind::kCliques; };

  nb::class_<IteratedGreedy>(module, "IteratedGreedy", "Passes over a partition that never make it larger.")
      .def(nb::new_([kind](const SharedNeighbours& graph, const Doubles& weight, const Ints& label, bool colours,
                           std::uint64_t seed) {
             check_weights(weight, graph->num_nodes());
             return std::make_unique<IteratedGreedy>(graph, as_vector(weight), checked_labels(label, *graph),
                                                     kind(colours), seed);
           }),
           nb::arg("graph"), nb::arg("weight"), nb::arg("label"), nb::kw_only(), nb::arg("colours"), nb::arg("seed"))
      .def(
          "run", [](IteratedGreedy& search, double aim, Clock& clock) { unlocked([&] { search.run(aim, clock); }); },
          nb::arg("aim"), nb::arg("clock"), "Make passes until the price is no higher than the aim.")
      .def_prop_ro("price", &IteratedGreedy::price)
      .def_prop_ro(
          "cheapest", [](const IteratedGreedy& search) { return as_array(Labels(search.cheapest())); },
          nb::rv_policy::move, "The partition of the lowest price: every class costs as much as its heaviest node.");

  nb::class_<PartitionSearch>(module, "PartitionSearch", "A tabu search for partitions into few classes.")
      .def(nb::new_([kind](const Neighbours& graph, const Doubles& weight, const Ints& label, bool colours,
                           std::uint64_t seed) {
             check_dense(graph);
             check_weights(weight, graph.num_nodes());
             Labels labels = checked_labels(label, graph);
             return unlocked([&] {
               return std::make_unique<PartitionSearch>(graph, as_vector(weight), std::move(labels), kind(colours),
                                                        seed);
             });
           }),
           nb::arg("graph"), nb::arg("weight"), nb::arg("label"), nb::kw_only(), nb::arg("colours"), nb::arg("seed"))
      .def(
          "run",
          [](PartitionSearch& search, double aim, std::optional<std::int64_t> patience, Clock& clock) {
            unlocked([&] { search.run(aim, patience.value_or(Clock::kNoLimit), clock); });
          },
          nb::arg("aim"), nb::arg("patience").none(), nb::arg("clock"),
          "Search until the price is no higher than the aim, or some classes were emptied so many times in vain.")
      .def_prop_ro("num_classes", &PartitionSearch::num_classes)
      .def_prop_ro("price", &PartitionSearch::price)
      .def_prop_ro(
          "label", [](const PartitionSearch& search) { return as_array(Labels(search.label())); }, nb::rv_policy::move,
          "The partition with the fewest classes.")
      .def_prop_ro(
          "cheapest", [](const PartitionSearch& search) { return as_array(Labels(search.cheapest())); },
          nb::rv_policy::move, "The partition of the lowest price: every class costs as much as its heaviest node.");
}

void bind_prices(nb::module_& module) {
  module.def(
      "certified_cost",
      [](const Offsets& start, const Ints& member, const Doubles& price, const Doubles& weight, double constant) {
        const WeightedRows sets{start, member, weight};
        return unlocked([&] {
          sets.check(price);
          return certified_cost(sets.rows(), as_span(price), as_span(weight), constant);
        });
      },
      nb::arg("start"), nb::arg("member"), nb::arg("price"), nb::arg("weight"), nb::arg("constant"),
      "The least that nodes which hit all sets can cost, as prices of the sets prove.");

  module.def(
      "greedy_prices",
      [](const Offsets& start, const Ints& member, const Doubles& weight, Clock& clock) {
        const Rows sets = as_rows(start, member);
        return as_array(unlocked([&] {
          check_rows(sets, static_cast<std::int64_t>(weight.size()), "sets");
          return greedy_prices(sets, as_span(weight), clock);
        }));
      },
      nb::arg("start"), nb::arg("member"), nb::arg("weight"), nb::arg("clock"),
      "Prices of sets that exceed no node's weight, small sets first; 0 for those that there was no time for.");

  nb::class_<PythonPriceAscent>(module, "PriceAscent", "Prices of sets on their way up, by subgradient steps.")
      .def(nb::new_(
               [](const Offsets& start, const Ints& member, const Doubles& weight, const Doubles& price, double goal) {
                 const WeightedRows sets{start, member, weight};
                 check_weights(weight, static_cast<std::int64_t>(weight.size()));
                 check_finite(price, "prices");
                 PriceAscent ascent = unlocked([&] {
                   sets.check(price);
                   return PriceAscent(sets.rows(), as_span(weight), as_span(price), goal);
                 });
                 return std::make_unique<PythonPriceAscent>(PythonPriceAscent{sets, std::move(ascent)});
               }),
           nb::arg("start"), nb::arg("member"), nb::arg("weight"), nb::arg("price"), nb::arg("goal"))
      .def(
          "run",
          [](PythonPriceAscent& self, double aim, Clock& clock) { unlocked([&] { self.ascent.run(aim, clock); }); },
          nb::arg("aim"), nb::arg("clock"), "Make steps until the bound is above the aim or more are of no use.")
      .def_prop_ro(
          "best_price",
          [](const PythonPriceAscent& self) { return as_array(LargeVector<double>(self.ascent.best_price())); },
          nb::rv_policy::move, "Prices of the best bound so far.");
}

void bind_branch_and_bound(nb::module_& module) {
  nb::class_<PythonBranchAndBound>(module, "BranchAndBound",
                                   "A search through all choices that have enough members of every row.")
      .def(nb::new_([](const Offsets& start, const Ints& member, const Ints& demand, const Doubles& weight,
                       const Doubles& price) {
             const WeightedRows rows{start, member, weight};
             check_finite(weight, "weights");
             check_finite(price, "prices");
             require(demand.size() == price.size(), "demands must be as many as rows");
             const auto demands = as_span(demand);
             require(std::all_of(demands.begin(), demands.end(), [](std::int32_t each) { return each >= 0; }),
                     "demands must not be negative");
             BranchAndBound search = unlocked([&] {
               rows.check(price);
               return BranchAndBound(rows.rows(), as_span(demand), as_span(weight), as_span(price));
             });
             return std::make_unique<PythonBranchAndBound>(PythonBranchAndBound{rows, std::move(search)});
           }),
           nb::arg("start"), nb::arg("member"), nb::arg("demand"), nb::arg("weight"), nb::arg("price"))
      .def(
          "search",
          [](PythonBranchAndBound& self, double limit, double gain, Clock& clock) {
            require(!std::isnan(limit) && !std::isnan(gain), "limit and gain must be numbers");
            const auto result = unlocked([&] { return self.search.search(limit, gain, clock); });
            return std::make_tuple(result.status == BranchAndBound::Status::kExhausted, result.limit, result.found);
          },
          nb::arg("limit"), nb::arg("gain"), nb::arg("clock"),
          "Search choices that cost no more than the limit, and having found one, those cheaper by `gain`. Returns "
          "whether all were searched, so that all others cost more than a limit; that limit; and the cost of the "
          "cheapest choice found, or infinity.");
}

/// A problem that Python keeps as well, and what was solved of it.
struct PythonSmallParts {
  std::shared_ptr<HittingSet> problem;
  SmallParts parts;
};

void bind_small_parts(nb::module_& module) {
  const auto bits = [](std::span<const std::uint8_t> values) {
    return as_array(std::vector<std::uint8_t>(values.begin(), values.end()));
  };
  nb::class_<PythonSmallParts>(module, "SmallParts", "The small connected parts of a hitting set problem, solved.")
      .def(nb::new_([](const std::shared_ptr<HittingSet>& problem) {
             return std::make_unique<PythonSmallParts>(PythonSmallParts{problem, SmallParts(*problem)});
           }),
           nb::arg("problem"))
      .def(
          "run",
          [](PythonSmallParts& self, std::int64_t most, double gain, Clock& clock) {
            require(gain >= 0.0 && gain < std::numeric_limits<double>::infinity(), "gain must be a number from 0");
            require(most <= kMostInPart, "parts must have at most 1,000 variables");
            // What was solved before is not added up again.
            unlocked([&] {
              self.parts = SmallParts(*self.problem);
              self.parts.run(most, gain, clock);
            });
          },
          nb::arg("most"), nb::arg("gain"), nb::arg("clock"),
          "Solve parts of up to so many variables, whose costs are multiples of twice the gain.")
      .def_prop_ro(
          "cost", [](const PythonSmallParts& self) { return self.parts.cost(); }, "What these parts cost.")
      .def_prop_ro(
          "chosen", [bits](const PythonSmallParts& self) { return bits(self.parts.chosen()); }, nb::rv_policy::move,
          "[num_variables] the best choice in these parts.")
      .def_prop_ro(
          "is_left", [bits](const PythonSmallParts& self) { return bits(self.parts.is_left()); }, nb::rv_policy::move,
          "[num_variables] 1 for variables of other parts.");
}

void bind_theta(nb::module_& module) {
  const auto copied = [](auto values) { return as_array(std::vector(values.begin(), values.end())); };
  nb::class_<Theta>(module, "Theta", "A matrix on its way to the theta number of a graph with node weights.")
      .def(nb::new_([](const Neighbours& joined, const Doubles& root) {
             check_dense(joined);
             check_weights(root, joined.num_nodes());
             const auto roots = as_span(root);
             require(std::all_of(roots.begin(), roots.end(), [](double each) { return each > 0.0; }),
                     "weights must be positive");
             return unlocked([&] { return std::make_unique<Theta>(joined, roots); });
           }),
           nb::arg("joined"), nb::arg("root"),
           "Roots of the weights of nodes, of which no two that are joined are chosen.")
      .def(
          "run",
          [](Theta& theta, double limit, Clock& clock) {
            require(!std::isnan(limit), "the limit must be a number");
            return unlocked([&] { return theta.run(limit, clock); });
          },
          nb::arg("limit"), nb::arg("clock"),
          "Go on until the bound is no more than the limit, or at rest; False where the clock is over before.")
      .def_prop_ro("converged", &Theta::converged, "Whether the bound has come to rest.")
      .def_prop_ro("value", &Theta::value, "The bound, as it is computed.")
      .def_prop_ro(
          "low", [copied](const Theta& theta) { return copied(theta.low()); }, nb::rv_policy::move,
          "[num_pairs] one end of each pair.")
      .def_prop_ro(
          "high", [copied](const Theta& theta) { return copied(theta.high()); }, nb::rv_policy::move,
          "[num_pairs] the other.")
      .def_prop_ro(
          "entry", [copied](const Theta& theta) { return copied(theta.entry()); }, nb::rv_policy::move,
          "[num_pairs] entries of the matrix that has ones on its diagonal.");
}

}  // namespace

void bind_packing(nb::module_& module) {
  module.def(
      "lower_sum",
      [](const Doubles& values) {
        return unlocked([&] {
          ExactSum sum;
          sum.add(as_span(values));
          return sum.lower();
        });
      },
      nb::arg("values"), "The largest double that is not above the exact sum, −∞ where that is not finite.");
  module.def(
      "grid_step", [](const Doubles& values) { return unlocked([&] { return grid_step(as_span(values)); }); },
      nb::arg("values"), "The largest step of which all values are multiples, or 0 where sums would not be exact.");
  bind_neighbours(module);
  bind_covers(module);
  bind_partitions(module);
  bind_prices(module);
  bind_branch_and_bound(module);
  bind_theta(module);
  bind_small_parts(module);
}

}  // namespace annealco
