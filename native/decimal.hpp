// From decimal text to the nearest double, halves to even: the same bits on every machine.
//
// Proofs are about the numbers in a file, so a number that is one bit off would be another number.
#pragma once

#include <cfloat>
#include <charconv>
#include <cstdint>
#include <cstring>

// Some standard libraries do not read doubles yet; there the C library does, whatever the locale.
#if !defined(ROSENBLATT_FROM_CHARS)
#if defined(__cpp_lib_to_chars) || defined(_MSC_VER)
#define ROSENBLATT_FROM_CHARS 1
#else
#define ROSENBLATT_FROM_CHARS 0
#endif
#endif
#if !ROSENBLATT_FROM_CHARS
#include <clocale>
#include <cstdlib>
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#endif

#include "rows.hpp"

namespace rosenblatt {

// A longer number is refused. The longest double written out in full has 1077 characters.
constexpr int64_t longest_number = 4096;

// So many bytes behind a number and the byte that ends it can be read, whatever they are.
constexpr int64_t slack = 7;

ROSENBLATT_INLINE bool is_digit(char c) { return unsigned(c) - unsigned('0') < 10; }

// The digits from `at` on are appended to `number` (which wraps around after 19 of them).
ROSENBLATT_INLINE const char* read_digits(const char* at, uint64_t& number) {
  for (; is_digit(*at); ++at) number = 10 * number + uint64_t(*at - '0');
  return at;
}

// The same for digits whose number nobody can foresee, as behind a decimal point: a loop over them
// would end where the CPU does not expect it. Reads eight bytes at a time, so that up to seven behind
// the first byte that is no digit are looked at.
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
ROSENBLATT_INLINE const char* read_digits_in_eights(const char* at, uint64_t& number) {
  static constexpr uint64_t ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  for (int count = 8; count == 8; at += count) {
    uint64_t bytes;
    std::memcpy(&bytes, at, 8);
    bytes ^= 0x3030303030303030;  // digits become 0 .. 9, the first in the lowest byte
    const uint64_t others = ((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080;
    if (others != 0) {
      count = __builtin_ctzll(others) / 8;
      bytes = bytes << 8 * (7 - count) << 8;  // zeros before the digits make eight of them
    }
    // Eight digits become four numbers below 100, and those one.
    bytes = 10 * bytes + (bytes >> 8);
    const uint64_t first_third = (bytes & 0x000000ff000000ff) * 0x000f424000000064;
    const uint64_t second_fourth = (bytes >> 16 & 0x000000ff000000ff) * 0x0000271000000001;
    number = ten[count] * number + ((first_third + second_fourth) >> 32);
  }
  return at;
}
#else
ROSENBLATT_INLINE const char* read_digits_in_eights(const char* at, uint64_t& number) {
  return read_digits(at, number);
}
#endif

// [begin, end) is a number without a sign, less than 10 to the `power`. False: it is beyond the
// largest double.
inline bool nearest_double(const char* begin, const char* end, [[maybe_unused]] int64_t power,
                           double& value) {
#if ROSENBLATT_FROM_CHARS
  if (std::from_chars(begin, end, value).ec == std::errc()) return true;
  // Out of range, one way or the other: the power of the first digit that is not 0 says which.
  for (const char* at = begin; *at == '0' || *at == '.'; ++at) power -= *at == '0';
  value = 0;
  return power < 0;
#else
  char text[longest_number + 1];
  std::memcpy(text, begin, size_t(end - begin));
  text[end - begin] = 0;
  static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", locale_t(0));
  value = strtod_l(text, nullptr, c_locale);
  return value <= DBL_MAX;
#endif
}

// Reads [+-] digits [. digits] [e [+-] digits] with a digit at least before the exponent, and moves
// `at` behind it. The text goes on with a byte that belongs to no number, and `slack` more. False: this is none, or it is longer or larger than allowed; `nan` and
// `inf` are none.
ROSENBLATT_INLINE bool read_double(const char*& at, double& value) {
  const char* p = at;
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  const char* const begin = p;
  uint64_t digits = 0;
  p = read_digits(p, digits);
  int64_t length = p - begin, exponent = 0;
  if (*p == '.') {
    const char* const point = p++;
    p = read_digits_in_eights(p, digits);
    exponent = point + 1 - p;
    length -= exponent;
  }
  if (length == 0) return false;
  if (*p == 'e' || *p == 'E') {
    ++p;
    const bool down = *p == '-';
    if (down || *p == '+') ++p;
    if (!is_digit(*p)) return false;
    int64_t power = 0;
    for (; is_digit(*p); ++p) if (power < 1000000) power = 10 * power + (*p - '0');
    exponent += down ? -power : power;
  }
  if (p - at > longest_number) return false;
  // Clinger: both are doubles without rounding, so their product or quotient is rounded once.
  static constexpr double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (FLT_EVAL_METHOD == 0 && length <= 19 && digits <= uint64_t(1) << 53 && exponent >= -22 &&
      exponent <= 22) {
    value = exponent < 0 ? double(digits) / ten[-exponent] : double(digits) * ten[exponent];
  } else if (!nearest_double(begin, p, exponent + length, value)) {
    return false;
  }
  if (negative) value = -value;
  at = p;
  return true;
}

}  // namespace rosenblatt
