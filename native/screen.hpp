// Exact screening: rows that certainly do not call for an update are passed over unread.
//
// Let r be reference weights under which every row was scored, and w the weights now, both lifted;
// x~ = (x, 1), or x through the origin; N_i >= |x~_i|. By Cauchy and Schwarz
//
//     y_i s_i(w)  >=  y_i s_i(r) - |w - r| |x~_i|,
//
// so row i does not call for an update while   slack_i = (y_i s_i(r) - margin) / N_i  >  |w - r|.
// One float a row is all that a visit reads, and the updates are the same.
//
// Rounding. What decides is the computed score S, not s. A product passes through at most
// d/16 + 7 roundings until it is in S (rows.hpp), so with g = (d/16 + 16) 2^-52
//
//     |S(w) - s(w)|  <=  g N |w| + d 2^-1074,     the last for products that underflow.
//
// With |w| <= |r| + |w - r|, the computed margin y S_i(w) is above `margin` where
//
//     (y S_i(r) - margin) / N_i  >  |w - r| + g (2 |r| + |w - r|) + 2 d 2^-1074 / N_i.
//
// The right side without its last term is the reach of w. Lengths are computed as upper bounds. All
// other roundings, and what underflows in products and squares, are covered by keeping slack a
// millionth (2^-20) too small and the reach as much too large: rows with slack below 1e-30 or
// y S_i(r) - margin below 1e-250 are never skipped, and beside these numbers it is nothing. Nor is
// anything skipped where a row or the weights are longer than 1e140, or where a number is not
// finite: so no sum overflows in a row that is skipped.
#pragma once

#include <cmath>

#include "count.hpp"
#include "dispatch.hpp"
#include "pass.hpp"
#include "rows.hpp"

namespace rosenblatt {

constexpr double longest = 1e140;       // of rows and weights
constexpr double a_millionth = 0x1p-20;
constexpr float never = -1;             // the slack of a row that is always looked at

// The slack of row i, whose margin is `over` above the one that is asked for; `factor` is 1, or that
// of many classes.
template <class Rows>
ROSENBLATT_INLINE float slack_of(const Rows& rows, int64_t i, double over, double factor,
                                 bool intercept) {
  const double above = 1 + double(rows.d + 16) * 0x1p-52;  // sums of squares, rounded upwards
  const double square = lifted_square(rows, i, intercept);
  const double length = std::sqrt(square) * above * factor, ratio = over / length;
  const bool sound = square > 1e-280 && length < longest && over > 1e-250 && ratio > 1e-30;
  return sound ? float((ratio < 1e37 ? ratio : 1e37) * (1 - a_millionth)) : never;
}

// slack[begin .. end) of the rows, with w as the reference.
template <class Rows>
ROSENBLATT_INLINE void refer(const Rows& rows, Labels labels, double margin, bool intercept,
                             const double* w, int64_t begin, int64_t end, float* slack) {
  for (int64_t i = begin; i < end; ++i)
    slack[i] = slack_of(rows, i, labels.margin(i, rows.score(i, w)) - margin, 1, intercept);
}

// How far weights are from the reference, as an upper bound on the slack of rows they may get wrong.
struct Reach {
  double above, g;        // relative errors: of sums of squares, of scores
  double length, square;  // |r|; |w - r|^2, at least
  float now;

  // `size`: numbers of all weights.
  ROSENBLATT_INLINE Reach(const double* r, const double* w, int64_t d, int64_t size)
      : above(double(size + 15) * 0x1p-52), g(double(d / L + 16) * 0x1p-52) {
    double of_reference = 0, apart = 0;
    for (int64_t j = 0; j < size; ++j) {
      of_reference += r[j] * r[j];
      apart += (w[j] - r[j]) * (w[j] - r[j]);
    }
    length = std::sqrt(of_reference * (1 + above));
    set(apart * (1 + above));
  }

  ROSENBLATT_INLINE void set(double at_least) {
    square = at_least > 0 || at_least != at_least ? at_least : 0;
    const double apart = std::sqrt(square), all = apart + g * (2 * length + apart);
    const bool sound = length + apart < longest && all < 1e38;
    now = sound ? float(all * (1 + a_millionth)) : INFINITY;
  }

  // Some weights moved; their squared distances from the reference summed to `before`, now to
  // `after`. Both sums may be wrong by a factor 1 -+ (d + 4) 2^-53, and four more roundings follow.
  ROSENBLATT_INLINE void moved(double before, double after) {
    set(square + (after - before) + above * (square + after + before));
  }
};

// Squared distance of w from r in the weights that a step with row i moves.
template <class Rows, class Weights>
ROSENBLATT_INLINE double apart(const Rows& rows, int64_t i, Weights w, Weights r, bool intercept) {
  const double b = intercept ? w[rows.d] - r[rows.d] : 0;
  return rows.apart(i, w, r) + b * b;
}

template <class Rows>
ROSENBLATT_INLINE double apart(const Rows& rows, int64_t i, Sight, const Learner& learner,
                               const double* r) {
  const double* const w = learner.w;
  return apart(rows, i, w, r, learner.intercept);
}

ROSENBLATT_INLINE Reach reach_of(const Learner& learner, const double* r, int64_t d) {
  return {r, learner.w, d, d + 1};
}

ROSENBLATT_INLINE int lowest_bit(uint32_t bits) {
#if defined(__GNUC__)
  return __builtin_ctz(bits);
#else
  int l = 0;
  while (!(bits >> l & 1)) ++l;
  return l;
#endif
}

// The places from .. to whose rows are within reach, as offsets from `from`. Returns their number.
// Most are not, so 32 are looked at together, without a branch for each.
template <class SlackAt>
ROSENBLATT_INLINE int within(SlackAt slack_at, int64_t from, int64_t to, float reach,
                             int32_t* offset) {
  constexpr int together = 32;
  int found = 0;
  int64_t k = from;
  for (; k + together <= to; k += together) {
    uint32_t near = 0;
    for (int l = 0; l < together; ++l) near |= uint32_t(!(slack_at(k + l) > reach)) << l;
    for (; near; near &= near - 1) offset[found++] = int32_t(k - from) + lowest_bit(near);
  }
  for (; k < to; ++k)
    if (!(slack_at(k) > reach)) offset[found++] = int32_t(k - from);
  return found;
}

inline int within(const float* slack, Indices order, int64_t from, int64_t to, float reach,
                  int32_t* offset) {
  const auto of_row = [=](int64_t i) ROSENBLATT_LAMBDA_INLINE { return slack[i]; };
  const auto narrow = [=](int64_t k) ROSENBLATT_LAMBDA_INLINE { return slack[order.narrow[k]]; };
  const auto wide = [=](int64_t k) ROSENBLATT_LAMBDA_INLINE { return slack[order.wide[k]]; };
  int found = 0;
  run([&]() ROSENBLATT_LAMBDA_INLINE {
    found = !order         ? within(of_row, from, to, reach, offset)
            : order.narrow ? within(narrow, from, to, reach, offset)
                           : within(wide, from, to, reach, offset);
  });
  return found;
}

// As `pass`, with the same updates: rows beyond reach are visited without a look. Stops, too, when
// `looks` rows were looked at, or a few more; `looks` returns how many are left.
template <class Rows, class Labels, class Rule, class Learner>
ROSENBLATT_INLINE int64_t screened_pass(const Rows& rows, Labels labels, Rule rule, Indices order,
                                        int64_t begin, int64_t end, int64_t most,
                                        const float* slack, const double* reference,
                                        int64_t& looks, Learner& learner) {
  constexpr int64_t least = 32, room = 1024;
  int32_t offset[room];
  const int64_t visits = learner.visits - begin, stop = learner.updates + most;
  const int ahead = int(rows.ahead());
  Reach reach = reach_of(learner, reference, rows.d);
  int64_t k = begin, some = least;
  while (k < end && learner.updates < stop && looks > 0) {
    const int64_t from = k, to = from + some < end ? from + some : end;
    const auto row = [&](int f) { return order ? order[from + offset[f]] : from + offset[f]; };
    const int found = within(slack, order, from, to, reach.now, offset);
    for (int f = 0; f < found && f < ahead; ++f) rows.template prefetch<1>(row(f));
    k = to;
    some = some < room ? 2 * some : room;
    for (int f = 0; f < found; ++f) {
      if (f + ahead < found) rows.template prefetch<1>(row(f + ahead));
      const int64_t i = row(f);
      --looks;
      const auto seen = see(rows, labels, i, learner);
      if (!rule.calls(seen.m)) continue;
      k = from + offset[f];
      const double before = apart(rows, i, seen, learner, reference);
      learner.visits = visits + k++;
      update(rows, labels, rule, i, seen, learner);
      reach.moved(before, apart(rows, i, seen, learner, reference));
      some = least;  // what is within reach has changed: the rows after this one once more
      break;
    }
  }
  learner.visits = visits + k;
  return k;
}

// The reach of weights to be counted. Only the signs of their scores matter, so w may be scaled: the
// multiple nearest to the reference. (Its rounding is one more of the 16 in g.)
ROSENBLATT_INLINE float reach_of_signs(const double* r, const double* w, double* scaled, int64_t d,
                                       int64_t size) {
  double along = 0, square = 0;
  for (int64_t j = 0; j < size; ++j) {
    along += w[j] * r[j];
    square += w[j] * w[j];
  }
  const double ratio = along / square, factor = ratio > 0x1p-30 && ratio < 0x1p30 ? ratio : 1;
  for (int64_t j = 0; j < size; ++j) scaled[j] = factor * w[j];
  return Reach(r, scaled, d, size).now;
}

// As `count`, with the same totals, of `number` candidates; margin(a, i) is that of row i under
// candidate a. Returns the place reached, which is the end unless all are dropped; looked[a] grows by
// the rows that were scored with candidate a.
template <class Labels, class Margin>
ROSENBLATT_INLINE int64_t screened_count(Labels labels, int64_t number, Margin margin,
                                      const double* limit, int64_t begin, int64_t end,
                                      const float* slack, const float* reach, Tally* total,
                                      int64_t* looked) {
  int32_t offset[block];
  for (int64_t from = begin; from < end; from += block) {
    const int64_t to = from + block < end ? from + block : end;
    bool alive = false;
    for (int64_t a = 0; a < number; ++a) {
      if (total[a].weighted >= limit[a]) continue;
      alive = true;
      const int found = within(slack, {nullptr, nullptr}, from, to, reach[a], offset);
      for (int f = 0; f < found; ++f) {
        const int64_t i = from + offset[f];
        total[a].add(margin(a, i), labels.weight(i));
      }
      looked[a] += found;
    }
    if (!alive) return from;
  }
  return end;
}

}  // namespace rosenblatt
