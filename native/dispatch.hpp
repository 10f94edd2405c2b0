// One kernel, several CPUs: the same code is compiled for each level and the best one runs.
//
// Kernels are always inlined into the functions below, whose target attribute says which
// instructions the compiler may use. All give the same bits; `use_cpu_level` forces one, so that
// tests can see it.
#pragma once

#include <cstring>

// Older compilers do not know these levels, and sanitizers would take an hour: the baseline runs.
#if defined(ROSENBLATT_ONE_LEVEL)
#define ROSENBLATT_X86_LEVELS 0
#elif defined(__x86_64__) && defined(__clang__)
#define ROSENBLATT_X86_LEVELS (__clang_major__ >= 12)
#elif defined(__x86_64__) && defined(__GNUC__)
#define ROSENBLATT_X86_LEVELS (__GNUC__ >= 11)
#else
#define ROSENBLATT_X86_LEVELS 0
#endif

// A lambda that must follow its kernel into the function of each level.
#if defined(__GNUC__)
#define ROSENBLATT_LAMBDA_INLINE __attribute__((always_inline))
#else
#define ROSENBLATT_LAMBDA_INLINE
#endif

namespace rosenblatt {

constexpr const char* cpu_levels[] = {"baseline", "x86-64-v3", "x86-64-v4"};

inline int best_cpu_level() {
#if ROSENBLATT_X86_LEVELS
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? 2 : v3 ? 1 : 0;
#else
  return 0;
#endif
}

inline int& cpu_level() {
  static int level = best_cpu_level();
  return level;
}

// False: this machine has no such level.
inline bool use_cpu_level(const char* name) {
  for (int level = 0; level <= best_cpu_level(); ++level)
    if (std::strcmp(name, cpu_levels[level]) == 0) return cpu_level() = level, true;
  return false;
}

#if ROSENBLATT_X86_LEVELS
template <class Kernel>
__attribute__((target("arch=x86-64-v3"))) void run_v3(Kernel& kernel) { kernel(); }
template <class Kernel>
__attribute__((target("arch=x86-64-v4"))) void run_v4(Kernel& kernel) { kernel(); }
#endif

template <class Kernel>
void run(Kernel&& kernel) {
#if ROSENBLATT_X86_LEVELS
  if (cpu_level() == 2) return run_v4(kernel);
  if (cpu_level() == 1) return run_v3(kernel);
#endif
  kernel();
}

// The same, at most 256 bits wide: for kernels whose few sums wait for each other in wider vectors.
template <class Kernel>
void run_narrow(Kernel&& kernel) {
#if ROSENBLATT_X86_LEVELS
  if (cpu_level() >= 1) return run_v3(kernel);
#endif
  kernel();
}

}  // namespace rosenblatt
