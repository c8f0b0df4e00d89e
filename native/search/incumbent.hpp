/// The best assignment of a search, remembered at a constant cost per flip.
///
/// A copy takes as long as the assignment is large, and on the way down every flip finds a better one. Instead the
/// flips since the best are written down; where they become as many as there are nodes, the best is worked out from
/// them, once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace annealco {

/// An assignment, [num_nodes], and its cost, which is infinite where it is not feasible.
struct Found {
  std::vector<std::uint8_t> chosen;
  double cost;
};

/// Return the cost of bits of one graph.
template <class Bits>
double cost_of(const Bits& bits) {
  return bits.is_feasible() ? bits.energy() : std::numeric_limits<double>::infinity();
}

class Incumbent {
 public:
  /// Begin with a copy of loaded bits.
  template <class Bits>
  explicit Incumbent(const Bits& bits) : best_(bits.chosen().begin(), bits.chosen().end()), cost_(cost_of(bits)) {}

  double cost() const { return cost_; }

  /// Write down that a node of the present assignment is about to be flipped.
  void note_flip(std::span<const std::uint8_t> chosen, std::int64_t node) {
    if (is_saved_) return;
    if (journal_.size() == best_.size()) {
      save(chosen);
    } else {
      journal_.push_back(static_cast<std::int32_t>(node));
    }
  }

  /// Make the present assignment the best.
  void record(double cost) {
    is_saved_ = false;
    journal_.clear();
    cost_ = cost;
  }

  /// Make any assignment the best.
  void replace(std::span<const std::uint8_t> chosen, double cost) {
    best_.assign(chosen.begin(), chosen.end());
    is_saved_ = true;
    cost_ = cost;
  }

  /// Work out the best from the present assignment and the flips since; another assignment may be the present one then.
  void save(std::span<const std::uint8_t> chosen) {
    if (is_saved_) return;
    best_.assign(chosen.begin(), chosen.end());
    for (const auto node : journal_) best_[static_cast<std::size_t>(node)] ^= 1;
    is_saved_ = true;
  }

  /// Return the best as it was last saved.
  const std::vector<std::uint8_t>& saved() const { return best_; }

  Found best(std::span<const std::uint8_t> chosen) {
    save(chosen);
    return {best_, cost_};
  }

 private:
  std::vector<std::uint8_t> best_;     ///< [num_nodes] where `is_saved_`
  std::vector<std::int32_t> journal_;  ///< nodes flipped since the best, where not
  bool is_saved_ = true;
  double cost_;
};

}  // namespace annealco
