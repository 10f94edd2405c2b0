// Many epochs in one call, for rows that are few: visits, the average, judging.
//
// Nothing new is defined here: the loop in Python makes the same calls one by one, with the same result to the bit.
#pragma once

#include <cmath>

#include "count.hpp"
#include "pass.hpp"

namespace rosenblatt {

// The weights with the fewest mistakes so far; w is null where none are kept.
struct Kept {
  double* w;
  Tally mistakes;
  bool averaged;

  // Of weights with equally many mistakes an average is kept, then the older ones.
  ROSENBLATT_INLINE bool replaced_by(double weighted, bool by_average) const {
    return weighted < mistakes.weighted ||
           (weighted == mistakes.weighted && by_average && !averaged);
  }
  // Newer weights whose weighted mistakes reach this do not replace these. An average may equal
  // them: what lies between `weighted` and the next number is reached by no sum.
  ROSENBLATT_INLINE double limit(bool for_average) const {
    const double least = mistakes.weighted;
    return for_average && !averaged ? std::nextafter(least, INFINITY) : least;
  }
  ROSENBLATT_INLINE void keep(const double* newer, Tally tally, bool is_average, int64_t size) {
    for (int64_t j = 0; j < size; ++j) w[j] = newer[j];
    mistakes = tally;
    averaged = is_average;
  }
};

// Two lifted weight vectors, wherever they are.
struct Pair {
  const double *first, *second;
  static constexpr int64_t k = 2;
  ROSENBLATT_INLINE const double* operator[](int64_t a) const { return a == 0 ? first : second; }
};

// Those of a learner, how many numbers they are, and the mistakes of these and of another set of
// weights. joint.hpp has the same of many classes.
ROSENBLATT_INLINE double* weights_of(const Learner& learner) { return learner.w; }

template <class Rows>
ROSENBLATT_INLINE int64_t numbers_of(const Rows& rows, const Learner&) {
  return rows.d + 1;
}

template <class Rows>
ROSENBLATT_INLINE void count_both(const Rows& rows, Labels labels, const Learner& learner,
                                  const double* other, const double* limit, Tally* total) {
  count(rows, labels, Pair{learner.w, other}, limit, 0, rows.n, total);
}

struct Epochs {
  Indices present;  // the rows that exist; empty: all
  Indices pool;     // room for a permutation of them; empty: they come in the given order
  int64_t n;        // how many exist
  uint64_t seed;
  int64_t made;      // epochs so far: permutation number `made` is the next one
  int64_t* updates;  // of each epoch of this call,
  double* standing;  // and the weighted mistakes of what is kept after it
  double* average;   // room for the weights
  bool clean;        // the last epoch had no update

  // At most `most` epochs; ends after a clean one, and after one whose weights overflowed (they are
  // not judged: the caller looks). Returns how many were made.
  template <class Rows, class Labels, class Rule, class Learner>
  ROSENBLATT_INLINE int64_t run(const Rows& rows, Labels labels, Rule rule, int64_t most,
                                Learner& learner, Kept& kept) {
    const int64_t size = numbers_of(rows, learner);
    clean = false;
    for (int64_t e = 0; e < most; ++e) {
      const int64_t before = learner.updates;
      if (pool) arrange(pool, present, n, seed, made, n);
      pass(rows, labels, rule, pool ? pool : present, 0, n, INT64_MAX - before, learner);
      ++made;
      updates[e] = learner.updates - before;
      clean = updates[e] == 0;
      const bool finite = find_average(learner, size);
      if (finite && kept.w) judge(rows, labels, learner, kept);
      standing[e] = kept.w ? kept.mistakes.weighted : double(updates[e]);
      if (clean || !finite) return e + 1;
    }
    return most;
  }

  // False: the weights overflowed.
  template <class Learner>
  ROSENBLATT_INLINE bool find_average(const Learner& learner, int64_t size) {
    const double* const w = weights_of(learner);
    if (!learner.drift) return all_finite(w, size);
    for (int64_t j = 0; j < size; ++j)
      average[j] = w[j] - learner.drift[j] / double(learner.visits);
    // A mean of finite weights can overflow, if they nearly did.
    return all_finite(average, size) ||
           (all_finite(w, size) && all_finite(learner.drift, size));
  }

  // After an epoch the last and the averaged weights are compared with the kept ones.
  template <class Rows, class Labels, class Learner>
  ROSENBLATT_INLINE void judge(const Rows& rows, Labels labels, const Learner& learner,
                               Kept& kept) {
    const int64_t size = numbers_of(rows, learner);
    const double* const rivals[2] = {weights_of(learner), average};
    // Known without counting: after a clean epoch the last weights make no mistake.
    if (clean && kept.replaced_by(0, false)) kept.keep(rivals[0], {0, 0}, false, size);
    // One that has reached its limit has lost; then the limit of the last weights is 0.
    const double limit[2] = {kept.limit(false), kept.limit(true)};
    Tally total[2] = {{0, 0}, {0, 0}};
    count_both(rows, labels, learner, average, limit, total);
    for (int a = 0; a < 2; ++a)
      if (kept.replaced_by(total[a].weighted, a == 1))
        kept.keep(rivals[a], total[a], a == 1, size);
  }
};

}  // namespace rosenblatt
