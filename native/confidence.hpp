// Learners that remember how sure they are of each weight: AROW.
//
// That is its precision p, 1 at first (Arow in rules.hpp). A step is divided by it, feature by
// feature; the intercept has one of its own.
#pragma once

#include "joint.hpp"
#include "pass.hpp"

namespace rosenblatt {

// What is done with the weights of one class and their precisions: pointers, or what reads as such.
template <class Precisions>
struct Confident {
  Precisions p;
  bool intercept;

  // The sum of x_j^2 / p_j, the intercept last.
  template <class Rows>
  ROSENBLATT_INLINE double square(const Rows& rows, int64_t i) const {
    return rows.sum(i, SquareOver<Precisions>{p}) + (intercept ? 1 / p[rows.d] : 0);
  }
  template <class Rows>
  ROSENBLATT_INLINE void add(const Rows& rows, int64_t i, double step, Precisions into) const {
    rows.add_over(i, step, p, into);
    if (intercept) into[rows.d] += step / p[rows.d];
  }
  template <class Rows>
  ROSENBLATT_INLINE void confide(const Rows& rows, int64_t i, double r) const {
    rows.add_squares(i, r, p);
    if (intercept) p[rows.d] += 1 / r;
  }
};

struct ConfidentLearner : Learner {
  double* precision;

  ROSENBLATT_INLINE Confident<double*> sure() const { return {precision, intercept}; }

  template <class Rows>
  ROSENBLATT_INLINE double square(const Rows& rows, int64_t i, const Sight&) const {
    return sure().square(rows, i);
  }
  template <class Rows>
  ROSENBLATT_INLINE void add(const Rows& rows, int64_t i, double step) {
    sure().add(rows, i, step, w);
    if (drift) sure().add(rows, i, double(visits) * step, drift);
    counts.add(i);
    ++updates;
  }
  template <class Rows>
  ROSENBLATT_INLINE void confide(const Rows& rows, int64_t i, double r, const Sight&) {
    sure().confide(rows, i, r);
  }
};

template <class Rows>
ROSENBLATT_INLINE void step(const Rows& rows, int64_t i, double size, Sight seen,
                            ConfidentLearner& learner) {
  learner.note(i, seen.score);
  learner.add(rows, i, size * seen.y);
}

// Of many classes: the weights of the row's class and those of its rival.
template <class Weights>
struct ConfidentJointLearner : JointLearner<Weights> {
  using Base = JointLearner<Weights>;
  using Base::counted, Base::drift, Base::intercept, Base::visits, Base::w;
  Weights precision;  // they lie as the weights do

  ROSENBLATT_INLINE auto of(int64_t c) const {
    return Confident<decltype(precision.of(c))>{precision.of(c), intercept};
  }

  template <class Rows>
  ROSENBLATT_INLINE double square(const Rows& rows, int64_t i, const Standing& seen) const {
    return of(seen.y).square(rows, i) + of(seen.rival).square(rows, i);
  }
  template <class Rows>
  ROSENBLATT_INLINE void add(const Rows& rows, int64_t i, int64_t y, int64_t r, double step) {
    of(y).add(rows, i, step, w.of(y));
    of(r).add(rows, i, -step, w.of(r));
    if (drift.w) {
      const double shift = double(visits) * step;
      of(y).add(rows, i, shift, drift.of(y));
      of(r).add(rows, i, -shift, drift.of(r));
    }
    counted(i, y, r);
  }
  template <class Rows>
  ROSENBLATT_INLINE void confide(const Rows& rows, int64_t i, double r, const Standing& seen) {
    of(seen.y).confide(rows, i, r);
    of(seen.rival).confide(rows, i, r);
  }
};

template <class Rows, class Weights>
ROSENBLATT_INLINE void step(const Rows& rows, int64_t i, double size, Standing seen,
                            ConfidentJointLearner<Weights>& learner) {
  learner.note(i, seen);
  learner.add(rows, i, seen.y, seen.rival, size);
}

}  // namespace rosenblatt
