// A multiprocessor that keeps the weights of a slice of the columns.

__device__ __forceinline__ void keep_weights(const VALUE* Z, const double* steps, const Walk& walk, int slice,
                                             double* weights, double* drifts, const Between& between) {
  extern __shared__ __align__(16) float room[];
  VALUE* const held = reinterpret_cast<VALUE*>(room);  // [AHEAD][W][SLICE]
  __shared__ __align__(16) double step[AHEAD][W];
  __shared__ double w[SLICE], drift[SLICE], size[W];
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
    for (int t = tid; t < W / 2; t += threads) send(step[b % AHEAD] + 2 * t, steps + b * W + 2 * t);
  };
  const auto multiply = [&](i64 b) {
    if (b >= blocks) return;
    u64* const words = between.products + ((b % AHEAD) * slices + slice) * WORDS;
    // Two rows in a warp: the second begins elsewhere, so that they do not meet in a memory bank.
    constexpr int MINE = SLICE / L, AT_ONCE = W * L / KEEPERS;
    const VALUE* const x = held + (b % AHEAD * W + tid / L) * SLICE;
    float a[AT_ONCE] = {}, square = 0;
#pragma unroll
    for (int t = 0; t < MINE; ++t) {
      const int j = l + L * ((t + tid / L) % MINE);
      const float v = narrow[j];
#pragma unroll
      for (int q = 0; q < AT_ONCE; ++q) a[q] = fmaf(float(x[q * (W / AT_ONCE) * SLICE + j]), v, a[q]);
      square = fmaf(v, v, square);
    }
#pragma unroll
    for (int apart = 8; apart; apart /= 2) {
#pragma unroll
      for (int q = 0; q < AT_ONCE; ++q) a[q] += __shfl_xor_sync(ALL, a[q], apart);
      square += __shfl_xor_sync(ALL, square, apart);
    }
    const u64 number = between.number(b) << 32;
#pragma unroll
    for (int q = 0; q < AT_ONCE; ++q)
      if (l == 0) write_word(words + tid / L + q * (W / AT_ONCE), number | u64(__float_as_uint(a[q])));
    if (tid == 0) write_word(words + W, number | u64(__float_as_uint(square)));
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
      const int t = __popcll(half & (bit - 1)) + (later ? __popcll(low) : 0);
      if (half & bit) list[t] = tid, size[t] = step[b % AHEAD][tid];
    }
    __syncthreads();
    const VALUE* const x = held + b % AHEAD * W * SLICE;
    if (tid < SLICE) {
      double v = w[tid];
#pragma unroll 8
      for (int t = 0; t < many; ++t) v = __dadd_rn(v, __dmul_rn(size[t], double(x[list[t] * SLICE + tid])));
      w[tid] = v;
      narrow[tid] = float(v);
    } else if (walk.averaged && tid < 2 * SLICE) {
      const int j = tid - SLICE;
      double v = drift[j];
#pragma unroll 8
      for (int t = 0; t < many; ++t) {
        const double shift = __dmul_rn(double(walk.visits + b * W + list[t]), size[t]);
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
