// The core for a browser: a C ABI over the same headers, without a library, without an import.
//
// Whoever calls lays arrays into the memory from `__heap_base` on, says once with `learn`, or of many
// classes with `learn_many`, where they are, and then visits, searches and looks as the loop in Python
// does. Sizes are 32 bits wide here. Numbers that come back besides the returned one lie in `told`.
#include "count.hpp"
#include "joint.hpp"
#include "pass.hpp"
#include "random.hpp"
#include "rows.hpp"
#include "rules.hpp"

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

using namespace rosenblatt;

namespace {

struct Task {
  Dense<double> rows;
  FixedIncrement rule;
  bool intercept;
  double *w, *drift;
  int64_t* counts;
};

struct OfTwo {
  Labels labels;
  Log log;
};

struct OfMany {
  ClassLabels labels;
  JointLog log;
  int64_t k;
  double* scores;  // room for k
};

Task task;
OfTwo two;
OfMany many;  // k is 0 where there are two classes
int32_t answer[4];

ByClass by_class(const double* w) {
  return {const_cast<double*>(w), many.k, task.rows.d + 1};  // where it is read it is not changed
}

// Calls act(labels, learner) with those of two classes or of many.
template <class Act>
void with_learner(double visits, Act act) {
  const int64_t before = int64_t(visits);
  if (many.k) {
    JointLearner<ByClass> learner{by_class(task.w), by_class(task.drift), task.counts, many.scores,
                                  task.intercept,   before,               0,           many.log};
    act(many.labels, learner);
  } else {
    Counts counts(task.counts);
    Learner learner{task.w, task.drift, counts, task.intercept, before, 0, two.log};
    act(two.labels, learner);
  }
}

uint64_t joined(uint32_t low, uint32_t high) { return uint64_t(high) << 32 | low; }

}  // namespace

EXPORT(told) int32_t* told() { return answer; }

// The rows and labels; the learner's memory (drift may be 0); the log of updates, one array each.
EXPORT(learn)
void learn(const double* x, const int8_t* y, int32_t n, int32_t d, double margin, int32_t intercept,
           double* w, double* drift, int64_t* counts, int64_t* row, int64_t* visit, double* score) {
  task = {{x, n, d}, {margin}, intercept != 0, w, drift, counts};
  two = {{y, nullptr}, {row, visit, score}};
  many.k = 0;
}

// The same of k classes: w, drift and counts have k parts, and there is room for k scores.
EXPORT(learn_many)
void learn_many(const double* x, const int32_t* y, int32_t n, int32_t d, int32_t k, double margin,
                int32_t intercept, double* w, double* drift, int64_t* counts, double* scores,
                int64_t* row, int64_t* visit, double* ahead, int64_t* rival) {
  task = {{x, n, d}, {margin}, intercept != 0, w, drift, counts};
  many = {{y, nullptr}, {row, visit, ahead, rival}, k, scores};
}

EXPORT(arrange)
void arrange_all(int32_t* pool, int32_t n, uint32_t low, uint32_t high, int32_t k) {
  arrange({pool, nullptr}, {nullptr, nullptr}, n, joined(low, high), k, n);
}

// Returns the place reached; told: updates.
EXPORT(visit)
int32_t visit_some(int32_t* order, int32_t begin, int32_t end, int32_t most, double visits) {
  int64_t reached = begin;
  with_learner(visits, [&](auto labels, auto& learner) {
    reached = pass(task.rows, labels, task.rule, {order, nullptr}, begin, end, most, learner);
    answer[0] = int32_t(learner.updates);
  });
  return int32_t(reached);
}

// Returns the visits made; told: updates, the number of the draw, how many of its rows were seen.
EXPORT(search)
int32_t search_some(int32_t* pool, uint32_t low, uint32_t high, int32_t number, int32_t seen,
                    int32_t looks, int32_t most, double visits) {
  Draw draw{number, seen};
  int64_t made = 0;
  with_learner(visits, [&](auto labels, auto& learner) {
    search(task.rows, labels, task.rule, {pool, nullptr}, task.rows.n, joined(low, high), looks,
           most, draw, learner);
    answer[0] = int32_t(learner.updates);
    made = learner.visits - int64_t(visits);
  });
  answer[1] = int32_t(draw.number);
  answer[2] = int32_t(draw.seen);
  return int32_t(made);
}

// Returns how many rows call for an update; they are marked, and sum is the step of descent.
EXPORT(look)
int32_t look_at_all(double* sum, uint8_t* mark, double* scores) {
  return int32_t(look(task.rows, two.labels, task.rule, task.w, task.intercept, 0, task.rows.n,
                      sum, mark, scores));
}

// The same of many classes: a mark is 1 + the rival, and margins take the place of scores.
EXPORT(look_many)
int32_t look_at_many(double* sum, int32_t* mark, double* margins) {
  return int32_t(look(task.rows, many.labels, task.rule, by_class(task.w), task.intercept, 0,
                      task.rows.n, sum, mark, many.scores, margins));
}

// Mistakes of w; a count that reaches the limit ends, and then the limit or more comes back.
EXPORT(count)
int32_t count_mistakes(const double* w, double limit) {
  Tally total[1] = {{0, 0}};
  const int64_t n = task.rows.n;
  if (many.k) {
    const ByClass candidate = by_class(w);
    count(task.rows, many.labels, &candidate, 1, &limit, 0, n, many.scores, total);
  } else {
    count(task.rows, two.labels, Candidates{&w, 1}, &limit, 0, n, total);
  }
  return int32_t(total[0].plain);
}

// Of many classes out has k numbers for each row.
EXPORT(scores)
void scores_of_all(const double* w, double* out) {
  if (many.k) return scores(task.rows, by_class(w), 0, task.rows.n, out);
  scores(task.rows, w, 0, task.rows.n, out);
}
