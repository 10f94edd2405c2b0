// Judging: how many mistakes weights make, what they score, how they vote. Nothing is learned here.
#pragma once

#include "pass.hpp"
#include "rows.hpp"

namespace rosenblatt {

constexpr int64_t block = 64;  // rows that stay in cache from one weight vector to the next

// Several lifted weight vectors, one after another.
struct Candidates {
  const double* w;
  int64_t k, stride;
  ROSENBLATT_INLINE const double* operator[](int64_t a) const { return w + a * stride; }
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

// Of the rows begin .. end, at most a block.
template <class Rows>
ROSENBLATT_INLINE void count_one(const Rows& rows, Labels labels, const double* w, int64_t begin,
                                 int64_t end, Tally& total) {
  double m[block];
  for (int64_t i = begin; i < end; ++i) m[i - begin] = labels.margin(i, rows.score(i, w));
  total.add(m, labels.c ? labels.c + begin : nullptr, end - begin);
}

template <class Rows>
ROSENBLATT_INLINE void count_pair(const Rows& rows, Labels labels, const double* u, const double* v,
                                  int64_t begin, int64_t end, Tally* total) {
  double m[2][block];
  for (int64_t i = begin; i < end; ++i) {
    double score[2];
    rows.score_pair(i, u, v, score);
    for (int a = 0; a < 2; ++a) m[a][i - begin] = labels.margin(i, score[a]);
  }
  for (int a = 0; a < 2; ++a)
    total[a].add(m[a], labels.c ? labels.c + begin : nullptr, end - begin);
}

// Adds the mistakes (at margins <= 0) on the rows begin .. end to the total of each candidate. One whose
// weighted total has reached limit[a] cannot win: it is dropped, its total then means nothing more.
// Returns false once all are dropped.
template <class Rows, class Candidates>
ROSENBLATT_INLINE bool count(const Rows& rows, Labels labels, Candidates candidates,
                             const double* limit, int64_t begin, int64_t end, Tally* total) {
  bool alive = true;
  for (int64_t from = begin; from < end && alive; from += block) {
    const int64_t to = from + block < end ? from + block : end;
    alive = false;
    for (int64_t a = 0; a < candidates.k; ++a) {
      if (total[a].weighted >= limit[a]) continue;
      alive = true;
      if (a + 1 < candidates.k && total[a + 1].weighted < limit[a + 1]) {
        count_pair(rows, labels, candidates[a], candidates[a + 1], from, to, total + a);
        ++a;
      } else {
        count_one(rows, labels, candidates[a], from, to, total[a]);
      }
    }
  }
  return alive;
}

template <class Rows>
ROSENBLATT_INLINE void scores(const Rows& rows, const double* w, int64_t begin, int64_t end,
                              double* out) {
  for (int64_t i = begin; i < end; ++i) out[i] = rows.score(i, w);
}

// out[i] += sum over voters of votes[a] sign(s_a(x_i)), with sign(0) = +1. Rows in blocks, so that
// a voter is read from memory once a block.
template <class Rows>
ROSENBLATT_INLINE void vote(const Rows& rows, Candidates voters, const double* votes, int64_t begin,
                            int64_t end, double* out) {
  for (int64_t from = begin; from < end; from += block) {
    const int64_t to = from + block < end ? from + block : end;
    for (int64_t a = 0; a < voters.k; ++a)
      for (int64_t i = from; i < to; ++i)
        out[i] += rows.score(i, voters[a]) >= 0 ? votes[a] : -votes[a];
  }
}

}  // namespace rosenblatt
