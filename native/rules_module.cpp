// Bindings of the rules besides the perceptron's: a decaying rate, relaxation, passive-aggressive, AROW.
//
// They are called as bindings.hpp says; AROW where there are precisions. Here are also the squares that
// these rules ask for.

#include "bindings.hpp"
#include "confidence.hpp"

namespace {

OneOf one_of(const UpdateRule& rule, int64_t updates) {
  const auto which = rule.kind == "decay"        ? OneOf::decaying
                     : rule.kind == "relaxation" ? OneOf::relaxation
                                                 : OneOf::passive_aggressive;
  return {which, {rule.number, rule.decay, updates}, {rule.number}, {rule.number, rule.kind == "PA-II"}};
}

// kernel(rows, rule, learner) for the rule that is asked for.
template <class Sure, class Plain, class Kernel>
void run_rule(const Rows& rows, const UpdateRule& rule, int64_t updates, const Sure& sure,
              const Plain& plain, Kernel&& kernel) {
  without_lock(rows, [&](const auto& view) ROSENBLATT_LAMBDA_INLINE {
    if (rule.kind == "AROW") {
      auto learner = sure();
      kernel(view, Arow{rule.number}, learner);
    } else {
      auto learner = plain();
      kernel(view, one_of(rule, updates), learner);
    }
  });
}

template <class Kernel>
void with_learner(const Rows& rows, const UpdateRule& rule, const LearnerArrays& arrays,
                  Kernel&& kernel) {
  const auto plain = [&] { return arrays.learner(rule); };
  const auto sure = [&] { return ConfidentLearner{plain(), data(arrays.precision)}; };
  run_rule(rows, rule, arrays.updates, sure, plain, kernel);
}

template <class Kernel>
void with_learner(const Rows& rows, const UpdateRule& rule, const JointLearnerArrays& arrays,
                  Kernel&& kernel) {
  std::vector<double> scores(arrays.k());
  const auto plain = [&] { return arrays.learner(rule, arrays.by_class(), scores.data()); };
  const auto sure = [&] { return ConfidentJointLearner{plain(), data(arrays.precision)}; };
  run_rule(rows, rule, arrays.updates, sure, plain, kernel);
}

template <class Examples, class Arrays>
Visited visited(const UpdateRule& rule, const Examples& examples, const Arrays& arrays,
                Indices order, int64_t begin, int64_t end, int64_t max_updates) {
  int64_t reached = begin, updates = 0;
  with_learner(*examples.rows, rule, arrays,
               [&](const auto& view, auto step, auto& learner) ROSENBLATT_LAMBDA_INLINE {
                 reached = pass(view, examples.labels(), step, order, begin, end, max_updates,
                                learner);
                 updates = learner.updates;
               });
  return {reached, updates};
}

template <class Examples, class Arrays>
Searched searched(const UpdateRule& rule, const Examples& examples, const Arrays& arrays,
                  const Permutation& draw, int64_t max_visits, int64_t max_updates) {
  Draw drawn{draw.number, draw.made};
  int64_t visits = 0, updates = 0;
  with_learner(*examples.rows, rule, arrays,
               [&](const auto& view, auto step, auto& learner) ROSENBLATT_LAMBDA_INLINE {
                 search(view, examples.labels(), step, draw.places(), draw.n(), draw.seed,
                        max_visits, max_updates, drawn, learner);
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
