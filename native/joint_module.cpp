// Bindings of the kernels of many classes, under the names of those of two: labels are int32 instead of
// int8, weights have a dimension more.

#include <vector>

#include "bindings.hpp"
#include "epochs.hpp"
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

// kernel(rows, weights) on the best CPU level, without the interpreter lock. Weights that were changed
// by feature are handed back.
template <class Kernel>
void run_on(const Rows& rows, Copies& copies, double* w, bool changes, Kernel&& kernel) {
  without_lock(rows, [&](const auto& view) ROSENBLATT_LAMBDA_INLINE {
    if constexpr (is_sparse<std::decay_t<decltype(view)>>) {
      if (copies) {
        const ByFeature copy = copies.by_feature(w);
        kernel(view, copy);
        if (changes) copy.give(w);
        return;
      }
    }
    kernel(view, copies.by_class(w));
  });
}

using MaybeMatrix = std::optional<Matrix<double>>;

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
      [](const Rows& rows, Vector<const int32_t> y, Maybe<const double> c,
         std::optional<ReadOnlyIndexVector> order, int64_t begin, int64_t end, int64_t most,
         double margin, bool intercept, Matrix<double> w, MaybeMatrix drift, Matrix<int64_t> counts,
         int64_t visits, JointLogArrays log, const NextPool& next) {
        const int64_t k = int64_t(w.shape(0)), size = int64_t(w.shape(1));
        std::vector<double> scores(k);
        Copies copies(rows, k, size, most > 1 ? end - begin : 0, 1);
        int64_t reached = begin, updates = 0;
        run_on(rows, copies, w.data(), true,
               [&](const auto& view, auto weights) ROSENBLATT_LAMBDA_INLINE {
                 JointLearner<decltype(weights)> learner{
                     weights, data(drift), counts.data(), scores.data(),
                     intercept, visits, 0, log_of(log)};
                 reached = pass(view, labels_of(y, c), FixedIncrement{margin}, indices(order),
                                begin, end, most, learner);
                 updates = learner.updates;
               });
        if (auto later = next_order(next, end)) later->go_on(end);
        return std::tuple(reached, updates);
      },
      "rows"_a, "y"_a.noconvert(), "c"_a.noconvert().none(), "order"_a.noconvert().none(),
      "begin"_a, "end"_a, "most"_a, "margin"_a, "intercept"_a, "w"_a.noconvert(),
      "drift"_a.noconvert().none(), "counts"_a.noconvert(), "visits"_a,
      "log"_a.noconvert().none(), "next"_a.noconvert().none() = nb::none());

  m.def(
      "epochs",
      [](const Rows& rows, Vector<const int32_t> y, Maybe<const double> c,
         std::optional<ReadOnlyIndexVector> present, std::optional<IndexVector> pool, int64_t n,
         uint64_t seed, int64_t made, int64_t most, double margin, bool intercept, Matrix<double> w,
         MaybeMatrix drift, Matrix<int64_t> counts, int64_t visits, MaybeMatrix kept,
         int64_t kept_mistakes, double kept_weighted, bool kept_averaged,
         Vector<int64_t> updates, Vector<double> standing) {
        const int64_t k = int64_t(w.shape(0)), size = int64_t(w.shape(1));
        std::vector<double> scores(k), average(drift ? k * size : 0);
        JointLearner<ByClass> learner{
            {w.data(), k, size}, data(drift), counts.data(), scores.data(),
            intercept, visits, 0, log_of(JointLogArrays())};
        Kept best{data(kept), {kept_mistakes, kept_weighted}, kept_averaged};
        Epochs epochs{indices(present), indices(pool), n,   seed, made, updates.data(),
                      standing.data(),  average.data(), false};
        int64_t done = 0;
        without_lock(rows, [&](const auto& view) ROSENBLATT_LAMBDA_INLINE {
          done = epochs.run(view, labels_of(y, c), FixedIncrement{margin}, most, learner, best);
        });
        return std::tuple(done, learner.visits, epochs.clean, best.mistakes.plain,
                          best.mistakes.weighted, best.averaged);
      },
      "rows"_a, "y"_a.noconvert(), "c"_a.noconvert().none(), "present"_a.noconvert().none(),
      "pool"_a.noconvert().none(), "n"_a, "seed"_a, "made"_a, "most"_a, "margin"_a, "intercept"_a,
      "w"_a.noconvert(), "drift"_a.noconvert().none(), "counts"_a.noconvert(), "visits"_a,
      "kept"_a.noconvert().none(), "kept_mistakes"_a, "kept_weighted"_a, "kept_averaged"_a,
      "updates"_a.noconvert(), "standing"_a.noconvert());

  m.def(
      "search",
      [](const Rows& rows, Vector<const int32_t> y, Maybe<const double> c, IndexVector pool,
         uint64_t seed, int64_t number, int64_t seen, int64_t looks, int64_t most, double margin,
         bool intercept, Matrix<double> w, MaybeMatrix drift, Matrix<int64_t> counts,
         int64_t visits, JointLogArrays log) {
        const int64_t k = int64_t(w.shape(0)), size = int64_t(w.shape(1));
        std::vector<double> scores(k);
        Copies copies(rows, k, size, most > 1 ? looks : 0, 1);
        Draw draw{number, seen};
        int64_t made = 0, updates = 0;
        run_on(rows, copies, w.data(), true,
               [&](const auto& view, auto weights) ROSENBLATT_LAMBDA_INLINE {
                 JointLearner<decltype(weights)> learner{
                     weights, data(drift), counts.data(), scores.data(),
                     intercept, visits, 0, log_of(log)};
                 search(view, labels_of(y, c), FixedIncrement{margin},
                        indices(std::optional(pool)), int64_t(pool.shape(0)), seed, looks, most,
                        draw, learner);
                 made = learner.visits - visits;
                 updates = learner.updates;
               });
        return std::tuple(made, updates, draw.number, draw.seen);
      },
      "rows"_a, "y"_a.noconvert(), "c"_a.noconvert().none(), "pool"_a.noconvert(), "seed"_a,
      "number"_a, "seen"_a, "looks"_a, "most"_a, "margin"_a, "intercept"_a, "w"_a.noconvert(),
      "drift"_a.noconvert().none(), "counts"_a.noconvert(), "visits"_a,
      "log"_a.noconvert().none());

  m.def(
      "look",
      [](const Rows& rows, Vector<const int32_t> y, Maybe<const double> c, int64_t begin,
         int64_t end, double margin, bool intercept, Matrix<double> w, Matrix<double> sum,
         Vector<int32_t> mark, Maybe<double> margins) {
        const int64_t k = int64_t(w.shape(0)), size = int64_t(w.shape(1));
        std::vector<double> scores(k);
        Copies copies(rows, k, size, end - begin, 1);
        int64_t mistakes = 0;
        run_on(rows, copies, w.data(), false,
               [&](const auto& view, auto weights) ROSENBLATT_LAMBDA_INLINE {
                 mistakes = look(view, labels_of(y, c), FixedIncrement{margin}, weights, intercept,
                                 begin, end, sum.data(), mark.data(), scores.data(), data(margins));
               });
        return mistakes;
      },
      "rows"_a, "y"_a.noconvert(), "c"_a.noconvert().none(), "begin"_a, "end"_a, "margin"_a,
      "intercept"_a, "w"_a.noconvert(), "sum"_a.noconvert(), "mark"_a.noconvert(),
      "scores"_a.noconvert().none());
}

void bind_judging(nb::module_& m) {
  m.def(
      "count",
      [](const Rows& rows, Vector<const int32_t> y, Maybe<const double> c, Cube<const double> w,
         Vector<const double> limit, int64_t begin, int64_t end, Vector<int64_t> plain,
         Vector<double> weighted) {
        const Rules rules(w);
        std::vector<Tally> total(rules.number);
        for (int64_t a = 0; a < rules.number; ++a)
          total[a] = {plain.data()[a], weighted.data()[a]};
        Copies copies(rows, rules.k, rules.size, end - begin, rules.number);
        std::vector<ByFeature> by_feature;
        std::vector<ByClass> by_class;
        for (int64_t a = 0; a < rules.number; ++a) {
          if (copies) by_feature.push_back(copies.by_feature(rules[a], a));
          else by_class.push_back(copies.by_class(rules[a]));
        }
        const bool alive = count_on_threads(
            rows, bool(c), limit.data(), begin, end, rules.number * rules.k, total,
            [&](const auto& view, int64_t from, int64_t to, Tally* sum) {
              std::vector<double> scores(rules.k);
              const auto counted = [&](const auto& weights) {
                run([&]() ROSENBLATT_LAMBDA_INLINE {
                  count(view, labels_of(y, c), weights.data(), rules.number, limit.data(), from, to,
                        scores.data(), sum);
                });
              };
              if constexpr (is_sparse<std::decay_t<decltype(view)>>)
                if (copies) return counted(by_feature);
              counted(by_class);
            });
        for (int64_t a = 0; a < rules.number; ++a) {
          plain.data()[a] = total[a].plain;
          weighted.data()[a] = total[a].weighted;
        }
        return alive;
      },
      "rows"_a, "y"_a.noconvert(), "c"_a.noconvert().none(), "w"_a.noconvert(),
      "limit"_a.noconvert(), "begin"_a, "end"_a, "plain"_a.noconvert(), "weighted"_a.noconvert());

  m.def(
      "class_scores",
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
      "class_votes",
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
      [](const Rows& rows, Vector<const int32_t> y, double margin, bool intercept,
         Matrix<const double> w, int64_t begin, int64_t end, Vector<float> slack) {
        const ByClass weights{const_cast<double*>(w.data()), int64_t(w.shape(0)),
                              int64_t(w.shape(1))};
        std::vector<double> scores(weights.k);
        without_lock(rows, [&](const auto& view) ROSENBLATT_LAMBDA_INLINE {
          refer(view, ClassLabels{y.data(), nullptr}, margin, intercept, weights, begin, end,
                scores.data(), slack.data());
        });
      },
      "rows"_a, "y"_a.noconvert(), "margin"_a, "intercept"_a, "w"_a.noconvert(), "begin"_a, "end"_a,
      "slack"_a.noconvert());

  m.def(
      "screened_visit",
      [](const Rows& rows, Vector<const int32_t> y, Maybe<const double> c,
         std::optional<ReadOnlyIndexVector> order, int64_t begin, int64_t end, int64_t most,
         double margin, bool intercept, Matrix<double> w, MaybeMatrix drift, Matrix<int64_t> counts,
         int64_t visits, JointLogArrays log, Vector<const float> slack, Matrix<const double> reference,
         int64_t looks) {
        std::vector<double> scores(w.shape(0));
        JointLearner<ByClass> learner{
            {w.data(), int64_t(w.shape(0)), int64_t(w.shape(1))}, data(drift), counts.data(),
            scores.data(), intercept, visits, 0, log_of(log)};
        int64_t reached = begin, left = looks;
        without_lock(rows, [&](const auto& view) ROSENBLATT_LAMBDA_INLINE {
          reached = screened_pass(view, labels_of(y, c), FixedIncrement{margin}, indices(order),
                                  begin, end, most, slack.data(), reference.data(), left, learner);
        });
        return std::tuple(reached, learner.updates, looks - left);
      },
      "rows"_a, "y"_a.noconvert(), "c"_a.noconvert().none(), "order"_a.noconvert().none(),
      "begin"_a, "end"_a, "most"_a, "margin"_a, "intercept"_a, "w"_a.noconvert(),
      "drift"_a.noconvert().none(), "counts"_a.noconvert(), "visits"_a,
      "log"_a.noconvert().none(), "slack"_a.noconvert(), "reference"_a.noconvert(), "looks"_a);

  m.def(
      "screened_count",
      [](const Rows& rows, Vector<const int32_t> y, Maybe<const double> c, Cube<const double> w,
         Vector<const double> limit, int64_t begin, int64_t end, Vector<int64_t> plain,
         Vector<double> weighted, Vector<const float> slack, Matrix<const double> reference,
         Vector<int64_t> looked) {
        const Rules rules(w);
        std::vector<Tally> total(rules.number);
        std::vector<double> room(rules.k * rules.size), scores(rules.k);
        std::vector<float> reach(rules.number);
        for (int64_t a = 0; a < rules.number; ++a) {
          total[a] = {plain.data()[a], weighted.data()[a]};
          reach[a] = reach_of_signs(reference.data(), rules[a], room.data(), rules.size - 1,
                                    rules.k * rules.size);
        }
        int64_t reached = begin;
        without_lock(rows, [&](const auto& view) ROSENBLATT_LAMBDA_INLINE {
          const auto margin = [&](int64_t a, int64_t i) ROSENBLATT_LAMBDA_INLINE {
            const ByClass weights{const_cast<double*>(rules[a]), rules.k, rules.size};
            return standing(view, weights, i, y.data()[i], scores.data()).m;
          };
          reached = screened_count(labels_of(y, c), rules.number, margin, limit.data(), begin, end,
                                   slack.data(), reach.data(), total.data(), looked.data());
        });
        for (int64_t a = 0; a < rules.number; ++a) {
          plain.data()[a] = total[a].plain;
          weighted.data()[a] = total[a].weighted;
        }
        return reached;
      },
      "rows"_a, "y"_a.noconvert(), "c"_a.noconvert().none(), "w"_a.noconvert(),
      "limit"_a.noconvert(), "begin"_a, "end"_a, "plain"_a.noconvert(), "weighted"_a.noconvert(),
      "slack"_a.noconvert(), "reference"_a.noconvert(), "looked"_a.noconvert());
}

}  // namespace

void bind_joint(nb::module_& m) {
  bind_learning(m);
  bind_screening(m);
  bind_judging(m);
}
