#include "bindings/module.hpp"

NB_MODULE(_core, module) {
  module.doc() = "The compiled core: searches, bounds, baselines and rows of graphs. Python decides, this repeats.";
  annealco::bind_clock(module);
  annealco::bind_packing(module);
}
