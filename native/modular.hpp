// Linear algebra modulo a prime, and p-adic lifting.
//
// Exact solutions of large systems are made of it. `_certify/linear_algebra.py` says the same in
// NumPy.
//
// Residues are unsigned 32-bit numbers below the prime, which is odd and below 2^31. A factor f is
// kept as f 2^32 mod p, so that Montgomery's reduction of a product with it is the product itself.
#pragma once

#include <cstdint>

#include "rows.hpp"

namespace rosenblatt {

class Modulus {
 public:
  explicit Modulus(uint32_t prime) : p(prime) {
    uint32_t inverse = prime;  // Newton's iteration doubles the bits that are right, from 3
    for (int k = 0; k < 4; ++k) inverse *= 2 - prime * inverse;
    negative_inverse_ = 0 - inverse;
  }

  ROSENBLATT_INLINE uint32_t factor(uint64_t value) const {
    return uint32_t((value % p << 32) % p);
  }

  ROSENBLATT_INLINE uint32_t times(uint32_t factor, uint32_t value) const {
    const uint64_t product = uint64_t(factor) * value;
    const uint64_t multiple = uint64_t(uint32_t(product) * negative_inverse_) * p;
    return reduced(uint32_t((product + multiple) >> 32));
  }

  // Of a number below 2 p.
  ROSENBLATT_INLINE uint32_t reduced(uint32_t value) const {
    return value < value - p ? value : value - p;
  }

  // a^(p - 2), by Fermat.
  uint32_t inverse(uint32_t value) const {
    uint64_t out = 1, power = value;
    for (uint32_t left = p - 2; left > 0; left >>= 1, power = power * power % p)
      if (left & 1) out = out * power % p;
    return uint32_t(out);
  }

  const uint32_t p;

 private:
  uint32_t negative_inverse_;
};

// to += factor · from
ROSENBLATT_INLINE void add_multiple(const Modulus& modulus, uint32_t factor,
                                    const uint32_t* __restrict from, uint32_t* __restrict to,
                                    int64_t size) {
  for (int64_t j = 0; j < size; ++j)
    to[j] = modulus.reduced(to[j] + modulus.times(factor, from[j]));
}

// Gauss elimination with the rows begin .. end as pivots, in their order: pivot[i] is the first
// column where row i is not zero, -1 where it is zero. Rows after it lose that column.
ROSENBLATT_INLINE void eliminate(uint32_t* matrix, int64_t n, int64_t width, uint32_t prime,
                                 int64_t begin, int64_t end, int64_t* pivot) {
  const Modulus modulus(prime);
  for (int64_t i = begin; i < end; ++i) {
    const uint32_t* const row = matrix + i * width;
    int64_t j = 0;
    while (j < width && row[j] == 0) ++j;
    pivot[i] = j < width ? j : -1;
    if (j == width) continue;
    const uint64_t inverse = modulus.inverse(row[j]);
    for (int64_t k = i + 1; k < n; ++k) {
      uint32_t* const other = matrix + k * width;
      if (other[j] == 0) continue;
      const uint32_t factor = modulus.factor((prime - other[j]) * inverse);
      add_multiple(modulus, factor, row + j, other + j, width - j);
    }
  }
}

// The steps begin .. end of an inverse in place (Gauss and Jordan): step j exchanges row j with row
// exchanged[j]; at the end the same columns are to be exchanged, the last first. False: singular.
ROSENBLATT_INLINE bool invert(uint32_t* matrix, int64_t size, uint32_t prime, int64_t begin,
                              int64_t end, int64_t* exchanged) {
  const Modulus modulus(prime);
  for (int64_t j = begin; j < end; ++j) {
    int64_t i = j;
    while (i < size && matrix[i * size + j] == 0) ++i;
    if (i == size) return false;
    exchanged[j] = i;
    uint32_t* const row = matrix + j * size;
    for (int64_t t = 0; i != j && t < size; ++t) {
      const uint32_t kept = row[t];
      row[t] = matrix[i * size + t];
      matrix[i * size + t] = kept;
    }
    const uint32_t factor = modulus.factor(modulus.inverse(row[j]));
    row[j] = 1;
    for (int64_t t = 0; t < size; ++t) row[t] = modulus.times(factor, row[t]);
    for (int64_t k = 0; k < size; ++k) {
      uint32_t* const other = matrix + k * size;
      if (k == j || other[j] == 0) continue;
      const uint32_t multiple = modulus.factor(prime - other[j]);
      other[j] = 0;
      add_multiple(modulus, multiple, row, other, size);
    }
  }
  return true;
}

// Digits of the p-adic solution of a system, one after the other (Dixon 1982). The system is
// Σ limb_l 2^(24 l), its inverse modulo the prime is given, and the residual of each equation is a
// number of `pieces` pieces of 24 bits, the last of them signed. The prime is below 2^27 and the
// size at most 4096, so that sums fit into 64 bits.
struct Lifting {
  static constexpr int bits = 24;
  static constexpr int64_t mask = (int64_t(1) << bits) - 1, together = 512;

  const int32_t* inverse;
  const int32_t* limbs;
  int64_t size, limb_count, pieces, prime;
  int64_t* residual;

  ROSENBLATT_INLINE static int64_t dot(const int32_t* a, const int32_t* b, int64_t size) {
    int64_t sum = 0;
    for (int64_t j = 0; j < size; ++j) sum += int64_t(a[j]) * b[j];
    return sum;
  }

  ROSENBLATT_INLINE int32_t remainder(const int64_t* number) const {
    int64_t rest = number[pieces - 1] % prime;
    if (rest < 0) rest += prime;
    for (int64_t l = pieces - 2; l >= 0; --l) rest = ((rest << bits) + number[l]) % prime;
    return int32_t(rest);
  }

  // (number - the row of the system times the digit) / prime, which leaves no rest.
  ROSENBLATT_INLINE void advance(int64_t i, const int32_t* digit) const {
    int64_t* const number = residual + i * pieces;
    for (int64_t l = 0; l < limb_count; ++l)
      number[l] -= dot(limbs + (l * size + i) * size, digit, size);
    for (int64_t l = 0; l + 1 < pieces; ++l) {
      number[l + 1] += number[l] >> bits;
      number[l] &= mask;
    }
    int64_t rest = 0;
    for (int64_t l = pieces - 1; l >= 0; --l) {
      const int64_t value = (rest << bits) + number[l];
      int64_t quotient = value / prime;
      if (value - quotient * prime < 0) --quotient;  // the last piece is signed
      rest = value - quotient * prime;
      number[l] = quotient;
    }
  }

  // room: `size` numbers.
  ROSENBLATT_INLINE void lift(int32_t* digits, int64_t count, int32_t* room) const {
    for (int64_t k = 0; k < count; ++k, digits += size) {
      for (int64_t i = 0; i < size; ++i) room[i] = remainder(residual + i * pieces);
      for (int64_t i = 0; i < size; ++i) {
        int64_t sum = 0;
        for (int64_t j = 0; j < size; j += together)
          sum = (sum + dot(inverse + i * size + j, room + j,
                           size - j < together ? size - j : together) % prime) % prime;
        digits[i] = int32_t(sum);
      }
      for (int64_t i = 0; i < size; ++i) advance(i, digits);
    }
  }
};

}  // namespace rosenblatt
