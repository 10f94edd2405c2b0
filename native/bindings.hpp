// What bindings share: arrays of Python, the rows of a training set, and how a kernel is run on them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>
#include <variant>

#include "dispatch.hpp"
#include "joint.hpp"
#include "pass.hpp"
#include "random.hpp"
#include "rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace rosenblatt;

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Cube = nb::ndarray<T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
template <class T>
using Maybe = std::optional<Vector<T>>;
using IndexVector = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ReadOnlyIndexVector = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu, nb::ro>;

// The rows of a training set, whichever way they are stored. It borrows: Python keeps the arrays.
struct Rows {
  std::variant<Dense<float>, Dense<double>, Csr<float, int32_t>, Csr<float, int64_t>,
               Csr<double, int32_t>, Csr<double, int64_t>>
      view;
};

template <class Array>
auto data(const std::optional<Array>& array) -> decltype(array->data()) {
  return array ? array->data() : nullptr;
}

template <class Array>
Indices indices(const std::optional<Array>& array) {
  if (!array) return {nullptr, nullptr};
  void* start = const_cast<void*>(static_cast<const void*>(array->data()));
  if (array->dtype() == nb::dtype<int32_t>()) return {static_cast<int32_t*>(start), nullptr};
  return {nullptr, static_cast<int64_t*>(start)};
}

// Runs kernel(rows) without the interpreter lock, on the best CPU level.
template <class Kernel>
void without_lock(const Rows& rows, Kernel&& kernel) {
  nb::gil_scoped_release unlocked;
  std::visit([&](const auto& view) { run([&]() ROSENBLATT_LAMBDA_INLINE { kernel(view); }); },
             rows.view);
}

// Labels and weights of rows, and where updates are noted: of two classes, and of many.
using LogArrays = std::optional<std::tuple<Vector<int64_t>, Vector<int64_t>, Vector<double>>>;
using JointLogArrays =
    std::optional<std::tuple<Vector<int64_t>, Vector<int64_t>, Vector<double>, Vector<int64_t>>>;

// Room for the order of the next epoch, the seed and number of the permutation, and the swaps made.
using NextPool = std::optional<std::tuple<IndexVector, uint64_t, int64_t, int64_t>>;

inline std::optional<NextOrder> next_order(const NextPool& next, int64_t to) {
  if (!next) return std::nullopt;
  const auto& [pool, seed, k, made] = *next;
  const int64_t n = int64_t(pool.shape(0));
  return NextOrder{indices(std::optional(pool)), Swaps(seed, k, n), made, to < n ? to : n};
}

inline Labels labels_of(const Vector<const int8_t>& y, const Maybe<const double>& c) {
  return {y.data(), data(c)};
}
inline ClassLabels labels_of(const Vector<const int32_t>& y, const Maybe<const double>& c) {
  return {y.data(), data(c)};
}
inline Log log_of(const LogArrays& arrays) {
  if (!arrays) return {nullptr, nullptr, nullptr};
  return {std::get<0>(*arrays).data(), std::get<1>(*arrays).data(), std::get<2>(*arrays).data()};
}
inline JointLog log_of(const JointLogArrays& arrays) {
  if (!arrays) return {nullptr, nullptr, nullptr, nullptr};
  return {std::get<0>(*arrays).data(), std::get<1>(*arrays).data(), std::get<2>(*arrays).data(),
          std::get<3>(*arrays).data()};
}

void bind_joint(nb::module_& m);  // many classes: joint_module.cpp
void bind_rules(nb::module_& m);  // rules besides the perceptron's: rules_module.cpp
void bind_directions(nb::module_& m);  // errors that a cone forces: directions_module.cpp
