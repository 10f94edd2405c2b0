// Bindings of the kernels of many classes, under the names of those of two.
//
// Labels are int32 instead of int8, weights have a dimension more.

#include <vector>

#include "bindings.hpp"
#include "joint.hpp"
#include "joint_screen.hpp"
#include "spread.hpp"

namespace {

template <class View>
constexpr bool is_sparse = false;
template <class Value, class Index>
constexpr bool is_sparse<Csr<Value, Index>> = true;

// Room for copies of weights by feature, for sparse rows of which so many are read in one call that
// the copies are soon paid for; else none, and weights are used as they are given.
struct Copies {
  int64_t k, size;
  std::vector<double> room;

  Copies(const Rows& rows, int64_t classes, int64_t size_of_one, int64_t visits, int64_t number)
      : k(classes), size(size_of_one) {
    std::visit(
        [&](const auto& view) {
          if constexpr (is_sparse<std::decay_t<decltype(view)>>)
            if (double(view.start[view.n]) / double(view.n + 1) * double(visits) > 2.0 * double(size))
              room.resize(number * of_one());
        },
        rows.view);
  }
  template <class Examples>
  Copies(const Examples& examples, const JointLearnerArrays& arrays, int64_t visits)
      : Copies(*examples.rows, arrays.k(), arrays.size(), visits, 1) {}
  int64_t of_one() const { return size * ByFeature::padded(k); }
  explicit operator bool() const { return !room.empty(); }

  ROSENBLATT_INLINE ByFeature by_feature(const double* w, int64_t a = 0) {
    const ByFeature copy{room.data() + a * of_one(), k, size, ByFeature::padded(k)};
    copy.take(w);
    return copy;
  }
  ROSENBLATT_INLINE ByClass by_class(const double* w) const {
    return {const_cast<double*>(w), k, size};
  }
};

// work(rows, weights) without the interpreter lock. Weights that were changed by feature are handed back.
template <class Work>
void with_weights(const Rows& rows, Copies& copies, double* w, bool changes, Work&& work) {
  on_rows(rows, [&](const auto& view) {
    if constexpr (is_sparse<std::decay_t<decltype(view)>>) {
      if (copies) {
        const ByFeature copy = copies.by_feature(w);
        work(view, copy);
        if (changes) copy.give(w);
        return;
      }
    }
    work(view, copies.by_class(w));
  });
}

// The same with kernel(rows, weights) on the best CPU level.
template <class Kernel>
void run_on(const Rows& rows, Copies& copies, double* w, bool changes, Kernel&& kernel) {
  with_weights(rows, copies, w, changes, [&](const auto& view, auto weights) {
    run([&]() ROSENBLATT_LAMBDA_INLINE { kernel(view, weights); });
  });
}

// `pass`, and `count`, of many classes: the same code for whoever calls.
template <class View, class Learner>
int64_t visit_some(const View& rows, ClassLabels labels, FixedIncrement rule, Indices order,
                   int64_t begin, int64_t end, int64_t most, Learner& learner) {
  int64_t reached = begin;
  run([&]() ROSENBLATT_LAMBDA_INLINE {
    reached = pass(rows, labels, rule, order, begin, end, most, learner);
  });
  return reached;
}

template <class View, class Weights>
bool count_some(const View& rows, ClassLabels labels, const Weights* candidates, int64_t number,
                const double* limit, int64_t begin, int64_t end, double* scores, Tally* total) {
  bool alive = true;
  run([&]() ROSENBLATT_LAMBDA_INLINE {
    alive = count(rows, labels, candidates, number, limit, begin, end, scores, total);
  });
  return alive;
}

// Rules to be judged: the weights of all classes, one rule after another.
struct Rules {
  const double* w;
  int64_t number, k, size;
  explicit Rules(const Cube<const double>& weights)
      : w(weights.data()), number(int64_t(weights.shape(0))), k(int64_t(weights.shape(1))),
        size(int64_t(weights.shape(2))) {}
  const double* operator[](int64_t a) const { return w + a * k * size; }
};

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
        Copies copies(examples, arrays, max_updates > 1 ? end - begin : 0);
        int64_t reached = begin, updates = 0;
        with_weights(*examples.rows, copies, arrays.w.data(), true,
                     [&](const auto& view, auto weights) {
                       auto learner = arrays.learner(rule, weights, scores.data());
                       reached = visit_some(view, examples.labels(), FixedIncrement{rule.number},
                                            indices(order), begin, end, max_updates, learner);
                       updates = learner.updates;
                     });
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
        Copies copies(examples, arrays, max_updates > 1 ? max_visits : 0);
        Draw drawn{draw.number, draw.made};
        int64_t made = 0, updates = 0;
        const Indices pool = draw.places();
        with_weights(*examples.rows, copies, arrays.w.data(), true,
                     [&](const auto& view, auto weights) {
                       auto learner = arrays.learner(rule, weights, scores.data());
                       search(view, pool, draw.n(), draw.seed, max_visits, max_updates, drawn,
                              learner, [&](int64_t k) {
                                const int64_t before = learner.updates;
                                visit_some(view, examples.labels(), FixedIncrement{rule.number},
                                           pool, k, k + 1, 1, learner);
                                return learner.updates > before;
                              });
                       made = learner.visits - arrays.visits;
                       updates = learner.updates;
                     });
        return {made, updates, drawn.number, drawn.seen};
      },
      "examples"_a.noconvert(), "rule"_a, "learner"_a.noconvert(), "draw"_a.noconvert(),
      "max_visits"_a, "max_updates"_a);

  m.def(
      "epochs",
      [](const LabelledRows<int32_t>& examples, const UpdateRule& rule,
         const JointLearnerArrays& arrays, std::optional<ReadOnlyIndexVector> present,
         const std::optional<Permutation>& order,
         const std::optional<KeptWeights<Matrix<double>>>& kept, Vector<int64_t> updates,
         Vector<double> mistakes) {
        std::vector<double> scores(arrays.k());
        std::vector<double> average(arrays.drift ? arrays.k() * arrays.size() : 0);
        auto learner = arrays.learner(rule, arrays.by_class(), scores.data());
        Kept best = kept_of(kept);
        Epochs epochs = epochs_of(examples, present, order, updates, mistakes, average);
        int64_t done = 0;
        on_rows(*examples.rows, [&](const auto& view) {
          done = epochs.run(
              int64_t(updates.shape(0)), arrays.k() * arrays.size(), learner, best,
              [&](Indices places) {
                visit_some(view, examples.labels(), FixedIncrement{rule.number}, places, 0, epochs.n,
                           INT64_MAX - learner.updates, learner);
              },
              [&](double* other, const double* limit, Tally* total) {
                const ByClass both[2] = {learner.w, {other, arrays.k(), arrays.size()}};
                count_some(view, examples.labels(), both, 2, limit, 0, view.n, scores.data(), total);
              });
        });
        return std::tuple(done, learner.visits, epochs.clean, best.mistakes.plain,
                          best.mistakes.weighted, best.averaged);
      },
      "examples"_a.noconvert(), "rule"_a, "learner"_a.noconvert(), "present"_a.noconvert().none(),
      "order"_a.noconvert().none(), "kept"_a.noconvert().none(), "updates"_a.noconvert(),
      "mistakes"_a.noconvert());

  m.def(
      "look",
      [](const LabelledRows<int32_t>& examples, const UpdateRule& rule, Matrix<double> w,
         int64_t begin, int64_t end, const BatchStep<Matrix<double>, int32_t>& step) {
        const int64_t k = int64_t(w.shape(0));
        std::vector<double> scores(k);
        Copies copies(*examples.rows, k, int64_t(w.shape(1)), end - begin, 1);
        int64_t mistakes = 0;
        run_on(*examples.rows, copies, w.data(), false,
               [&](const auto& view, auto weights) ROSENBLATT_LAMBDA_INLINE {
                 mistakes = look(view, examples.labels(), FixedIncrement{rule.number}, weights,
                                 rule.intercept, begin, end, step.sum.data(), step.marks.data(),
                                 scores.data(), data(step.scores));
               });
        return mistakes;
      },
      "examples"_a.noconvert(), "rule"_a, "w"_a.noconvert(), "begin"_a, "end"_a,
      "step"_a.noconvert());
}

void bind_judging(nb::module_& m) {
  m.def(
      "count",
      [](const LabelledRows<int32_t>& examples, const MistakeTally<Cube<const double>>& tally,
         int64_t begin, int64_t end) {
        const Rules rules(tally.w);
        std::vector<Tally> total = tally.begun();
        Copies copies(*examples.rows, rules.k, rules.size, end - begin, rules.number);
        std::vector<ByFeature> by_feature;
        std::vector<ByClass> by_class;
        for (int64_t a = 0; a < rules.number; ++a) {
          if (copies) by_feature.push_back(copies.by_feature(rules[a], a));
          else by_class.push_back(copies.by_class(rules[a]));
        }
        const bool alive = count_on_threads(
            *examples.rows, bool(examples.c), tally.limit.data(), begin, end,
            rules.number * rules.k, total,
            [&](const auto& view, int64_t from, int64_t to, Tally* sum) {
              std::vector<double> scores(rules.k);
              const auto counted = [&](const auto& weights) {
                count_some(view, examples.labels(), weights.data(), rules.number,
                           tally.limit.data(), from, to, scores.data(), sum);
              };
              if constexpr (is_sparse<std::decay_t<decltype(view)>>)
                if (copies) return counted(by_feature);
              counted(by_class);
            });
        tally.write(total);
        return alive;
      },
      "examples"_a.noconvert(), "tally"_a.noconvert(), "begin"_a, "end"_a);

  m.def(
      "scores",
      [](const Rows& rows, Matrix<const double> w, int64_t begin, int64_t end,
         Matrix<double> out) {
        const int64_t k = int64_t(w.shape(0));
        Copies copies(rows, k, int64_t(w.shape(1)), end - begin, 1);
        std::optional<ByFeature> by_feature;
        if (copies) by_feature = copies.by_feature(w.data());
        on_threads(rows, begin, end, k, true, [&](const auto& view, int64_t from, int64_t to) {
          const auto score = [&](auto weights) {
            run([&]() ROSENBLATT_LAMBDA_INLINE { scores(view, weights, from, to, out.data()); });
          };
          if constexpr (is_sparse<std::decay_t<decltype(view)>>)
            if (copies) return score(*by_feature);
          score(copies.by_class(w.data()));
        });
      },
      "rows"_a, "w"_a.noconvert(), "begin"_a, "end"_a, "out"_a.noconvert());

  m.def(
      "vote",
      [](const Rows& rows, Cube<const double> voters, Vector<const double> votes, int64_t begin,
         int64_t end, Matrix<double> out) {
        const Rules rules(voters);
        std::vector<double> scores(rules.k);
        Copies copies(rows, rules.k, rules.size, end - begin, 1);
        for (int64_t a = 0; a < rules.number; ++a)
          run_on(rows, copies, const_cast<double*>(rules[a]), false,
                 [&](const auto& view, auto weights) ROSENBLATT_LAMBDA_INLINE {
                   vote(view, weights, votes.data()[a], begin, end, scores.data(), out.data());
                 });
      },
      "rows"_a, "voters"_a.noconvert(), "votes"_a.noconvert(), "begin"_a, "end"_a,
      "out"_a.noconvert());
}

void bind_screening(nb::module_& m) {
  m.def(
      "refer",
      [](const LabelledRows<int32_t>& examples, const UpdateRule& rule, Matrix<const double> w,
         int64_t begin, int64_t end, Vector<float> slack) {
        const ByClass weights{const_cast<double*>(w.data()), int64_t(w.shape(0)),
                              int64_t(w.shape(1))};
        std::vector<double> scores(weights.k);
        without_lock(*examples.rows, [&](const auto& view) ROSENBLATT_LAMBDA_INLINE {
          refer(view, examples.labels(), rule.number, rule.intercept, weights, begin, end,
                scores.data(), slack.data());
        });
      },
      "examples"_a.noconvert(), "rule"_a, "w"_a.noconvert(), "begin"_a, "end"_a,
      "slack"_a.noconvert());

  m.def(
      "screened_visit",
      [](const LabelledRows<int32_t>& examples, const UpdateRule& rule,
         const JointLearnerArrays& arrays, std::optional<ReadOnlyIndexVector> order, int64_t begin,
         int64_t end, int64_t max_updates, const Slack<Matrix<const double>>& slack) {
        std::vector<double> scores(arrays.k());
        auto learner = arrays.learner(rule, arrays.by_class(), scores.data());
        int64_t reached = begin, left = slack.max_evaluations;
        without_lock(*examples.rows, [&](const auto& view) ROSENBLATT_LAMBDA_INLINE {
          reached = screened_pass(view, examples.labels(), FixedIncrement{rule.number},
                                  indices(order), begin, end, max_updates, slack.of_row.data(),
                                  slack.reference.data(), left, learner);
        });
        return std::tuple(reached, learner.updates, slack.max_evaluations - left);
      },
      "examples"_a.noconvert(), "rule"_a, "learner"_a.noconvert(), "order"_a.noconvert().none(),
      "begin"_a, "end"_a, "max_updates"_a, "slack"_a.noconvert());

  m.def(
      "screened_count",
      [](const LabelledRows<int32_t>& examples, const MistakeTally<Cube<const double>>& tally,
         int64_t begin, int64_t end, const Slack<Matrix<const double>>& slack,
         Vector<int64_t> evaluations) {
        const Rules rules(tally.w);
        std::vector<Tally> total = tally.begun();
        std::vector<double> room(rules.k * rules.size), scores(rules.k);
        std::vector<float> reach(rules.number);
        for (int64_t a = 0; a < rules.number; ++a)
          reach[a] = reach_of_signs(slack.reference.data(), rules[a], room.data(), rules.size - 1,
                                    rules.k * rules.size);
        int64_t reached = begin;
        without_lock(*examples.rows, [&](const auto& view) ROSENBLATT_LAMBDA_INLINE {
          const auto margin = [&](int64_t a, int64_t i) ROSENBLATT_LAMBDA_INLINE {
            const ByClass weights{const_cast<double*>(rules[a]), rules.k, rules.size};
            return standing(view, weights, i, examples.y.data()[i], scores.data()).m;
          };
          reached = screened_count(examples.labels(), rules.number, margin, tally.limit.data(),
                                   begin, end, slack.of_row.data(), reach.data(), total.data(),
                                   evaluations.data());
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
