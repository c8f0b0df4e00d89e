/// Capacity releasing diffusion: mass spreads as a flow by push and relabel, and doubles (Wang et al., 2017).
///
/// Every node holds up to its degree; what is above is excess and flows downhill, from higher to lower labels, over an
/// edge at most min(label, capacity). Where a set has few edges outward, mass piles up inside and labels rise. All
/// numbers are whole ones, so that mass is conserved exactly.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/rows.hpp"

namespace annealco {

class CapacityReleasingDiffusion {
 public:
  /// Neighbours ascend in each row, and every edge is in the rows of both its ends: this is checked.
  explicit CapacityReleasingDiffusion(const Rows& neighbours)
      : neighbours_(neighbours),
        reverse_(neighbours.index.size()),
        flow_(neighbours.index.size()),
        nodes_(static_cast<std::size_t>(neighbours.size())) {
    std::vector<std::int64_t> next(neighbours.start.begin(), neighbours.start.end() - 1);
    for (std::int32_t node = 0; node < neighbours.size(); ++node) {
      degree_of(node) = static_cast<std::int32_t>(neighbours.length(node));
      const auto first = neighbours.start[static_cast<std::size_t>(node)];
      for (std::int64_t entry = first; entry < first + neighbours.length(node); ++entry) {
        // Rows ascend, so that the other ends' entries for this node come up in their order.
        const std::int32_t other = neighbours.index[static_cast<std::size_t>(entry)];
        const std::int64_t place = next[static_cast<std::size_t>(other)]++;
        const bool matches = place < neighbours.start[static_cast<std::size_t>(other) + 1] &&
                             neighbours.index[static_cast<std::size_t>(place)] == node && other != node;
        require(matches, "rows must ascend and have every edge at both its ends");
        reverse_[static_cast<std::size_t>(entry)] = place;
      }
    }
  }

  /// Begin with twice a seed's degree and double what has settled, until half of the mass could not be settled, the
  /// total has come to `most`, so many rounds are done, or the clock is over.
  void diffuse(std::int64_t seed, std::int32_t capacity, std::int32_t height, std::int64_t rounds, double most,
               Clock& clock) {
    std::vector<std::int64_t> given(nodes_.size());
    given[static_cast<std::size_t>(seed)] = neighbours_.length(seed);
    for (std::int64_t round = 0; round < rounds; ++round) {
      std::int64_t before = 0, settled = 0;
      for (auto& each : given) {
        each *= 2;
        before += each;
      }
      spread(given, capacity, height, clock);
      for (std::size_t node = 0; node < nodes_.size(); ++node) {
        nodes_[node].mass = std::min<std::int64_t>(nodes_[node].mass, nodes_[node].degree);
        given[node] = nodes_[node].mass;
        settled += given[node];
      }
      const auto total = static_cast<double>(settled);
      if (total <= (1.0 - kLost) * static_cast<double>(before) || total >= most || clock.is_spent()) return;
    }
  }

  /// Push and relabel until no node below the height has more than its degree, or the clock is over; a push is a move.
  void spread(std::span<const std::int64_t> given, std::int32_t capacity, std::int32_t height, Clock& clock) {
    std::fill(flow_.begin(), flow_.end(), 0);
    top_.assign(static_cast<std::size_t>(height) + 1, kNone);
    lowest_ = height;
    for (std::int32_t number = 0; number < neighbours_.size(); ++number) {
      Node& node = nodes_[static_cast<std::size_t>(number)];
      node.mass = given[static_cast<std::size_t>(number)];
      node.label = 0;
      if (node.mass > node.degree) stack(number);
    }
    // The lowest label is served first: whoever is below has no excess, and room for some.
    while (lowest_ < height) {
      const std::int32_t number = top_[static_cast<std::size_t>(lowest_)];
      if (number == kNone) {
        ++lowest_;
        continue;
      }
      if (!clock.tick()) return;
      serve(number, capacity);
      clock.is_over(neighbours_.length(number));
    }
  }

  std::vector<std::int64_t> mass() const {
    std::vector<std::int64_t> values;
    for (const Node& node : nodes_) values.push_back(node.mass);
    return values;
  }
  std::vector<std::int64_t> label() const {
    std::vector<std::int64_t> values;
    for (const Node& node : nodes_) values.push_back(node.label);
    return values;
  }
  /// Over each entry of the rows.
  const std::vector<std::int32_t>& flow() const { return flow_; }

  std::int64_t num_nodes() const { return neighbours_.size(); }

 private:
  static constexpr std::int32_t kNone = -1;

  /// The diffusion ends when this share of the mass could not be settled.
  static constexpr double kLost = 0.5;

  struct Node {
    std::int64_t mass = 0;
    std::int32_t degree = 0, label = 0, below = kNone;  // below: the next node in the stack of its label
  };

  std::int32_t& degree_of(std::int32_t number) { return nodes_[static_cast<std::size_t>(number)].degree; }

  void stack(std::int32_t number) {
    Node& node = nodes_[static_cast<std::size_t>(number)];
    auto& top = top_[static_cast<std::size_t>(node.label)];
    node.below = top;
    top = number;
    lowest_ = std::min(lowest_, node.label);
  }

  /// Push the excess of a node at the top of the lowest stack, and raise it if some is left and no one is lower now.
  void serve(std::int32_t number, std::int32_t capacity) {
    Node& node = nodes_[static_cast<std::size_t>(number)];
    const std::int64_t excess = push_down(number, capacity);
    if (excess > 0 && lowest_ < node.label) return;
    top_[static_cast<std::size_t>(node.label)] = node.below;
    if (excess == 0) return;
    ++node.label;
    stack(number);
  }

  /// Push excess to lower neighbours as far as edges and they allow; return what is left.
  std::int64_t push_down(std::int32_t number, std::int32_t capacity) {
    Node& node = nodes_[static_cast<std::size_t>(number)];
    const std::int32_t limit = std::min(node.label, capacity);
    std::int64_t excess = node.mass - node.degree;
    const auto first = static_cast<std::size_t>(neighbours_.start[static_cast<std::size_t>(number)]);
    for (std::size_t entry = first; excess > 0 && entry < first + static_cast<std::size_t>(node.degree); ++entry) {
      const std::int64_t room = limit - flow_[entry];
      if (room <= 0) continue;
      const std::int32_t place = neighbours_.index[entry];
      Node& other = nodes_[static_cast<std::size_t>(place)];
      if (other.label >= node.label) continue;
      const bool had_room = other.mass <= other.degree;
      const std::int64_t amount = std::min({excess, room, 2 * std::int64_t{other.degree} - other.mass});
      flow_[entry] += static_cast<std::int32_t>(amount);
      flow_[static_cast<std::size_t>(reverse_[entry])] -= static_cast<std::int32_t>(amount);
      node.mass -= amount;
      other.mass += amount;
      excess -= amount;
      if (had_room && other.mass > other.degree) stack(place);
    }
    return excess;
  }

  Rows neighbours_;
  std::vector<std::int64_t> reverse_;  // where the other direction of each entry stands
  std::vector<std::int32_t> flow_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> top_;  // of the stack of nodes with excess, by label
  std::int32_t lowest_ = 0;        // no stack below this one has a node
};

}  // namespace annealco
