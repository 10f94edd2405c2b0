// What the dual learner needs: inner products, the sums of an update, the next row that calls for one.
//
// Inner products are for the Gram matrix, of a few rows with all rows or of one row with some.
//
// A product x·z is the score of x under the weights z and b = 0, in the precision of the weights. It
// has the same bits however many are computed together.
#pragma once

#include <cmath>
#include <vector>

#include "random.hpp"
#include "rows.hpp"
#include "rules.hpp"

namespace rosenblatt {

// All rows, P of them side by side, so that vector instructions run over rows and lanes need not be
// folded within a register: feature j of row i is x[(i / P * d + j) * P + i % P].
constexpr int64_t P = 16;

template <class Value, class Sum>
struct Products {
  const Value* x;
  int64_t n, d;
  const Sum* w;  // weight vectors of d + 1 numbers, one after another
  Sum* out;      // n scores for each of them

  // The rows from .. from + P under the weights first .. first + k: lanes and folds as in rows.hpp.
  template <int k>
  ROSENBLATT_INLINE void panel(int64_t from, int64_t first) const {
    const Value* const rows = x + from * d;
    const Sum* const weights = w + first * (d + 1);
    Sum lane[L][k][P];
    for (int l = 0; l < L; ++l) {
      Sum sum[k][P] = {};
      for (int64_t j = l; j < d; j += L) {
        Sum feature[P];  // (or the loops below are not vectorised)
        for (int t = 0; t < P; ++t) feature[t] = Sum(rows[j * P + t]);
        for (int a = 0; a < k; ++a)
          for (int t = 0; t < P; ++t) sum[a][t] += feature[t] * weights[a * (d + 1) + j];
      }
      for (int a = 0; a < k; ++a)
        for (int t = 0; t < P; ++t) lane[l][a][t] = sum[a][t];
    }
    for (int half = L / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l)
        for (int a = 0; a < k; ++a)
          for (int t = 0; t < P; ++t) lane[l][a][t] += lane[l + half][a][t];
    const int64_t present = from + P < n ? P : n - from;
    for (int a = 0; a < k; ++a)
      for (int64_t t = 0; t < present; ++t)
        out[(first + a) * n + from + t] = lane[0][a][t] + weights[a * (d + 1) + d];
  }

  // The rows begin .. end under `count` weight vectors; they are read once. `begin` is where a panel
  // begins.
  ROSENBLATT_INLINE void compute(int64_t count, int64_t begin, int64_t end) const {
    for (int64_t from = begin; from < end; from += P) {
      if (from + P < n) prefetch_bytes<1>(x + (from + P) * d, P * d * int64_t(sizeof(Value)));
      int64_t a = 0;
      for (; a + 2 <= count; a += 2) panel<2>(from, a);
      if (a < count) panel<1>(from, a);
    }
  }
};

// out[k] = the score of row some[k] under w; of row k where `all` are asked for.
template <class Rows, class Sum>
ROSENBLATT_INLINE void scores_of_some(const Rows& rows, const Sum* w, Indices some, bool all,
                                      int64_t size, Sum* out) {
  for (int64_t k = 0; k < size; ++k) out[k] = rows.score(all ? k : some[k], w);
}

// The kernel exp(-gamma |x - z|^2) of `count` x and n z: inner products become what exp is asked
// for. Rounding can make |x|^2 + |z|^2 - 2 x.z negative.
template <class Value>
ROSENBLATT_INLINE void rbf_exponents(Value* products, const Value* x_squares, int64_t count,
                                     const Value* z_squares, int64_t n, Value minus_gamma) {
  for (int64_t a = 0; a < count; ++a)
    for (int64_t i = 0; i < n; ++i) {
      Value& value = products[a * n + i];
      value = std::abs(value * Value(-2) + z_squares[i] + x_squares[a]) * minus_gamma;
    }
}

// into[s] += steps[s][0] * values[0], then += steps[s][1] * values[1], ... for each of several sums,
// from place `begin` to `end`: in blocks that stay in cache, so that values are read from memory once.
template <class Value>
ROSENBLATT_INLINE void add(const std::vector<const Value*>& values,
                           const std::vector<std::vector<double>>& steps,
                           const std::vector<double*>& into, int64_t begin, int64_t end) {
  constexpr int64_t block = 1024;
  const size_t count = values.size();
  for (int64_t from = begin; from < end; from += block) {
    const int64_t to = from + block < end ? from + block : end;
    for (size_t a = 0; a < count; ++a) {
      if (a + 1 < count)
        prefetch_bytes<1>(values[a + 1] + from, (to - from) * int64_t(sizeof(Value)));
      const Value* const row = values[a];
      for (size_t s = 0; s < into.size(); ++s) {
        double* const sums = into[s];
        const double step = steps[s][a];
        for (int64_t i = from; i < to; ++i) sums[i] += step * double(row[i]);
      }
    }
  }
}

// The first place from `at` on whose margin y (sum + b) calls for an update, or n.
template <class Labels, class Rule>
ROSENBLATT_INLINE int64_t next_call(Labels labels, const double* sums, int64_t n, double b,
                                    Rule rule, int64_t at) {
  while (at < n && !rule.calls(labels.margin(at, sums[at] + b))) ++at;
  return at;
}

}  // namespace rosenblatt
