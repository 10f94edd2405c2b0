// Looks that change nothing: counting, scores, the rows of a batch step, and a survey of X. All are maps
// over the rows; sums are made where their order is defined.

// 16 threads a row. All threads of a warp make as many rounds, so that they fold together: where one of
// the two rows of a warp is beyond the end, the last one is read and `there` is false.
template <class Look>
__device__ __forceinline__ void for_rows(i64 begin, i64 end, Look look) {
  const int l = threadIdx.x % L, second = threadIdx.x / L % 2;
  const i64 warp = (i64(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  const i64 warps = i64(gridDim.x) * blockDim.x / 32;
  for (i64 pair = begin + 2 * warp; pair < end; pair += 2 * warps) {
    const i64 i = pair + second;
    look(i < end ? i : end - 1, i < end, l);
  }
}

// The mistakes (m <= 0) of `number` candidates; flags, where wanted, one byte a row and candidate.
extern "C" __global__ void count(const VALUE* X, LABELS, int k, const double* w, int number, int d,
                                 i64 begin, i64 end, u64* plain, unsigned char* flags) {
  const Labels y = THE_LABELS;
  for_rows(begin, end, [&](i64 i, bool there, int l) {
    const i64 size = i64(k ? k : 1) * (d + 1);
    for (int a = 0; a < number; ++a) {
      const double m = k ? standing(X + i * d, w + a * size, k, d, y.number[i], l).m
                         : __dmul_rn(double(y.sign[i]), score(X + i * d, w + a * size, d, l));
      const bool wrong = there && y.weight(i) != 0 && calls(m, 0) && l == 0;
      if (flags && l == 0 && there) flags[i64(a) * (end - begin) + i - begin] = wrong;
      const u32 both = __ballot_sync(ALL, wrong);
      if (both && threadIdx.x % 32 == 0) atomicAdd(plain + a, u64(__popc(both)));
    }
  });
}

// out[i k + c] = the score of class c; k = 1: the score.
extern "C" __global__ void scores(const VALUE* X, const double* w, int k, int d, i64 begin, i64 end,
                                  double* out) {
  for_rows(begin, end, [&](i64 i, bool there, int l) {
    for (int a = 0; a < k; ++a) {
      const double s = score(X + i * d, w + i64(a) * (d + 1), d, l);
      if (l == 0 && there) out[i * k + a] = s;
    }
  });
}

// Marks the rows that call for an update: 1, of many classes 1 + the rival. `seen`: their scores, of many
// classes their margins, where they are wanted.
extern "C" __global__ void look(const VALUE* X, LABELS, int k, const double* w, int d, double margin,
                                i64 n, int* mark, double* seen) {
  const Labels y = THE_LABELS;
  for_rows(0, n, [&](i64 i, bool there, int l) {
    Standing now = {0, 0};
    double m, shown;
    if (k) {
      now = standing(X + i * d, w, k, d, y.number[i], l);
      m = shown = now.m;
    } else {
      shown = score(X + i * d, w, d, l);
      m = __dmul_rn(double(y.sign[i]), shown);
    }
    if (l == 0 && there) {
      mark[i] = y.weight(i) != 0 && calls(m, margin) ? 1 + now.rival : 0;
      if (seen) seen[i] = shown;
    }
  });
}

// sum += c_i y_i (x_i, 1) over the marked rows, one after the other as they are listed: a thread for each
// column, a row of blocks for each class. Of many classes +c_i for the row's own, -c_i for its rival.
extern "C" __global__ void add_marked(const VALUE* X, LABELS, const int* mark, const i64* some, i64 many,
                                      int d, int intercept, double* sum) {
  const Labels y = THE_LABELS;
  const int j = blockIdx.x * blockDim.x + threadIdx.x, own = blockIdx.y;
  if (j > d || (j == d && !intercept)) return;
  constexpr int AHEAD = 16;
  double total = sum[i64(own) * (d + 1) + j];
  for (i64 from = 0; from < many; from += AHEAD) {
    double x[AHEAD], step[AHEAD];
#pragma unroll
    for (int t = 0; t < AHEAD; ++t) {
      const i64 i = some[from + t < many ? from + t : many - 1];
      const double size = y.weight(i);
      step[t] = from + t >= many ? 0
                : y.sign         ? size * double(y.sign[i])
                : y.number[i] == own ? size
                : mark[i] - 1 == own ? -size
                                   : 0;
      x[t] = j < d ? double(X[i * d + j]) : 1.0;
    }
#pragma unroll
    for (int t = 0; t < AHEAD; ++t)
      if (step[t] != 0) total = __dadd_rn(total, __dmul_rn(step[t], x[t]));
  }
  sum[i64(own) * (d + 1) + j] = total;
}

// longest: at least the largest |x|^2 of a row, as the bits of a double; broken: the smallest row with a
// number that is not finite. (A sum of d squares is wrong by a factor 1 -+ d 2^-53 at most.)
extern "C" __global__ void survey(const VALUE* X, int d, i64 n, u64* longest, u64* broken) {
  for_rows(0, n, [&](i64 i, bool there, int l) {
    double a = 0;
    bool fine = true;
    for (int j = l; j < d; j += L) {
      const double v = double(X[i * d + j]);
      fine = fine && v - v == 0;
      a += v * v;
    }
    a = fold(a);
    const u32 bad = __ballot_sync(ALL, !fine);
    if (l == 0) {
      if (bad & (0xffffu << (threadIdx.x & 16))) atomicMin(broken, u64(i));
      else atomicMax(longest, u64(__double_as_longlong(a * (1 + (d + 16) * 0x1p-52))));
    }
  });
}
