/// Work on all graphs of several rows in parallel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "energy/terms.hpp"

namespace annealco {

/// Cut the graphs into at most so many runs of about the same number of nodes, none below 2,000 nodes but the last.
inline std::vector<std::pair<std::int64_t, std::int64_t>> cut_evenly(const EnergyTerms& terms, std::int64_t num_runs) {
  constexpr std::int64_t kLeastNodes = 2000;
  const std::int64_t goal = std::max(kLeastNodes, terms.num_nodes() / std::max<std::int64_t>(num_runs, 1) + 1);
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;
  for (std::int64_t first = 0; first < terms.num_graphs();) {
    std::int64_t last = first + 1;
    while (last < terms.num_graphs() && terms.first_node(last) - terms.first_node(first) < goal) ++last;
    runs.emplace_back(first, last);
    first = last;
  }
  return runs;
}

/// Call `run(state, row, graph)` for all graphs of all rows, on states that `make(row)` returns, one per row.
///
/// Graphs and rows are independent: how the work is cut and how many threads do it never changes a result. With more
/// rows than threads, a state lives no longer than its row's turn, so that many rows need no more memory than a few.
template <class Make, class Run>
void for_each_graph(const EnergyTerms& terms, std::int64_t num_rows, std::int64_t num_threads, Make&& make, Run&& run) {
  constexpr std::int64_t kMostThreads = 1 << 16;
  num_threads = std::min(num_threads, kMostThreads);
  if (num_rows >= num_threads) {
    parallel_for(num_rows, num_threads, [&](std::int64_t row) {
      auto state = make(row);
      for (std::int64_t graph = 0; graph < terms.num_graphs(); ++graph) run(state, row, graph);
    });
    return;
  }
  // Graphs differ: with several runs per thread, a slow one does not keep all others waiting.
  constexpr std::int64_t kRunsPerThread = 4;
  const auto runs = cut_evenly(terms, kRunsPerThread * num_threads / std::max<std::int64_t>(num_rows, 1) + 1);
  using State = decltype(make(std::int64_t{0}));
  std::vector<State> states;
  for (std::int64_t row = 0; row < num_rows; ++row) states.push_back(make(row));
  const auto per_row = static_cast<std::int64_t>(runs.size());
  parallel_for(num_rows * per_row, num_threads, [&](std::int64_t task) {
    const auto [first, last] = runs[static_cast<std::size_t>(task % per_row)];
    for (std::int64_t graph = first; graph < last; ++graph) {
      run(states[static_cast<std::size_t>(task / per_row)], task / per_row, graph);
    }
  });
}

}  // namespace annealco
