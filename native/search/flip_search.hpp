/// Searches of one graph by flips that can be continued.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "search/incumbent.hpp"

namespace annealco {

class FlipSearch {
 public:
  FlipSearch() = default;
  FlipSearch(const FlipSearch&) = delete;
  FlipSearch& operator=(const FlipSearch&) = delete;
  virtual ~FlipSearch() = default;

  /// Go on until the clock is spent or the cost reaches the target, and return the best assignment. How a run is cut
  /// into calls makes no difference to what it does.
  virtual Found run(Clock& clock, double target) = 0;

  /// Return the present assignment, [num_nodes].
  virtual std::span<const std::uint8_t> present() const = 0;

  /// Tell whether nothing is left to look at, so that the best is an optimum.
  virtual bool is_solved() const { return false; }
};

/// One algorithm alone.
template <class Algorithm>
class SingleSearch final : public FlipSearch {
 public:
  template <class... Options>
  explicit SingleSearch(typename Algorithm::Bits bits, std::uint64_t seed, Options&&... options)
      : incumbent_(bits), algorithm_(std::move(bits), incumbent_, seed, std::forward<Options>(options)...) {}

  Found run(Clock& clock, double target) override {
    clock.record(incumbent_.cost());
    algorithm_.advance(clock, target, Clock::kNoLimit);
    Found found = algorithm_.best(clock);
    clock.record(found.cost, /*renews=*/false);
    return found;
  }

  std::span<const std::uint8_t> present() const override { return algorithm_.bits().chosen(); }

 private:
  Incumbent incumbent_;
  Algorithm algorithm_;
};

}  // namespace annealco
