// Many mistakes: one multiprocessor walks through blocks of W rows, and the others prepare them.
//
// Let a block begin with weights w. The margins m_k = y_k S_k(w) of its rows are computed as defined. An
// update by row i moves the others: s_k grows by c_i y_i (x_i.x_k + 1), so m_k by
//
//     G_ik = c_i y_i y_k (x_i.x_k + 1)        (without the 1 through the origin),
//
// and the G of a block were computed before, in float32, since they do not depend on the weights. So the
// walk through a block is: the first row whose margin is not above the one asked for is a mistake; add its
// row of G to the margins; go on behind it. Then w takes the updates in their order, every column by
// itself, in float64 as defined.
//
// Which decisions are certain. M_k is what the walk has for m_k - margin after t updates, and D_k what is
// defined: the computed margin under the computed weights w', minus `margin`. With u = 2^-24, R >= |x~| of
// all rows, C >= c, N = C R^2 >= |G|, A >= all |M_k| when the block began:
//
//   G     d products and sums in float32, x rounded to float32, and 1, y, c: (d + 12) u N each    (underflow
//         is nothing beside u N, since the host walks only where 1e-20 < R^2 and C > 1e-12)
//   M     rounded once at the beginning and once an update, each time at most u (A + t N)
//   S, w' as in native/screen.hpp: S differs from the real sum by at most (d/16 + 16) 2^-52 R |w|, and w'
//         from the real sum of the updates by t 2^-52 |w| in length, with |w| <= V for all weights of the call
//
//   |M_k - D_k|  <=  E(t) = 1.01 [ t (d + 12) u N + (t + 2) u (A + t N) ] + (d/8 + 64 + 2 W) 2^-52 R V.
//
// The factor covers second orders and the rounding of E itself. Where |M_k| > E the sign of D_k is that
// of M_k. Where it is not, the block's updates so far are applied and the rest of it is scored as defined.
// At t = 0 nothing is uncertain: M_k then has the sign of D_k (a positive number too small for float32
// becomes the smallest one). All numbers are far from overflow: the host walks only where R^2 < 1e30,
// C < 1e12, R V < 1e30; NaN and infinity would fail both comparisons and be scored as defined.

constexpr int W = 96;         // rows of a block
constexpr int PER = W / 32;   // margins that a thread of the first warp holds
constexpr int TILE = 32;      // columns at a time when G is computed
constexpr u32 NOBODY = 0xffffffffu;

struct Walk {
  i64 begin, rows;  // the first place in the order, and how many
  i64 visits;       // before `begin`
  double margin;
  float size, error;  // N; the last term of E
  int d, stride, intercept, averaged;
};

#define WALK                                                                                        \
  i64 begin, i64 many, i64 visits, double margin, float size, float error, int d, int stride,       \
      int intercept, int averaged
#define THE_WALK (Walk{begin, many, visits, margin, size, error, d, stride, intercept, averaged})

struct Walked {
  i64 updates, redone;
};

// Z: the rows in the order of visits, `stride` numbers apart; steps: c_i y_i; gram: G of each block.
// A block of 24 x 24 threads, each 4 x 4 of the products.
extern "C" __global__ void __launch_bounds__(576) prepare(const VALUE* X, LABELS, const int* order,
                                                          WALK, VALUE* Z, double* steps, float* gram) {
  const Labels y = THE_LABELS;
  const Walk walk = THE_WALK;
  __shared__ float tile[W][TILE + 1];
  __shared__ i64 row[W];
  __shared__ float own[W], sign[W];
  const int tx = threadIdx.x % 24, ty = threadIdx.x / 24;
  const i64 first = i64(blockIdx.x) * W;
  const int rows = int(min(i64(W), walk.rows - first));
  if (threadIdx.x < W) {
    const int t = threadIdx.x;
    const i64 at = walk.begin + first + (t < rows ? t : 0), i = order ? order[at] : at;
    row[t] = i;
    sign[t] = float(y.sign[i]);
    own[t] = float(y.weight(i)) * sign[t];
    if (t < rows) steps[first + t] = y.weight(i) * double(y.sign[i]);
  }
  __syncthreads();
  float a[4][4] = {};
  for (int from = 0; from < d; from += TILE) {
    for (int t = threadIdx.x; t < W * TILE; t += blockDim.x) {
      const int i = t / TILE, j = from + t % TILE;
      VALUE v = 0;
      if (j < d) {
        v = X[row[i] * d + j];
        if (i < rows) Z[(first + i) * walk.stride + j] = v;
      }
      tile[i][t % TILE] = float(v);
    }
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < TILE; ++j) {
      float u[4], v[4];
#pragma unroll
      for (int p = 0; p < 4; ++p) u[p] = tile[ty + 24 * p][j], v[p] = tile[tx + 24 * p][j];
#pragma unroll
      for (int p = 0; p < 4; ++p)
#pragma unroll
        for (int q = 0; q < 4; ++q) a[p][q] = fmaf(u[p], v[q], a[p][q]);
    }
    __syncthreads();
  }
  float* const out = gram + i64(blockIdx.x) * W * W;
#pragma unroll
  for (int p = 0; p < 4; ++p)
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const int i = ty + 24 * p, k = tx + 24 * q;
      out[i * W + k] = own[i] * sign[k] * (a[p][q] + (walk.intercept ? 1.f : 0.f));
    }
}

__device__ __forceinline__ u32 least(u32 key) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(ALL, key);
#else
  for (int apart = 16; apart; apart /= 2) key = min(key, __shfl_xor_sync(ALL, key, apart));
  return key;
#endif
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

struct Found {
  int many, next;  // mistakes; the place to score anew, or -1: the block is done
};

// The walk through one block by one warp, from place `from` on. Thread l has the places l PER, ...
__device__ __forceinline__ Found decide(const float* M, const float* gram, int from, int rows, float size,
                                        float error, int d, int* list) {
  const float u = 1.01f * 0x1p-24f;
  const int lane = threadIdx.x % 32;
  float m[PER];
  u32 top = 0;
#pragma unroll
  for (int r = 0; r < PER; ++r) {
    const int k = lane * PER + r;
    m[r] = k >= from && k < rows ? M[k] : 0;
    if (k >= from && k < rows) top = max(top, __float_as_uint(fabsf(M[k])));
  }
  const float largest = __uint_as_float(~least(~top));
  float bound = 0;
  int done = from - 1;  // the last place that was visited
  for (int t = 0;;) {
    u32 key = NOBODY;
#pragma unroll
    for (int r = PER - 1; r >= 0; --r)
      if (lane * PER + r > done && lane * PER + r < rows && !(m[r] > bound))
        key = u32(lane * PER + r) << 1 | u32(t > 0 && !(m[r] < -bound));
    key = least(key);
    if (key == NOBODY) return {t, -1};
    done = int(key >> 1);
    if (key & 1) return {t, done};
    if (lane == 0) list[t] = done;
    ++t;
    const float* const g = gram + done * W + lane * PER;
#pragma unroll
    for (int r = 0; r < PER; ++r) m[r] += g[r];
    const float steps = float(t);
    bound = u * (steps * float(d + 12) * size + (steps + 2) * (largest + steps * size)) + error;
  }
}

// into := into + the updates of the list, in their order; thread by thread a column.
template <class Size>
__device__ __forceinline__ void apply(double* into, const VALUE* x, int stride, const int* list, int many,
                                      int d, int intercept, int first, int threads, Size size) {
  for (int j = first; j < d + intercept; j += threads) {
    double v = into[j];
#pragma unroll 4
    for (int t = 0; t < many; ++t) {
      const int k = list[t];
      v = __dadd_rn(v, __dmul_rn(size(k), j < d ? double(x[i64(k) * stride + j]) : 1.0));
    }
    into[j] = v;
  }
}

// STAGED: the rows of a block fit into shared memory twice.
template <bool STAGED>
__device__ __forceinline__ void walk_through(const VALUE* Z, const double* steps, const float* gram,
                                             const int* order, Walk walk, double* weights, double* drifts,
                                             int* rows_out, Walked* walked) {
  extern __shared__ __align__(16) double room[];
  __shared__ float M[W];
  __shared__ double step[2][W];
  __shared__ int list[W], told[2];
  const int d = walk.d, stride = walk.stride, tid = threadIdx.x, threads = blockDim.x, half = threads / 2;
  float* const grams = reinterpret_cast<float*>(room);  // two blocks of G, first: they need 16 bytes
  VALUE* const staged = reinterpret_cast<VALUE*>(grams + 2 * W * W);
  double* const w = reinterpret_cast<double*>(staged + (STAGED ? 2 * W * stride : 0));
  double* const drift = w + d + 1;
  for (int j = tid; j <= d; j += threads) {
    w[j] = weights[j];
    if (walk.averaged) drift[j] = drifts[j];
  }
  const i64 blocks = (walk.rows + W - 1) / W;
  const auto bring = [&](i64 b, int side, int first, int many) {
    const float* const from = gram + b * W * W;
    for (int t = first; t < W * W / 4; t += many) send(grams + side * W * W + 4 * t, from + 4 * t);
    const int rows = int(min(i64(W), walk.rows - b * W));
    if (STAGED) {
      constexpr int numbers = 16 / sizeof(VALUE);
      for (int t = first; t < rows * stride / numbers; t += many)
        send(staged + side * W * stride + numbers * t, Z + b * W * stride + numbers * t);
    }
    for (int t = first; t < rows; t += many) step[side][t] = steps[b * W + t];
  };
  bring(0, 0, tid, threads);
  i64 updates = walked->updates, redone = walked->redone;
  for (i64 b = 0; b < blocks; ++b) {
    const int side = int(b & 1), rows = int(min(i64(W), walk.rows - b * W));
    const VALUE* const x = STAGED ? staged + side * W * stride : Z + b * W * stride;
    wait_for_all();
    __syncthreads();
    for (int from = 0; from >= 0;) {
      for (int k = tid / L; k < W; k += threads / L) {  // W is even: a warp has two rows or none
        const int i = k < rows ? k : 0;
        const double s = score(x + i64(i) * stride, w, d, tid % L);
        const double over = (step[side][i] < 0 ? -s : s) - walk.margin;
        if (tid % L == 0) M[k] = over > 0 ? fmaxf(float(over), 0x1p-149f) : float(over);
      }
      __syncthreads();
      if (tid < 32) {
        const Found found = decide(M, grams + side * W * W, from, rows, walk.size, walk.error, d, list);
        if (tid == 0) told[0] = found.many, told[1] = found.next;
      } else if (from == 0 && b + 1 < blocks) {
        bring(b + 1, side ^ 1, tid - 32, threads - 32);
      }
      __syncthreads();
      const int many = told[0];
      const i64 place = walk.begin + b * W;
      const int apart = walk.averaged ? half : threads;  // the other half adds to the drift
      if (tid < apart)
        apply(w, x, stride, list, many, d, walk.intercept, tid, apart, [&](int k) { return step[side][k]; });
      else
        apply(drift, x, stride, list, many, d, walk.intercept, tid - half, half, [&](int k) {
          return __dmul_rn(double(walk.visits + b * W + k), step[side][k]);
        });
      for (int t = tid; t < many; t += threads)
        rows_out[updates + t] = int(order ? order[place + list[t]] : place + list[t]);
      updates += many;
      from = told[1];
      if (from > 0) ++redone;
      __syncthreads();
    }
  }
  for (int j = tid; j <= d; j += threads) {
    weights[j] = w[j];
    if (walk.averaged) drifts[j] = drift[j];
  }
  if (tid == 0) *walked = {updates, redone};
}

#define WALKS(name, staged)                                                                         \
  extern "C" __global__ void __launch_bounds__(512) name(                                           \
      const VALUE* Z, const double* steps, const float* gram, const int* order, WALK,               \
      double* weights, double* drifts, int* rows, Walked* walked) {                                 \
    walk_through<staged>(Z, steps, gram, order, THE_WALK, weights, drifts, rows, walked);           \
  }

WALKS(walk_staged, true)
WALKS(walk_read, false)
