/// Ask for memory some time before it is read.
#pragma once

namespace annealco {

/// The address need not be valid, nor be read in the end.
inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
  // To GCC a function that only prefetches has no effect, and it drops calls of it; this it cannot see through.
  asm volatile("");
#endif
}

}  // namespace annealco
