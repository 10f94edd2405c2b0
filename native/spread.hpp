// How the calls of bindings use several threads: which of them, how many, and for what.
#pragma once

#include <algorithm>
#include <mutex>

#include "bindings.hpp"
#include "count.hpp"
#include "gather.hpp"
#include "short.hpp"
#include "threads.hpp"

// The main thread of Python. Others that it has started have their reasons, and start no more.
inline std::atomic<unsigned long>& main_thread() {
  static std::atomic<unsigned long> identity{0};
  return identity;
}

// Threads for a call that reads so many numbers: one where they are few.
inline int threads_for(int64_t numbers) {
  constexpr int64_t least = 1 << 18;  // numbers for each: about a tenth of a millisecond
  if (PyThread_get_thread_ident() != main_thread()) return 1;
  return int(std::clamp<int64_t>(numbers / least, 1, thread_limit()));
}

// Numbers to read for a row; it costs something however short it is.
template <class Value>
int64_t numbers_of_row(const Dense<Value>& rows) {
  return std::max<int64_t>(rows.d, L);
}
template <class Value, class Index>
int64_t numbers_of_row(const Csr<Value, Index>& rows) {
  return std::max<int64_t>(int64_t(rows.start[rows.n]) / (rows.n + 1), L);
}

// work(rows, from, to) for parts of the rows begin .. end, at each of which it looks `looks` times;
// without the interpreter lock. One thread, and one part, where no more are allowed.
template <class Work>
void on_threads(const Rows& rows, int64_t begin, int64_t end, int64_t looks, bool allowed,
                Work&& work) {
  nb::gil_scoped_release unlocked;
  std::visit(
      [&](const auto& view) {
        const int64_t of_row = numbers_of_row(view) * std::max<int64_t>(looks, 1);
        const int threads = allowed ? threads_for((end - begin) * of_row) : 1;
        const int64_t size = std::max<int64_t>((1 << 17) / of_row / block, 1) * block;
        in_parts(threads, begin, end, size,
                 [&](int64_t from, int64_t to) { work(view, from, to); });
      },
      rows.view);
}

// The same with kernel(rows, from, to) on the best CPU level.
template <class Kernel>
void run_on_threads(const Rows& rows, int64_t begin, int64_t end, int64_t looks, Kernel&& kernel) {
  on_threads(rows, begin, end, looks, true, [&](const auto& view, int64_t from, int64_t to) {
    with_length(view, [&](const auto& known) {
      run([&]() ROSENBLATT_LAMBDA_INLINE { kernel(known, from, to); });
    });
  });
}

// Mistakes of several candidates: count(rows, from, to, total) adds those on some rows. Without
// weights they are whole numbers, which do not depend on who adds them first. A candidate that has
// reached its limit has done so whatever the others find. False: all have.
template <class Count>
bool count_on_threads(const Rows& rows, bool weighted, const double* limit, int64_t begin,
                      int64_t end, int64_t looks, std::vector<Tally>& total, Count&& count) {
  std::mutex one_at_a_time;
  const auto so_far = [&] {
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    return total;
  };
  on_threads(rows, begin, end, looks, !weighted,
             [&](const auto& view, int64_t from, int64_t to) {
               const std::vector<Tally> before = so_far();
               std::vector<Tally> after = before;
               count(view, from, to, after.data());
               const std::lock_guard<std::mutex> lock(one_at_a_time);
               for (size_t a = 0; a < total.size(); ++a) {
                 const int64_t more = after[a].plain - before[a].plain;
                 total[a].plain += more;
                 total[a].weighted = weighted ? after[a].weighted : total[a].weighted + double(more);
               }
             });
  for (size_t a = 0; a < total.size(); ++a)
    if (total[a].weighted < limit[a]) return true;
  return total.empty();
}

// `pass` of two classes with all that makes it faster: short rows are known as such, and scattered
// ones are gathered by other threads, which also make what is wanted of the next order (null: nothing).
template <class Rule>
int64_t visit_rows(const Rows& rows, Labels labels, Rule rule, Indices order, int64_t begin,
                   int64_t end, int64_t most, NextOrder* next, Learner& learner) {
  nb::gil_scoped_release unlocked;
  int64_t reached = begin;
  std::visit(
      [&](const auto& view) {
        const int64_t visits = std::min(end - begin, most);
        const int helpers = order ? threads_for(visits * numbers_of_row(view)) - 1 : 0;
        std::optional<Gathering<std::decay_t<decltype(view)>>> others;
        if (helpers > 0) others.emplace(view, order, begin, end, helpers, next);
        with_length(view, [&](const auto& known) {
          run([&]() ROSENBLATT_LAMBDA_INLINE {
            with_weights_at_hand(known, learner, [&](Learner& near) ROSENBLATT_LAMBDA_INLINE {
              reached = others ? gathered_pass(known, *others, labels, rule, order, begin, end,
                                               most, near)
                               : pass(known, labels, rule, order, begin, end, most, near);
            });
          });
        });
      },
      rows.view);
  if (next) next->go_on(next->to);  // what is left of it
  return reached;
}
