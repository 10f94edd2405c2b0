// Bindings of the rules besides the perceptron's, of two classes and of many under one name. With
// precisions the rule is AROW and `number` is r; without, it is passive-aggressive and `number` is C.

#include <vector>

#include "bindings.hpp"
#include "confidence.hpp"

namespace {

using MaybeMatrix = std::optional<Matrix<double>>;

// kernel(rows, rule, learner) for the rule that is asked for.
template <class Plain, class Sure, class Kernel>
void run_rule(const Rows& rows, double number, bool squared, const Plain& plain, const Sure& sure,
              bool confident, Kernel&& kernel) {
  without_lock(rows, [&](const auto& view) ROSENBLATT_LAMBDA_INLINE {
    if (confident) {
      auto learner = sure();
      kernel(view, Arow{number}, learner);
    } else {
      auto learner = plain();
      kernel(view, PassiveAggressive{number, squared}, learner);
    }
  });
}

// Both rules through the rows in the given order, or by draws; `plain` and `sure` make the learners.
template <class Labels, class Plain, class Sure>
std::tuple<int64_t, int64_t> visit_with(const Rows& rows, Labels labels, Indices order,
                                        int64_t begin, int64_t end, int64_t most, double number,
                                        bool squared, bool confident, const Plain& plain,
                                        const Sure& sure) {
  int64_t reached = begin, updates = 0;
  run_rule(rows, number, squared, plain, sure, confident,
           [&](const auto& view, auto rule, auto& learner) ROSENBLATT_LAMBDA_INLINE {
             reached = pass(view, labels, rule, order, begin, end, most, learner);
             updates = learner.updates;
           });
  return {reached, updates};
}

struct Drawing {
  Indices pool;
  int64_t n;
  uint64_t seed;
  Draw draw;
  int64_t looks, most;
};

template <class Labels, class Plain, class Sure>
std::tuple<int64_t, int64_t, int64_t, int64_t> search_with(const Rows& rows, Labels labels,
                                                           Drawing d, double number, bool squared,
                                                           bool confident, int64_t visits,
                                                           const Plain& plain, const Sure& sure) {
  int64_t made = 0, updates = 0;
  run_rule(rows, number, squared, plain, sure, confident,
           [&](const auto& view, auto rule, auto& learner) ROSENBLATT_LAMBDA_INLINE {
             search(view, labels, rule, d.pool, d.n, d.seed, d.looks, d.most, d.draw, learner);
             made = learner.visits - visits;
             updates = learner.updates;
           });
  return {made, updates, d.draw.number, d.draw.seen};
}

// What makes the learners of two classes, and of many.
template <class Use>
auto with_learners(bool intercept, Vector<double>& w, Maybe<double>& precision, Maybe<double>& drift,
                   Vector<int64_t>& counts, int64_t visits, const LogArrays& log, Use&& use) {
  const auto plain = [&] {
    return Learner{w.data(), data(drift), Counts(counts.data()), intercept, visits, 0, log_of(log)};
  };
  const auto sure = [&] { return ConfidentLearner{plain(), data(precision)}; };
  return use(bool(precision), plain, sure);
}

template <class Use>
auto with_learners(bool intercept, Matrix<double>& w, MaybeMatrix& precision, MaybeMatrix& drift,
                   Matrix<int64_t>& counts, int64_t visits, const JointLogArrays& log, Use&& use) {
  const int64_t k = int64_t(w.shape(0)), size = int64_t(w.shape(1));
  std::vector<double> scores(k);
  const auto plain = [&] {
    return JointLearner<ByClass>{{w.data(), k, size}, data(drift), counts.data(), scores.data(),
                                 intercept, visits, 0, log_of(log)};
  };
  const auto sure = [&] { return ConfidentJointLearner{plain(), data(precision)}; };
  return use(bool(precision), plain, sure);
}

template <class Label, class Weights, class MaybeWeights, class RowCounts, class Noted>
void bind(nb::module_& m) {
  m.def(
      "rule_visit",
      [](const Rows& rows, Vector<const Label> y, Maybe<const double> c,
         std::optional<ReadOnlyIndexVector> order, int64_t begin, int64_t end, int64_t most,
         double number, bool squared, bool intercept, Weights w, MaybeWeights precision,
         MaybeWeights drift, RowCounts counts, int64_t visits, Noted log) {
        return with_learners(
            intercept, w, precision, drift, counts, visits, log,
            [&](bool confident, const auto& plain, const auto& sure) {
              return visit_with(rows, labels_of(y, c), indices(order), begin, end, most, number,
                                squared, confident, plain, sure);
            });
      },
      "rows"_a, "y"_a.noconvert(), "c"_a.noconvert().none(), "order"_a.noconvert().none(),
      "begin"_a, "end"_a, "most"_a, "number"_a, "squared"_a, "intercept"_a, "w"_a.noconvert(),
      "precision"_a.noconvert().none(), "drift"_a.noconvert().none(), "counts"_a.noconvert(),
      "visits"_a, "log"_a.noconvert().none());

  m.def(
      "rule_search",
      [](const Rows& rows, Vector<const Label> y, Maybe<const double> c, IndexVector pool,
         uint64_t seed, int64_t draw, int64_t seen, int64_t looks, int64_t most, double number,
         bool squared, bool intercept, Weights w, MaybeWeights precision, MaybeWeights drift,
         RowCounts counts, int64_t visits, Noted log) {
        const Drawing drawing{indices(std::optional(pool)), int64_t(pool.shape(0)), seed,
                              {draw, seen}, looks, most};
        return with_learners(
            intercept, w, precision, drift, counts, visits, log,
            [&](bool confident, const auto& plain, const auto& sure) {
              return search_with(rows, labels_of(y, c), drawing, number, squared, confident, visits,
                                 plain, sure);
            });
      },
      "rows"_a, "y"_a.noconvert(), "c"_a.noconvert().none(), "pool"_a.noconvert(), "seed"_a,
      "draw"_a, "seen"_a, "looks"_a, "most"_a, "number"_a, "squared"_a, "intercept"_a,
      "w"_a.noconvert(), "precision"_a.noconvert().none(), "drift"_a.noconvert().none(),
      "counts"_a.noconvert(), "visits"_a, "log"_a.noconvert().none());
}

}  // namespace

void bind_rules(nb::module_& m) {
  bind<int8_t, Vector<double>, Maybe<double>, Vector<int64_t>, LogArrays>(m);
  bind<int32_t, Matrix<double>, MaybeMatrix, Matrix<int64_t>, JointLogArrays>(m);

  m.def(
      "lifted_squares",
      [](const Rows& rows, bool intercept, int64_t begin, int64_t end, Vector<double> out) {
        without_lock(rows, [&](const auto& view) ROSENBLATT_LAMBDA_INLINE {
          for (int64_t i = begin; i < end; ++i)
            out.data()[i - begin] = lifted_square(view, i, intercept);
        });
      },
      "rows"_a, "intercept"_a, "begin"_a, "end"_a, "out"_a.noconvert());
}
