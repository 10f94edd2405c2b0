// How the calls of bindings use several threads: which of them, how many, and for what.
#pragma once

#include <algorithm>
#include <functional>
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

// `pass` of two classes, the same code for whoever calls: short rows are known as such. Places k .. to of
// an order that ends at `end`; rows are read where they lie, or from their copies.
template <class View>
int64_t visit_some(const View& rows, const Slot<View>* copies, Labels labels, FixedIncrement rule,
                   Indices order, int64_t k, int64_t to, int64_t end, int64_t most,
                   Learner& learner) {
  int64_t reached = k;
  with_length(rows, [&](const auto& known) {
    run_on(known, [&]() ROSENBLATT_LAMBDA_INLINE {
      with_weights_at_hand(known, learner, [&](Learner& near) ROSENBLATT_LAMBDA_INLINE {
        if (order && !copies) {
          reached = pass_scattered(known, labels, rule, order, k, to, end, most, near);
        } else {
          const std::decay_t<decltype(known)> lying{copies ? copies->rows(rows) : rows};
          reached = pass_in_sequence(lying, copies ? 0 : k, labels, rule, order, k, to, end, most,
                                     near);
        }
      });
    });
  });
  return reached;
}

// The visits begin .. end of an order (of the rows themselves without one), at most `most` updates.
// Scattered rows are gathered by other threads, which also make what is wanted of the next order (null:
// nothing).
inline int64_t visit_rows(const Rows& rows, Labels labels, FixedIncrement rule, Indices order,
                          int64_t begin, int64_t end, int64_t most, NextOrder* next,
                          Learner& learner) {
  nb::gil_scoped_release unlocked;
  const int64_t stop = learner.updates + most;
  int64_t reached = begin;
  std::visit(
      [&](const auto& view) {
        using Copies = Slot<std::decay_t<decltype(view)>>;
        const auto visit = [&](const Copies* copies, int64_t from, int64_t to) {
          return visit_some(view, copies, labels, rule, order, from, to, end,
                            stop - learner.updates, learner);
        };
        const int64_t visits = std::min(end - begin, most);
        const int helpers = order ? threads_for(visits * numbers_of_row(view)) - 1 : 0;
        if (helpers > 0) {
          Gathering others(view, order, begin, end, helpers, next);
          reached = gathered_pass(others, begin, end, visit);
        } else {
          reached = visit(nullptr, begin, end);
        }
      },
      rows.view);
  if (next) next->go_on(next->to);  // what is left of it
  return reached;
}

// Scores of two classes, and what is made of them, the same code for whoever calls.
using ScoreRows = std::function<void(int64_t from, int64_t to, const double* const* w, int number,
                                     double* out)>;

template <class View>
ScoreRows score_rows(const View& rows) {
  ScoreRows score;
  with_length(rows, [&](const auto& known) {
    score = [known](int64_t from, int64_t to, const double* const* w, int number, double* out) {
      run_on(known, [&]() ROSENBLATT_LAMBDA_INLINE { known.score_rows(from, to, w, number, out); });
    };
  });
  return score;
}

inline void add_mistakes_of(Labels labels, int64_t from, int64_t to, double* s, int number,
                            Tally* sum) {
  run([&]() ROSENBLATT_LAMBDA_INLINE {
    for (int a = 0; a < number; ++a) add_mistakes(labels, from, to, s + a * block, sum[a]);
  });
}

inline bool count_some(const ScoreRows& score, Labels labels, Candidates candidates,
                       const double* limit, int64_t begin, int64_t end, Tally* total) {
  return count(candidates, limit, begin, end, total,
               [&](int64_t from, int64_t to, const double* const* w, int number, Tally* sum) {
                 double s[2 * block];
                 score(from, to, w, number, s);
                 add_mistakes_of(labels, from, to, s, number, sum);
               });
}
