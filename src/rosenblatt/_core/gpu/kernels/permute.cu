// Fisher and Yates' permutation, all places at once: the same one as native/random.hpp makes.
//
// Step i swaps place i with place H(i) >= i, for i = 0, 1, ... One after the other is how it is defined;
// but H is known beforehand, and what a place holds follows from it:
//
//   Before step i, place p >= i holds what the last step j < i with H(j) = p put there, namely what place
//   j held before step j; if there was no such step, it holds p.
//
// So with  before(j) = the largest j' < j with H(j') = j,      and  root(j) = j where there is none,
//                                                                    root(before(j)) else,
//   place i ends with root(j) of the largest j < i with H(j) = H(i), or with H(i) if there is none.
//
// The steps of one place are few (on average one, the last places have about ln n), and so are the roots'
// chains (Shun, Gu, Blelloch, Fineman, Gibbons, SODA 2015, prove their depth logarithmic). They are
// linked in whatever order the threads come; only the largest below a number is asked for, so the result
// does not depend on it.
//
// `size` places make a permutation of its own: all n, or a block of order="blocks" by row number. Block
// b is permutation `first + b`, and it is visited from place[b] on.

constexpr u64 G = 0x9E3779B97F4A7C15ull;  // 2^64 / golden ratio

__device__ __forceinline__ u64 mix(u64 z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

struct Step {
  int origin;   // the first place of its block
  int i, with;  // both counted from there
};

__device__ __forceinline__ Step step_of(int p, int n, int size, u64 seed, u64 first) {
  const int b = p / size, origin = b * size, i = p - origin;
  const int places = min(size, n - origin);
  const u64 start = mix(seed + (first + u64(b) + 1) * G);
  return {origin, i, i + int(__umul64hi(mix(start + u64(i + 1) * G), u64(places - i)))};
}

// head[p]: a step that swaps with place p; next[i]: another one. -1: none.
extern "C" __global__ void link_steps(int n, int size, u64 seed, u64 first, int* head, int* next) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= n) return;
  const Step s = step_of(p, n, size, seed, first);
  next[p] = atomicExch(head + s.origin + s.with, p);
}

__device__ __forceinline__ int largest_below(int i, int at, const int* next) {
  int found = -1;
  for (; at >= 0; at = next[at])
    if (at < i && at > found) found = at;
  return found;
}

extern "C" __global__ void steps_before(int n, const int* head, const int* next, int* before) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p < n) before[p] = largest_below(p, head[p], next);
}

// pool[place[b] + i] := what place i of block b ends with; `rows`, where given, are the rows' numbers.
extern "C" __global__ void settle(int n, int size, u64 seed, u64 first, const int* head,
                                  const int* next, const int* before, const int* place,
                                  const int* rows, int* pool) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= n) return;
  const Step s = step_of(p, n, size, seed, first);
  int j = largest_below(p, head[s.origin + s.with], next), held = s.origin + s.with;
  for (; j >= 0; j = before[j]) held = j;
  pool[place[p / size] + s.i] = rows ? rows[held] : held;
}
