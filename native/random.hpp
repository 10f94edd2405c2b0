// Randomness, defined: the k-th permutation of n rows is a function of (seed, k, n).
//
// Stream k of a seed is SplitMix64 (Steele, Lea, Flood 2014) started at mix(seed + (k+1) G). The
// permutation is Fisher and Yates' from the front: for i = 0, 1, ... swap place i with place
// i + floor(u_i (n-i) / 2^64). So its first m places need m draws only, and they can be undone.
#pragma once

#include <cstdint>

#include "rows.hpp"

namespace rosenblatt {

constexpr uint64_t G = 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio

ROSENBLATT_INLINE uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// floor(a b / 2^64)
ROSENBLATT_INLINE uint64_t high_product(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
  return uint64_t((static_cast<unsigned __int128>(a) * b) >> 64);
#else
  const uint64_t a0 = uint32_t(a), a1 = a >> 32, b0 = uint32_t(b), b1 = b >> 32;
  const uint64_t middle = a1 * b0 + ((a0 * b0) >> 32);
  return a1 * b1 + (middle >> 32) + ((a0 * b1 + uint32_t(middle)) >> 32);
#endif
}

struct Swaps {
  uint64_t start;
  int64_t n;

  Swaps(uint64_t seed, int64_t k, int64_t rows) : start(mix(seed + uint64_t(k + 1) * G)), n(rows) {}

  // Place i is swapped with this place.
  ROSENBLATT_INLINE int64_t partner(int64_t i) const {
    return i + int64_t(high_product(mix(start + uint64_t(i + 1) * G), uint64_t(n - i)));
  }
};

// Row numbers, in 32 bits where they fit.
struct Indices {
  int32_t* narrow;
  int64_t* wide;

  ROSENBLATT_INLINE int64_t operator[](int64_t k) const { return narrow ? narrow[k] : wide[k]; }
  ROSENBLATT_INLINE void set(int64_t k, int64_t i) const {
    if (narrow) narrow[k] = int32_t(i);
    else wide[k] = i;
  }
  ROSENBLATT_INLINE void swap(int64_t k, int64_t other) const {
    const int64_t kept = (*this)[k];
    set(k, (*this)[other]);
    set(other, kept);
  }
  ROSENBLATT_INLINE void prefetch(int64_t k) const {
    if (narrow) ROSENBLATT_PREFETCH(narrow + k, 1);
    else ROSENBLATT_PREFETCH(wide + k, 1);
  }
  explicit operator bool() const { return narrow || wide; }
};

// Swaps from .. to of a permutation, in a pool that has those before.
inline void make_swaps(Indices pool, const Swaps& swaps, int64_t from, int64_t to) {
  constexpr int64_t ahead = 16;  // partners are known beforehand: fetch them
  int64_t partner[ahead];
  for (int64_t i = from; i < from + ahead && i < to; ++i) partner[i % ahead] = swaps.partner(i);
  for (int64_t i = from; i < to; ++i) {
    pool.swap(i, partner[i % ahead]);
    if (i + ahead < to) pool.prefetch(partner[i % ahead] = swaps.partner(i + ahead));
  }
}

// pool := the first m swaps of permutation k, applied to `rows` (all rows in order, where empty).
inline void arrange(Indices pool, Indices rows, int64_t n, uint64_t seed, int64_t k, int64_t m) {
  for (int64_t i = 0; i < n; ++i) pool.set(i, rows ? rows[i] : i);
  make_swaps(pool, Swaps(seed, k, n), 0, m);
}

// A permutation that is made little by little, while something else is done: at most the swaps made .. to.
struct NextOrder {
  Indices pool;
  Swaps swaps;
  int64_t made, to;

  bool finished() const { return made >= to; }
  void go_on(int64_t steps) {
    const int64_t end = made + steps < to ? made + steps : to;
    make_swaps(pool, swaps, made, end);
    made = end;
  }
};

}  // namespace rosenblatt
