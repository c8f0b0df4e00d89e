/// A maximum flow between two terminals of an undirected graph with whole capacities, and its minimum cut.
///
/// Blocking flows along shortest paths (Dinic, 1970). Terminals are not nodes: each node has a capacity from the source
/// or to the sink. Whatever flow there is bounds every cut from below, also where the clock ended the work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bounds/couplings.hpp"
#include "core/clock.hpp"

namespace annealco {

class MaximumFlow {
 public:
  /// `capacity` of each pair, in both directions, not negative.
  MaximumFlow(const Couplings& pairs, std::span<const std::int64_t> capacity)
      : start_(static_cast<std::size_t>(pairs.num_spins) + 1), capacity_(capacity.begin(), capacity.end()) {
    const CouplingRows rows(pairs);
    arcs_.reserve(rows.entries.size());
    for (std::int32_t node = 0; node < pairs.num_spins; ++node) {
      for (const auto [other, pair] : rows[node]) arcs_.push_back({other, pair, node < other ? 1 : -1});
      start_[static_cast<std::size_t>(node) + 1] = arcs_.size();
    }
    const auto num_nodes = static_cast<std::size_t>(pairs.num_spins);
    flow_.resize(capacity_.size());
    terminal_.resize(num_nodes);
    level_.resize(num_nodes);
    next_.resize(num_nodes);
  }

  /// Begin with no flow; a node has a capacity from the source where `terminal` is positive, else to the sink.
  void reset(std::span<const std::int64_t> terminal) {
    std::fill(flow_.begin(), flow_.end(), 0);
    std::copy(terminal.begin(), terminal.end(), terminal_.begin());
    value_ = 0;
  }

  /// Raise the flow to the maximum; false where the clock is over before.
  bool run(Clock& clock) {
    is_over_ = false;
    while (find_levels(clock)) {
      for (std::size_t place = 0; place < num_sources_ && !is_over_; ++place) drain(queue_[place], clock);
    }
    return !is_over_;
  }

  std::int64_t value() const { return value_; }

  /// Whether a node is on the side of the source in the smallest minimum cut, once the flow is a maximum.
  bool is_inside(std::int32_t node) const { return level_[static_cast<std::size_t>(node)] != kUnseen; }

 private:
  static constexpr std::int32_t kUnseen = -1;

  struct Arc {
    std::int32_t head, pair;
    /// The direction in which flow on the pair is counted.
    std::int32_t sign;
  };

  std::int64_t residual(const Arc& arc) const {
    const auto pair = static_cast<std::size_t>(arc.pair);
    return capacity_[pair] - arc.sign * flow_[pair];
  }

  /// Number nodes by their distance from the source, up to the first that reach the sink; false where none does, or
  /// the clock is over.
  bool find_levels(Clock& clock) {
    std::fill(level_.begin(), level_.end(), kUnseen);
    std::copy(start_.begin(), start_.end() - 1, next_.begin());
    queue_.clear();
    for (std::size_t node = 0; node < terminal_.size(); ++node) {
      if (terminal_[node] <= 0) continue;
      level_[node] = 0;
      queue_.push_back(static_cast<std::int32_t>(node));
    }
    num_sources_ = queue_.size();
    last_level_ = static_cast<std::int32_t>(terminal_.size());
    for (std::size_t place = 0; place < queue_.size(); ++place) {
      const auto node = static_cast<std::size_t>(queue_[place]);
      if (level_[node] > last_level_) break;
      if (terminal_[node] < 0) last_level_ = level_[node];
      is_over_ |= clock.is_over(1 + static_cast<std::int64_t>(start_[node + 1] - start_[node]) / 8);
      if (is_over_) return false;
      for (auto each = start_[node]; each < start_[node + 1]; ++each) {
        const auto head = static_cast<std::size_t>(arcs_[each].head);
        if (level_[head] != kUnseen || residual(arcs_[each]) == 0) continue;
        level_[head] = level_[node] + 1;
        queue_.push_back(arcs_[each].head);
      }
    }
    return last_level_ < static_cast<std::int32_t>(terminal_.size());
  }

  /// Send what a node has from the source along shortest paths, until no path is left or the clock is over.
  void drain(std::int32_t source, Clock& clock) {
    path_.clear();
    auto node = static_cast<std::size_t>(source);
    while (terminal_[static_cast<std::size_t>(source)] > 0 && !is_over_) {
      if (terminal_[node] < 0 && level_[node] == last_level_) {
        node = augment(static_cast<std::size_t>(source), node);
      } else if (!advance(node)) {
        // A dead end: no path leads through it at this distance.
        if (path_.empty()) return;
        node = path_.back().node;
        path_.pop_back();
        ++next_[node];
      }
      is_over_ = clock.is_over();
    }
  }

  /// Go on to a node that is farther from the source by one; false where there is none.
  bool advance(std::size_t& node) {
    if (level_[node] >= last_level_) return false;
    for (auto& each = next_[node]; each < start_[node + 1]; ++each) {
      const Arc& arc = arcs_[each];
      if (level_[static_cast<std::size_t>(arc.head)] != level_[node] + 1 || residual(arc) == 0) continue;
      path_.push_back({node, each});
      node = static_cast<std::size_t>(arc.head);
      return true;
    }
    return false;
  }

  /// Send what the path takes, shorten it to where it is still open, and return the node it then ends at.
  std::size_t augment(std::size_t source, std::size_t sink) {
    std::int64_t amount = std::min(terminal_[source], -terminal_[sink]);
    for (const auto& step : path_) amount = std::min(amount, residual(arcs_[step.arc]));
    for (const auto& step : path_) {
      const Arc& arc = arcs_[step.arc];
      flow_[static_cast<std::size_t>(arc.pair)] += arc.sign * amount;
    }
    terminal_[source] -= amount;
    terminal_[sink] += amount;
    value_ += amount;
    const auto full = [&](const Step& step) { return residual(arcs_[step.arc]) == 0; };
    const auto first = std::find_if(path_.begin(), path_.end(), full);
    const std::size_t end = first == path_.end() ? sink : first->node;
    path_.erase(first, path_.end());
    return end;
  }

  /// A node of a path and the arc by which it is left.
  struct Step {
    std::size_t node, arc;
  };

  std::vector<std::size_t> start_, next_;
  std::vector<Arc> arcs_;
  std::vector<std::int64_t> capacity_, flow_, terminal_;
  std::vector<std::int32_t> level_, queue_;
  std::vector<Step> path_;
  std::size_t num_sources_ = 0;
  std::int32_t last_level_ = 0;
  std::int64_t value_ = 0;
  bool is_over_ = false;
};

}  // namespace annealco
