/// One function per file of bindings.
#pragma once

#include <nanobind/nanobind.h>

namespace annealco {

void bind_clock(nanobind::module_& module);
void bind_packing(nanobind::module_& module);

}  // namespace annealco
