#include <limits>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "core/clock.hpp"
#include "graph/preferential_attachment.hpp"

namespace annealco {

namespace {

/// What the capsule of NumPy's bit generators points to (numpy/random/bitgen.h).
struct BitGenerator {
  void* state;
  std::uint64_t (*next_uint64)(void*);
  std::uint32_t (*next_uint32)(void*);
  double (*next_double)(void*);
  std::uint64_t (*next_raw)(void*);
};

OutTable<std::int32_t> preferential_attachment(const nb::object& generator, std::int64_t num_nodes,
                                               std::int64_t attachment, Clock& clock) {
  if (!nb::hasattr(generator, "capsule")) throw nb::type_error("the generator must be a NumPy bit generator");
  const nb::object capsule = generator.attr("capsule");
  const auto* bits = static_cast<const BitGenerator*>(PyCapsule_GetPointer(capsule.ptr(), "BitGenerator"));
  if (bits == nullptr) throw nb::python_error();
  require(num_nodes <= std::numeric_limits<std::int32_t>::max(), "the number of nodes must be below 2^31");
  require(0 < attachment && attachment < num_nodes, "the attachment must be from 1 to the number of nodes - 1");
  auto ends = unlocked([&] {
    return attach_preferentially(
        static_cast<std::int32_t>(num_nodes), static_cast<std::int32_t>(attachment),
        [&] { return bits->next_double(bits->state); }, clock);
  });
  const std::size_t num_edges = ends.size() / 2;
  return as_table(std::move(ends), num_edges, 2);
}

}  // namespace

void bind_generators(nb::module_& module) {
  module.def(
      "preferential_attachment", &preferential_attachment, nb::arg("generator"), nb::arg("num_nodes"),
      nb::arg("attachment"), nb::arg("clock"),
      "Return the edges, [num_edges, 2], of a star that grew by preferential attachment. The numbers come from a "
      "NumPy bit generator, whose lock the caller holds.");
}

}  // namespace annealco
