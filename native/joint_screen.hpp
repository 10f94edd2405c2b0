// Exact screening of rows of many classes: screen.hpp with the weights of all classes as one vector.
//
// Let R be the reference weights of all classes, W those now, and |W - R| the length of the difference of
// all their numbers. For a row of class y and any other class c, by Cauchy and Schwarz,
//
//     s_y(W) - s_c(W)  >=  s_y(R) - s_c(R) - (|w_y - r_y| + |w_c - r_c|) |x~|
//                      >=  m(R) - sqrt(2) |W - R| |x~|,
//
// where m(R) is the row's margin under R, against its rival there. So the row does not call for an
// update while   slack = (m(R) - margin) / (sqrt(2) N)  >  |W - R|.
//
// Rounding. A computed score is off by at most g' N |w_c| + d 2^-1074 with g' = (d/16 + 7) 2^-53 and a
// little (screen.hpp); the subtraction adds a relative 2^-53. A computed margin is therefore off by at most
// g N (|w_y| + |w_c|) <= g sqrt(2) N |W|, with the g of screen.hpp to spare, and what holds there of
// N, |w| and |w - r| holds of sqrt(2) N, |W| and |W - R|. Scaling W by a positive number keeps the order
// of its scores, as it keeps the sign of one.
#pragma once

#include "joint.hpp"
#include "screen.hpp"

namespace rosenblatt {

constexpr double root_of_two = 1.41421356237309515;  // rounded upwards

template <class Rows, class Weights>
ROSENBLATT_INLINE void refer(const Rows& rows, ClassLabels labels, double margin, bool intercept,
                             Weights w, int64_t begin, int64_t end, double* scores, float* slack) {
  for (int64_t i = begin; i < end; ++i) {
    const double over = standing(rows, w, i, labels.y[i], scores).m - margin;
    slack[i] = slack_of(rows, i, over, root_of_two, intercept);
  }
}

// A step moves the weights of two classes. The reference r lies as the weights do.
template <class Rows, class Weights>
ROSENBLATT_INLINE double apart(const Rows& rows, int64_t i, Standing seen,
                               const JointLearner<Weights>& learner, const double* r) {
  const Weights w = learner.w, from = w.at(const_cast<double*>(r));
  return apart(rows, i, w.of(seen.y), from.of(seen.y), learner.intercept) +
         apart(rows, i, w.of(seen.rival), from.of(seen.rival), learner.intercept);
}

template <class Weights>
ROSENBLATT_INLINE Reach reach_of(const JointLearner<Weights>& learner, const double* r, int64_t d) {
  return {r, learner.w.w, d, learner.w.k * learner.w.size};
}

}  // namespace rosenblatt
