// Many epochs in one call, for rows that are few: visits, the average, judging.
//
// Nothing new is defined here: the loop in Python makes the same calls one by one, with the same result to the bit.
#pragma once

#include <cmath>
#include <functional>

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

// Those of a learner. joint.hpp has the same of many classes.
ROSENBLATT_INLINE double* weights_of(const Learner& learner) { return learner.w; }
ROSENBLATT_INLINE double* drift_of(const Learner& learner) { return learner.drift; }

struct Epochs {
  using CountBoth = std::function<void(double* other, const double* limit, Tally* total)>;
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
  // not judged: the caller looks). Returns how many were made. visit_all(order) is one epoch of the
  // learner, and count_both(other, limit, total) counts the mistakes of its weights and of others.
  template <class Learner>
  int64_t run(int64_t most, int64_t size, Learner& learner, Kept& kept,
              const std::function<void(Indices order)>& visit_all, const CountBoth& count_both) {
    clean = false;
    for (int64_t e = 0; e < most; ++e) {
      const int64_t before = learner.updates;
      if (pool) arrange(pool, present, n, seed, made, n);
      visit_all(pool ? pool : present);
      ++made;
      updates[e] = learner.updates - before;
      clean = updates[e] == 0;
      const bool finite = find_average(learner, size);
      if (finite && kept.w) judge(weights_of(learner), size, kept, count_both);
      standing[e] = kept.w ? kept.mistakes.weighted : double(updates[e]);
      if (clean || !finite) return e + 1;
    }
    return most;
  }

  // False: the weights overflowed.
  template <class Learner>
  bool find_average(const Learner& learner, int64_t size) {
    const double *const w = weights_of(learner), *const drift = drift_of(learner);
    if (!drift) return all_finite(w, size);
    for (int64_t j = 0; j < size; ++j) average[j] = w[j] - drift[j] / double(learner.visits);
    // A mean of finite weights can overflow, if they nearly did.
    return all_finite(average, size) || (all_finite(w, size) && all_finite(drift, size));
  }

  // After an epoch the last and the averaged weights are compared with the kept ones.
  void judge(const double* last, int64_t size, Kept& kept, const CountBoth& count_both) {
    const double* const rivals[2] = {last, average};
    // Known without counting: after a clean epoch the last weights make no mistake.
    if (clean && kept.replaced_by(0, false)) kept.keep(rivals[0], {0, 0}, false, size);
    // One that has reached its limit has lost; then the limit of the last weights is 0.
    const double limit[2] = {kept.limit(false), kept.limit(true)};
    Tally total[2] = {{0, 0}, {0, 0}};
    count_both(average, limit, total);
    for (int a = 0; a < 2; ++a)
      if (kept.replaced_by(total[a].weighted, a == 1))
        kept.keep(rivals[a], total[a], a == 1, size);
  }
};

}  // namespace rosenblatt
