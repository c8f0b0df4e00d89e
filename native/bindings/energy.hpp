/// The energy of an instance as Python holds it.
#pragma once

#include <vector>

#include "bindings/arrays.hpp"
#include "energy/terms.hpp"

namespace annealco {

/// Terms over arrays that Python made, which live as long as this does.
struct PythonTerms : EnergyTerms {
  std::vector<nb::ndarray<>> arrays;
};

inline void check_node(const EnergyTerms& terms, std::int64_t graph, std::int64_t node) {
  require(graph >= 0 && graph < terms.num_graphs(), "no such graph");
  require(node >= terms.first_node(graph) && node < terms.last_node(graph), "no such node in the graph");
}

}  // namespace annealco
