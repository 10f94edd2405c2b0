// Rows in scattered order, laid side by side by other threads before they are visited.
//
// A visit would wait for memory, and the next one cannot begin before it. So others copy the rows of
// the order, block after block, a few blocks ahead of the reader. The reader never waits for them: a
// block that is not ready is visited where it lies. A copy has the same bits, so nothing depends on
// who was faster.
//
//   block b lies in slot b mod slots; it is copied once the reader has left block b - slots
//
// A slot is always filled by the same thread, and read only while it says which block it holds. Who
// copies a block that the reader reaches meanwhile has worked for nothing: a helper that is too slow
// leaves the next blocks to the reader and goes on ahead of it. Where few blocks are ready in time
// (the other processors are busy, or far away), the reader goes on alone.
//
// Before it copies, the first helper makes the order of the next epoch: that takes it about as long as
// the reader would need, and copying gains less.
#pragma once

#include <memory>

#include "pass.hpp"
#include "threads.hpp"

namespace rosenblatt {

// Room for a block: `take` copies the rows order[from .. to), unless they do not fit in.
template <class Rows>
struct Slot;

template <class Value>
struct Slot<Dense<Value>> {
  std::vector<Value> x;

  void make_room(const Dense<Value>& rows, int64_t size) { x.resize(size * rows.d); }
  void copy(const Dense<Value>& rows, int64_t i, int64_t place) {
    const Value* const row = rows.x + i * rows.d;
    std::copy(row, row + rows.d, x.data() + place * rows.d);
  }
  bool has_room(const Dense<Value>&, int64_t, int64_t) const { return true; }
  Dense<Value> rows(const Dense<Value>& of) const { return {x.data(), of.n, of.d}; }
};

template <class Value, class Index>
struct Slot<Csr<Value, Index>> {
  using Sparse = Csr<Value, Index>;
  std::vector<Value> x;
  std::vector<Index> column, start;

  void make_room(const Sparse& rows, int64_t size) {
    const int64_t entries = 2 * size * (rows.start[rows.n] / (rows.n + 1) + 1);
    x.resize(entries), column.resize(entries), start.resize(size + 1);
  }
  bool has_room(const Sparse& rows, int64_t i, int64_t place) const {
    return start[place] + rows.start[i + 1] - rows.start[i] <= int64_t(x.size());
  }
  void copy(const Sparse& rows, int64_t i, int64_t place) {
    const Index from = rows.start[i], to = rows.start[i + 1], at = start[place];
    std::copy(rows.x + from, rows.x + to, x.data() + at);
    std::copy(rows.column + from, rows.column + to, column.data() + at);
    start[place + 1] = at + (to - from);
  }
  Sparse rows(const Sparse& of) const { return {x.data(), column.data(), start.data(), of.n, of.d}; }
};

// The block that lies in a slot; none yet.
struct alignas(64) Held {
  std::atomic<int64_t> block{-1};
};

// Threads that copy the rows order[begin .. end) ahead of a reader, while this lives.
template <class Rows>
class Gathering {
 public:
  static constexpr int64_t most_helpers = 3, slots_each = 8;
  static constexpr int64_t lead = 3;  // blocks, at least, from the reader to what is copied
  const int64_t size;                 // rows of a block

  // `next`: what is to be made of the next order; null: nothing.
  Gathering(const Rows& rows, Indices order, int64_t begin, int64_t end, int helpers,
            NextOrder* next)
      : size(rows_of_block(rows)), rows(rows), order(order), next(next), begin(begin), end(end),
        number(std::min<int64_t>(helpers, most_helpers)), slots(number * slots_each),
        room(slots), held(new Held[slots]) {
    for (auto& slot : room) slot.make_room(rows, size);
    for (int64_t h = 0; h < number; ++h)
      if (!threads.start([this, h] { gather(h); })) break;
  }
  ~Gathering() {
    stop();
    threads.join();
  }

  // The rows of block b, or null: not ready, or not to be had.
  const Slot<Rows>* ready(int64_t b) const {
    return held[b % slots].block.load(std::memory_order_acquire) == b ? &room[b % slots] : nullptr;
  }
  // The reader has left block b.
  void left(int64_t b) { reader.store(b + 1, std::memory_order_release); }
  // There is no block beyond the end: nothing more is copied.
  void stop() { reader.store(end, std::memory_order_release); }

 private:
  static int64_t rows_of_block(const Rows& rows) { return 8 * rows.ahead(); }

  // Every `number`-th block, from block h on.
  void gather(int64_t h) {
    if (h == 0 && next)
      while (!next->finished() && reader.load(std::memory_order_acquire) < end) next->go_on(1024);
    const int64_t blocks = (end - begin + size - 1) / size;
    for (int64_t b = h; b < blocks; b += number) {
      int64_t at;
      while ((at = reader.load(std::memory_order_acquire)) <= b - slots) std::this_thread::yield();
      while (b < at + lead) b += number;
      if (b < blocks && fill(room[b % slots], begin + b * size))
        held[b % slots].block.store(b, std::memory_order_release);
    }
  }
  bool fill(Slot<Rows>& slot, int64_t from) {
    const int64_t ahead = rows.ahead(), to = std::min(from + size, end);
    for (int64_t k = from; k < to; ++k) {
      if (k + 2 * ahead < end) rows.prefetch_place(order[k + 2 * ahead]);
      if (k + ahead < end) rows.template prefetch<2>(order[k + ahead]);
      if (k + 2 < end) rows.template prefetch<1>(order[k + 2]);
      if (!slot.has_room(rows, order[k], k - from)) return false;
      slot.copy(rows, order[k], k - from);
    }
    return true;
  }

  const Rows rows;
  const Indices order;
  NextOrder* const next;
  const int64_t begin, end, number, slots;
  std::vector<Slot<Rows>> room;
  std::unique_ptr<Held[]> held;
  alignas(64) std::atomic<int64_t> reader{0};
  alignas(64) Threads threads;
};

// One row after another, whatever their numbers are.
template <class Rows>
struct Sequence {
  const Rows& rows;
  int64_t place, d;

  ROSENBLATT_INLINE double score(int64_t, const double* w) const { return rows.score(place, w); }
  ROSENBLATT_INLINE void add(int64_t, double step, double* into) const {
    rows.add(place, step, into);
  }
};

// The two loops of `pass` for two classes, each without what the other needs: rows that lie scattered,
template <class Rows, class Labels, class Rule, class Learner>
ROSENBLATT_INLINE int64_t pass_scattered(const Rows& rows, Labels labels, Rule rule, Indices order,
                                         int64_t begin, int64_t to, int64_t end, int64_t most,
                                         Learner& learner) {
  const int64_t ahead = rows.ahead(), stop = learner.updates + most;
  int64_t k = begin;
  for (; k < to && learner.updates < stop; ++k) {
    fetch_ahead(rows, labels, order, k, end, ahead);
    visit(rows, labels, rule, order[k], learner);
  }
  return k;
}

// and rows that lie one after another as they are visited, from `place` on: copies, or no order.
template <class Rows, class Labels, class Rule, class Learner>
ROSENBLATT_INLINE int64_t pass_in_sequence(const Rows& rows, int64_t place, Labels labels, Rule rule,
                                           Indices order, int64_t begin, int64_t to, int64_t end,
                                           int64_t most, Learner& learner) {
  constexpr int64_t ahead = 16;
  const int64_t stop = learner.updates + most;
  int64_t k = begin;
  for (Sequence<Rows> row{rows, place, rows.d}; k < to && learner.updates < stop; ++k, ++row.place) {
    if (order && k + ahead < end) ROSENBLATT_PREFETCH(labels.y + order[k + ahead], 1);
    visit(row, labels, rule, order ? order[k] : k, learner);
  }
  return k;
}

// As `pass` in an order, with the same result: visit_some(copies, k, to) makes the visits of the places
// k .. to, with the rows where they lie (null) or with their copies.
template <class Rows, class VisitSome>
int64_t gathered_pass(Gathering<Rows>& others, int64_t begin, int64_t end, VisitSome&& visit_some) {
  constexpr int64_t trial = 64;  // blocks, from the first copy on: a thread begins late
  int64_t k = begin, copied = 0, since_first = 0;
  for (int64_t b = 0; k < end; others.left(b++)) {
    since_first += copied > 0;
    if (since_first == trial && 3 * copied < trial) {
      others.stop();
      return visit_some(nullptr, k, end);
    }
    const int64_t to = k + others.size < end ? k + others.size : end;
    const Slot<Rows>* const copies = others.ready(b);
    copied += copies != nullptr;
    const int64_t reached = visit_some(copies, k, to);
    if (reached < to) return reached;
    k = to;
  }
  return k;
}

}  // namespace rosenblatt
