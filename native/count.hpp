// Judging: how many mistakes weights make, what they score, how they vote. Nothing is learned here.
#pragma once

#include "pass.hpp"
#include "rows.hpp"

namespace rosenblatt {

// Several lifted weight vectors.
struct Candidates {
  const double* const* w;
  int64_t k;
  ROSENBLATT_INLINE const double* operator[](int64_t a) const { return w[a]; }
};

// Mistakes so far: how many, and their weight (summed in the order of the rows).
struct Tally {
  int64_t plain;
  double weighted;

  ROSENBLATT_INLINE void add(double m, double c) {
    const bool mistake = c != 0 && FixedIncrement{0}.calls(m);
    plain += mistake;
    weighted += mistake ? c : 0;
  }
  // Rows whose margins are all known, with their weights (null: all 1): without a branch, so that no
  // wrong guess about one row delays the next.
  ROSENBLATT_INLINE void add(const double* m, const double* c, int64_t rows) {
    if (c) {
      for (int64_t i = 0; i < rows; ++i) add(m[i], c[i]);
      return;
    }
    int64_t more = 0;
    for (int64_t i = 0; i < rows; ++i) more += FixedIncrement{0}.calls(m[i]);
    plain += more;
    weighted += double(more);
  }
};

// Adds the mistakes (at margins <= 0) of at most a block of rows, whose scores s become margins.
ROSENBLATT_INLINE void add_mistakes(Labels labels, int64_t from, int64_t to, double* s, Tally& total) {
  for (int64_t i = from; i < to; ++i) s[i - from] = labels.margin(i, s[i - from]);
  total.add(s, labels.c ? labels.c + from : nullptr, to - from);
}

// Adds the mistakes on the rows begin .. end to the total of each candidate. One whose weighted total
// has reached limit[a] cannot win: it is dropped, its total then means nothing more. Returns false once
// all are dropped. count_block(from, to, w, number, total) does so for a block and one or two candidates.
template <class CountBlock>
ROSENBLATT_INLINE bool count(Candidates candidates, const double* limit, int64_t begin, int64_t end,
                             Tally* total, CountBlock count_block) {
  bool alive = true;
  for (int64_t from = begin; from < end && alive; from += block) {
    const int64_t to = from + block < end ? from + block : end;
    alive = false;
    for (int64_t a = 0; a < candidates.k; ++a) {
      if (total[a].weighted >= limit[a]) continue;
      alive = true;
      const bool two = a + 1 < candidates.k && total[a + 1].weighted < limit[a + 1];
      count_block(from, to, candidates.w + a, two ? 2 : 1, total + a);
      a += two;
    }
  }
  return alive;
}

template <class Rows>
ROSENBLATT_INLINE bool count(const Rows& rows, Labels labels, Candidates candidates,
                             const double* limit, int64_t begin, int64_t end, Tally* total) {
  return count(candidates, limit, begin, end, total,
               [&](int64_t from, int64_t to, const double* const* w, int number,
                   Tally* sum) ROSENBLATT_LAMBDA_INLINE {
                 double s[2 * block];
                 rows.score_rows(from, to, w, number, s);
                 for (int a = 0; a < number; ++a)
                   add_mistakes(labels, from, to, s + a * block, sum[a]);
               });
}

template <class Rows>
ROSENBLATT_INLINE void scores(const Rows& rows, const double* w, int64_t begin, int64_t end,
                              double* out) {
  rows.score_rows(begin, end, &w, 1, out + begin);
}

// out[i] += sum over voters of votes[a] sign(s_a(x_i)), with sign(0) = +1. Rows in blocks, so that a
// voter is read from memory once a block: score_block(from, to, w, 1, s) scores one.
template <class ScoreBlock>
void vote(Candidates voters, const double* votes, int64_t begin, int64_t end,
                            double* out, ScoreBlock score_block) {
  for (int64_t from = begin; from < end; from += block) {
    const int64_t to = from + block < end ? from + block : end;
    for (int64_t a = 0; a < voters.k; ++a) {
      double s[block];
      score_block(from, to, voters.w + a, 1, s);
      for (int64_t i = from; i < to; ++i) out[i] += s[i - from] >= 0 ? votes[a] : -votes[a];
    }
  }
}

}  // namespace rosenblatt
