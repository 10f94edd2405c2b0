// The score on a GPU: the same function to the bit as native/rows.hpp has it.
//
// 16 threads read a row. Thread l is lane l: it takes the columns l, l + 16, ... in increasing order, in
// float64 and with nothing fused; the lanes fold by halves, 8, 4, 2, 1 apart (a + b = b + a, so every
// thread gets the sum that the CPU's tree gives); b is added last.
//
// VALUE is the type of X: float or double.
#pragma once

typedef long long i64;
typedef unsigned long long u64;
typedef unsigned int u32;

constexpr int L = 16;    // lanes of a score
constexpr int DEEP = 8;  // numbers that a thread has asked for before it uses the first
constexpr u32 ALL = 0xffffffffu;

__device__ __forceinline__ double fold(double a) {
  a = __dadd_rn(a, __shfl_xor_sync(ALL, a, 8));
  a = __dadd_rn(a, __shfl_xor_sync(ALL, a, 4));
  a = __dadd_rn(a, __shfl_xor_sync(ALL, a, 2));
  return __dadd_rn(a, __shfl_xor_sync(ALL, a, 1));
}

// All threads of the warp must call it. Weights that are not finite must not meet a column that is
// not there, so what lies beyond d is left out and not multiplied by 0.
__device__ __forceinline__ double score(const VALUE* x, const double* w, int d, int l) {
  double a = 0;
  for (int j = l; j < d; j += L * DEEP) {
    VALUE v[DEEP];
#pragma unroll
    for (int t = 0; t < DEEP; ++t) v[t] = j + L * t < d ? x[j + L * t] : VALUE(0);
#pragma unroll
    for (int t = 0; t < DEEP; ++t)
      if (j + L * t < d) a = __dadd_rn(a, __dmul_rn(double(v[t]), w[j + L * t]));
  }
  return __dadd_rn(fold(a), w[d]);
}

// A row on the hyperplane is a mistake, and so is a row whose score overflowed to NaN.
__device__ __forceinline__ bool calls(double m, double margin) { return !(m > margin); }

// Of many classes: s_y - s_r, where the rival r is the first of the highest scores of the others.
struct Standing {
  double m;
  int rival;
};

__device__ __forceinline__ Standing standing(const VALUE* x, const double* w, int k, int d, int y,
                                             int l) {
  double own = 0, highest = 0;
  int rival = -1;
  for (int c = 0; c < k; ++c) {
    const double s = score(x, w + i64(c) * (d + 1), d, l);
    if (c == y) own = s;
    else if (rival < 0 || s > highest) highest = s, rival = c;
  }
  return {__dsub_rn(own, highest), rival};
}

// What the rows are learned from: labels of two classes (-1, +1), or numbers of many.
struct Labels {
  const signed char* sign;  // null: many classes
  const int* number;
  const double* c;  // row weights; null: all 1. A row of weight 0 does not exist
  __device__ __forceinline__ double weight(i64 i) const { return c ? c[i] : 1.0; }
};

// Words that multiprocessors write for each other: past the caches of each, and never torn.
__device__ __forceinline__ u64 read_word(const u64* word) {
  u64 value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}
__device__ __forceinline__ void write_word(u64* word, u64 value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

// A kernel takes plain numbers and pointers: these are the labels.
#define LABELS const signed char *y_signs, const int *y_numbers, const double *row_weights
#define THE_LABELS (Labels{y_signs, y_numbers, row_weights})
