// The same headers as a program of its own, without Python.
//
// What another processor computes can be compared with it before there is a wheel for that processor.
// `scripts/portable.py` does so.
//
// Reads n, d, epochs and the seed (8 bytes each), n·d numbers and n signs; trains with order "shuffle"
// from zero weights, on dense rows and on the same rows as CSR. Writes the last weights and the
// averaged ones, each with its intercept, and the updates of each row.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "pass.hpp"

using namespace rosenblatt;

namespace {

struct Task {
  int64_t n, d, epochs;
  uint64_t seed;
  std::vector<double> x;
  std::vector<int8_t> y;
};

struct Result {
  std::vector<double> last, average;
  std::vector<int64_t> counts;
};

void fail(const char* why) {
  std::fprintf(stderr, "driver: %s\n", why);
  std::exit(1);
}

template <class Value>
void take(Value* into, size_t count) {
  if (std::fread(into, sizeof(Value), count, stdin) != count) fail("the input ends too early");
}

template <class Value>
void give(const std::vector<Value>& from) {
  if (std::fwrite(from.data(), sizeof(Value), from.size(), stdout) != from.size())
    fail("the output cannot be written");
}

Task read_task() {
  Task task;
  take(&task.n, 1);
  take(&task.d, 1);
  take(&task.epochs, 1);
  take(&task.seed, 1);
  task.x.resize(task.n * task.d);
  task.y.resize(task.n);
  take(task.x.data(), task.x.size());
  take(task.y.data(), task.y.size());
  return task;
}

template <class Rows>
Result train(const Task& task, const Rows& rows) {
  std::vector<double> w(task.d + 1), drift(task.d + 1);
  std::vector<int64_t> counts(task.n);
  std::vector<int32_t> order(task.n);
  int64_t visits = 0;
  for (int64_t epoch = 0; epoch < task.epochs; ++epoch) {
    arrange({order.data(), nullptr}, {nullptr, nullptr}, task.n, task.seed, epoch, task.n);
    Counts counted(counts.data());
    Learner learner{w.data(), drift.data(), counted, true, visits, 0, {}};
    pass(rows, Labels{task.y.data(), nullptr}, FixedIncrement{0}, Indices{order.data(), nullptr}, 0,
         task.n, task.n, learner);
    visits = learner.visits;
    if (learner.updates == 0) break;
  }
  std::vector<double> average(task.d + 1);
  for (int64_t j = 0; j <= task.d; ++j) average[j] = w[j] - drift[j] / double(visits);
  return {w, average, counts};
}

Result train_dense(const Task& task) {
  return train(task, Dense<double>{task.x.data(), task.n, task.d});
}

Result train_sparse(const Task& task) {
  std::vector<double> values;
  std::vector<int32_t> columns, start{0};
  for (int64_t i = 0; i < task.n; ++i) {
    for (int64_t j = 0; j < task.d; ++j)
      if (task.x[i * task.d + j] != 0) {
        values.push_back(task.x[i * task.d + j]);
        columns.push_back(int32_t(j));
      }
    start.push_back(int32_t(values.size()));
  }
  return train(task, Csr<double, int32_t>{values.data(), columns.data(), start.data(), task.n, task.d});
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

}  // namespace

int main() {
  const Task task = read_task();
  const Result dense = train_dense(task), sparse = train_sparse(task);
  if (!same_bits(dense.last, sparse.last) || !same_bits(dense.average, sparse.average) ||
      dense.counts != sparse.counts)
    fail("dense and sparse rows gave other bits");
  give(dense.last);
  give(dense.average);
  give(dense.counts);
}
