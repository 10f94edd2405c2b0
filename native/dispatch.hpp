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

#if ROSENBLATT_X86_LEVELS
#include <cpuid.h>

#include <initializer_list>
#endif

namespace rosenblatt {

constexpr const char* cpu_levels[] = {"baseline", "x86-64-v3", "x86-64-v4"};

// The processor is asked here, and not by the compiler's library: not every compiler has one that can.
inline int best_cpu_level() {
#if ROSENBLATT_X86_LEVELS
  unsigned a, b, c, d, features, extended;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
  const auto has = [](unsigned word, std::initializer_list<int> bits) {
    for (int bit : bits)
      if (!(word >> bit & 1)) return false;
    return true;
  };
  // FMA, MOVBE, the system's part (OSXSAVE), AVX, F16C
  if (!has(c, {12, 22, 27, 28, 29})) return 0;
  if (!__get_cpuid_count(7, 0, &a, &features, &c, &d)) return 0;
  if (!__get_cpuid(0x80000001, &a, &b, &extended, &d)) return 0;
  unsigned saved, high;  // the registers that the system saves
  __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  // YMM; BMI, AVX2, BMI2; LZCNT
  if (!(has(saved, {1, 2}) && has(features, {3, 5, 8}) && has(extended, {5}))) return 0;
  // ZMM; AVX512 F, DQ, CD, BW, VL
  return has(saved, {5, 6, 7}) && has(features, {16, 17, 28, 30, 31}) ? 2 : 1;
#else
  return 0;
#endif
}

inline int cpu_level = best_cpu_level();

// False: this machine has no such level.
inline bool use_cpu_level(const char* name) {
  for (int level = 0; level <= best_cpu_level(); ++level)
    if (std::strcmp(name, cpu_levels[level]) == 0) return cpu_level = level, true;
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
  if (cpu_level == 2) return run_v4(kernel);
  if (cpu_level == 1) return run_v3(kernel);
#endif
  kernel();
}

// The same, at most 256 bits wide: for kernels whose few sums wait for each other in wider vectors.
template <class Kernel>
void run_narrow(Kernel&& kernel) {
#if ROSENBLATT_X86_LEVELS
  if (cpu_level >= 1) return run_v3(kernel);
#endif
  kernel();
}

// The same, without the level between: for kernels that gain nothing from it.
template <class Kernel>
void run_widest(Kernel&& kernel) {
#if ROSENBLATT_X86_LEVELS
  if (cpu_level == 2) return run_v4(kernel);
#endif
  kernel();
}

}  // namespace rosenblatt
