// The multiprocessor that decides, block after block of rows.
//
// Which decisions are certain. M_k is what the decider has for m_k - margin, and D_k what is defined: the
// computed margin under the computed weights w', minus `margin`. With u = 2^-24, t updates that came from G,
// R >= |x~| of all rows, C >= c, N = C R^2 >= |G|, A >= all |M_k| as the keepers gave them, H slices:
//
//   G     d products and sums in float32, x rounded to float32, and 1, y, c: (d + 12) u N each, and
//         (d + 16) 2^-149 max(C, 1) where products underflow; there are at most 2 W of them
//   M     at first SLICE/16 + 4 + H sums in float32 of rounded products of rounded numbers:
//         (SLICE/16 + H + 12) u R |w|; and a rounding for each update, for the margin and for four parts:
//         (t + 6) u (A + t N)
//   S, w' as in native/screen.hpp: S differs from the real sum by at most (d/16 + 16) 2^-52 R |w|, and w'
//         from the real sum of the updates by 2 W 2^-52 |w| in length, with |w| <= V for all weights of the call
//
//   |M_k - D_k|  <=  E(t) = 1.02 u [ t (d + 12) N + (t + 6) (A + t N) + (SLICE/16 + H + 12) R |w| ]
//                          + (d/8 + 64 + 2 W) 2^-52 R V + 256 (d + 16) 2^-149 max(C, 1).
//
// 1.02 covers second orders and the rounding of E itself. Where |M_k| > E the sign of D_k is that of M_k.
// Where it is not, the keepers hand over the weights of now and the row is scored as defined: what it is
// then is certain. The host (gpu/rows.py) walks only where 1e-12 < R^2 < 1e24, 1e-9 < C < 1e9 and R V < 1e30: so
// nothing overflows, and what underflows elsewhere is nothing beside u N. NaN and infinity would fail both
// comparisons and be scored as defined.

struct Bound {
  float now, more, most;  // E, what it grows by, and what that grows by
  __device__ __forceinline__ void grow() {
    now += more;
    more += most;
  }
};

// E(t) as a polynomial of t: its value, first difference and second difference.
__device__ __forceinline__ Bound bound_of(int t, float A, float length, int slices, const Walk& walk) {
  const float u = 1.02f * 0x1p-24f, N = walk.size, s = float(t);
  const float fixed = u * float(SLICE / L + slices + 12) * walk.radius * length + walk.error;
  const float now = u * (s * float(walk.d + 12) * N + (s + 6) * (A + s * N)) + fixed;
  const float next = u * ((s + 1) * float(walk.d + 12) * N + (s + 7) * (A + (s + 1) * N)) + fixed;
  return {now, next - now + 2 * u * fixed, 2.02f * u * N};
}

// What one warp has of 32 rows, one each.
struct Margins {
  float m;
  Bound bound;
};

// Visits 32 rows: from mistake to mistake. `g` points to this thread's number of G for the first of them. The
// whole GPU waits for this loop, so nothing is in it that can be asked later. Returns the mistakes; `doubt`
// where a decision was not certain, and all of this is worth nothing.
__device__ __forceinline__ u32 sweep(Margins& now, const float* g, u32 there, bool& doubt) {
  u32 found = 0, unsure = 0;
  for (;;) {
    const u32 open = __ballot_sync(ALL, !(now.m > now.bound.now)) & there;
    const u32 wrong = __ballot_sync(ALL, now.m < -now.bound.now);
    if (!open) break;
    const u32 bit = open & (0 - open);  // the first
    now.m += g[(31 - __clz(bit)) * W];
    now.bound.grow();
    there &= ~(bit ^ (bit - 1));
    found |= bit;
    unsure |= bit & ~wrong;
  }
  doubt = unsure != 0;
  return found;
}

// mask[r] := value, in registers.
__device__ __forceinline__ void put(u32* mask, int r, u32 value) {
#pragma unroll
  for (int q = 0; q < 3; ++q) mask[q] = q == r ? value : mask[q];
}

// One warp sends which rows were updated since the last message, and what is wanted.
__device__ __forceinline__ void tell(const Between& between, i64 number, const u32* mask, u64 wanted) {
  const int lane = threadIdx.x % 32;
  const u64 low = u64(mask[0]) | u64(mask[1] & 0xffff) << 32, high = u64(mask[1] >> 16) | u64(mask[2]) << 16;
  const u64 word = lane == 0 ? low : lane == 1 ? high : wanted;
  if (lane < 3) write_word(between.messages + number % RING * 3 + lane, u64(number & 0xffff) << 48 | word);
}

// The defined decision of one row, under the weights that the keepers hand over.
__device__ __forceinline__ bool is_mistake(const Between& between, i64 number, const VALUE* x, double sign,
                                           const double* weights, const Walk& walk) {
  const int lane = threadIdx.x % 32;
  for (int h = lane; h < walk.slices(); h += 32)
    while (read_word(between.handed + h) != u64(number)) {}
  __syncwarp();
  __threadfence();
  double a = 0;
  for (int j = lane % L; j < walk.d; j += L * DEEP) {  // as `score`, with weights past the own cache
    double v[DEEP], w[DEEP];
#pragma unroll
    for (int t = 0; t < DEEP; ++t) {
      v[t] = j + L * t < walk.d ? double(x[j + L * t]) : 0;
      w[t] = j + L * t < walk.d ? __ldcg(weights + j + L * t) : 0;
    }
#pragma unroll
    for (int t = 0; t < DEEP; ++t)
      if (j + L * t < walk.d) a = __dadd_rn(a, __dmul_rn(v[t], w[t]));
  }
  return calls(__dmul_rn(sign, __dadd_rn(fold(a), __ldcg(weights + walk.d))), walk.margin);
}

// The same with doubts: a row whose decision is not certain is scored as defined.
template <class Defined>
__device__ __forceinline__ u32 ponder(Margins& now, const float* g, u32 there, Defined defined) {
  u32 found = 0;
  for (;;) {
    const u32 open = __ballot_sync(ALL, !(now.m > now.bound.now)) & there;
    const u32 wrong = __ballot_sync(ALL, now.m < -now.bound.now);
    if (!open) return found;
    const u32 bit = open & (0 - open);  // the first
    there &= ~(bit ^ (bit - 1));
    const int k = 31 - __clz(bit);
    if (!(bit & wrong) && !defined(k, found)) continue;
    found |= bit;
    now.m += g[k * W];
    now.bound.grow();
  }
}

__device__ __forceinline__ void decide_blocks(const VALUE* X, Labels y, const int* order, const float* gram,
                                              const Walk& walk, const double* weights, const Between& between,
                                              int* rows_out, Walked* walked) {
  extern __shared__ __align__(16) float grams[];  // two blocks of 2 W W
  __shared__ float M[4][W], parts[2][8][WORDS];
  __shared__ float length;   // |w|
  __shared__ int largest[2];  // the bits of A
  __shared__ int list[2][W], many[2];
  const int tid = threadIdx.x, lane = tid % 32, slices = walk.slices();
  const i64 blocks = walk.blocks();
  i64 updates = walked->updates, exact = walked->exact, told = between.told;
  const auto bring = [&](i64 b, int first, int threads) {
    const float* const from = gram + b * 2 * W * W;
    float* const to = grams + (b & 1) * 2 * W * W;
    for (int t = first; t < 2 * W * W / 4; t += threads) send(to + 4 * t, from + 4 * t);
  };
  // The words of all slices, added up in eight parts.
  const auto collect = [&](i64 b, int first, int threads) {
    for (int t = first; t < min(slices, 8) * WORDS; t += threads) {
      const int k = t % WORDS, part = t / WORDS;
      float sum = 0;
      for (int h = part; h < slices; h += 8) {
        const u64* const word = between.products + ((b % AHEAD) * slices + h) * WORDS + k;
        u64 found;
        do found = read_word(word);
        while (found >> 32 != between.number(b));
        sum += __uint_as_float(u32(found));
      }
      parts[b & 1][part][k] = sum;
    }
  };
  const auto note = [&](i64 b, int t) {  // the rows that were updated
    const i64 place = walk.begin + b * W + list[b & 1][t];
    if (t < many[b & 1]) rows_out[updates + t] = int(order ? order[place] : place);
    updates += many[b & 1];
  };
  if (tid < 2) many[tid] = largest[tid] = 0;
  bring(0, tid, blockDim.x);
  collect(0, tid, blockDim.x);
  wait_for_all();
  for (i64 b = 0; b < blocks; ++b) {
    const int side = int(b & 1), rows = int(min(i64(W), walk.rows - b * W));
    const float* const own = grams + side * 2 * W * W + lane;
    __syncthreads();
    // Margins under the weights of now, in four parts: the products, and every fourth update each.
    const int k = tid % W, quarter = tid / W;
    float m = 0;
    if (quarter == 0) {
      for (int part = 0; part < min(slices, 8); ++part) m += parts[side][part][k];
      m -= float(walk.margin);
      if (k < rows) atomicMax(largest + side, __float_as_int(fabsf(m)));
    } else if (tid == W) {
      float square = 0;
      for (int part = 0; part < min(slices, 8); ++part) square += parts[side][part][W];
      length = 1.0001f * sqrtf(square);
    }
    const float* const cross = grams + ((side ^ 1) * 2 + 1) * W * W + k;
#pragma unroll 4
    for (int t = quarter; t < many[side ^ 1]; t += 4) m += cross[list[side ^ 1][t] * W];
    M[quarter][k] = m;
    __syncthreads();
    if (tid < 32) {
      float m[3];
#pragma unroll
      for (int r = 0; r < 3; ++r) {
        const int k = 32 * r + lane;
        m[r] = (M[0][k] + M[1][k]) + (M[2][k] + M[3][k]);
      }
      Bound bound = bound_of(many[side ^ 1], __int_as_float(largest[side]), length, slices, walk);
      u32 mask[3] = {0, 0, 0}, sent[3] = {0, 0, 0};
      const float* g = own;
#pragma unroll 1
      for (int r = 0; r < 3; ++r, g += 32 * W + 32) {
        const int left = rows - 32 * r;
        const u32 there = left >= 32 ? ALL : left > 0 ? (1u << left) - 1 : 0;
        Margins now = {m[0], bound};
        bool doubt;
        u32 found = sweep(now, g, there, doubt);
        if (doubt) {
          now = {m[0], bound};
          found = ponder(now, g, there, [&](int k, u32 so_far) {
            put(mask, r, so_far);
            const u32 news[3] = {mask[0] & ~sent[0], mask[1] & ~sent[1], mask[2] & ~sent[2]};
            tell(between, ++told, news, EXACT);
#pragma unroll
            for (int q = 0; q < 3; ++q) sent[q] = mask[q];
            ++exact;
            const i64 place = walk.begin + b * W + 32 * r + k, i = order ? order[place] : place;
            return is_mistake(between, told, X + i * walk.d, double(y.sign[i]), weights, walk);
          });
        }
        put(mask, r, found);
        bound = now.bound;
        for (u32 some = found; some; some &= some - 1) {  // the rows after these 32
          const float* const from = g + (__ffs(some) - 1) * W;
          m[1] += from[32];
          m[2] += from[64];
        }
        m[0] = m[1], m[1] = m[2];
      }
      const u32 news[3] = {mask[0] & ~sent[0], mask[1] & ~sent[1], mask[2] & ~sent[2]};
      tell(between, ++told, news, DONE);
      int found = 0;
#pragma unroll
      for (int r = 0; r < 3; ++r) {
        if (mask[r] >> lane & 1) list[side][found + __popc(mask[r] & ((1u << lane) - 1))] = 32 * r + lane;
        found += __popc(mask[r]);
      }
      if (lane == 0) many[side] = found, largest[side ^ 1] = 0;
    } else {
      if (b + 1 < blocks) bring(b + 1, tid - 32, blockDim.x - 32);
      if (b > 0 && tid >= 128 && tid < 128 + W) note(b - 1, tid - 128);
      if (b + 1 < blocks) collect(b + 1, tid - 32, blockDim.x - 32);
      wait_for_all();
    }
  }
  __syncthreads();
  if (tid >= 128 && tid < 128 + W) note(blocks - 1, tid - 128);
  if (tid == 128) walked->updates = updates;
  if (tid == 0) walked->exact = exact, walked->told = told, walked->blocks = between.blocks + blocks;
}
