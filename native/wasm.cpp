// The core for a browser: a C ABI over the same headers, without a library, without an import.
//
// Whoever calls lays arrays into the memory from `__heap_base` on, says once with `learn` where they
// are, and then visits, searches and looks as the loop in Python does. Sizes are 32 bits wide here.
// Numbers that come back besides the returned one lie in `told`.
#include "count.hpp"
#include "pass.hpp"
#include "random.hpp"
#include "rows.hpp"
#include "rules.hpp"

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

using namespace rosenblatt;

namespace {

struct Task {
  Dense<double> rows;
  Labels labels;
  FixedIncrement rule;
  bool intercept;
  double *w, *drift;
  int64_t* counts;
  Log log;
};

Task task;
int32_t answer[4];

Learner learner_after(double visits) {
  return {task.w, task.drift, Counts(task.counts), task.intercept, int64_t(visits), 0, task.log};
}

uint64_t joined(uint32_t low, uint32_t high) { return uint64_t(high) << 32 | low; }

}  // namespace

EXPORT(told) int32_t* told() { return answer; }

// The rows and labels; the learner's memory (drift may be 0); the log of updates, one array each.
EXPORT(learn)
void learn(const double* x, const int8_t* y, int32_t n, int32_t d, double margin, int32_t intercept,
           double* w, double* drift, int64_t* counts, int64_t* row, int64_t* visit, double* score) {
  task = {{x, n, d}, {y, nullptr}, {margin}, intercept != 0, w, drift, counts, {row, visit, score}};
}

EXPORT(arrange)
void arrange_all(int32_t* pool, int32_t n, uint32_t low, uint32_t high, int32_t k) {
  arrange({pool, nullptr}, {nullptr, nullptr}, n, joined(low, high), k, n);
}

// Returns the place reached; told: updates.
EXPORT(visit)
int32_t visit_some(int32_t* order, int32_t begin, int32_t end, int32_t most, double visits) {
  Learner learner = learner_after(visits);
  const int64_t reached =
      pass(task.rows, task.labels, task.rule, {order, nullptr}, begin, end, most, learner);
  answer[0] = int32_t(learner.updates);
  return int32_t(reached);
}

// Returns the visits made; told: updates, the number of the draw, how many of its rows were seen.
EXPORT(search)
int32_t search_some(int32_t* pool, uint32_t low, uint32_t high, int32_t number, int32_t seen,
                    int32_t looks, int32_t most, double visits) {
  Learner learner = learner_after(visits);
  Draw draw{number, seen};
  search(task.rows, task.labels, task.rule, {pool, nullptr}, task.rows.n, joined(low, high), looks,
         most, draw, learner);
  answer[0] = int32_t(learner.updates);
  answer[1] = int32_t(draw.number);
  answer[2] = int32_t(draw.seen);
  return int32_t(learner.visits - int64_t(visits));
}

// Returns how many rows call for an update; they are marked, and sum is the step of descent.
EXPORT(look)
int32_t look_at_all(double* sum, uint8_t* mark, double* scores) {
  return int32_t(look(task.rows, task.labels, task.rule, task.w, task.intercept, 0, task.rows.n,
                      sum, mark, scores));
}

// Mistakes of w; a count that reaches the limit ends, and then the limit or more comes back.
EXPORT(count)
int32_t count_mistakes(const double* w, double limit) {
  Tally total[1] = {{0, 0}};
  count(task.rows, task.labels, Candidates{w, 1, task.rows.d + 1}, &limit, 0, task.rows.n, total);
  return int32_t(total[0].plain);
}

EXPORT(scores)
void scores_of_all(const double* w, double* out) { scores(task.rows, w, 0, task.rows.n, out); }
