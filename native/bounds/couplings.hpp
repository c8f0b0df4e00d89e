/// Couplings between spins as rows: for every spin, the pairs it is in.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "core/memory.hpp"
#include "core/rows.hpp"

namespace annealco {

/// Pair k couples the spins low[k] and high[k] with strength[k], which wants them to differ where it is positive and to
/// agree where it is negative.
class Couplings {
 public:
  /// Checks what the core trusts from then on.
  Couplings(std::int64_t num_spins, std::span<const std::int32_t> low, std::span<const std::int32_t> high,
            std::span<const double> strength)
      : num_spins(num_spins),
        low(low.begin(), low.end()),
        high(high.begin(), high.end()),
        strength(strength.begin(), strength.end()) {
    // States of spins, and both ends of pairs, are numbered by 32 bits too.
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() / 2;
    require(num_spins >= 0 && num_spins <= kMost, "couplings: the number of spins must be from 0 to 2^30 - 1");
    require(low.size() == strength.size() && high.size() == strength.size(),
            "couplings: ends and strengths must be equally many");
    require(num_pairs() <= kMost, "couplings: there must be fewer than 2^30 pairs");
    bool apart = true, finite = true;
    const auto is_spin = [&](std::int32_t each) { return each >= 0 && each < num_spins; };
    for (std::size_t k = 0; k < strength.size(); ++k) {
      apart &= is_spin(low[k]) && is_spin(high[k]) && low[k] != high[k];
      finite &= std::isfinite(strength[k]);
    }
    require(apart, "couplings: ends must be two different spins");
    require(finite, "couplings: strengths must be finite");
  }

  std::int64_t num_pairs() const { return static_cast<std::int64_t>(strength.size()); }

  const std::int64_t num_spins;
  const LargeVector<std::int32_t> low, high;
  const LargeVector<double> strength;
};

/// The other spin of a pair, and the pair.
struct Coupled {
  std::int32_t other, pair;
};

/// Rows of `Coupled`, pairs ascending in each row.
struct CouplingRows {
  LargeVector<std::int64_t> start;
  LargeVector<Coupled> entries;

  explicit CouplingRows(const Couplings& couplings)
      : start(static_cast<std::size_t>(couplings.num_spins) + 1), entries(2 * couplings.strength.size()) {
    for (const auto spin : couplings.low) ++start[static_cast<std::size_t>(spin) + 1];
    for (const auto spin : couplings.high) ++start[static_cast<std::size_t>(spin) + 1];
    for (std::size_t spin = 1; spin < start.size(); ++spin) start[spin] += start[spin - 1];
    LargeVector<std::int64_t> place(start.begin(), start.end() - 1);
    for (std::size_t k = 0; k < couplings.strength.size(); ++k) {
      const auto low = couplings.low[k], high = couplings.high[k], pair = static_cast<std::int32_t>(k);
      entries[static_cast<std::size_t>(place[static_cast<std::size_t>(low)]++)] = {high, pair};
      entries[static_cast<std::size_t>(place[static_cast<std::size_t>(high)]++)] = {low, pair};
    }
  }

  std::int64_t num_spins() const { return static_cast<std::int64_t>(start.size()) - 1; }
  std::span<const Coupled> operator[](std::int32_t spin) const {
    const auto first = static_cast<std::size_t>(start[static_cast<std::size_t>(spin)]);
    const auto last = static_cast<std::size_t>(start[static_cast<std::size_t>(spin) + 1]);
    return std::span(entries).subspan(first, last - first);
  }
};

}  // namespace annealco
