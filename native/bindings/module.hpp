/// One function per file of bindings.
#pragma once

#include <nanobind/nanobind.h>

namespace annealco {

void bind_clock(nanobind::module_& module);
void bind_energy(nanobind::module_& module);
void bind_decoding(nanobind::module_& module);
void bind_graph(nanobind::module_& module);
void bind_flip_searches(nanobind::module_& module);
void bind_quadratic(nanobind::module_& module);
void bind_covering(nanobind::module_& module);
void bind_baselines(nanobind::module_& module);
void bind_generators(nanobind::module_& module);
void bind_packing(nanobind::module_& module);
void bind_networks(nanobind::module_& module);

}  // namespace annealco
