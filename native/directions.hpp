// Errors that a cone of directions forces: pairs of a positive row and a negative one above it.
//
// Where a negative row k is at least as far along each generator of a cone as a positive row i, every
// w of the cone has w·x_k >= w·x_i, and a rule (w, b) errs on i or on k, whatever b. Pairs without a
// common row are as many errors: a maximum matching counts them, a maximum flow where rows cost more
// than one. `_core/reference.py` says the same in Python.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace rosenblatt {

__extension__ typedef __int128 Wide;  // projections are whole numbers: nothing is rounded

// How far each row is along a direction: numbers from 0 on, equal for rows that are equally far.
inline void rank_along(const Wide* x, int64_t n, int64_t d, const Wide* direction, int32_t* rank) {
  std::vector<Wide> far(n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < d; ++j) far[i] += x[i * d + j] * direction[j];
  std::vector<int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return far[a] < far[b]; });
  int32_t number = 0;
  for (int64_t k = 0; k < n; ++k) {
    if (k > 0 && far[order[k - 1]] < far[order[k]]) ++number;
    rank[order[k]] = number;
  }
}

// What flows from positive rows to negative ones, and what each row has left to give.
struct Pairs {
  std::vector<int32_t> positive, negative;
  std::vector<int64_t> amount;

  void add(int32_t i, int32_t k, int64_t much) {
    positive.push_back(i);
    negative.push_back(k);
    amount.push_back(much);
  }
};

// The rows of one label in the order of their ranks, from the farthest.
inline std::vector<int32_t> farthest_first(const std::vector<int32_t>& rows, const int32_t* rank,
                                           int64_t n) {
  std::vector<int32_t> start(n + 1), out(rows.size());
  for (int32_t i : rows) ++start[n - 1 - rank[i] + 1];
  for (int64_t r = 0; r < n; ++r) start[r + 1] += start[r];
  for (size_t p = 0; p < rows.size(); ++p) out[start[n - 1 - rank[rows[p]]]++] = int32_t(p);
  return out;
}

class Flow {
 public:
  Flow(const int8_t* y, const int64_t* cost, int64_t n) : n_(n) {
    for (int64_t i = 0; i < n; ++i) {
      (y[i] > 0 ? positive_ : negative_).push_back(int32_t(i));
      (y[i] > 0 ? give_ : take_).push_back(cost[i]);
    }
    place_.resize(n);
    for (size_t p = 0; p < positive_.size(); ++p) place_[positive_[p]] = int32_t(p);
    for (size_t q = 0; q < negative_.size(); ++q) place_[negative_[q]] = int32_t(q);
    first_.assign(negative_.size(), -1);
  }

  // A flow that is known to be possible.
  void begin_with(const int32_t* positive, const int32_t* negative, const int64_t* amount,
                  int64_t size) {
    for (int64_t e = 0; e < size; ++e)
      move(place_[positive[e]], place_[negative[e]], amount[e]);
  }

  // The largest flow between rows in pairs. rank[g n + i]: how far row i is along generator g.
  void grow(const int32_t* rank, int64_t generators) {
    if (positive_.empty() || negative_.empty()) return;
    above(rank, generators);
    while (pass()) {
    }
  }

  // The same for two generators, from nothing, without the sets: negative rows by the first one take
  // from the positive row that is farthest along the second, among those below them in both. Another
  // one could only be of more use later.
  void sweep(const int32_t* first, const int32_t* second) {
    const auto up = farthest_first(positive_, first, n_), down = farthest_first(negative_, first, n_);
    std::set<std::pair<int32_t, int32_t>> below;  // (rank along the second, place)
    auto next = up.rbegin();
    for (auto at = down.rbegin(); at != down.rend(); ++at) {
      const int32_t q = *at, row = negative_[q];
      for (; next != up.rend() && first[positive_[*next]] <= first[row]; ++next)
        if (give_[*next] > 0) below.emplace(second[positive_[*next]], *next);
      while (take_[q] > 0) {
        auto found = below.upper_bound({second[row], std::numeric_limits<int32_t>::max()});
        if (found == below.begin()) break;
        const int32_t p = (--found)->second;
        move(p, q, std::min(give_[p], take_[q]));
        if (give_[p] == 0) below.erase(found);
      }
    }
  }

  Pairs pairs() const {
    Pairs out;
    for (size_t q = 0; q < negative_.size(); ++q)
      for (int32_t e = first_[q]; e >= 0; e = next_[e])
        if (amount_[e] > 0) out.add(positive_[from_[e]], negative_[q], amount_[e]);
    return out;
  }

 private:
  // above_: for each positive row the set of negative rows above it, 64 to a word.
  void above(const int32_t* rank, int64_t generators) {
    words_ = (int64_t(negative_.size()) + 63) / 64;
    above_.assign(positive_.size() * words_, ~uint64_t(0));
    std::vector<uint64_t> far(words_);
    for (int64_t g = 0; g < generators; ++g) {
      const int32_t* along = rank + g * n_;
      const auto up = farthest_first(positive_, along, n_), down = farthest_first(negative_, along, n_);
      std::fill(far.begin(), far.end(), 0);
      size_t reached = 0;
      for (int32_t p : up) {
        const int32_t least = along[positive_[p]];
        for (; reached < down.size() && along[negative_[down[reached]]] >= least; ++reached)
          far[down[reached] >> 6] |= uint64_t(1) << (down[reached] & 63);
        uint64_t* mine = above_.data() + p * words_;
        for (int64_t v = 0; v < words_; ++v) mine[v] &= far[v];
      }
    }
  }

  // From every positive row with something left, a shortest way to a negative one; no row is entered
  // twice. False: there is no way at all, so the flow is the largest.
  bool pass() {
    std::vector<uint64_t> fresh(words_), open(words_);
    for (size_t q = 0; q < negative_.size(); ++q) {
      fresh[q >> 6] |= uint64_t(1) << (q & 63);
      if (take_[q] > 0) open[q >> 6] |= uint64_t(1) << (q & 63);
    }
    came_.assign(positive_.size(), unseen);
    entered_.assign(negative_.size(), -1);
    bool found = false;
    for (size_t p = 0; p < positive_.size(); ++p)
      if (give_[p] > 0 && came_[p] == unseen) found |= search(int32_t(p), fresh, open);
    return found;
  }

  bool search(int32_t source, std::vector<uint64_t>& fresh, std::vector<uint64_t>& open) {
    queue_.assign(1, source);
    came_[source] = root;
    for (size_t head = 0; head < queue_.size(); ++head) {
      const int32_t p = queue_[head];
      const uint64_t* mine = above_.data() + p * words_;
      for (int64_t v = 0; v < words_; ++v)
        if (const uint64_t hit = mine[v] & fresh[v] & open[v]) {
          const int32_t q = int32_t(v * 64 + __builtin_ctzll(hit));
          entered_[q] = p;
          fresh[v] &= ~(hit & -hit);
          augment(q);
          if (take_[q] == 0) open[v] &= ~(hit & -hit);
          return true;
        }
      for (int64_t v = 0; v < words_; ++v)
        for (uint64_t hits = mine[v] & fresh[v]; hits; hits &= hits - 1) {
          const int32_t q = int32_t(v * 64 + __builtin_ctzll(hits));
          fresh[v] &= ~(hits & -hits);
          entered_[q] = p;
          for (int32_t e = first_[q]; e >= 0; e = next_[e])
            if (amount_[e] > 0 && came_[from_[e]] == unseen) {
              came_[from_[e]] = q;
              queue_.push_back(from_[e]);
            }
        }
    }
    return false;
  }

  // Back along the way that reached negative row q: as much as the narrowest place lets through.
  void augment(int32_t q) {
    int64_t much = take_[q];
    int32_t p = entered_[q];
    for (; came_[p] != root; p = entered_[came_[p]]) much = std::min(much, amount_[edge(p, came_[p])]);
    much = std::min(much, give_[p]);
    take_[q] -= much;
    give_[p] -= much;
    for (int32_t at = q;;) {
      p = entered_[at];
      amount_[edge(p, at)] += much;
      if (came_[p] == root) return;
      at = came_[p];
      amount_[edge(p, at)] -= much;
    }
  }

  void move(int32_t p, int32_t q, int64_t much) {
    amount_[edge(p, q)] += much;
    give_[p] -= much;
    take_[q] -= much;
  }

  int32_t edge(int32_t p, int32_t q) {
    for (int32_t e = first_[q]; e >= 0; e = next_[e])
      if (from_[e] == p) return e;
    from_.push_back(p);
    amount_.push_back(0);
    next_.push_back(first_[q]);
    return first_[q] = int32_t(from_.size()) - 1;
  }

  static constexpr int32_t unseen = -2, root = -1;
  int64_t n_, words_ = 0;
  std::vector<int32_t> positive_, negative_, place_;
  std::vector<int64_t> give_, take_;
  std::vector<int32_t> first_, next_, from_;  // what flows into each negative row: a list
  std::vector<int64_t> amount_;
  std::vector<uint64_t> above_;
  std::vector<int32_t> came_, entered_, queue_;
};

// Pairs of a positive and a negative row, both with something left, that the cone leaves undecided:
// the negative one is farther along some generators and nearer along others. At most `most` of them.
inline Pairs undecided(const int32_t* rank, int64_t n, int64_t generators, const int8_t* y,
                       const int64_t* left, int64_t most) {
  Pairs out;
  std::vector<int32_t> negative;
  for (int64_t k = 0; k < n; ++k)
    if (y[k] < 0 && left[k] > 0) negative.push_back(int32_t(k));
  for (int64_t i = 0; i < n; ++i) {
    if (y[i] < 0 || left[i] == 0) continue;
    for (int32_t k : negative) {
      bool farther = false, nearer = false;
      for (int64_t g = 0; g < generators; ++g) {
        farther |= rank[g * n + k] > rank[g * n + i];
        nearer |= rank[g * n + k] < rank[g * n + i];
      }
      if (!(farther && nearer)) continue;
      out.add(int32_t(i), k, 1);
      if (int64_t(out.amount.size()) == most) return out;
    }
  }
  return out;
}

// The same for two generators, without looking at all pairs: rows by the first one, each beside the
// rows before it that are farther along the second.
inline Pairs undecided_in_plane(const int32_t* first, const int32_t* second, int64_t n,
                                const int8_t* y, const int64_t* left, int64_t most) {
  Pairs out;
  std::vector<int32_t> rows;
  for (int64_t i = 0; i < n; ++i)
    if (left[i] > 0) rows.push_back(int32_t(i));
  const auto order = farthest_first(rows, first, n);
  std::set<std::pair<int32_t, int32_t>> before[2];  // (rank along the second, row), by label
  for (size_t begin = order.size(), end; begin > 0; begin = end) {
    const int32_t here = first[rows[order[begin - 1]]];
    for (end = begin; end > 0 && first[rows[order[end - 1]]] == here; --end) {
      const int32_t row = rows[order[end - 1]];
      const auto& others = before[y[row] < 0];
      for (auto other = others.rbegin(); other != others.rend() && other->first > second[row];
           ++other) {
        out.add(y[row] > 0 ? row : other->second, y[row] > 0 ? other->second : row, 1);
        if (int64_t(out.amount.size()) == most) return out;
      }
    }
    for (size_t k = begin; k > end; --k) {
      const int32_t row = rows[order[k - 1]];
      before[y[row] > 0].emplace(second[row], row);
    }
  }
  return out;
}

}  // namespace rosenblatt
