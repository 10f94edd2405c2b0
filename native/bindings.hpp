// What bindings share: arrays of Python, the rows of a training set, and how a kernel is run on them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "count.hpp"
#include "dispatch.hpp"
#include "epochs.hpp"
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
// Of many classes: by class or by feature, as `Lying` says.
template <class T>
using OfClasses = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;
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

// work(rows) without the interpreter lock.
template <class Work>
void on_rows(const Rows& rows, Work&& work) {
  nb::gil_scoped_release unlocked;
  std::visit(work, rows.view);
}

template <class View>
constexpr bool is_sparse = false;
template <class Value, class Index>
constexpr bool is_sparse<Csr<Value, Index>> = true;

// Runs what reads such rows on the best CPU level that it gains from. Sparse rows are read entry by entry,
// and only the lanes of their scores are vectors.
template <class View, class Kernel>
void run_on(const View&, Kernel&& kernel) {
  if constexpr (is_sparse<View>) run_widest(kernel);
  else run(kernel);
}
// The same of many classes, whose weights beside an entry are vectors: short ones.
template <class View, class Kernel>
void run_joint_on(const View&, Kernel&& kernel) {
  if constexpr (is_sparse<View>) run_narrow(kernel);
  else run(kernel);
}

// kernel(rows) on the best CPU level, without the interpreter lock.
template <class Kernel>
void without_lock(const Rows& rows, Kernel&& kernel) {
  on_rows(rows, [&](const auto& view) {
    run_on(view, [&]() ROSENBLATT_LAMBDA_INLINE { kernel(view); });
  });
}

// The objects of which calls are made: named tuples of _core/protocol.py, taken field by field. Of two
// classes labels are int8 and weights have one dimension; of many labels are int32 and weights have two.

template <class Label>
struct LabelledRows {
  const Rows* rows;
  Vector<const Label> y;
  Maybe<const double> c;
  double tie;  // of two classes
  auto labels() const {
    if constexpr (std::is_same_v<Label, int8_t>) return Labels{y.data(), data(c), tie};
    else return ClassLabels{y.data(), data(c)};
  }
};

struct UpdateRule {
  std::string kind;  // "perceptron", "decay", "penalised", "projected", "relaxation", "PA-I", "PA-II" or "AROW"
  double number;     // the margin, the share of the way, C, or r
  bool intercept;
  double decay;
  std::optional<Vector<const int8_t>> signs;  // that weights must have: "projected"
  double shrink;  // what a visit takes of the weights
  bool fixed_increment() const { return kind == "perceptron"; }
};

struct LearnerArrays {
  Vector<double> w;
  Maybe<double> drift;
  Vector<int64_t> counts;
  Maybe<double> precision;
  int64_t visits;
  std::optional<std::tuple<Vector<int64_t>, Vector<int64_t>, Vector<double>>> log;
  int64_t updates;  // before this call

  Log noted() const {
    if (!log) return {nullptr, nullptr, nullptr};
    return {std::get<0>(*log).data(), std::get<1>(*log).data(), std::get<2>(*log).data()};
  }
  Learner learner(const UpdateRule& rule, Counts& counted) const {
    return {w.data(), data(drift), counted, rule.intercept, visits, 0, noted()};
  }
};

// The weights of many classes lie one class after another for dense rows, one feature after another for
// sparse ones, and all that goes with them lies alike.
struct Lying {
  int64_t k, size;
  bool by_feature;

  template <class T>
  Lying(const Rows& rows, const OfClasses<T>& w)
      : k(int64_t(w.shape(0))), size(int64_t(w.shape(1))), by_feature(sparse(rows)) {
    check(w);
  }
  static bool sparse(const Rows& rows) {
    return std::visit([](const auto& view) { return is_sparse<std::decay_t<decltype(view)>>; }, rows.view);
  }
  template <class T>
  static bool are_by_class(const OfClasses<T>& w) {
    const int64_t size = int64_t(w.shape(1));
    return w.stride(0) == size && (size == 1 || w.stride(1) == 1);
  }
  template <class T>
  static bool are_by_feature(const OfClasses<T>& w) {
    return w.stride(0) == 1 && (w.shape(1) == 1 || w.stride(1) == int64_t(w.shape(0)));
  }
  template <class T>
  void check(const OfClasses<T>& w) const {
    if (!(by_feature ? are_by_feature(w) : are_by_class(w)))
      throw nb::value_error("weights lie by class for dense rows, by feature for sparse ones");
  }
};

template <class View>
auto weights_as_read(const View&, int64_t k, int64_t size, const double* w) {
  using Weights = std::conditional_t<is_sparse<View>, ByFeature, ByClass>;
  return Weights{const_cast<double*>(w), k, size};  // where it is read it is not changed
}

// work(rows, weights) without the interpreter lock.
template <class Work>
void on_rows(const Rows& rows, Lying lies, const double* w, Work&& work) {
  on_rows(rows, [&](const auto& view) { work(view, weights_as_read(view, lies.k, lies.size, w)); });
}

struct JointLearnerArrays {
  OfClasses<double> w;
  std::optional<OfClasses<double>> drift;
  Matrix<int64_t> counts;
  std::optional<OfClasses<double>> precision;
  int64_t visits;
  std::optional<std::tuple<Vector<int64_t>, Vector<int64_t>, Vector<double>, Vector<int64_t>>> log;
  int64_t updates;

  int64_t k() const { return int64_t(w.shape(0)); }
  int64_t size() const { return int64_t(w.shape(1)); }
  Lying lies(const Rows& rows) const {
    const Lying found(rows, w);
    if (drift) found.check(*drift);
    if (precision) found.check(*precision);
    return found;
  }
  JointLog noted() const {
    if (!log) return {nullptr, nullptr, nullptr, nullptr};
    return {std::get<0>(*log).data(), std::get<1>(*log).data(), std::get<2>(*log).data(),
            std::get<3>(*log).data()};
  }
  // `scores`: room for one of each class.
  template <class Weights>
  JointLearner<Weights> learner(const UpdateRule& rule, Weights weights, double* scores) const {
    return {weights,        weights.at(data(drift)), counts.data(), scores,
            rule.intercept, visits,                  0,             noted()};
  }
};

// A permutation of rows, of which some swaps are made.
struct Permutation {
  IndexVector pool;
  uint64_t seed = 0;
  int64_t number = 0, made = 0;

  int64_t n() const { return int64_t(pool.shape(0)); }
  Indices places() const { return indices(std::optional(pool)); }
};

// Mistakes of several weight vectors, each up to its limit.
template <class Weights>
struct MistakeTally {
  Weights w;  // a matrix; of many classes a list
  Vector<const double> limit;
  Vector<int64_t> plain;
  Vector<double> weighted;

  std::vector<Tally> begun() const {
    std::vector<Tally> total(plain.shape(0));
    for (size_t a = 0; a < total.size(); ++a) total[a] = {plain.data()[a], weighted.data()[a]};
    return total;
  }
  void write(const std::vector<Tally>& total) const {
    for (size_t a = 0; a < total.size(); ++a) {
      plain.data()[a] = total[a].plain;
      weighted.data()[a] = total[a].weighted;
    }
  }
};

// The weights with the fewest mistakes so far.
template <class Weights>
struct KeptWeights {
  Weights w;
  int64_t mistakes;
  double weighted;
  bool averaged;
};

// What a batch step writes: the sum of the updates, a mark for each row, and scores where there is room.
template <class Weights, class Mark>
struct BatchStep {
  Weights sum;
  Vector<Mark> marks;
  Maybe<double> scores;
};

// How far rows are from calling for an update beside reference weights, and rows to evaluate at most.
template <class Weights>
struct Slack {
  Vector<const float> of_row;
  Weights reference;
  int64_t max_evaluations;
};

// Weights of many classes to be judged; with a drift, their mean.
struct Judged {
  OfClasses<const double> w;
  std::optional<OfClasses<const double>> drift;
  int64_t visits = 0;
};

NAMESPACE_BEGIN(NB_NAMESPACE)
NAMESPACE_BEGIN(detail)
// A struct from a tuple of its fields. (The caster of std::tuple would copy a named tuple first.)
template <class Struct, class... Fields>
struct FromTuple {
  NB_TYPE_CASTER(Struct, const_name("tuple[") + concat(make_caster<Fields>::Name...) +
                             const_name("]"))
  bool from_python(handle source, uint32_t flags, cleanup_list* cleanup) noexcept {
    return load(source.ptr(), flags, cleanup, std::index_sequence_for<Fields...>{});
  }
  template <size_t... I>
  bool load(PyObject* tuple, uint32_t flags, cleanup_list* cleanup,
            std::index_sequence<I...>) noexcept {
    if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != Py_ssize_t(sizeof...(Fields))) return false;
    std::tuple<make_caster<Fields>...> fields;
    if (!(std::get<I>(fields).from_python(PyTuple_GetItem(tuple, I),
                                          flags_for_local_caster<Fields>(flags), cleanup) &&
          ...))
      return false;
    value = Struct{std::get<I>(fields).operator cast_t<Fields>()...};
    return true;
  }
};

template <class Label>
struct type_caster<LabelledRows<Label>>
    : FromTuple<LabelledRows<Label>, const Rows*, Vector<const Label>, Maybe<const double>, double> {
};
template <>
struct type_caster<UpdateRule>
    : FromTuple<UpdateRule, std::string, double, bool, double, std::optional<Vector<const int8_t>>,
                double> {};
template <>
struct type_caster<LearnerArrays>
    : FromTuple<LearnerArrays, Vector<double>, Maybe<double>, Vector<int64_t>, Maybe<double>, int64_t,
                decltype(LearnerArrays::log), int64_t> {};
template <>
struct type_caster<JointLearnerArrays>
    : FromTuple<JointLearnerArrays, OfClasses<double>, std::optional<OfClasses<double>>,
                Matrix<int64_t>, std::optional<OfClasses<double>>, int64_t,
                decltype(JointLearnerArrays::log), int64_t> {};
template <>
struct type_caster<Judged> : FromTuple<Judged, OfClasses<const double>,
                                       std::optional<OfClasses<const double>>, int64_t> {
  bool from_python(handle source, uint32_t flags, cleanup_list* cleanup) noexcept {
    if (PyTuple_Check(source.ptr())) return FromTuple::from_python(source, flags, cleanup);
    make_caster<OfClasses<const double>> alone;
    if (!alone.from_python(source, flags, cleanup)) return false;
    value = Judged{alone.operator cast_t<OfClasses<const double>>(), std::nullopt};
    return true;
  }
};
template <>
struct type_caster<Permutation> : FromTuple<Permutation, IndexVector, uint64_t, int64_t, int64_t> {};
template <class Weights>
struct type_caster<MistakeTally<Weights>>
    : FromTuple<MistakeTally<Weights>, Weights, Vector<const double>, Vector<int64_t>,
                Vector<double>> {};
template <class Weights>
struct type_caster<KeptWeights<Weights>>
    : FromTuple<KeptWeights<Weights>, Weights, int64_t, double, bool> {};
template <class Weights, class Mark>
struct type_caster<BatchStep<Weights, Mark>>
    : FromTuple<BatchStep<Weights, Mark>, Weights, Vector<Mark>, Maybe<double>> {};
template <class Weights>
struct type_caster<Slack<Weights>>
    : FromTuple<Slack<Weights>, Vector<const float>, Weights, int64_t> {};
NAMESPACE_END(detail)
NAMESPACE_END(NB_NAMESPACE)

// Many epochs in one call (epochs.hpp): of the rows that are present in the given order, or in a
// permutation of its own each.
template <class Weights>
Kept kept_of(const std::optional<KeptWeights<Weights>>& kept) {
  if (!kept) return {nullptr, {0, 0}, false};
  return {kept->w.data(), {kept->mistakes, kept->weighted}, kept->averaged};
}

template <class Examples>
Epochs epochs_of(const Examples& examples, const std::optional<ReadOnlyIndexVector>& present,
                 const std::optional<Permutation>& order, const Vector<int64_t>& updates,
                 const Vector<double>& mistakes, std::vector<double>& average) {
  const int64_t n = int64_t(present ? present->shape(0) : examples.y.shape(0));
  const Indices pool = order ? order->places() : Indices{nullptr, nullptr};
  return {indices(present), pool, n, order ? order->seed : 0, order ? order->number : 0,
          updates.data(), mistakes.data(), average.data(), false};
}

// What is to be made of the next order before place `to` (null: nothing).
inline std::optional<NextOrder> next_order(const std::optional<Permutation>& next, int64_t to) {
  if (!next) return std::nullopt;
  const int64_t n = next->n();
  return NextOrder{next->places(), Swaps(next->seed, next->number, n), next->made, to < n ? to : n};
}

// By rules besides the perceptron's (rules_module.cpp): place reached and updates; visits, updates, the
// draw and how many of its rows were seen.
using Visited = std::tuple<int64_t, int64_t>;
using Searched = std::tuple<int64_t, int64_t, int64_t, int64_t>;
Visited visit_by(const UpdateRule& rule, const LabelledRows<int8_t>& examples,
                 const LearnerArrays& arrays, Indices order, int64_t begin, int64_t end,
                 int64_t max_updates);
Visited visit_by(const UpdateRule& rule, const LabelledRows<int32_t>& examples,
                 const JointLearnerArrays& arrays, Indices order, int64_t begin, int64_t end,
                 int64_t max_updates);
Searched search_by(const UpdateRule& rule, const LabelledRows<int8_t>& examples,
                   const LearnerArrays& arrays, const Permutation& draw, int64_t max_visits,
                   int64_t max_updates);
Searched search_by(const UpdateRule& rule, const LabelledRows<int32_t>& examples,
                   const JointLearnerArrays& arrays, const Permutation& draw, int64_t max_visits,
                   int64_t max_updates);

void bind_joint(nb::module_& m);  // many classes: joint_module.cpp
void bind_rules(nb::module_& m);  // rules besides the perceptron's: rules_module.cpp
void bind_directions(nb::module_& m);  // errors that a cone forces: directions_module.cpp
