/// Preferential attachment (Barabási and Albert, 1999).
///
/// A star grows by nodes that choose distinct neighbours in proportion to degree: a uniform entry of the list of edge
/// ends is a node drawn in that proportion. What a node itself adds does not count before it has chosen all its
/// neighbours. O(num_edges) expected time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/clock.hpp"
#include "core/memory.hpp"

namespace annealco {

/// Return both ends of each edge, one edge after the other: (num_nodes − attachment) · attachment edges, or those that
/// were drawn before the clock was over.
///
/// Args: `uniform()` draws from [0, 1); 0 < attachment < num_nodes.
template <class Uniform>
LargeVector<std::int32_t> attach_preferentially(std::int32_t num_nodes, std::int32_t attachment, Uniform&& uniform,
                                                Clock& clock) {
  LargeVector<std::int32_t> ends;
  ends.reserve(2 * static_cast<std::size_t>(num_nodes - attachment) * static_cast<std::size_t>(attachment));
  for (std::int32_t leaf = 1; leaf <= attachment; ++leaf) {
    ends.push_back(0);
    ends.push_back(leaf);
  }
  LargeVector<std::int32_t> chosen_by(static_cast<std::size_t>(num_nodes), -1);
  for (std::int32_t node = attachment + 1; node < num_nodes; ++node) {
    if (clock.is_over(attachment)) break;
    const auto num_ends = static_cast<double>(ends.size());
    for (std::int32_t count = 0; count < attachment;) {
      const std::int32_t neighbour = ends[static_cast<std::size_t>(uniform() * num_ends)];
      if (chosen_by[static_cast<std::size_t>(neighbour)] == node) continue;
      chosen_by[static_cast<std::size_t>(neighbour)] = node;
      ends.push_back(neighbour);
      ends.push_back(node);
      ++count;
    }
  }
  return ends;
}

}  // namespace annealco
