// Rows of few features, whose number is known when this is compiled. The same bits as Dense.
//
// Nothing is computed for lanes that stay zero, and the weights lie in registers while rows go by.
#pragma once

#include "pass.hpp"
#include "rows.hpp"

namespace rosenblatt {

constexpr int longest_short = 12;  // with more features it gains nothing

// As `fold` of L lanes, those from `lanes` on being 0: adding them would change nothing.
template <int lanes>
ROSENBLATT_INLINE double fold_first(const double* lane) {
  if constexpr (lanes == L) return fold(lane);
  if constexpr (lanes == 1) return lane[0];
  if constexpr (lanes == 2) return lane[0] + lane[1];
  if constexpr (lanes == 4) return (lane[0] + lane[2]) + (lane[1] + lane[3]);
  if constexpr (lanes == 8) {
    double four[4];
    for (int l = 0; l < 4; ++l) four[l] = lane[l] + lane[l + 4];
    return fold_first<4>(four);
  }
}

template <class Value, int D>
struct Short : Dense<Value> {
  static constexpr int64_t d = D;
  using Dense<Value>::x;

  ROSENBLATT_INLINE double score(int64_t i, const double* w) const {
    constexpr int lanes = D <= 1 ? 1 : D <= 2 ? 2 : D <= 4 ? 4 : D <= 8 ? 8 : L;
    const Value* row = x + i * D;
    double lane[lanes] = {0};
    for (int l = 0; l < D; ++l) lane[l] += double(row[l]) * w[l];
    return fold_first<lanes>(lane) + w[D];
  }
  ROSENBLATT_INLINE void score_rows(int64_t from, int64_t to, const double* const* w, int number,
                                    double* out) const {
    for (int a = 0; a < number; ++a)
      for (int64_t i = from; i < to; ++i) out[a * block + i - from] = score(i, w[a]);
  }
  ROSENBLATT_INLINE void add(int64_t i, double step, double* into) const {
    const Value* row = x + i * D;
    for (int j = 0; j < D; ++j) into[j] += step * double(row[j]);
  }
  ROSENBLATT_INLINE int64_t ahead() const { return rows_ahead(D * int64_t(sizeof(Value))); }
  template <int level>
  ROSENBLATT_INLINE void prefetch(int64_t i) const {
    prefetch_bytes<level>(x + i * D, D * int64_t(sizeof(Value)));
  }
};

// use(rows): as they are, or as Short.
template <class Rows, class Use>
void with_length(const Rows& rows, Use&& use) {
  use(rows);
}
template <int D = 1, class Value, class Use>
void with_length(const Dense<Value>& rows, Use&& use) {
  if constexpr (D > longest_short) use(rows);
  else if (rows.d == D) use(Short<Value, D>{rows});
  else with_length<D + 1>(rows, use);
}

// use(rows, learner), whose weights are where the compiler can keep them in registers.
template <class Rows, class Use>
ROSENBLATT_INLINE void with_weights_at_hand(const Rows&, Learner& learner, Use&& use) {
  use(learner);
}
template <class Value, int D, class Use>
ROSENBLATT_INLINE void with_weights_at_hand(const Short<Value, D>&, Learner& learner, Use&& use) {
  double w[D + 1], drift[D + 1] = {0};
  for (int j = 0; j <= D; ++j) w[j] = learner.w[j];
  if (learner.drift)
    for (int j = 0; j <= D; ++j) drift[j] = learner.drift[j];
  Learner near{w, learner.drift ? drift : nullptr, learner.counts, learner.intercept,
               learner.visits, learner.updates, learner.log};
  use(near);
  for (int j = 0; j <= D; ++j) learner.w[j] = w[j];
  if (learner.drift)
    for (int j = 0; j <= D; ++j) learner.drift[j] = drift[j];
  learner.visits = near.visits;
  learner.updates = near.updates;
}

}  // namespace rosenblatt
