// What the walk needs of the rows to come and what does not depend on the weights: made beforehand, by the
// multiprocessors that do not walk.
//
//   Z     y_i (x_i, 1) in the order of visits: [block][slice][row of the block][column of the slice], zeros
//         where there is no row or column. (0 for the 1 through the origin.)
//   steps c_i
//   gram  for each block of W rows W x 2W numbers in float32: G_ik = c_i y_i y_k (x_i.x_k + 1), i of this
//         block, k of this block and of the next one.

constexpr int W = 96;                            // rows of a block
constexpr int SLICE = SLICE_BYTES / int(sizeof(VALUE));  // columns that one multiprocessor cares for
constexpr int TILE = 32;                         // columns at a time when G is computed

struct Walk {
  i64 begin, rows;  // the first place in the order, and how many
  i64 visits;       // before `begin`
  double margin;
  float size, radius, error;  // N, R and the last term of E
  int d, intercept, averaged;
  __device__ __forceinline__ int slices() const { return (d + SLICE) / SLICE; }  // of d + 1 columns
  __device__ __forceinline__ i64 blocks() const { return (rows + W - 1) / W; }
};

#define WALK                                                                                            \
  i64 begin, i64 many, i64 visits, double margin, float size, float radius, float error, int d,         \
      int intercept, int averaged
#define THE_WALK (Walk{begin, many, visits, margin, size, radius, error, d, intercept, averaged})

// 24 x 24 threads, each 4 x 8 of the products.
extern "C" __global__ void __launch_bounds__(576) prepare(const VALUE* X, LABELS, const int* order, WALK,
                                                          VALUE* Z, double* steps, float* gram) {
  const Labels y = THE_LABELS;
  const Walk walk = THE_WALK;
  __shared__ float tile[2 * W][TILE + 1];
  __shared__ i64 row[2 * W];
  __shared__ float own[W], sign[2 * W];
  const int tx = threadIdx.x % 24, ty = threadIdx.x / 24, slices = walk.slices();
  const i64 b = blockIdx.x, first = b * W;
  const int rows = int(min(i64(2 * W), walk.rows - first));  // of this block and the next
  for (int t = threadIdx.x; t < 2 * W; t += blockDim.x) {
    const i64 at = walk.begin + first + (t < rows ? t : 0), i = order ? order[at] : at;
    row[t] = i;
    sign[t] = t < rows ? float(y.sign[i]) : 0.f;
    if (t < W) {
      own[t] = float(y.weight(i)) * sign[t];
      steps[first + t] = t < rows ? y.weight(i) : 0;
    }
  }
  __syncthreads();
  float a[4][8] = {};
  const int wide = slices * SLICE;
  for (int from = 0; from < wide; from += TILE) {
    for (int t = threadIdx.x; t < 2 * W * TILE; t += blockDim.x) {
      const int i = t / TILE, j = from + t % TILE;
      const VALUE v = j < walk.d && i < rows ? X[row[i] * walk.d + j] : VALUE(0);
      tile[i][t % TILE] = float(v);
      if (i < W) {
        const VALUE lifted = j == walk.d ? VALUE(walk.intercept) : v;
        Z[((b * slices + j / SLICE) * W + i) * SLICE + j % SLICE] = VALUE(sign[i]) * lifted;
      }
    }
    __syncthreads();
    if (from < walk.d) {
#pragma unroll 4
      for (int j = 0; j < TILE; ++j) {
        float u[4], v[8];
#pragma unroll
        for (int p = 0; p < 4; ++p) u[p] = tile[ty + 24 * p][j];
#pragma unroll
        for (int q = 0; q < 8; ++q) v[q] = tile[tx + 24 * q][j];
#pragma unroll
        for (int p = 0; p < 4; ++p)
#pragma unroll
          for (int q = 0; q < 8; ++q) a[p][q] = fmaf(u[p], v[q], a[p][q]);
      }
    }
    __syncthreads();
  }
  // This block's own G first, then that with the next block: each W x W in one piece.
  float* const out = gram + b * 2 * W * W;
#pragma unroll
  for (int p = 0; p < 4; ++p)
#pragma unroll
    for (int q = 0; q < 8; ++q) {
      const int i = ty + 24 * p, k = tx + 24 * q;
      const float g = own[i] * sign[k] * (a[p][q] + (walk.intercept ? 1.f : 0.f));
      out[(k / W * W + i) * W + k % W] = g;
    }
}
