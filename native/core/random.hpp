/// The one random number generator of the core: xoshiro256++ (Blackman and Vigna, 2021), seeded by splitmix64.
///
/// Distributions are our own, so that a seed gives the same numbers with every compiler and library.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace annealco {

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (auto& word : state_) word = splitmix(seed);
  }

  std::uint64_t bits() {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// One of 2^53 numbers from [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  /// One of 0, ..., count − 1, for 0 < count < 2^32; without a division, with a bias below count / 2^32.
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(((bits() >> 32) * static_cast<std::uint64_t>(count)) >> 32);
  }

  /// Put items into random order.
  template <class Item>
  void shuffle(std::span<Item> items) {
    for (std::size_t last = items.size(); last > 1; --last) {
      std::swap(items[last - 1], items[static_cast<std::size_t>(below(static_cast<std::int64_t>(last)))]);
    }
  }

 private:
  static std::uint64_t rotate(std::uint64_t word, int by) { return (word << by) | (word >> (64 - by)); }

  static std::uint64_t splitmix(std::uint64_t& seed) {
    std::uint64_t word = seed += 0x9e3779b97f4a7c15;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
  }

  std::array<std::uint64_t, 4> state_{};
};

}  // namespace annealco
