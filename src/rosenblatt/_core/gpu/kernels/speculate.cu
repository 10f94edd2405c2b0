// Few mistakes: everybody looks ahead under the weights of now, and only the first mistake counts.
//
// All multiprocessors score a window of the rows to come. Rows before the first mistake are visited, and
// rightly so: the weights did not change before it. What comes after it is scored once more in the next
// round, under the new weights. So the updates are those of visiting row after row, in the same order.
//
// A round ends when every block knows the first mistake. Each writes down its own, with the number of the
// round, and reads what all others wrote: that is the barrier, too. Then each makes the same update of its
// own copy of the weights: nothing else has to be sent around.
//
// The word of a block: 8 bits of the round, 25 bits of the place in the window, 31 bits of the row. A
// block writes word[round % 2] after it has read all words of the round before, so nobody waits for what
// was overwritten.
//
// 16 threads own every so many-th place of the order, always the same ones. Most rounds are short, so the
// row they hold is the one they scored before: it stays in registers (KEEP numbers a thread; 0: none).

constexpr u64 NONE = (u64(1) << 56) - 1;
constexpr u32 WIDEST = (1u << 25) - 2;  // rows of a window

struct Call {
  i64 begin, end, most;    // places of the order; updates
  i64 visits;              // before the place `begin`
  i64 window;              // rows to look at first
  i64 ratio;               // gives up where there are more mistakes than one row in so many; 0: never
  i64 rounds, most_rounds;  // made in earlier calls; of this one
  double margin;
  int d, k, intercept, averaged;
};

struct Left {  // what the call leaves behind
  i64 place, updates, rounds, window;
};

__device__ __forceinline__ void fetch(const void* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

// A row in the registers of 16 threads.
template <int KEEP>
struct Held {
  const VALUE* x;
  VALUE v[KEEP ? KEEP : 1];

  __device__ __forceinline__ void load(const VALUE* from, int d, int l) {
    x = from;
#pragma unroll
    for (int t = 0; t < KEEP; ++t) v[t] = l + L * t < d ? x[l + L * t] : VALUE(0);
  }
  __device__ __forceinline__ double scored(const double* w, int d, int l) const {
    if (!KEEP) return score(x, w, d, l);
    double a = 0;
#pragma unroll
    for (int t = 0; t < KEEP; ++t)
      if (l + L * t < d) a = __dadd_rn(a, __dmul_rn(double(v[t]), w[l + L * t]));
    return __dadd_rn(fold(a), w[d]);
  }
};

// (value += step x), one thread a column; the last one is the intercept's.
__device__ __forceinline__ void add(double* into, const VALUE* x, double step, int d, int intercept) {
  for (int j = threadIdx.x; j < d + intercept; j += blockDim.x)
    into[j] = __dadd_rn(into[j], __dmul_rn(step, j < d ? double(x[j]) : 1.0));
}

template <bool MANY, int KEEP>
__device__ __forceinline__ void speculate(const VALUE* __restrict__ X, Labels y,
                                          const int* __restrict__ order, Call call, double* weights,
                                          double* drifts, double* scratch, u64* words, u64* hints,
                                          int* rivals, int* rows, int* places, int* against, double* seen,
                                          Left* left) {
  extern __shared__ double room[];
  __shared__ u64 best[2], agreed[2];
  const int d = call.d, blocks = gridDim.x, tid = threadIdx.x, l = tid % L;
  const int size = (MANY ? call.k : 1) * (d + 1);
#if WIDE
  double* const w = scratch + i64(blockIdx.x) * size;
  double* const drift = drifts;
#else
  double* const w = room;
  double* const drift = room + size;
#endif
  const bool averages = call.averaged && blockIdx.x == 0;
  for (int j = tid; j < size; j += blockDim.x) {
    w[j] = weights[j];
    if (averages) drift[j] = drifts[j];
  }
  if (tid < 2) best[tid] = agreed[tid] = NONE;
  __syncthreads();

  // Neighbours in the order belong to different multiprocessors.
  const u32 groups = u32(blocks) * (blockDim.x / L), mine = u32(tid / L) * blocks + blockIdx.x;
  const u32 end = u32(call.end), last = end - 1;
  const auto row_at = [&](u32 place) {
    const u32 k = place < end ? place : last;
    return order ? u32(order[k]) : k;
  };
  Held<KEEP> held, coming;  // the row of this place; in wide windows that of the next one, too
  u32 at = ~0u, row = 0, row_next = 0, row_after = 0;  // the place that is held; rows of it and the next two
  double sign = 0, sign_coming = 0;
  bool fetched = true, comes = false;
  u32 pos = u32(call.begin), window = u32(call.window);
  i64 updates = 0, made = 0;
  const auto hold = [&](u32 place) {
    const bool follows = at != ~0u && place == at + groups;
    row = follows ? row_next : row_at(place);
    if (KEEP == 8 && follows && comes) {
      held = coming;
      sign = sign_coming;
    } else {
      held.load(X + i64(row) * d, d, l);
      if (!MANY) sign = y.sign[row];
    }
    row_next = follows ? row_after : row_at(place + groups);
    row_after = row_at(place + 2 * groups);
    at = place;
    fetched = comes = false;
  };
  while (pos < end && updates < call.most && made < call.most_rounds) {
    if (call.ratio && updates * call.ratio > i64(pos) - call.begin + 64 * call.ratio) break;
    ++made;
    const i64 round = call.rounds + made;
    const int side = int(round & 1);
    const u64 tag = u64(round & 0xff) << 56;
    const u32 stop = min(end - pos, window) + pos;
    const bool far = stop - pos > 2 * groups;

    // Look: each 16 threads at their places of the window, until a mistake is found.
    double shown = 0;
    u64 found = NONE;
    int rival = 0;
    u32 place = pos + (mine + groups - pos % groups) % groups;
    for (;; place += groups) {
      if (!__any_sync(ALL, place < stop)) break;
      const u64 hint = far ? read_word(hints + side) : 0;
      if (place != at) hold(place);
      if (KEEP == 8 && far && !comes) {  // on its way while this one is scored
        coming.load(X + i64(row_next) * d, d, l);
        if (!MANY) sign_coming = y.sign[row_next];
        comes = true;
      }
      bool mistake;
      if (MANY) {
        const Standing now = standing(held.x, w, call.k, d, y.number[row], l);
        mistake = place < stop && calls(now.m, call.margin);
        if (mistake) shown = now.m, rival = now.rival;
      } else {
        const double s = held.scored(w, d, l);
        mistake = place < stop && calls(__dmul_rn(sign, s), call.margin);
        if (mistake) shown = s;
      }
      if (mistake) found = u64(place - pos) << 31 | u64(row);
      if (__any_sync(ALL, mistake)) {
        if (far && mistake && l == 0) atomicMax(hints + side, u64(round) << 32 | (0xffffffffu - (place - pos)));
        break;
      }
      // Somebody found one before all the places that are left here.
      if (__any_sync(ALL, i64(hint >> 32) == round && place - pos >= 0xffffffffu - u32(hint))) break;
    }
    if (found != NONE && l == 0) atomicMin(best + side, found);
    __syncthreads();

    // Agree on the first.
    if (MANY) {
      if (found != NONE && found == best[side] && l == 0) {
        rivals[side * blocks + blockIdx.x] = rival;
        __threadfence();
      }
      __syncthreads();
    }
    if (tid < blocks) {
      if (tid == 0) {
        write_word(words + side * blocks + blockIdx.x, tag | best[side]);
        best[side ^ 1] = agreed[side ^ 1] = NONE;
      }
      u64 word;
      do word = read_word(words + side * blocks + tid);
      while ((word >> 56 << 56) != tag);
      if ((word & NONE) != NONE) atomicMin(agreed + side, word & NONE);
    }
    // Memory is slower than a round: what will be read next is on its way.
    if (!fetched) {
      fetched = true;
      constexpr int LINE = 128 / sizeof(VALUE);
      for (int j = l * LINE; j < d; j += L * LINE) fetch(X + i64(row_next) * d + j);
      if (order && l == 0) fetch(order + min(at + 3 * groups, last));
    }
    __syncthreads();

    const u64 first = agreed[side];
    if (first == NONE) {
      pos = stop;
      window = min(2 * window, WIDEST);
      continue;
    }
    const u32 offset = u32(first >> 31), i = u32(first & 0x7fffffff);
    const VALUE* const x = X + i64(i) * d;
    const double step = y.weight(i);
    const double visits = double(call.visits + (i64(pos) + offset - call.begin));
    if (MANY) {
      __threadfence();
      const int own = y.number[i];
      const int winner = side * blocks + int((pos + offset) % groups % blocks);
      const int other = reinterpret_cast<volatile int*>(rivals)[winner];
      add(w + own * (d + 1), x, step, d, call.intercept);
      add(w + other * (d + 1), x, -step, d, call.intercept);
      if (averages) {
        const double shift = __dmul_rn(visits, step);
        add(drift + own * (d + 1), x, shift, d, call.intercept);
        add(drift + other * (d + 1), x, -shift, d, call.intercept);
      }
    } else {
      const double signed_step = step * double(y.sign[i]);
      add(w, x, signed_step, d, call.intercept);
      if (averages) add(drift, x, __dmul_rn(visits, signed_step), d, call.intercept);
    }
    if (found == first && l == 0) {
      rows[updates] = int(i);
      places[updates] = int(pos + offset);
      seen[updates] = shown;
      if (MANY) against[updates] = rival;
    }
    // Twice as far as this time: a window that is too wide costs looks, one too narrow a round.
    window = min(max(2 * (offset + 1), 4 * u32(blocks)), WIDEST);
    ++updates;
    pos += offset + 1;
    __syncthreads();
  }
  if (blockIdx.x) return;
  for (int j = tid; j < size; j += blockDim.x) {
    weights[j] = w[j];
    if (averages) drifts[j] = drift[j];
  }
  if (tid == 0) *left = {i64(pos), updates, call.rounds + made, i64(window)};
}

#define SPECULATE(name, many, keep, threads)                                                           \
  extern "C" __global__ void __launch_bounds__(threads, 1) name(                                       \
      const VALUE* X, LABELS, const int* order, i64 begin, i64 end, i64 most, i64 visits, i64 window,  \
      i64 ratio, i64 rounds, i64 most_rounds, double margin, int d, int k, int intercept,              \
      int averaged, double* weights, double* drifts, double* scratch, u64* words, u64* hints,          \
      int* rivals, int* rows, int* places, int* against, double* seen, Left* left) {                   \
    const Call call = {begin,       end,    most, visits, window,    ratio,   rounds,                  \
                       most_rounds, margin, d,    k,      intercept, averaged};                        \
    speculate<many, keep>(X, THE_LABELS, order, call, weights, drifts, scratch, words, hints, rivals,  \
                          rows, places, against, seen, left);                                          \
  }

SPECULATE(speculate_short, false, 8, 1024)
SPECULATE(speculate_long, false, 64 * 4 / sizeof(VALUE), 384)
SPECULATE(speculate_any, false, 0, 1024)
SPECULATE(speculate_many, true, 0, 1024)
