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

constexpr u64 NONE = (u64(1) << 56) - 1;
constexpr i64 WIDEST = (i64(1) << 25) - 2;  // rows of a window

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

__device__ __forceinline__ u64 read_word(const u64* word) {
  return *reinterpret_cast<const volatile u64*>(word);
}

__device__ __forceinline__ u64 smallest(u64 a) {
#pragma unroll
  for (int apart = 16; apart; apart /= 2) {
    const u64 b = __shfl_xor_sync(ALL, a, apart);
    a = b < a ? b : a;
  }
  return a;
}

// (value += step x), one thread a column; the last one is the intercept's.
__device__ __forceinline__ void add(double* into, const VALUE* x, double step, int d, int intercept) {
  for (int j = threadIdx.x; j < d + intercept; j += blockDim.x)
    into[j] = __dadd_rn(into[j], __dmul_rn(step, j < d ? double(x[j]) : 1.0));
}

// The row at a place; beyond the end the last one.
__device__ __forceinline__ i64 row_at(const int* order, i64 place, i64 end) {
  const i64 k = place < end ? place : end - 1;
  return order ? order[k] : k;
}

__device__ __forceinline__ void fetch(const void* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

// Into the level 2 cache; 16 threads a row.
__device__ __forceinline__ void fetch(const VALUE* x, int d, int l) {
  constexpr int LINE = 128 / sizeof(VALUE);
  for (int j = l * LINE; j < d; j += L * LINE) fetch(x + j);
  if (l == 0) fetch(x + d - 1);
}

template <bool MANY>
__device__ __forceinline__ void speculate(const VALUE* __restrict__ X, Labels y, const int* order, Call call,
                                          double* weights, double* drifts, double* scratch, u64* words,
                                          u64* hints, int* rivals, int* rows, int* places, int* against,
                                          double* seen, Left* left) {
  extern __shared__ double room[];
  __shared__ u64 best[2], agreed;
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
  if (tid < 2) best[tid] = NONE;
  __syncthreads();

  // Neighbours in the window are read by different multiprocessors.
  const i64 groups = i64(blocks) * (blockDim.x / L), mine = i64(tid / L) * blocks + blockIdx.x;
  i64 pos = call.begin, window = call.window, updates = 0, made = 0;
  while (pos < call.end && updates < call.most && made < call.most_rounds) {
    if (call.ratio && updates * call.ratio > pos - call.begin + 64 * call.ratio) break;
    ++made;
    const i64 round = call.rounds + made;
    const int side = int(round & 1);
    const u64 tag = u64(round & 0xff) << 56;
    const i64 stop = min(min(call.end, pos + window), pos + WIDEST);

    // Look: each 16 threads at every so many-th row of the window, until one is found.
    double shown = 0;
    u64 found = NONE;
    int rival = 0;
    const i64 looks = (stop - pos + groups - 1) / groups;
    i64 row = row_at(order, pos + mine, call.end);
    for (i64 t = 0; t < looks; ++t) {
      const i64 at = pos + t * groups + mine, i = row;
      const bool there = at < stop;
      row = row_at(order, at + groups, call.end);
      const u64 hint = looks > 2 ? read_word(hints + side) : 0;
      bool mistake;
      if (MANY) {
        const Standing now = standing(X + i * d, w, call.k, d, y.number[i], l);
        mistake = there && calls(now.m, call.margin);
        if (mistake) shown = now.m, rival = now.rival;
      } else {
        const double sign = y.sign[i], s = score(X + i * d, w, d, l);
        mistake = there && calls(__dmul_rn(sign, s), call.margin);
        if (mistake) shown = s;
      }
      if (mistake) found = u64(at - pos) << 31 | u64(i);
      if (__any_sync(ALL, mistake)) {
        if (mistake && l == 0) atomicMax(hints + side, u64(round) << 32 | (0xffffffffu - u32(t)));
        break;
      }
      // Somebody found one in an earlier turn: all rows from here on come after it.
      if (__any_sync(ALL, i64(hint >> 32) == round && t >= i64(0xffffffffu - u32(hint)))) break;
    }
    // What the next round will read, if this one is short: memory is slower than a round.
    if (looks == 1) {
      fetch(X + row * d, d, l);
      if (order && l == 0) fetch(order + min(pos + mine + 2 * groups, call.end - 1));
    }
    if (found != NONE && l == 0) atomicMin(best + side, found);
    __syncthreads();

    // Agree on the first.
    if (MANY && found != NONE && found == best[side] && l == 0) {
      rivals[side * blocks + blockIdx.x] = rival;
      __threadfence();
    }
    if (MANY) __syncthreads();
    if (tid < 32) {
      if (tid == 0) {
        *reinterpret_cast<volatile u64*>(words + side * blocks + blockIdx.x) = tag | best[side];
        best[side ^ 1] = NONE;
      }
      u64 first = NONE;
      for (int b = tid; b < blocks; b += 32) {
        u64 word;
        do word = read_word(words + side * blocks + b);
        while ((word >> 56 << 56) != tag);
        word &= NONE;
        first = word < first ? word : first;
      }
      first = smallest(first);
      if (tid == 0) agreed = first;
    }
    __syncthreads();

    const u64 first = agreed;
    if (first == NONE) {
      pos = stop;
      window = min(2 * window, WIDEST);
      continue;
    }
    const i64 offset = i64(first >> 31), i = i64(first & 0x7fffffff), at = pos + offset;
    const VALUE* const x = X + i * d;
    const double step = y.weight(i);
    const double visits = double(call.visits + (at - call.begin));
    if (MANY) {
      __threadfence();
      const int own = y.number[i];
      const int other = reinterpret_cast<volatile int*>(rivals)[side * blocks + int(offset % blocks)];
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
      places[updates] = int(at);
      seen[updates] = shown;
      if (MANY) against[updates] = rival;
    }
    // Twice as far as this time; a part of a turn would take as long as a whole one.
    const i64 wanted = min(max(2 * (offset + 1), groups), WIDEST);
    window = (wanted + groups - 1) / groups * groups;
    ++updates;
    pos = at + 1;
    __syncthreads();
  }
  if (blockIdx.x) return;
  for (int j = tid; j < size; j += blockDim.x) {
    weights[j] = w[j];
    if (averages) drifts[j] = drift[j];
  }
  if (tid == 0) *left = {pos, updates, call.rounds + made, window};
}

#define SPECULATE(name, many)                                                                          \
  extern "C" __global__ void __launch_bounds__(1024, 1) name(                                          \
      const VALUE* X, LABELS, const int* order, i64 begin, i64 end, i64 most, i64 visits, i64 window,  \
      i64 ratio, i64 rounds, i64 most_rounds, double margin, int d, int k, int intercept,              \
      int averaged, double* weights, double* drifts, double* scratch, u64* words, u64* hints,          \
      int* rivals, int* rows, int* places, int* against, double* seen, Left* left) {                   \
    const Call call = {begin,       end,    most, visits, window,    ratio,   rounds,                  \
                       most_rounds, margin, d,    k,      intercept, averaged};                        \
    speculate<many>(X, THE_LABELS, order, call, weights, drifts, scratch, words, hints, rivals, rows,  \
                    places, against, seen, left);                                                      \
  }

SPECULATE(speculate_two, false)
SPECULATE(speculate_many, true)
