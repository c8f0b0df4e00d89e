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

}  // namespace annealco
