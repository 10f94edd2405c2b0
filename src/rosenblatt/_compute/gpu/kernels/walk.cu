// Many mistakes: one multiprocessor decides block after block of W rows, others keep the weights.
//
// An update by row i moves the margins m_k = y_k (w.x_k + b) of the others by
//
//     G_ik = c_i y_i y_k (x_i.x_k + 1)        (without the 1 through the origin),
//
// and these were computed before (prepare.cu), since they do not depend on the weights. So the walk through
// a block is: the first row whose margin is not above the one asked for is a mistake; add its row of G to
// the margins; go on behind it. That is all the first multiprocessor does (the decider). Each of the others
// (keepers) has a slice of the columns: it adds the updates of a block to its weights, every column by
// itself and in the order of the visits, in float64 as defined; then it multiplies the rows of the block
// after the next with them. In the meantime the next block is decided: its margins lack the updates of the
// block before, which G knows, too.
//
//   decider   block b: margins of the keepers + G of the updates in b-1 ──► mistakes of b ──┐ message
//   keepers   w += updates of b ──► products of w with the rows of b+2 ──► words            ◄┘
//
// Which decisions are certain. M_k is what the decider has for m_k - margin, and D_k what is defined: the
// computed margin under the computed weights w', minus `margin`. With u = 2^-24, t updates that came from G,
// R >= |x~| of all rows, C >= c, N = C R^2 >= |G|, A >= all |M_k| as the keepers gave them, H slices:
//
//   G     d products and sums in float32, x rounded to float32, and 1, y, c: (d + 12) u N each    (underflow
//         is nothing beside u N, since the host walks only where 1e-20 < R^2 and C > 1e-12)
//   M     at first SLICE/16 + 4 + H sums in float32 of rounded products of rounded numbers:
//         (SLICE/16 + H + 12) u R |w|; and a rounding for each update and for the margin: (t + 2) u (A + t N)
//   S, w' as in native/screen.hpp: S differs from the real sum by at most (d/16 + 16) 2^-52 R |w|, and w'
//         from the real sum of the updates by 2 W 2^-52 |w| in length, with |w| <= V for all weights of the call
//
//   |M_k - D_k|  <=  E(t) = 1.02 u [ t (d + 12) N + (t + 2) (A + t N) + (SLICE/16 + H + 12) R |w| ]
//                          + (d/8 + 64 + 2 W) 2^-52 R V.
//
// 1.02 covers second orders and the rounding of E itself. Where |M_k| > E the sign of D_k is that of M_k.
// Where it is not, the keepers hand over the weights of now and the row is scored as defined: what it is
// then is certain. All numbers are far from overflow: the host walks only where R^2 < 1e30, C < 1e12,
// R V < 1e30; NaN and infinity would fail both comparisons and be scored as defined.

constexpr int RING = 8;        // messages that may be under way
constexpr int AHEAD = 4;       // blocks whose rows a keeper holds
constexpr u64 DONE = 1, EXACT = 2;
constexpr int WORDS = W + 1;   // of a keeper and block: products of W rows, and |w|^2

struct Walked {
  i64 updates, exact;  // of this call
  i64 told, blocks;    // messages and blocks of all calls: no number comes twice
};

__device__ __forceinline__ u64 read_word(const u64* word) {
  return *reinterpret_cast<const volatile u64*>(word);
}
__device__ __forceinline__ void write_word(u64* word, u64 value) {
  *reinterpret_cast<volatile u64*>(word) = value;
}

// 16 bytes from memory into shared memory, without waiting for them.
__device__ __forceinline__ void send(void* to, const void* from) {
#if __CUDA_ARCH__ >= 800
  const u32 place = u32(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(from));
#else
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
#endif
}
__device__ __forceinline__ void wait_for_all() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// What the multiprocessors tell each other; all in memory that every one of them reads past its own cache.
// Words carry the number of what they are about in their high bits, so that a word is its own signal.
struct Between {
  u64* messages;  // [RING][3]: 16 bits of the number, 48 bits: rows 0 to 47, rows 48 to 95, what is wanted
  u64* products;  // [AHEAD][slices][WORDS]: 32 bits of the block's number, a float
  u64* handed;    // [slices]: the number of the message for which the weights were handed over
  i64 told, blocks;  // before this call
  __device__ __forceinline__ u64 number(i64 b) const { return u64(blocks + b + 1) & 0xffffffffu; }
};

// --- The decider ------------------------------------------------------------------------------------

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
  const float now = u * (s * float(walk.d + 12) * N + (s + 2) * (A + s * N)) + fixed;
  const float next = u * ((s + 1) * float(walk.d + 12) * N + (s + 3) * (A + (s + 1) * N)) + fixed;
  return {now, next - now + 2 * u * fixed, 2.02f * u * N};
}

__device__ __forceinline__ float largest_of(float a) {
#pragma unroll
  for (int apart = 16; apart; apart /= 2) a = fmaxf(a, __shfl_xor_sync(ALL, a, apart));
  return a;
}

// The first row behind `done` that is not certainly right, or -1; thread l has the rows l, l + 32, l + 64.
__device__ __forceinline__ int first_doubtful(const float* m, float bound, int done, int rows, bool& certain) {
  const int lane = threadIdx.x % 32;
  u32 fails[3], wrong[3];
#pragma unroll
  for (int r = 0; r < 3; ++r) {
    const int k = 32 * r + lane;
    fails[r] = __ballot_sync(ALL, k > done && k < rows && !(m[r] > bound));
    wrong[r] = __ballot_sync(ALL, m[r] < -bound);
  }
  if (!(fails[0] | fails[1] | fails[2])) return -1;
  const int r = fails[0] ? 0 : fails[1] ? 1 : 2;
  const u32 f = fails[0] ? fails[0] : fails[1] ? fails[1] : fails[2];
  const u32 c = fails[0] ? wrong[0] : fails[1] ? wrong[1] : wrong[2];
  certain = (f & (0 - f) & c) != 0;
  return 32 * r + __ffs(f) - 1;
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
  const volatile double* const w = weights;
  for (int j = lane % L; j < walk.d; j += L) a = __dadd_rn(a, __dmul_rn(double(x[j]), w[j]));
  return calls(__dmul_rn(sign, __dadd_rn(fold(a), w[walk.d])), walk.margin);
}

__device__ __forceinline__ void decide_blocks(const VALUE* X, Labels y, const int* order, const float* gram,
                                              const Walk& walk, const double* weights, const Between& between,
                                              int* rows_out, Walked* walked) {
  extern __shared__ __align__(16) float grams[];  // two blocks of 2 W W
  __shared__ float M[W], length[1], parts[2][8][WORDS];
  __shared__ int list[2][W], many[2];
  const int tid = threadIdx.x, lane = tid % 32, slices = walk.slices();
  const i64 blocks = walk.blocks();
  const auto bring = [&](i64 b, int first, int threads) {
    const float* const from = gram + b * 2 * W * W;
    float* const to = grams + (b & 1) * 2 * W * W;
    for (int t = first; t < 2 * W * W / 4; t += threads) send(to + 4 * t, from + 4 * t);
  };
  // Eight threads in turn wait for the words of all slices, and add them up.
  const auto collect = [&](i64 b, int first, int threads) {
    for (int t = first; t < 8 * WORDS; t += threads) {
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
  if (tid < 2) many[tid] = 0;
  bring(0, tid, blockDim.x);
  collect(0, tid, blockDim.x);
  wait_for_all();
  i64 updates = walked->updates, exact = walked->exact, told = between.told;
  for (i64 b = 0; b < blocks; ++b) {
    const int side = int(b & 1), rows = int(min(i64(W), walk.rows - b * W));
    __syncthreads();
    if (tid < WORDS) {  // margins under the weights of now
      float m = 0;
#pragma unroll
      for (int part = 0; part < 8; ++part) m += part < slices ? parts[side][part][tid] : 0.f;
      if (tid == W) {
        length[0] = 1.0001f * sqrtf(m);
      } else {
        const float* const g = grams + ((side ^ 1) * 2 + 1) * W * W + tid;
        m -= float(walk.margin);
        const float given = m;
#pragma unroll 4
        for (int t = 0; t < many[side ^ 1]; ++t) m += g[list[side ^ 1][t] * W];
        M[tid] = m;
        parts[side][0][tid] = fabsf(given);
      }
    }
    __syncthreads();
    if (tid < 32) {
      const float* const g = grams + side * 2 * W * W + lane;
      float m[3] = {M[lane], M[32 + lane], M[64 + lane]}, A = 0;
#pragma unroll
      for (int r = 0; r < 3; ++r)
        if (32 * r + lane < rows) A = fmaxf(A, parts[side][0][32 * r + lane]);
      Bound bound = bound_of(many[side ^ 1], largest_of(A), length[0], slices, walk);
      u32 mask[3] = {0, 0, 0};
      int done = -1, found = 0;
      for (;;) {
        bool certain;
        const int at = first_doubtful(m, bound.now, done, rows, certain);
        if (at < 0) break;
        done = at;
        if (!certain) {
          tell(between, ++told, mask, EXACT);
          mask[0] = mask[1] = mask[2] = 0;
          ++exact;
          const i64 place = walk.begin + b * W + at, i = order ? order[place] : place;
          if (!is_mistake(between, told, X + i * walk.d, double(y.sign[i]), weights, walk)) continue;
        }
        if (lane == 0) list[side][found] = at;
        ++found;
#pragma unroll
        for (int r = 0; r < 3; ++r) mask[r] |= at / 32 == r ? 1u << at % 32 : 0;
#pragma unroll
        for (int r = 0; r < 3; ++r) m[r] += g[at * W + 32 * r];
        bound.grow();
      }
      tell(between, ++told, mask, DONE);
      if (lane == 0) many[side] = found;
      __syncwarp();
      for (int t = lane; t < found; t += 32) {
        const i64 place = walk.begin + b * W + list[side][t];
        rows_out[updates + t] = int(order ? order[place] : place);
      }
      updates += found;
    } else if (b + 1 < blocks) {
      bring(b + 1, tid - 32, blockDim.x - 32);
      collect(b + 1, tid - 32, blockDim.x - 32);
      wait_for_all();
    }
  }
  if (tid == 0) *walked = {updates, exact, told, between.blocks + blocks};
}

// --- A keeper ---------------------------------------------------------------------------------------

__device__ __forceinline__ void keep_weights(const VALUE* Z, const double* steps, const Walk& walk, int slice,
                                             double* weights, double* drifts, const Between& between) {
  extern __shared__ __align__(16) float room[];
  VALUE* const held = reinterpret_cast<VALUE*>(room);  // [AHEAD][W][SLICE]
  __shared__ double w[SLICE], drift[SLICE], step[AHEAD][W];
  __shared__ float narrow[SLICE];
  __shared__ int list[W];
  __shared__ u64 message[3];
  const int tid = threadIdx.x, threads = blockDim.x, l = tid % L, slices = walk.slices();
  const int first = slice * SLICE, columns = min(SLICE, walk.d + 1 - first);
  const i64 blocks = walk.blocks();
  i64 heard = between.told;
  const auto bring = [&](i64 b) {
    if (b >= blocks) return;
    const VALUE* const from = Z + (b * slices + slice) * W * SLICE;
    VALUE* const to = held + b % AHEAD * W * SLICE;
    constexpr int numbers = 16 / sizeof(VALUE);
    for (int t = tid; t < W * SLICE / numbers; t += threads) send(to + numbers * t, from + numbers * t);
    for (int t = tid; t < W; t += threads) step[b % AHEAD][t] = steps[b * W + t];
  };
  const auto multiply = [&](i64 b) {
    if (b >= blocks) return;
    u64* const words = between.products + ((b % AHEAD) * slices + slice) * WORDS;
    for (int k = tid / L; k < (WORDS + 1) / 2 * 2; k += threads / L) {
      const VALUE* const x = held + (b % AHEAD * W + min(k, W - 1)) * SLICE;
      float a = 0;
#pragma unroll
      for (int j = l; j < SLICE; j += L) a = fmaf(k < W ? float(x[j]) : narrow[j], narrow[j], a);
#pragma unroll
      for (int apart = 8; apart; apart /= 2) a += __shfl_xor_sync(ALL, a, apart);
      if (l == 0 && k < WORDS) write_word(words + k, between.number(b) << 32 | u64(__float_as_uint(a)));
    }
  };
  for (int j = tid; j < SLICE; j += threads) {
    w[j] = j < columns ? weights[first + j] : 0;
    drift[j] = j < columns && walk.averaged ? drifts[first + j] : 0;
    narrow[j] = float(w[j]);
  }
  for (int b = 0; b < 3; ++b) bring(b);
  wait_for_all();
  __syncthreads();
  multiply(0);
  multiply(1);
  for (i64 b = 0; b < blocks;) {
    ++heard;
    if (tid < 3) {
      u64 word;
      do word = read_word(between.messages + heard % RING * 3 + tid);
      while (word >> 48 != u64(heard & 0xffff));
      message[tid] = word & (u64(1) << 48) - 1;
    }
    __syncthreads();
    const u64 low = message[0], high = message[1], wanted = message[2];
    const int many = __popcll(low) + __popcll(high);
    if (tid < W) {
      const bool later = tid >= 48;
      const u64 half = later ? high : low, bit = u64(1) << (later ? tid - 48 : tid);
      if (half & bit) list[__popcll(half & (bit - 1)) + (later ? __popcll(low) : 0)] = tid;
    }
    __syncthreads();
    const VALUE* const x = held + b % AHEAD * W * SLICE;
    const double* const size = step[b % AHEAD];
    if (tid < SLICE) {
      double v = w[tid];
#pragma unroll 4
      for (int t = 0; t < many; ++t) v = __dadd_rn(v, __dmul_rn(size[list[t]], double(x[list[t] * SLICE + tid])));
      w[tid] = v;
      narrow[tid] = float(v);
    } else if (walk.averaged && tid < 2 * SLICE) {
      const int j = tid - SLICE;
      double v = drift[j];
#pragma unroll 4
      for (int t = 0; t < many; ++t) {
        const double shift = __dmul_rn(double(walk.visits + b * W + list[t]), size[list[t]]);
        v = __dadd_rn(v, __dmul_rn(shift, double(x[list[t] * SLICE + j])));
      }
      drift[j] = v;
    }
    wait_for_all();
    __syncthreads();
    if (wanted == EXACT) {
      for (int j = tid; j < columns; j += threads) weights[first + j] = w[j];
      __threadfence();
      __syncthreads();
      if (tid == 0) write_word(between.handed + slice, u64(heard));
    } else {
      multiply(b + 2);
      bring(b + 3);
      ++b;
    }
  }
  for (int j = tid; j < columns; j += threads) {
    weights[first + j] = w[j];
    if (walk.averaged) drifts[first + j] = drift[j];
  }
}

// The first block decides, the others keep the weights of a slice each. All must run at the same time; there
// are far fewer of them than multiprocessors, and nothing else waits for them.
extern "C" __global__ void __launch_bounds__(512, 1)
    walk(const VALUE* X, LABELS, const int* order, WALK, const VALUE* Z, const double* steps, const float* gram,
         double* weights, double* drifts, u64* messages, u64* products, u64* handed, int* rows,
         Walked* walked) {
  const Walk walk = THE_WALK;
  const Between between = {messages, products, handed, walked->told, walked->blocks};
  if (blockIdx.x == 0)
    decide_blocks(X, THE_LABELS, order, gram, walk, weights, between, rows, walked);
  else
    keep_weights(Z, steps, walk, int(blockIdx.x) - 1, weights, drifts, between);
}
