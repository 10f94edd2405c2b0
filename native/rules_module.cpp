// Bindings of the rules besides the perceptron's: a decaying rate, relaxation, passive-aggressive, AROW.
//
// They are called as bindings.hpp says; AROW where there are precisions. Here are also the squares that
// these rules ask for.

#include <cmath>

#include "bindings.hpp"
#include "confidence.hpp"

namespace rosenblatt {

// A weight c is a cost to PassiveAggressive (section 6 of the paper): the margin is to be sqrt(c), as if
// the row's were less by sqrt(c) - 1.
template <class Rows, class Labels, class Learner>
ROSENBLATT_INLINE bool visit(const Rows& rows, Labels labels, OneOf rule, int64_t i, Learner& learner) {
  auto seen = see(rows, labels, i, learner);
  if (rule.which == OneOf::passive_aggressive) seen.m -= std::sqrt(labels.weight(i)) - 1;
  const bool mistake = rule.calls(seen.m);
  if (mistake) update(rows, labels, rule, i, seen, learner);
  if (rule.penalty.part != 0 && (learner.visits + 1) % Penalty::every == 0)
    learner.shrink(rule.penalty.left(rule.decays.decay, rule.decays.before + learner.updates), rows.d);
  ++learner.visits;
  return mistake;
}

}  // namespace rosenblatt

namespace {

OneOf one_of(const UpdateRule& rule, int64_t updates) {
  const bool decays = rule.kind == "decay" || rule.kind == "penalised" || rule.kind == "projected";
  const auto which = decays                      ? OneOf::decaying
                     : rule.kind == "relaxation" ? OneOf::relaxation
                                                 : OneOf::passive_aggressive;
  return {which, {rule.number, rule.decay, updates}, {rule.number}, {rule.number, rule.kind == "PA-II"},
          {rule.shrink}};
}

// work(rows, rule, learner) for the rule that is asked for, without the interpreter lock.
template <class Work>
void with_learner(const Rows& rows, const UpdateRule& rule, const LearnerArrays& arrays, Work&& work) {
  Counts counts(arrays.counts.data());
  on_rows(rows, [&](const auto& view) {
    auto plain = arrays.learner(rule, counts);
    if (rule.kind == "AROW") {
      ConfidentLearner learner{plain, data(arrays.precision)};
      work(view, Arow{rule.number}, learner);
    } else if (rule.signs) {
      ProjectedLearner learner{plain, rule.signs->data()};
      work(view, one_of(rule, arrays.updates), learner);
    } else {
      work(view, one_of(rule, arrays.updates), plain);
    }
  });
}

template <class Work>
void with_learner(const Rows& rows, const UpdateRule& rule, const JointLearnerArrays& arrays,
                  Work&& work) {
  std::vector<double> scores(arrays.k());
  on_rows(rows, arrays.lies(rows), arrays.w.data(), [&](const auto& view, auto weights) {
    auto plain = arrays.learner(rule, weights, scores.data());
    if (rule.kind == "AROW") {
      ConfidentJointLearner<decltype(weights)> learner{{plain}, weights.at(data(arrays.precision))};
      work(view, Arow{rule.number}, learner);
    } else {
      work(view, one_of(rule, arrays.updates), plain);
    }
  });
}

// `pass` on the best CPU level: the same code for whoever calls.
template <class View, class Labels, class Rule, class Learner>
int64_t visit_some(const View& rows, Labels labels, Rule rule, Indices order, int64_t begin,
                   int64_t end, int64_t most, Learner& learner) {
  int64_t reached = begin;
  const auto go = [&]() ROSENBLATT_LAMBDA_INLINE {
    reached = pass(rows, labels, rule, order, begin, end, most, learner);
  };
  if constexpr (std::is_same_v<Labels, ClassLabels>) run_joint_on(rows, go);
  else run_on(rows, go);
  return reached;
}

template <class Examples, class Arrays>
Visited visited(const UpdateRule& rule, const Examples& examples, const Arrays& arrays,
                Indices order, int64_t begin, int64_t end, int64_t max_updates) {
  int64_t reached = begin, updates = 0;
  with_learner(*examples.rows, rule, arrays, [&](const auto& view, auto step, auto& learner) {
    reached = visit_some(view, examples.labels(), step, order, begin, end, max_updates, learner);
    updates = learner.updates;
  });
  return {reached, updates};
}

template <class Examples, class Arrays>
Searched searched(const UpdateRule& rule, const Examples& examples, const Arrays& arrays,
                  const Permutation& draw, int64_t max_visits, int64_t max_updates) {
  Draw drawn{draw.number, draw.made};
  const Indices pool = draw.places();
  int64_t visits = 0, updates = 0;
  with_learner(*examples.rows, rule, arrays, [&](const auto& view, auto step, auto& learner) {
    search(view, pool, draw.n(), draw.seed, max_visits, max_updates, drawn, learner, [&](int64_t k) {
      const int64_t before = learner.updates;
      visit_some(view, examples.labels(), step, pool, k, k + 1, 1, learner);
      return learner.updates > before;
    });
    visits = learner.visits - arrays.visits;
    updates = learner.updates;
  });
  return {visits, updates, drawn.number, drawn.seen};
}

}  // namespace

Visited visit_by(const UpdateRule& rule, const LabelledRows<int8_t>& examples,
                 const LearnerArrays& arrays, Indices order, int64_t begin, int64_t end,
                 int64_t max_updates) {
  return visited(rule, examples, arrays, order, begin, end, max_updates);
}
Visited visit_by(const UpdateRule& rule, const LabelledRows<int32_t>& examples,
                 const JointLearnerArrays& arrays, Indices order, int64_t begin, int64_t end,
                 int64_t max_updates) {
  return visited(rule, examples, arrays, order, begin, end, max_updates);
}
Searched search_by(const UpdateRule& rule, const LabelledRows<int8_t>& examples,
                   const LearnerArrays& arrays, const Permutation& draw, int64_t max_visits,
                   int64_t max_updates) {
  return searched(rule, examples, arrays, draw, max_visits, max_updates);
}
Searched search_by(const UpdateRule& rule, const LabelledRows<int32_t>& examples,
                   const JointLearnerArrays& arrays, const Permutation& draw, int64_t max_visits,
                   int64_t max_updates) {
  return searched(rule, examples, arrays, draw, max_visits, max_updates);
}

void bind_rules(nb::module_& m) {
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
