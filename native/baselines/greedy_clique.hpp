/// Greedy rules where the allowed pairs are listed instead of the forbidden ones: cliques, without the complement.
///
/// Both stop where the clock is over, with a clique that may not be maximal.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/rows.hpp"

namespace annealco {

/// Add nodes in an order while all pairs are allowed; O(num_pairs).
inline std::vector<std::uint8_t> clique_in_order(const Rows& partners, std::span<const std::int64_t> order,
                                                 Clock& clock) {
  std::vector<std::uint8_t> chosen(static_cast<std::size_t>(partners.size()));
  std::vector<std::int32_t> num_joined(chosen.size());
  std::int32_t size = 0;
  for (const auto node : order) {
    if (clock.is_over()) break;
    if (num_joined[static_cast<std::size_t>(node)] != size) continue;
    chosen[static_cast<std::size_t>(node)] = 1;
    ++size;
    for (const auto partner : partners[node]) ++num_joined[static_cast<std::size_t>(partner)];
  }
  return chosen;
}

/// Choose the candidate of largest weight / (1 + candidates it excludes), keep those joined to it, and repeat.
class GreedyClique {
 public:
  GreedyClique(const Rows& partners, std::span<const double> weight)
      : partners_(partners),
        weight_(weight),
        candidates_(weight.size()),
        num_joined_(weight.size()),
        mark_(weight.size()) {
    std::iota(candidates_.begin(), candidates_.end(), 0);
    for (const auto node : candidates_) {
      num_joined_[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(partners.length(node));
    }
  }

  /// O(num_pairs + num_nodes · size of the clique).
  std::vector<std::uint8_t> run(Clock& clock) {
    std::vector<std::uint8_t> chosen(weight_.size());
    for (std::int32_t round = 1; !candidates_.empty(); ++round) {
      if (clock.is_over(static_cast<std::int64_t>(candidates_.size()))) break;
      const std::int32_t best = best_candidate();
      chosen[static_cast<std::size_t>(best)] = 1;
      for (const auto partner : partners_[best]) ++mark_[static_cast<std::size_t>(partner)];
      keep_joined(best, round);
    }
    return chosen;
  }

 private:
  std::int32_t best_candidate() const {
    std::int32_t best = candidates_.front();
    double most = -1.0;
    const auto count = static_cast<std::int32_t>(candidates_.size());
    for (const auto node : candidates_) {
      const double score =
          weight_[static_cast<std::size_t>(node)] / (count - num_joined_[static_cast<std::size_t>(node)]);
      if (score > most) {
        most = score;
        best = node;
      }
    }
    return best;
  }

  /// Keep the candidates that every round has marked; count only these as partners of each other.
  void keep_joined(std::int32_t best, std::int32_t round) {
    std::size_t kept = 0;
    for (const auto node : candidates_) {
      if (node != best && mark_[static_cast<std::size_t>(node)] == round) {
        candidates_[kept++] = node;
      } else {
        for (const auto partner : partners_[node]) --num_joined_[static_cast<std::size_t>(partner)];
      }
    }
    candidates_.resize(kept);
  }

  Rows partners_;
  std::span<const double> weight_;
  std::vector<std::int32_t> candidates_, num_joined_, mark_;
};

}  // namespace annealco
