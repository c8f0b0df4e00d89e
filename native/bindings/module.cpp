#include "bindings/module.hpp"

NB_MODULE(_core, module) {
  module.doc() = "The compiled core: searches, bounds, baselines and rows of graphs. Python decides, this repeats.";
  annealco::bind_clock(module);
  annealco::bind_energy(module);
  annealco::bind_decoding(module);
  annealco::bind_graph(module);
  annealco::bind_flip_searches(module);
  annealco::bind_quadratic(module);
  annealco::bind_covering(module);
  annealco::bind_baselines(module);
  annealco::bind_generators(module);
  annealco::bind_packing(module);
  annealco::bind_networks(module);
}
