// Learning: look at rows, step where the rule calls for it. Three ways through the rows.
//
//   pass    the given order, stepping at once     (cyclic, shuffle)
//   search  fresh random draws until a mistake    (random)
//   look    all rows under the same weights       (batch: the caller steps)
//
// Each can stop anywhere and go on later with the same result to the bit. Here are labels and a
// learner of two classes; joint.hpp has those of many, which go through the rows as these do.
#pragma once

#include "random.hpp"
#include "rows.hpp"
#include "rules.hpp"

namespace rosenblatt {

struct Labels {
  const int8_t* y;  // -1 or +1
  const double* c;  // row weights; null: all 1. A row of weight 0 does not exist
  double tie = 0;   // what a score of 0 is taken for: 0 is a mistake for both labels
  ROSENBLATT_INLINE double margin(int64_t i, double score) const {
    return y[i] * (score == 0 ? tie : score);
  }
  ROSENBLATT_INLINE double weight(int64_t i) const { return c ? c[i] : 1.0; }
};

// Updates by row. They lie scattered in memory: waiting for each would stall the visits, so rows are
// noted and their counts fetched, and some time later all are counted together.
struct Counts {
  int64_t* of_row;
  static constexpr int room = 64;
  int64_t noted[room];
  int filled = 0;

  explicit Counts(int64_t* counts) : of_row(counts) {}
  Counts(const Counts&) = delete;
  Counts& operator=(const Counts&) = delete;
  ~Counts() { write(); }
  ROSENBLATT_INLINE void add(int64_t i) {
    ROSENBLATT_PREFETCH_TO_WRITE(of_row + i);
    noted[filled++] = i;
    if (filled == room) write();
  }
  void write() {
    for (int k = 0; k < filled; ++k) ++of_row[noted[k]];
    filled = 0;
  }
};

// What is noted of each update, for whoever wants to follow training; null: nothing.
struct Log {
  int64_t *row, *visit;
  double* score;  // before the update
};

// d weights times a factor, after so many visits. No weight becomes -0.0: only dense rows would undo it.
ROSENBLATT_INLINE void shrink_weights(double* w, double* drift, int64_t d, int64_t visits, double factor) {
  for (int64_t j = 0; j < d; ++j) {
    const double moved = w[j] * factor + 0.0;
    if (drift) drift[j] += double(visits) * (moved - w[j]);
    w[j] = moved;
  }
}

struct Learner {
  double* w;      // lifted weights
  double* drift;  // sum of (visits before the update) * step; the average is w - drift / visits
  Counts& counts;
  bool intercept;
  int64_t visits, updates;
  Log log;  // has room for the updates of one call

  ROSENBLATT_INLINE void note(int64_t i, double score) {
    if (!log.row) return;
    log.row[updates] = i;
    log.visit[updates] = visits;
    log.score[updates] = score;
  }

  template <class Rows>
  ROSENBLATT_INLINE void add(const Rows& rows, int64_t i, double step) {
    rows.add(i, step, w);
    if (intercept) w[rows.d] += step;
    if (drift) {
      const double shift = double(visits) * step;
      rows.add(i, shift, drift);
      if (intercept) drift[rows.d] += shift;
    }
    counts.add(i);
    ++updates;
  }

  ROSENBLATT_INLINE void shrink(double factor, int64_t d) const {
    shrink_weights(w, drift, d, visits, factor);
  }

  template <class Rows, class Seen>
  ROSENBLATT_INLINE double square(const Rows& rows, int64_t i, const Seen&) const {
    return lifted_square(rows, i, intercept);
  }
};

// Weights that must not have the other sign than `signs` says (0: any) are projected after each step:
// such a weight becomes 0. For the average it has then moved by what it was.
struct ProjectedLearner : Learner {
  const int8_t* signs;

  template <class Rows>
  ROSENBLATT_INLINE void add(const Rows& rows, int64_t i, double step) {
    const double seen = double(visits), shift = seen * step;
    rows.each(i, [&](int64_t j, double x) ROSENBLATT_LAMBDA_INLINE {
      const double moved = w[j] + step * x;
      const bool beyond = signs[j] * moved < 0;
      if (drift) drift[j] += beyond ? seen * -w[j] : shift * x;
      w[j] = beyond ? 0 : moved;
    });
    if (intercept) w[rows.d] += step;
    if (intercept && drift) drift[rows.d] += shift;
    counts.add(i);
    ++updates;
  }
};

// What is seen of a row under some weights: its margin m, and what a step needs.
struct Sight {
  double m, y, score;
};

template <class Rows>
ROSENBLATT_INLINE Sight see(const Rows& rows, Labels labels, int64_t i, const Learner& learner) {
  const double score = rows.score(i, learner.w);
  return {labels.margin(i, score), double(labels.y[i]), score};
}

template <class Rows>
ROSENBLATT_INLINE void step(const Rows& rows, int64_t i, double size, Sight seen, Learner& learner) {
  learner.note(i, seen.score);
  learner.add(rows, i, size * seen.y);
}

template <class Rows>
ROSENBLATT_INLINE void step(const Rows& rows, int64_t i, double size, Sight seen,
                            ProjectedLearner& learner) {
  learner.note(i, seen.score);
  learner.add(rows, i, size * seen.y);
}

// The square that a rule may ask for.
template <class Rows, class Seen, class Learner>
struct SquareOf {
  const Rows& rows;
  int64_t i;
  const Seen& seen;
  const Learner& learner;
  ROSENBLATT_INLINE double operator()() const { return learner.square(rows, i, seen); }
  ROSENBLATT_INLINE int64_t updates() const { return learner.updates; }  // of this call
};

// Row i calls for an update: it is made.
template <class Rows, class Labels, class Rule, class Seen, class Learner>
ROSENBLATT_INLINE void update(const Rows& rows, Labels labels, Rule rule, int64_t i, Seen seen,
                              Learner& learner) {
  const double c = labels.weight(i);
  const SquareOf<Rows, Seen, Learner> square{rows, i, seen, learner};
  step(rows, i, rule.step(c, seen.m, square), seen, learner);
  rule.learned(rows, i, c, seen, learner);
}

// One look at one row. True: it was a mistake, and the weights have changed.
template <class Rows, class Labels, class Rule, class Learner>
ROSENBLATT_INLINE bool visit(const Rows& rows, Labels labels, Rule rule, int64_t i,
                             Learner& learner) {
  const auto seen = see(rows, labels, i, learner);
  const bool mistake = rule.calls(seen.m);
  if (mistake) update(rows, labels, rule, i, seen, learner);
  ++learner.visits;
  return mistake;
}

// What will be read soon, at place k of an order.
template <class Rows, class Labels>
ROSENBLATT_INLINE void fetch_ahead(const Rows& rows, Labels labels, Indices order, int64_t k,
                                   int64_t end, int64_t ahead) {
  if (k + 2 * ahead < end) rows.prefetch_place(order[k + 2 * ahead]);
  if (k + ahead < end) {
    rows.template prefetch<2>(order[k + ahead]);
    ROSENBLATT_PREFETCH(labels.y + order[k + ahead], 1);
  }
  if (k + 2 < end) rows.template prefetch<1>(order[k + 2]);
}

// Visits order[begin .. end) (rows begin .. end themselves without an order), at most `most`
// updates. Returns the place reached.
template <class Rows, class Labels, class Rule, class Learner>
ROSENBLATT_INLINE int64_t pass(const Rows& rows, Labels labels, Rule rule, Indices order,
                               int64_t begin, int64_t end, int64_t most, Learner& learner) {
  const int64_t ahead = rows.ahead(), stop = learner.updates + most;
  int64_t k = begin;
  for (; k < end && learner.updates < stop; ++k) {
    if (order) fetch_ahead(rows, labels, order, k, end, ahead);
    visit(rows, labels, rule, order ? order[k] : k, learner);  // one visit in the code, not two
  }
  return k;
}

struct Draw {
  int64_t number;  // which permutation
  int64_t seen;    // how many of its rows were looked at since the last update
};

// At most `looks` visits and `most` updates. A draw ends at its first mistake, the next one begins;
// a whole permutation without a mistake (seen == n) ends the search. `pool` holds the first
// `seen` swaps of the draw, on entry and on return. visit_at(k) visits row pool[k]; true: a mistake.
template <class Rows, class Learner, class VisitAt>
ROSENBLATT_INLINE void search(const Rows& rows, Indices pool, int64_t n, uint64_t seed,
                              int64_t looks, int64_t most, Draw& draw, const Learner& learner,
                              VisitAt visit_at) {
  const int64_t stop = learner.updates + most, ahead = rows.ahead();
  Swaps swaps(seed, draw.number, n);
  int64_t made = draw.seen;  // swaps made; some ahead of the visits, to fetch their rows early
  for (; looks > 0 && learner.updates < stop && draw.seen < n; --looks) {
    // Few ahead at first: most draws end soon, and what was drawn ahead must be undone.
    const int64_t wanted = draw.seen + 1 + (draw.seen < ahead ? draw.seen : ahead);
    for (; made < n && made < wanted; ++made) {
      pool.swap(made, swaps.partner(made));
      rows.template prefetch<1>(pool[made]);
    }
    if (visit_at(draw.seen++)) {
      while (made > 0) --made, pool.swap(made, swaps.partner(made));
      draw = {draw.number + 1, 0};
      swaps = Swaps(seed, draw.number, n);
    }
  }
  while (made > draw.seen) --made, pool.swap(made, swaps.partner(made));
}

template <class Rows, class Labels, class Rule, class Learner>
ROSENBLATT_INLINE void search(const Rows& rows, Labels labels, Rule rule, Indices pool, int64_t n,
                              uint64_t seed, int64_t looks, int64_t most, Draw& draw,
                              Learner& learner) {
  search(rows, pool, n, seed, looks, most, draw, learner,
         [&](int64_t k) ROSENBLATT_LAMBDA_INLINE {
           return visit(rows, labels, rule, pool[k], learner);
         });
}

// sum += c_i y_i x_i over the rows begin .. end that call for an update, which are marked; the scores
// of all are written down where there is room for them.
template <class Rows, class Rule>
ROSENBLATT_INLINE int64_t look(const Rows& rows, Labels labels, Rule rule, const double* w,
                               bool intercept, int64_t begin, int64_t end, double* sum,
                               uint8_t* mark, double* scores) {
  int64_t mistakes = 0;
  for (int64_t i = begin; i < end; ++i) {
    const double c = labels.weight(i), score = rows.score(i, w);
    if (scores) scores[i] = score;
    mark[i] = c != 0 && rule.calls(labels.margin(i, score));
    if (!mark[i]) continue;
    const double step = rule.step(c) * labels.y[i];
    rows.add(i, step, sum);
    if (intercept) sum[rows.d] += step;
    ++mistakes;
  }
  return mistakes;
}

}  // namespace rosenblatt
