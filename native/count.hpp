// Judging: how many mistakes weights make, what they score, how they vote. Nothing is learned here.
#pragma once

#include "pass.hpp"
#include "rows.hpp"

namespace rosenblatt {

// Several lifted weight vectors, one after another.
struct Candidates {
  const double* w;
  int64_t k, stride;
  ROSENBLATT_INLINE const double* operator[](int64_t a) const { return w + a * stride; }
};

// Adds the mistakes (y s <= 0) on the rows begin .. end to plain[a], their weights to weighted[a].
// A candidate that has reached limit[a] cannot win: it is dropped, its totals then mean nothing
// more. Returns false once all are dropped.
template <class Rows>
ROSENBLATT_INLINE bool count(const Rows& rows, Labels labels, Candidates candidates,
                             const double* limit, int64_t begin, int64_t end, int64_t* plain,
                             double* weighted) {
  constexpr int64_t block = 64;  // rows stay in cache for the next candidate
  bool alive = true;
  for (int64_t from = begin; from < end && alive; from += block) {
    const int64_t to = from + block < end ? from + block : end;
    alive = false;
    for (int64_t a = 0; a < candidates.k; ++a) {
      if (weighted[a] >= limit[a]) continue;
      alive = true;
      const double* w = candidates[a];
      int64_t mistakes = 0;
      double weight = weighted[a];
      for (int64_t i = from; i < to; ++i) {
        const double c = labels.weight(i);
        const bool mistake = c != 0 && !(labels.y[i] * rows.score(i, w) > 0);
        mistakes += mistake;
        weight += mistake ? c : 0;
      }
      plain[a] += mistakes;
      weighted[a] = weight;
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
  constexpr int64_t block = 64;
  for (int64_t from = begin; from < end; from += block) {
    const int64_t to = from + block < end ? from + block : end;
    for (int64_t a = 0; a < voters.k; ++a)
      for (int64_t i = from; i < to; ++i)
        out[i] += rows.score(i, voters[a]) >= 0 ? votes[a] : -votes[a];
  }
}

}  // namespace rosenblatt
