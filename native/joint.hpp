// Many classes: a lifted weight vector w_c for each, and a score s_c. A row's rival r is the class with
// the highest score among the others, of equal ones the first; its margin is s_y - s_r, one
// subtraction. An update: w_y += step x, w_r -= step x. (Kesler's construction; Duda and Hart 1973,
// 5.12: it is the perceptron of two classes in a space of k d dimensions.)
#pragma once

#include <type_traits>

#include "count.hpp"
#include "pass.hpp"
#include "rows.hpp"

namespace rosenblatt {

struct ClassLabels {
  const int32_t* y;  // numbers of classes
  const double* c;   // row weights; null: all 1
  ROSENBLATT_INLINE double weight(int64_t i) const { return c ? c[i] : 1.0; }
};

// The weights of k classes, one class after another: for rows whose numbers lie side by side.
struct ByClass {
  double* w;
  int64_t k, size;  // size: numbers of one lifted weight vector

  template <class Rows>
  ROSENBLATT_INLINE void scores(const Rows& rows, int64_t i, double* out) const {
    rows.score_all(i, w, k, size, out);
  }
  ROSENBLATT_INLINE double* of(int64_t c) const { return w + c * size; }
  ROSENBLATT_INLINE ByClass at(double* other) const { return {other, k, size}; }
  // Weights to be judged, which lie alike. (Means are worked out beforehand.)
  ByClass judged(const double* other, const double*, int64_t) const {
    return at(const_cast<double*>(other));
  }
};

// Numbers that lie `step` apart.
struct Strided {
  double* first;
  int64_t step;
  ROSENBLATT_INLINE double& operator[](int64_t j) const { return first[j * step]; }
};

// Reads the mean of the weights over the visits, which need not be worked out beforehand.
struct MeanOf {
  const double *w, *drift;
  double visits;
  ROSENBLATT_INLINE MeanOf operator+(int64_t j) const { return {w + j, drift + j, visits}; }
  ROSENBLATT_INLINE double operator[](int64_t j) const { return w[j] - drift[j] / visits; }
};

struct MeanByFeature;

// The weights, one feature after another: what an entry of a sparse row meets lies together.
struct ByFeature {
  double* w;
  int64_t k, size;

  template <class Rows>
  ROSENBLATT_INLINE void scores(const Rows& rows, int64_t i, double* out) const {
    scores(rows, i, static_cast<const double*>(w), out);
  }
  // 16 classes at a time, or fewer; the last ones overlap those before them.
  template <class Rows, class Weights>
  ROSENBLATT_INLINE void scores(const Rows& rows, int64_t i, Weights from, double* out) const {
    if (k >= 16) some<16>(rows, i, from, out);
    else if (k >= 8) some<8>(rows, i, from, out);
    else if (k >= 4) some<4>(rows, i, from, out);
    else some<2>(rows, i, from, out);
  }
  template <int C, class Rows, class Weights>
  ROSENBLATT_INLINE void some(const Rows& rows, int64_t i, Weights from, double* out) const {
    for (int64_t c = 0; c < k; c += C) {
      const int64_t first = c + C < k ? c : k - C;
      rows.template score_side_by_side<C>(i, from + first, k, out + first);
    }
  }
  ROSENBLATT_INLINE Strided of(int64_t c) const { return {w + c, k}; }
  ROSENBLATT_INLINE ByFeature at(double* other) const { return {other, k, size}; }
  MeanByFeature judged(const double* other, const double* drift, int64_t visits) const;
};

// Weights to be judged: with a drift, scores are those of the mean.
struct MeanByFeature : ByFeature {
  const double* drift;
  double visits;

  template <class Rows>
  ROSENBLATT_INLINE void scores(const Rows& rows, int64_t i, double* out) const {
    if (drift) ByFeature::scores(rows, i, MeanOf{w, drift, visits}, out);
    else ByFeature::scores(rows, i, out);
  }
};

inline MeanByFeature ByFeature::judged(const double* other, const double* drift,
                                       int64_t visits) const {
  return {at(const_cast<double*>(other)), drift, double(visits)};
}

ROSENBLATT_INLINE int64_t rival(const double* scores, int64_t k, int64_t y) {
  int64_t found = y == 0 ? 1 : 0;
  for (int64_t c = found + 1; c < k; ++c)
    if (c != y && scores[c] > scores[found]) found = c;
  return found;
}

ROSENBLATT_INLINE int64_t highest(const double* scores, int64_t k) {
  int64_t found = 0;
  for (int64_t c = 1; c < k; ++c)
    if (scores[c] > scores[found]) found = c;
  return found;
}

// A row's margin under some weights, its class, and the rival it is against.
struct Standing {
  double m;
  int64_t y, rival;
};

template <class Rows, class Weights>
ROSENBLATT_INLINE Standing standing(const Rows& rows, Weights w, int64_t i, int64_t y,
                                    double* scores) {
  w.scores(rows, i, scores);
  const int64_t r = rival(scores, w.k, y);
  return {scores[y] - scores[r], y, r};
}

// What is noted of each update, for whoever wants to follow training; null: nothing.
struct JointLog {
  int64_t *row, *visit;
  double* margin;  // before the update
  int64_t* rival;
};

// w_y += step x_i, w_r -= step x_i
template <class Rows, class Weights>
ROSENBLATT_INLINE void move(const Rows& rows, int64_t i, int64_t y, int64_t r, double step,
                            Weights w, bool intercept) {
  rows.add(i, step, w.of(y));
  rows.add(i, -step, w.of(r));
  if (!intercept) return;
  w.of(y)[rows.d] += step;
  w.of(r)[rows.d] += -step;
}

template <class Weights>
struct JointLearner {
  Weights w, drift;  // drift: sum of (visits before the update) * step; null: not wanted
  int64_t* counts;  // by row and class: +1 for the row's class, -1 for its rival, at each update
  double* scores;   // room for k
  bool intercept;
  int64_t visits, updates;
  JointLog log;  // has room for the updates of one call

  ROSENBLATT_INLINE void note(int64_t i, Standing before) {
    if (!log.row) return;
    log.row[updates] = i;
    log.visit[updates] = visits;
    log.margin[updates] = before.m;
    log.rival[updates] = before.rival;
  }

  template <class Rows>
  ROSENBLATT_INLINE void add(const Rows& rows, int64_t i, int64_t y, int64_t r, double step) {
    move(rows, i, y, r, step, w, intercept);
    if (drift.w) move(rows, i, y, r, double(visits) * step, drift, intercept);
    counted(i, y, r);
  }
  ROSENBLATT_INLINE void counted(int64_t i, int64_t y, int64_t r) {
    ++counts[i * w.k + y];
    --counts[i * w.k + r];
    ++updates;
  }

  ROSENBLATT_INLINE void shrink(double factor, int64_t d) const {
    if constexpr (std::is_same_v<Weights, ByFeature>) {
      shrink_weights(w.w, drift.w, d * w.k, visits, factor);  // the intercepts come last
      return;
    }
    for (int64_t c = 0; c < w.k; ++c) {
      const int64_t from = c * w.size;
      shrink_weights(w.w + from, drift.w ? drift.w + from : nullptr, d, visits, factor);
    }
  }

  template <class Rows>
  ROSENBLATT_INLINE double square(const Rows& rows, int64_t i, const Standing&) const {
    return 2 * lifted_square(rows, i, intercept);
  }
};

// As those of two classes: what is seen of a row, and the step it calls for.
template <class Rows, class Weights>
ROSENBLATT_INLINE Standing see(const Rows& rows, ClassLabels labels, int64_t i,
                               const JointLearner<Weights>& learner) {
  return standing(rows, learner.w, i, labels.y[i], learner.scores);
}

template <class Rows, class Weights>
ROSENBLATT_INLINE void step(const Rows& rows, int64_t i, double size, Standing seen,
                            JointLearner<Weights>& learner) {
  learner.note(i, seen);
  learner.add(rows, i, seen.y, seen.rival, size);
}

// As `look` of two classes; a mark is 1 + the rival. The margins of all rows are written down where
// there is room for them.
template <class Rows, class Rule, class Weights>
ROSENBLATT_INLINE int64_t look(const Rows& rows, ClassLabels labels, Rule rule, Weights w,
                               bool intercept, int64_t begin, int64_t end, double* sum,
                               int32_t* mark, double* scores, double* margins) {
  const Weights total = w.at(sum);
  int64_t mistakes = 0;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t y = labels.y[i];
    const double c = labels.weight(i);
    const Standing now = standing(rows, w, i, y, scores);
    if (margins) margins[i] = now.m;
    mark[i] = c != 0 && rule.calls(now.m) ? int32_t(1 + now.rival) : 0;
    if (!mark[i]) continue;
    const double step = rule.step(c);
    move(rows, i, y, now.rival, step, total, intercept);
    ++mistakes;
  }
  return mistakes;
}

// As `count` of two classes.
template <class Rows, class Weights>
ROSENBLATT_INLINE bool count(const Rows& rows, ClassLabels labels, const Weights* candidates,
                             int64_t number, const double* limit, int64_t begin, int64_t end,
                             double* scores, Tally* total) {
  bool alive = true;
  for (int64_t from = begin; from < end && alive; from += block) {
    const int64_t to = from + block < end ? from + block : end;
    alive = false;
    for (int64_t a = 0; a < number; ++a) {
      if (total[a].weighted >= limit[a]) continue;
      alive = true;
      double m[block];
      for (int64_t i = from; i < to; ++i)
        m[i - from] = standing(rows, candidates[a], i, labels.y[i], scores).m;
      total[a].add(m, labels.c ? labels.c + from : nullptr, to - from);
    }
  }
  return alive;
}

// For epochs.hpp, as of two classes.
template <class Weights>
ROSENBLATT_INLINE double* weights_of(const JointLearner<Weights>& learner) {
  return learner.w.w;
}
template <class Weights>
ROSENBLATT_INLINE double* drift_of(const JointLearner<Weights>& learner) {
  return learner.drift.w;
}

// out[i k + c] = the score of class c.
template <class Rows, class Weights>
ROSENBLATT_INLINE void scores(const Rows& rows, Weights w, int64_t begin, int64_t end,
                                    double* out) {
  for (int64_t i = begin; i < end; ++i) w.scores(rows, i, out + i * w.k);
}

// The class of the highest score gets the votes.
template <class Rows, class Weights>
ROSENBLATT_INLINE void vote(const Rows& rows, Weights w, double votes, int64_t begin,
                                  int64_t end, double* scores, double* out) {
  for (int64_t i = begin; i < end; ++i) {
    w.scores(rows, i, scores);
    out[i * w.k + highest(scores, w.k)] += votes;
  }
}

}  // namespace rosenblatt
