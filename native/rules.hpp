// When to step, and how far: one struct of a few lines per rule, in units of the learning rate.
//
// m is the margin y_i (w.x_i + b) of the row looked at, c its weight. A rule says whether the row
// calls for an update and by how much: w += step y_i x_i, b += step y_i. square() is computed where a
// rule asks for it: |(x_i, 1)|^2, or |x_i|^2 through the origin; of many classes twice that, as the
// update changes the weights of two; square.updates() is how many this call has made. What a rule remembers besides the weights, `learned` changes.
#pragma once

#include "rows.hpp"

namespace rosenblatt {

// Rosenblatt, "The perceptron", Psychological Review 65 (1958); with margin > 0 the fixed-increment
// rule with margin of Duda and Hart, Pattern Classification and Scene Analysis (1973), 5.5.
// A row on the hyperplane is a mistake, and so is a row whose score overflowed to NaN.
struct FixedIncrement {
  double margin;
  ROSENBLATT_INLINE bool calls(double m) const { return !(m > margin); }
  ROSENBLATT_INLINE double step(double c) const { return c; }
  template <class Square>
  ROSENBLATT_INLINE double step(double c, double, Square) const {
    return step(c);
  }
  template <class... Any>
  ROSENBLATT_INLINE void learned(const Any&...) const {}
};

// A rate that decays: step t, counted from 0, is c / (1 + decay t). `before`: updates before this call.
struct Decaying {
  double margin, decay;
  int64_t before;
  ROSENBLATT_INLINE bool calls(double m) const { return !(m > margin); }
  template <class Square>
  ROSENBLATT_INLINE double step(double c, double, Square square) const {
    return c / (1 + decay * double(before + square.updates()));
  }
};

// An L2 penalty: in a visit the weights, not the intercept, lose the share `part` of themselves, less
// where the rate decays. All that visits take is taken at once, every 32 visits.
struct Penalty {
  static constexpr int64_t every = 32;
  double part;
  ROSENBLATT_INLINE double left(double decay, int64_t updates) const {
    double factor = 1 - part / (1 + decay * double(updates));
    for (int64_t visits = 1; visits < every; visits *= 2) factor *= factor;
    return factor;
  }
};

// Agmon, "The relaxation method for linear inequalities", Canadian Journal of Mathematics 6 (1954); Duda
// and Hart (1973), 5.6: the share `part` of the way to the margin 1. A row of zeros has no way there.
struct Relaxation {
  double part;
  ROSENBLATT_INLINE bool calls(double m) const { return !(m > 1); }
  template <class Square>
  ROSENBLATT_INLINE double step(double c, double m, Square square) const {
    const double whole = square();
    return whole > 0 ? c * part * (1 - m) / whole : 0;
  }
};

// Crammer, Dekel, Keshet, Shalev-Shwartz and Singer, "Online passive-aggressive algorithms", JMLR 7
// (2006): the shortest step after which the margin is 1, held back by C, which a weight multiplies.
// PA-I: no longer than C. PA-II (`squared`): the squared loss that is left counts C times.
struct PassiveAggressive {
  double C;
  bool squared;
  ROSENBLATT_INLINE bool calls(double m) const { return !(m >= 1); }
  template <class Square>
  ROSENBLATT_INLINE double step(double c, double m, Square square) const {
    const double loss = 1 - m, most = C * c;
    if (squared) return loss / (square() + 0.5 / most);
    const double whole = loss / square();
    return whole < most ? whole : most;
  }
};

// One of those three, told apart at every row, so that the ways through the rows are compiled once.
struct OneOf {
  enum Which { decaying, relaxation, passive_aggressive } which;
  Decaying decays;
  Relaxation relaxes;
  PassiveAggressive aggressive;
  Penalty penalty;  // of the first
  ROSENBLATT_INLINE bool calls(double m) const {
    if (which == decaying) return decays.calls(m);
    return which == relaxation ? relaxes.calls(m) : aggressive.calls(m);
  }
  template <class Square>
  ROSENBLATT_INLINE double step(double c, double m, Square square) const {
    if (which == decaying) return decays.step(c, m, square);
    return which == relaxation ? relaxes.step(c, m, square) : aggressive.step(c, m, square);
  }
  template <class... Any>
  ROSENBLATT_INLINE void learned(const Any&...) const {}
};

// Crammer, Kulesza and Dredze, "Adaptive regularization of weight vectors", NIPS 22 (2009), with a
// diagonal matrix, kept as its inverse p: features that were often seen move less. The step goes to
// w_j += step y_i x_j / p_j, square() is the sum of x_j^2 / p_j, and then p_j += x_j^2 / r. A weight
// divides r.
struct Arow {
  double r;
  ROSENBLATT_INLINE bool calls(double m) const { return !(m >= 1); }
  template <class Square>
  ROSENBLATT_INLINE double step(double c, double m, Square square) const {
    return (1 - m) / (square() + r / c);
  }
  template <class Rows, class Seen, class Learner>
  ROSENBLATT_INLINE void learned(const Rows& rows, int64_t i, double c, const Seen& seen,
                                 Learner& learner) const {
    learner.confide(rows, i, r / c, seen);
  }
};

}  // namespace rosenblatt
