// How a row is read: Dense or Csr. Every kernel is written once, against these.
//
// n rows, d features. A weight vector is lifted: w[0..d-1] are the weights, w[d] is the intercept b.
//
// The score is a defined function, the same bits on every machine: product x_j w_j goes into lane
// j mod L in increasing j, the lanes fold in a fixed tree, b is added last, everything in float64
// and nothing fused (-ffp-contract=off). A product with x_j = 0 changes no lane (a lane is never
// -0.0), so a sparse row may leave it out and still score the same.
#pragma once

#include <cstdint>

#if defined(__GNUC__)
#define ROSENBLATT_INLINE inline __attribute__((always_inline))
// A lambda that must follow its kernel into the function of each level (dispatch.hpp).
#define ROSENBLATT_LAMBDA_INLINE __attribute__((always_inline))
#define ROSENBLATT_PREFETCH(address, level) __builtin_prefetch(address, 0, 4 - level)
#define ROSENBLATT_PREFETCH_TO_WRITE(address) __builtin_prefetch(address, 1, 2)
#else
#define ROSENBLATT_INLINE inline
#define ROSENBLATT_LAMBDA_INLINE
#define ROSENBLATT_PREFETCH(address, level) ((void)(address))
#define ROSENBLATT_PREFETCH_TO_WRITE(address) ((void)(address))
#endif

namespace rosenblatt {

constexpr int L = 16;  // lanes of a score; another number gives other bits
constexpr int64_t block = 64;  // rows that stay in cache from one weight vector to the next

// Halves onto each other: 16 lanes, 8, 4, 2, 1. (Spelled out: a loop over halves is not vectorised.)
template <class Sum>
ROSENBLATT_INLINE Sum fold(const Sum* lane) {
  Sum eight[8], four[4];
  for (int l = 0; l < 8; ++l) eight[l] = lane[l] + lane[l + 8];
  for (int l = 0; l < 4; ++l) four[l] = eight[l] + eight[l + 4];
  return (four[0] + four[2]) + (four[1] + four[3]);
}

// The whole row (4 KB of it): into level 1 what is soon to be read, into level 2 long before.
template <int level>
ROSENBLATT_INLINE void prefetch_bytes(const void* start, int64_t bytes) {
  constexpr int64_t line = 64, most = 64 * line;
  const char* byte = static_cast<const char*>(start);
  for (int64_t at = 0; at < bytes && at < most; at += line) ROSENBLATT_PREFETCH(byte + at, level);
  if (bytes > 0) ROSENBLATT_PREFETCH(byte + bytes - 1, level);
}

// How many rows ahead of a visit in scattered order to fetch into level 2: about 12 KB of them.
ROSENBLATT_INLINE int64_t rows_ahead(int64_t bytes_per_row) {
  const int64_t rows = 12 * 1024 / (bytes_per_row + 1);
  return rows < 4 ? 4 : rows > 32 ? 32 : rows;
}

template <class Value>
ROSENBLATT_INLINE bool all_finite(const Value* values, int64_t n) {
  int not_finite = 0;  // (counted, or the loop is not vectorised)
  for (int64_t i = 0; i < n; ++i) not_finite |= values[i] - values[i] != 0;
  return not_finite == 0;
}

// Terms of a sum over the features of a row: x_j^2, and x_j^2 / p_j.
struct Square {
  ROSENBLATT_INLINE double operator()(int64_t, double x) const { return x * x; }
};
template <class Precisions>
struct SquareOver {
  Precisions p;
  ROSENBLATT_INLINE double operator()(int64_t j, double x) const { return x * x / p[j]; }
};

template <class Value>
struct Dense {
  const Value* x;
  int64_t n, d;

  // In the precision of the weights: float64, but for kernel values of float32 rows.
  template <class Sum>
  ROSENBLATT_INLINE Sum score(int64_t i, const Sum* w) const {
    const Value* row = x + i * d;
    Sum lane[L] = {0};
    int64_t j = 0;
    for (; j + L <= d; j += L)
      for (int l = 0; l < L; ++l) lane[l] += Sum(row[j + l]) * w[j + l];
    // The rest, as many steps whatever it is: masked vectors, where the processor has them.
    const int64_t rest = d - j;
    for (int l = 0; l < L; ++l)
      if (l < rest) lane[l] += Sum(row[j + l]) * w[j + l];
    return fold(lane) + w[d];
  }

  // The scores of the rows from .. to under one weight vector, or under two: those of the second begin
  // at out[block]. (Of a row while it is in cache: interleaved they cost more registers than it saves.)
  ROSENBLATT_INLINE void score_rows(int64_t from, int64_t to, const double* const* w, int number,
                                    double* out) const {
    for (int64_t i = from; i < to; ++i)
      for (int a = 0; a < number; ++a) out[a * block + i - from] = score(i, w[a]);
  }

  // The same under k weight vectors, `stride` numbers apart.
  ROSENBLATT_INLINE void score_all(int64_t i, const double* w, int64_t k, int64_t stride,
                                   double* out) const {
    for (int64_t c = 0; c < k; ++c) out[c] = score(i, w + c * stride);
  }

  // into += step * x_i
  template <class Into>
  ROSENBLATT_INLINE void add(int64_t i, double step, Into into) const {
    const Value* row = x + i * d;
    for (int64_t j = 0; j < d; ++j) into[j] += step * double(row[j]);
  }

  // visit(j, x_j) for the features of row i, but for some that are 0.
  template <class Visit>
  ROSENBLATT_INLINE void each(int64_t i, Visit visit) const {
    const Value* row = x + i * d;
    for (int64_t j = 0; j < d; ++j) visit(j, double(row[j]));
  }

  // The terms of the features of row i, added up as those of a score are. None is -0.0, and that of
  // x_j = 0 is 0.
  template <class Term>
  ROSENBLATT_INLINE double sum(int64_t i, Term term) const {
    const Value* row = x + i * d;
    double lane[L] = {0};
    int64_t j = 0;
    for (; j + L <= d; j += L)
      for (int l = 0; l < L; ++l) lane[l] += term(j + l, double(row[j + l]));
    for (int l = 0; j + l < d; ++l) lane[l] += term(j + l, double(row[j + l]));
    return fold(lane);
  }

  // into_j += step * x_j / p_j
  template <class Into>
  ROSENBLATT_INLINE void add_over(int64_t i, double step, Into p, Into into) const {
    const Value* row = x + i * d;
    for (int64_t j = 0; j < d; ++j) into[j] += step * double(row[j]) / p[j];
  }

  // into_j += x_j^2 / r
  template <class Into>
  ROSENBLATT_INLINE void add_squares(int64_t i, double r, Into into) const {
    const Value* row = x + i * d;
    for (int64_t j = 0; j < d; ++j) into[j] += double(row[j]) * double(row[j]) / r;
  }

  // Sum of (u_j - v_j)^2 over the columns of row i: all of them.
  template <class Weights>
  ROSENBLATT_INLINE double apart(int64_t, Weights u, Weights v) const {
    double sum = 0;
    for (int64_t j = 0; j < d; ++j) sum += (u[j] - v[j]) * (u[j] - v[j]);
    return sum;
  }

  ROSENBLATT_INLINE int64_t ahead() const { return rows_ahead(d * int64_t(sizeof(Value))); }
  ROSENBLATT_INLINE void prefetch_place(int64_t) const {}
  template <int level>
  ROSENBLATT_INLINE void prefetch(int64_t i) const {
    prefetch_bytes<level>(x + i * d, d * int64_t(sizeof(Value)));
  }
};

// Column indices of a row are sorted and unique.
template <class Value, class Index>
struct Csr {
  const Value* x;
  const Index* column;
  const Index* start;  // row i is entries start[i] .. start[i + 1]
  int64_t n, d;

  template <class Sum>
  ROSENBLATT_INLINE Sum score(int64_t i, const Sum* w) const {
    Sum lane[L] = {0};
    for (Index k = start[i]; k < start[i + 1]; ++k)
      lane[column[k] & (L - 1)] += Sum(x[k]) * w[column[k]];
    return fold(lane) + w[d];
  }

  // As Dense has it; an entry is read once for two.
  ROSENBLATT_INLINE void score_rows(int64_t from, int64_t to, const double* const* w, int number,
                                    double* out) const {
    const double *const u = w[0], *const v = w[number - 1];
    for (int64_t i = from; i < to; ++i, ++out) {
      if (number == 1) {
        *out = score(i, u);
        continue;
      }
      double lane_u[L] = {0}, lane_v[L] = {0};
      for (Index k = start[i]; k < start[i + 1]; ++k) {
        const Index j = column[k];
        lane_u[j & (L - 1)] += double(x[k]) * u[j];
        lane_v[j & (L - 1)] += double(x[k]) * v[j];
      }
      out[0] = fold(lane_u) + u[d];
      out[block] = fold(lane_v) + v[d];
    }
  }

  ROSENBLATT_INLINE void score_all(int64_t i, const double* w, int64_t k, int64_t stride,
                                   double* out) const {
    for (int64_t c = 0; c < k; ++c) out[c] = score(i, w + c * stride);
  }

  // The same of C weight vectors that lie side by side: the first of feature j is w[j * width].
  template <int C, class Weights>
  ROSENBLATT_INLINE void score_side_by_side(int64_t i, Weights w, int64_t width,
                                            double* out) const {
    double lane[L][C] = {};
    for (Index e = start[i]; e < start[i + 1]; ++e) {
      const double value = double(x[e]);
      const Weights of_column = w + column[e] * width;
      double* const sum = lane[column[e] & (L - 1)];
      for (int c = 0; c < C; ++c) sum[c] += value * of_column[c];
    }
    for (int half = L / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l)
        for (int c = 0; c < C; ++c) lane[l][c] += lane[l + half][c];
    const Weights intercepts = w + d * width;
    for (int c = 0; c < C; ++c) out[c] = lane[0][c] + intercepts[c];
  }

  template <class Into>
  ROSENBLATT_INLINE void add(int64_t i, double step, Into into) const {
    for (Index k = start[i]; k < start[i + 1]; ++k) into[column[k]] += step * double(x[k]);
  }

  template <class Visit>
  ROSENBLATT_INLINE void each(int64_t i, Visit visit) const {
    for (Index k = start[i]; k < start[i + 1]; ++k) visit(column[k], double(x[k]));
  }

  template <class Term>
  ROSENBLATT_INLINE double sum(int64_t i, Term term) const {
    double lane[L] = {0};
    for (Index k = start[i]; k < start[i + 1]; ++k)
      lane[column[k] & (L - 1)] += term(column[k], double(x[k]));
    return fold(lane);
  }

  template <class Into>
  ROSENBLATT_INLINE void add_over(int64_t i, double step, Into p, Into into) const {
    for (Index k = start[i]; k < start[i + 1]; ++k)
      into[column[k]] += step * double(x[k]) / p[column[k]];
  }

  template <class Into>
  ROSENBLATT_INLINE void add_squares(int64_t i, double r, Into into) const {
    for (Index k = start[i]; k < start[i + 1]; ++k)
      into[column[k]] += double(x[k]) * double(x[k]) / r;
  }

  // Over the columns that row i has.
  template <class Weights>
  ROSENBLATT_INLINE double apart(int64_t i, Weights u, Weights v) const {
    double sum = 0;
    for (Index k = start[i]; k < start[i + 1]; ++k) {
      const double between = u[column[k]] - v[column[k]];
      sum += between * between;
    }
    return sum;
  }

  ROSENBLATT_INLINE int64_t ahead() const {
    return rows_ahead(start[n] / (n + 1) * int64_t(sizeof(Value) + sizeof(Index)));
  }
  // Where a row lies must be known before the row itself can be fetched.
  ROSENBLATT_INLINE void prefetch_place(int64_t i) const { ROSENBLATT_PREFETCH(start + i, 1); }
  template <int level>
  ROSENBLATT_INLINE void prefetch(int64_t i) const {
    const int64_t entries = start[i + 1] - start[i];
    prefetch_bytes<level>(column + start[i], entries * int64_t(sizeof(Index)));
    prefetch_bytes<level>(x + start[i], entries * int64_t(sizeof(Value)));
  }
};

// |(x_i, 1)|^2, or |x_i|^2 through the origin.
template <class Rows>
ROSENBLATT_INLINE double lifted_square(const Rows& rows, int64_t i, bool intercept) {
  return rows.sum(i, Square{}) + (intercept ? 1 : 0);
}

}  // namespace rosenblatt
