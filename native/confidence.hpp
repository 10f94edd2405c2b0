// Learners that remember how sure they are of each weight: AROW.
//
// That is its precision p, 1 at first (Arow in rules.hpp). A step is divided by it, feature by
// feature; the intercept has one of its own.
#pragma once

#include "joint.hpp"
#include "pass.hpp"

namespace rosenblatt {

// What is done with the weights of one class and their precisions.
struct Confident {
  const double* p;
  bool intercept;

  // The sum of x_j^2 / p_j, the intercept last.
  template <class Rows>
  ROSENBLATT_INLINE double square(const Rows& rows, int64_t i) const {
    return rows.sum(i, SquareOver{p}) + (intercept ? 1 / p[rows.d] : 0);
  }
  template <class Rows>
  ROSENBLATT_INLINE void add(const Rows& rows, int64_t i, double step, double* into) const {
    rows.add_over(i, step, p, into);
    if (intercept) into[rows.d] += step / p[rows.d];
  }
  template <class Rows>
  static ROSENBLATT_INLINE void confide(const Rows& rows, int64_t i, double r, bool intercept,
                                        double* p) {
    rows.add_squares(i, r, p);
    if (intercept) p[rows.d] += 1 / r;
  }
};

struct ConfidentLearner : Learner {
  double* precision;

  template <class Rows>
  ROSENBLATT_INLINE double square(const Rows& rows, int64_t i, const Sight&) const {
    return Confident{precision, intercept}.square(rows, i);
  }
  template <class Rows>
  ROSENBLATT_INLINE void add(const Rows& rows, int64_t i, double step) {
    const Confident sure{precision, intercept};
    sure.add(rows, i, step, w);
    if (drift) sure.add(rows, i, double(visits) * step, drift);
    counts.add(i);
    ++updates;
  }
  template <class Rows>
  ROSENBLATT_INLINE void confide(const Rows& rows, int64_t i, double r, const Sight&) {
    Confident::confide(rows, i, r, intercept, precision);
  }
};

template <class Rows>
ROSENBLATT_INLINE void step(const Rows& rows, int64_t i, double size, Sight seen,
                            ConfidentLearner& learner) {
  learner.note(i, seen.score);
  learner.add(rows, i, size * seen.y);
}

// Of many classes: the weights of the row's class and those of its rival.
struct ConfidentJointLearner : JointLearner<ByClass> {
  double* precision;  // by class, as the weights are

  ROSENBLATT_INLINE Confident of(int64_t c) const { return {precision + c * w.size, intercept}; }

  template <class Rows>
  ROSENBLATT_INLINE double square(const Rows& rows, int64_t i, const Standing& seen) const {
    return of(seen.y).square(rows, i) + of(seen.rival).square(rows, i);
  }
  template <class Rows>
  ROSENBLATT_INLINE void add(const Rows& rows, int64_t i, int64_t y, int64_t r, double step) {
    of(y).add(rows, i, step, w.w + y * w.size);
    of(r).add(rows, i, -step, w.w + r * w.size);
    if (drift) {
      const double shift = double(visits) * step;
      of(y).add(rows, i, shift, drift + y * w.size);
      of(r).add(rows, i, -shift, drift + r * w.size);
    }
    counted(i, y, r);
  }
  template <class Rows>
  ROSENBLATT_INLINE void confide(const Rows& rows, int64_t i, double r, const Standing& seen) {
    Confident::confide(rows, i, r, intercept, precision + seen.y * w.size);
    Confident::confide(rows, i, r, intercept, precision + seen.rival * w.size);
  }
};

template <class Rows>
ROSENBLATT_INLINE void step(const Rows& rows, int64_t i, double size, Standing seen,
                            ConfidentJointLearner& learner) {
  learner.note(i, seen);
  learner.add(rows, i, seen.y, seen.rival, size);
}

}  // namespace rosenblatt
