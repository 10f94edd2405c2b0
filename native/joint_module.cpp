// Bindings of the kernels of many classes, under the names of those of two.
//
// Labels are int32 instead of int8, weights have a dimension more.

#include <vector>

#include "bindings.hpp"
#include "joint.hpp"
#include "joint_screen.hpp"
#include "spread.hpp"

namespace {

// `pass`, and `count`, of many classes: the same code for whoever calls.
template <class View, class Learner>
int64_t visit_some(const View& rows, ClassLabels labels, FixedIncrement rule, Indices order,
                   int64_t begin, int64_t end, int64_t most, Learner& learner) {
  int64_t reached = begin;
  run_joint_on(rows, [&]() ROSENBLATT_LAMBDA_INLINE {
    reached = pass(rows, labels, rule, order, begin, end, most, learner);
  });
  return reached;
}

template <class View, class Weights>
bool count_some(const View& rows, ClassLabels labels, const Weights* candidates, int64_t number,
                const double* limit, int64_t begin, int64_t end, double* scores, Tally* total) {
  bool alive = true;
  run_joint_on(rows, [&]() ROSENBLATT_LAMBDA_INLINE {
    alive = count(rows, labels, candidates, number, limit, begin, end, scores, total);
  });
  return alive;
}

// Rules to be judged, one or more.
using Rules = std::vector<Judged>;

Lying lying(const Rows& rows, const Rules& rules) {
  const Lying lies(rows, rules.at(0).w);
  for (const Judged& rule : rules) {
    lies.check(rule.w);
    if (rule.drift) lies.check(*rule.drift);
    if (rule.drift && !lies.by_feature) throw nb::value_error("this mean is to be worked out");
  }
  return lies;
}

// The weights of all rules, which lie as the first.
template <class Weights>
auto all(const Rules& rules, Weights first) {
  std::vector<decltype(first.judged(nullptr, nullptr, 0))> found;
  for (const Judged& rule : rules)
    found.push_back(first.judged(rule.w.data(), data(rule.drift), rule.visits));
  return found;
}

void bind_learning(nb::module_& m) {
  m.def(
      "visit",
      [](const LabelledRows<int32_t>& examples, const UpdateRule& rule,
         const JointLearnerArrays& arrays, std::optional<ReadOnlyIndexVector> order, int64_t begin,
         int64_t end, int64_t max_updates, const std::optional<Permutation>& next) -> Visited {
        if (auto later = next_order(next, end)) later->go_on(later->to);
        if (!rule.fixed_increment())
          return visit_by(rule, examples, arrays, indices(order), begin, end, max_updates);
        std::vector<double> scores(arrays.k());
        int64_t reached = begin, updates = 0;
        const auto visit = [&](const auto& view, auto weights) {
          auto learner = arrays.learner(rule, weights, scores.data());
          reached = visit_some(view, examples.labels(), FixedIncrement{rule.number}, indices(order),
                               begin, end, max_updates, learner);
          updates = learner.updates;
        };
        on_rows(*examples.rows, arrays.lies(*examples.rows), arrays.w.data(), visit);
        return {reached, updates};
      },
      "examples"_a.noconvert(), "rule"_a, "learner"_a.noconvert(), "order"_a.noconvert().none(),
      "begin"_a, "end"_a, "max_updates"_a, "next"_a.noconvert().none() = nb::none());

  m.def(
      "search",
      [](const LabelledRows<int32_t>& examples, const UpdateRule& rule,
         const JointLearnerArrays& arrays, const Permutation& draw, int64_t max_visits,
         int64_t max_updates) -> Searched {
        if (!rule.fixed_increment())
          return search_by(rule, examples, arrays, draw, max_visits, max_updates);
        std::vector<double> scores(arrays.k());
        Draw drawn{draw.number, draw.made};
        int64_t made = 0, updates = 0;
        const Indices pool = draw.places();
        const auto search_all = [&](const auto& view, auto weights) {
          auto learner = arrays.learner(rule, weights, scores.data());
          search(view, pool, draw.n(), draw.seed, max_visits, max_updates, drawn, learner,
                 [&](int64_t k) {
                   const int64_t before = learner.updates;
                   visit_some(view, examples.labels(), FixedIncrement{rule.number}, pool, k, k + 1,
                              1, learner);
                   return learner.updates > before;
                 });
          made = learner.visits - arrays.visits;
          updates = learner.updates;
        };
        on_rows(*examples.rows, arrays.lies(*examples.rows), arrays.w.data(), search_all);
        return {made, updates, drawn.number, drawn.seen};
      },
      "examples"_a.noconvert(), "rule"_a, "learner"_a.noconvert(), "draw"_a.noconvert(),
      "max_visits"_a, "max_updates"_a);

  m.def(
      "epochs",
      [](const LabelledRows<int32_t>& examples, const UpdateRule& rule,
         const JointLearnerArrays& arrays, std::optional<ReadOnlyIndexVector> present,
         const std::optional<Permutation>& order,
         const std::optional<KeptWeights<OfClasses<double>>>& kept, Vector<int64_t> updates,
         Vector<double> mistakes) {
        std::vector<double> scores(arrays.k());
        std::vector<double> average(arrays.drift ? arrays.k() * arrays.size() : 0);
        Kept best = kept_of(kept);
        Epochs epochs = epochs_of(examples, present, order, updates, mistakes, average);
        int64_t done = 0, visits = 0;
        if (kept) arrays.lies(*examples.rows).check(kept->w);
        const auto make = [&](const auto& view, auto weights) {
          auto learner = arrays.learner(rule, weights, scores.data());
          done = epochs.run(
              int64_t(updates.shape(0)), arrays.k() * arrays.size(), learner, best,
              [&](Indices places) {
                visit_some(view, examples.labels(), FixedIncrement{rule.number}, places, 0, epochs.n,
                           INT64_MAX - learner.updates, learner);
              },
              [&](double* other, const double* limit, Tally* total) {
                const auto last = weights.judged(weights.w, nullptr, 0);
                const decltype(last) both[2] = {last, weights.judged(other, nullptr, 0)};
                count_some(view, examples.labels(), both, 2, limit, 0, view.n, scores.data(), total);
              });
          visits = learner.visits;
        };
        on_rows(*examples.rows, arrays.lies(*examples.rows), arrays.w.data(), make);
        return std::tuple(done, visits, epochs.clean, best.mistakes.plain, best.mistakes.weighted,
                          best.averaged);
      },
      "examples"_a.noconvert(), "rule"_a, "learner"_a.noconvert(), "present"_a.noconvert().none(),
      "order"_a.noconvert().none(), "kept"_a.noconvert().none(), "updates"_a.noconvert(),
      "mistakes"_a.noconvert());

  m.def(
      "look",
      [](const LabelledRows<int32_t>& examples, const UpdateRule& rule, OfClasses<double> w,
         int64_t begin, int64_t end, const BatchStep<OfClasses<double>, int32_t>& step) {
        std::vector<double> scores(w.shape(0));
        int64_t mistakes = 0;
        const Lying lies(*examples.rows, w);
        lies.check(step.sum);
        on_rows(*examples.rows, lies, w.data(), [&](const auto& view, auto weights) {
          run_joint_on(view, [&]() ROSENBLATT_LAMBDA_INLINE {
            mistakes = look(view, examples.labels(), FixedIncrement{rule.number}, weights,
                            rule.intercept, begin, end, step.sum.data(), step.marks.data(),
                            scores.data(), data(step.scores));
          });
        });
        return mistakes;
      },
      "examples"_a.noconvert(), "rule"_a, "w"_a.noconvert(), "begin"_a, "end"_a,
      "step"_a.noconvert());
}

void bind_judging(nb::module_& m) {
  m.def(
      "count",
      [](const LabelledRows<int32_t>& examples, const MistakeTally<Rules>& tally, int64_t begin,
         int64_t end) {
        const Lying lies = lying(*examples.rows, tally.w);
        const int64_t number = int64_t(tally.w.size());
        std::vector<Tally> total = tally.begun();
        const bool alive = count_on_threads(
            *examples.rows, bool(examples.c), tally.limit.data(), begin, end, number * lies.k, total,
            [&](const auto& view, int64_t from, int64_t to, Tally* sum) {
              std::vector<double> scores(lies.k);
              const auto rules = all(tally.w, weights_as_read(view, lies.k, lies.size, tally.w[0].w.data()));
              count_some(view, examples.labels(), rules.data(), number, tally.limit.data(), from, to,
                         scores.data(), sum);
            });
        tally.write(total);
        return alive;
      },
      "examples"_a.noconvert(), "tally"_a.noconvert(), "begin"_a, "end"_a);

  m.def(
      "scores",
      [](const Rows& rows, OfClasses<const double> w, int64_t begin, int64_t end,
         Matrix<double> out) {
        // For a few sparse rows it would take longer to move the weights.
        const bool by_class = Lying::sparse(rows) && Lying::are_by_class(w);
        const int64_t k = int64_t(w.shape(0)), size = int64_t(w.shape(1));
        if (!by_class) Lying(rows, w);
        on_threads(rows, begin, end, k, true, [&](const auto& view, int64_t from, int64_t to) {
          const auto score = [&](auto weights) {
            run_joint_on(view, [&]() ROSENBLATT_LAMBDA_INLINE {
              scores(view, weights, from, to, out.data());
            });
          };
          if (by_class) score(ByClass{const_cast<double*>(w.data()), k, size});
          else score(weights_as_read(view, k, size, w.data()));
        });
      },
      "rows"_a, "w"_a.noconvert(), "begin"_a, "end"_a, "out"_a.noconvert());

  m.def(
      "vote",
      [](const Rows& rows, const std::vector<OfClasses<const double>>& voters,
         Vector<const double> votes, int64_t begin, int64_t end, Matrix<double> out) {
        if (voters.empty()) return;
        const Lying lies(rows, voters[0]);
        for (const auto& voter : voters) lies.check(voter);
        std::vector<double> scores(lies.k);
        for (size_t a = 0; a < voters.size(); ++a)
          on_rows(rows, lies, voters[a].data(), [&](const auto& view, auto weights) {
            run_joint_on(view, [&]() ROSENBLATT_LAMBDA_INLINE {
              vote(view, weights, votes.data()[a], begin, end, scores.data(), out.data());
            });
          });
      },
      "rows"_a, "voters"_a.noconvert(), "votes"_a.noconvert(), "begin"_a, "end"_a,
      "out"_a.noconvert());
}

void bind_screening(nb::module_& m) {
  m.def(
      "refer",
      [](const LabelledRows<int32_t>& examples, const UpdateRule& rule, OfClasses<const double> w,
         int64_t begin, int64_t end, Vector<float> slack) {
        std::vector<double> scores(w.shape(0));
        on_rows(*examples.rows, Lying(*examples.rows, w), w.data(), [&](const auto& view, auto weights) {
          run_joint_on(view, [&]() ROSENBLATT_LAMBDA_INLINE {
            refer(view, examples.labels(), rule.number, rule.intercept, weights, begin, end,
                  scores.data(), slack.data());
          });
        });
      },
      "examples"_a.noconvert(), "rule"_a, "w"_a.noconvert(), "begin"_a, "end"_a,
      "slack"_a.noconvert());

  m.def(
      "screened_visit",
      [](const LabelledRows<int32_t>& examples, const UpdateRule& rule,
         const JointLearnerArrays& arrays, std::optional<ReadOnlyIndexVector> order, int64_t begin,
         int64_t end, int64_t max_updates, const Slack<OfClasses<const double>>& slack) {
        std::vector<double> scores(arrays.k());
        int64_t reached = begin, left = slack.max_evaluations, updates = 0;
        arrays.lies(*examples.rows).check(slack.reference);
        on_rows(*examples.rows, arrays.lies(*examples.rows), arrays.w.data(), [&](const auto& view, auto weights) {
          auto learner = arrays.learner(rule, weights, scores.data());
          run_joint_on(view, [&]() ROSENBLATT_LAMBDA_INLINE {
            reached = screened_pass(view, examples.labels(), FixedIncrement{rule.number},
                                    indices(order), begin, end, max_updates, slack.of_row.data(),
                                    slack.reference.data(), left, learner);
          });
          updates = learner.updates;
        });
        return std::tuple(reached, updates, slack.max_evaluations - left);
      },
      "examples"_a.noconvert(), "rule"_a, "learner"_a.noconvert(), "order"_a.noconvert().none(),
      "begin"_a, "end"_a, "max_updates"_a, "slack"_a.noconvert());

  m.def(
      "screened_count",
      [](const LabelledRows<int32_t>& examples, const MistakeTally<Rules>& tally, int64_t begin,
         int64_t end, const Slack<OfClasses<const double>>& slack, Vector<int64_t> evaluations) {
        const Lying lies = lying(*examples.rows, tally.w);
        lies.check(slack.reference);
        const int64_t number = int64_t(tally.w.size());
        std::vector<Tally> total = tally.begun();
        std::vector<double> room(lies.k * lies.size), scores(lies.k);
        std::vector<float> reach(number);
        for (int64_t a = 0; a < number; ++a)
          reach[a] = reach_of_signs(slack.reference.data(), tally.w[a].w.data(), room.data(),
                                    lies.size - 1, lies.k * lies.size);
        int64_t reached = begin;
        on_rows(*examples.rows, lies, tally.w[0].w.data(), [&](const auto& view, auto first) {
          const auto rules = all(tally.w, first);
          const auto margin = [&](int64_t a, int64_t i) ROSENBLATT_LAMBDA_INLINE {
            return standing(view, rules[a], i, examples.y.data()[i], scores.data()).m;
          };
          run_joint_on(view, [&]() ROSENBLATT_LAMBDA_INLINE {
            reached = screened_count(examples.labels(), number, margin, tally.limit.data(), begin,
                                     end, slack.of_row.data(), reach.data(), total.data(),
                                     evaluations.data());
          });
        });
        tally.write(total);
        return reached;
      },
      "examples"_a.noconvert(), "tally"_a.noconvert(), "begin"_a, "end"_a, "slack"_a.noconvert(),
      "evaluations"_a.noconvert());
}

}  // namespace

void bind_joint(nb::module_& m) {
  bind_learning(m);
  bind_screening(m);
  bind_judging(m);
}
