// Bindings, nothing else: arrays in, pointers out. Arguments are checked in Python (_validation/).
//
// Every array is taken as it is (noconvert): a silent copy would be trained instead of the weights.

#include <nanobind/stl/vector.h>

#include <new>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "count.hpp"
#include "gram.hpp"
#include "modular.hpp"
#include "pass.hpp"
#include "screen.hpp"
#include "spread.hpp"
#include "svmlight.hpp"

// An array that the core has filled, now Python's.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> given(Growing<T>& array) {
  const size_t size = size_t(array.size);
  T* data = array.release();
  return {data, {size}, nb::capsule(data, [](void* start) noexcept { std::free(start); })};
}

// Lifted weight vectors, one after another.
std::vector<const double*> each_of(const Matrix<const double>& w) {
  std::vector<const double*> each(w.shape(0));
  for (size_t a = 0; a < each.size(); ++a) each[a] = w.data() + a * w.shape(1);
  return each;
}

template <class Value>
void bind_dense(nb::module_& m) {
  m.def(
      "dense",
      [](Matrix<const Value> x) {
        return Rows{Dense<Value>{x.data(), int64_t(x.shape(0)), int64_t(x.shape(1))}};
      },
      "X"_a.noconvert(), nb::keep_alive<0, 1>());
}

template <class Value, class Index>
void bind_csr(nb::module_& m) {
  m.def(
      "csr",
      [](Vector<const Value> x, Vector<const Index> column, Vector<const Index> start, int64_t d) {
        const int64_t n = int64_t(start.shape(0)) - 1;
        return Rows{Csr<Value, Index>{x.data(), column.data(), start.data(), n, d}};
      },
      "data"_a.noconvert(), "indices"_a.noconvert(), "indptr"_a.noconvert(), "d"_a,
      nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>());
}

template <class Value, class Sum>
void bind_products(nb::module_& m) {
  using PanelArray = nb::ndarray<const Value, nb::shape<-1, -1, P>, nb::c_contig, nb::device::cpu>;
  m.def(
      "products",
      [](PanelArray panels, Matrix<const Sum> w, Matrix<Sum> out) {
        const Products<Value, Sum> products{panels.data(), int64_t(out.shape(1)),
                                            int64_t(panels.shape(1)), w.data(), out.data()};
        const int64_t count = int64_t(w.shape(0));
        nb::gil_scoped_release unlocked;
        const int64_t of_row = std::max<int64_t>(products.d * count, 1);
        const int64_t size = (std::max<int64_t>(1 << 17, of_row) / of_row / P + 1) * P;
        in_parts(threads_for(products.n * of_row), 0, products.n, size,
                 [&](int64_t from, int64_t to) {
                   run_narrow([&]() ROSENBLATT_LAMBDA_INLINE { products.compute(count, from, to); });
                 });
      },
      "panels"_a.noconvert(), "w"_a.noconvert(), "out"_a.noconvert());
}

template <class Sum>
void bind_kernel_values(nb::module_& m) {
  m.def(
      "scores_of_some",
      [](const Rows& rows, Vector<const Sum> w, std::optional<ReadOnlyIndexVector> some,
         Vector<Sum> out) {
        without_lock(rows, [&](const auto& view) ROSENBLATT_LAMBDA_INLINE {
          scores_of_some(view, w.data(), indices(some), !some, int64_t(out.shape(0)), out.data());
        });
      },
      "rows"_a, "w"_a.noconvert(), "some"_a.noconvert().none(), "out"_a.noconvert());
  m.def(
      "add",
      [](const std::vector<Vector<const Sum>>& values,
         const std::vector<std::vector<double>>& steps, const std::vector<Vector<double>>& into) {
        std::vector<const Sum*> rows;
        for (const auto& array : values) rows.push_back(array.data());
        std::vector<double*> sums;
        for (const auto& array : into) sums.push_back(array.data());
        const int64_t n = int64_t(into[0].shape(0));
        nb::gil_scoped_release unlocked;
        const int threads = threads_for(n * int64_t(rows.size() * sums.size()));
        in_parts(threads, 0, n, 1 << 12, [&](int64_t from, int64_t to) {
          run([&]() ROSENBLATT_LAMBDA_INLINE { add(rows, steps, sums, from, to); });
        });
      },
      "values"_a.noconvert(), "steps"_a, "into"_a.noconvert());
  m.def(
      "rbf_exponents",
      [](Matrix<Sum> products, Vector<const Sum> x_squares, Vector<const Sum> z_squares,
         double gamma) {
        nb::gil_scoped_release unlocked;
        run([&]() ROSENBLATT_LAMBDA_INLINE {
          rbf_exponents(products.data(), x_squares.data(), int64_t(x_squares.shape(0)),
                        z_squares.data(), int64_t(z_squares.shape(0)), Sum(-gamma));
        });
      },
      "products"_a.noconvert(), "x_squares"_a.noconvert(), "z_squares"_a.noconvert(), "gamma"_a);
  m.def(
      "all_finite",
      [](Vector<const Sum> values) {
        const int64_t n = int64_t(values.shape(0));
        std::atomic<bool> finite{true};
        nb::gil_scoped_release unlocked;
        in_parts(threads_for(n), 0, n, 1 << 17, [&](int64_t from, int64_t to) {
          run([&]() ROSENBLATT_LAMBDA_INLINE {
            if (!all_finite(values.data() + from, to - from)) finite = false;
          });
        });
        return finite.load();
      },
      "values"_a.noconvert());
}

// What threadpoolctl sets and reads, through _core/backend.py.
extern "C" NB_EXPORT int rosenblatt_get_num_threads() { return thread_limit(); }
extern "C" NB_EXPORT void rosenblatt_set_num_threads(int most) { thread_limit() = std::max(most, 1); }

NB_MODULE(_native, m) {
  nb::class_<Rows>(m, "Rows");
  bind_dense<float>(m);
  bind_dense<double>(m);
  bind_csr<float, int32_t>(m);
  bind_csr<float, int64_t>(m);
  bind_csr<double, int32_t>(m);
  bind_csr<double, int64_t>(m);
  bind_products<float, float>(m);
  bind_products<float, double>(m);
  bind_products<double, double>(m);
  bind_kernel_values<float>(m);
  bind_kernel_values<double>(m);

  m.def("cpu_levels", [] {
    std::vector<std::string> names;
    for (int level = 0; level <= best_cpu_level(); ++level) names.push_back(cpu_levels[level]);
    return names;
  });
  m.def("use_cpu_level", [](const std::string& name) { return use_cpu_level(name.c_str()); },
        "name"_a);

  m.def("threads", [] { return rosenblatt_get_num_threads(); });
  m.def("threads_for", [](int64_t numbers) { return threads_for(numbers); }, "numbers"_a);
  m.def(
      "use_threads",
      [](int most, unsigned long main) {
        rosenblatt_set_num_threads(most);
        main_thread() = main;
      },
      "most"_a, "main_thread"_a);

  m.def(
      "arrange",
      [](IndexVector pool, std::optional<ReadOnlyIndexVector> rows, uint64_t seed, int64_t k,
         int64_t swaps) {
        nb::gil_scoped_release unlocked;
        arrange(indices(std::optional(pool)), indices(rows), int64_t(pool.shape(0)), seed, k,
                swaps);
      },
      "pool"_a.noconvert(), "rows"_a.noconvert().none(), "seed"_a, "k"_a, "swaps"_a);

  m.def(
      "visit",
      [](const LabelledRows<int8_t>& examples, const UpdateRule& rule, const LearnerArrays& arrays,
         std::optional<ReadOnlyIndexVector> order, int64_t begin, int64_t end, int64_t max_updates,
         const std::optional<Permutation>& next) -> Visited {
        std::optional<NextOrder> later = next_order(next, end);
        if (!rule.fixed_increment()) {
          if (later) later->go_on(later->to);
          return visit_by(rule, examples, arrays, indices(order), begin, end, max_updates);
        }
        Counts counts(arrays.counts.data());
        Learner learner = arrays.learner(rule, counts);
        const int64_t reached =
            visit_rows(*examples.rows, examples.labels(), FixedIncrement{rule.number},
                       indices(order), begin, end, max_updates, later ? &*later : nullptr, learner);
        return {reached, learner.updates};
      },
      "examples"_a.noconvert(), "rule"_a, "learner"_a.noconvert(), "order"_a.noconvert().none(),
      "begin"_a, "end"_a, "max_updates"_a, "next"_a.noconvert().none() = nb::none());

  m.def(
      "search",
      [](const LabelledRows<int8_t>& examples, const UpdateRule& rule, const LearnerArrays& arrays,
         const Permutation& draw, int64_t max_visits, int64_t max_updates) -> Searched {
        if (!rule.fixed_increment())
          return search_by(rule, examples, arrays, draw, max_visits, max_updates);
        Counts counts(arrays.counts.data());
        Learner learner = arrays.learner(rule, counts);
        Draw drawn{draw.number, draw.made};
        without_lock(*examples.rows, [&](const auto& view) ROSENBLATT_LAMBDA_INLINE {
          search(view, examples.labels(), FixedIncrement{rule.number}, draw.places(), draw.n(),
                 draw.seed, max_visits, max_updates, drawn, learner);
        });
        return {learner.visits - arrays.visits, learner.updates, drawn.number, drawn.seen};
      },
      "examples"_a.noconvert(), "rule"_a, "learner"_a.noconvert(), "draw"_a.noconvert(),
      "max_visits"_a, "max_updates"_a);

  m.def(
      "epochs",
      [](const LabelledRows<int8_t>& examples, const UpdateRule& rule, const LearnerArrays& arrays,
         std::optional<ReadOnlyIndexVector> present, const std::optional<Permutation>& order,
         const std::optional<KeptWeights<Vector<double>>>& kept, Vector<int64_t> updates,
         Vector<double> mistakes) {
        const Labels labels = examples.labels();
        const FixedIncrement step{rule.number};
        Counts counts(arrays.counts.data());
        Learner learner = arrays.learner(rule, counts);
        Kept best = kept_of(kept);
        std::vector<double> average(arrays.drift ? arrays.w.shape(0) : 0);
        Epochs epochs = epochs_of(examples, present, order, updates, mistakes, average);
        int64_t done = 0;
        on_rows(*examples.rows, [&](const auto& view) {
          const Slot<std::decay_t<decltype(view)>>* const in_place = nullptr;
          const ScoreRows score = score_rows(view);
          done = epochs.run(
              int64_t(updates.shape(0)), int64_t(arrays.w.shape(0)), learner, best,
              [&](Indices places) {
                visit_some(view, in_place, labels, step, places, 0, epochs.n, epochs.n,
                           INT64_MAX - learner.updates, learner);
              },
              [&](const double* other, const double* limit, Tally* total) {
                const double* const both[2] = {learner.w, other};
                count_some(score, labels, {both, 2}, limit, 0, view.n, total);
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
      [](const LabelledRows<int8_t>& examples, const UpdateRule& rule, Vector<const double> w,
         int64_t begin, int64_t end, const BatchStep<Vector<double>, uint8_t>& step) {
        int64_t mistakes = 0;
        without_lock(*examples.rows, [&](const auto& view) ROSENBLATT_LAMBDA_INLINE {
          mistakes = look(view, examples.labels(), FixedIncrement{rule.number}, w.data(),
                          rule.intercept, begin, end, step.sum.data(), step.marks.data(),
                          data(step.scores));
        });
        return mistakes;
      },
      "examples"_a.noconvert(), "rule"_a, "w"_a.noconvert(), "begin"_a, "end"_a,
      "step"_a.noconvert());

  m.def(
      "count",
      [](const LabelledRows<int8_t>& examples, const MistakeTally<Matrix<const double>>& tally,
         int64_t begin, int64_t end) {
        const std::vector<const double*> each = each_of(tally.w);
        const Candidates candidates{each.data(), int64_t(each.size())};
        std::vector<Tally> total = tally.begun();
        const bool alive = count_on_threads(
            *examples.rows, bool(examples.c), tally.limit.data(), begin, end, candidates.k, total,
            [&](const auto& view, int64_t from, int64_t to, Tally* sum) {
              count_some(score_rows(view), examples.labels(), candidates, tally.limit.data(), from,
                         to, sum);
            });
        tally.write(total);
        return alive;
      },
      "examples"_a.noconvert(), "tally"_a.noconvert(), "begin"_a, "end"_a);

  m.def(
      "refer",
      [](const LabelledRows<int8_t>& examples, const UpdateRule& rule, Vector<const double> w,
         int64_t begin, int64_t end, Vector<float> slack) {
        on_threads(*examples.rows, begin, end, 1, true,
                   [&](const auto& view, int64_t from, int64_t to) {
                     run_on(view, [&]() ROSENBLATT_LAMBDA_INLINE {
                       refer(view, examples.labels(), rule.number, rule.intercept, w.data(), from,
                             to, slack.data());
                     });
                   });
      },
      "examples"_a.noconvert(), "rule"_a, "w"_a.noconvert(), "begin"_a, "end"_a,
      "slack"_a.noconvert());

  m.def(
      "screened_visit",
      [](const LabelledRows<int8_t>& examples, const UpdateRule& rule, const LearnerArrays& arrays,
         std::optional<ReadOnlyIndexVector> order, int64_t begin, int64_t end, int64_t max_updates,
         const Slack<Vector<const double>>& slack) {
        Counts counts(arrays.counts.data());
        Learner learner = arrays.learner(rule, counts);
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
      [](const LabelledRows<int8_t>& examples, const MistakeTally<Matrix<const double>>& tally,
         int64_t begin, int64_t end, const Slack<Vector<const double>>& slack,
         Vector<int64_t> evaluations) {
        const std::vector<const double*> candidates = each_of(tally.w);
        std::vector<Tally> total = tally.begun();
        const int64_t size = int64_t(tally.w.shape(1));
        std::vector<double> room(size);
        std::vector<float> reach(candidates.size());
        for (size_t a = 0; a < candidates.size(); ++a)
          reach[a] = reach_of_signs(slack.reference.data(), candidates[a], room.data(), size - 1, size);
        const Labels labels = examples.labels();
        int64_t reached = begin;
        without_lock(*examples.rows, [&](const auto& view) ROSENBLATT_LAMBDA_INLINE {
          const auto margin = [&](int64_t a, int64_t i) ROSENBLATT_LAMBDA_INLINE {
            return labels.margin(i, view.score(i, candidates[a]));
          };
          reached = screened_count(labels, int64_t(candidates.size()), margin, tally.limit.data(),
                                   begin, end, slack.of_row.data(), reach.data(), total.data(),
                                   evaluations.data());
        });
        tally.write(total);
        return reached;
      },
      "examples"_a.noconvert(), "tally"_a.noconvert(), "begin"_a, "end"_a, "slack"_a.noconvert(),
      "evaluations"_a.noconvert());

  m.def(
      "scores",
      [](const Rows& rows, Vector<const double> w, int64_t begin, int64_t end,
         Vector<double> out) {
        const double* const one = w.data();
        on_threads(rows, begin, end, 1, true, [&](const auto& view, int64_t from, int64_t to) {
          score_rows(view)(from, to, &one, 1, out.data() + from);
        });
      },
      "rows"_a, "w"_a.noconvert(), "begin"_a, "end"_a, "out"_a.noconvert());

  m.def(
      "next_call",
      [](Vector<const int8_t> y, Vector<const double> sums, double b, double margin, int64_t at,
         double tie) {
        const Labels labels{y.data(), nullptr, tie};
        return next_call(labels, sums.data(), int64_t(y.shape(0)), b, FixedIncrement{margin}, at);
      },
      "y"_a.noconvert(), "sums"_a.noconvert(), "b"_a, "margin"_a, "at"_a, "tie"_a = 0.0);

  m.def(
      "vote",
      [](const Rows& rows, Matrix<const double> voters, Vector<const double> votes, int64_t begin,
         int64_t end, Vector<double> out) {
        const std::vector<const double*> each = each_of(voters);
        const Candidates candidates{each.data(), int64_t(each.size())};
        on_threads(rows, begin, end, candidates.k, true,
                   [&](const auto& view, int64_t from, int64_t to) {
                     vote(candidates, votes.data(), from, to, out.data(), score_rows(view));
                   });
      },
      "rows"_a, "voters"_a.noconvert(), "votes"_a.noconvert(), "begin"_a, "end"_a,
      "out"_a.noconvert());

  m.def(
      "eliminate",
      [](Matrix<uint32_t> matrix, uint32_t prime, int64_t begin, int64_t end,
         Vector<int64_t> pivot) {
        nb::gil_scoped_release unlocked;
        run([&]() ROSENBLATT_LAMBDA_INLINE {
          eliminate(matrix.data(), int64_t(matrix.shape(0)), int64_t(matrix.shape(1)), prime,
                    begin, end, pivot.data());
        });
      },
      "matrix"_a.noconvert(), "prime"_a, "begin"_a, "end"_a, "pivot"_a.noconvert());

  m.def(
      "invert",
      [](Matrix<uint32_t> matrix, uint32_t prime, int64_t begin, int64_t end,
         Vector<int64_t> exchanged) {
        nb::gil_scoped_release unlocked;
        bool regular = false;
        run([&]() ROSENBLATT_LAMBDA_INLINE {
          regular = invert(matrix.data(), int64_t(matrix.shape(0)), prime, begin, end,
                           exchanged.data());
        });
        return regular;
      },
      "matrix"_a.noconvert(), "prime"_a, "begin"_a, "end"_a, "exchanged"_a.noconvert());

  m.def(
      "lift",
      [](Matrix<const int32_t> inverse, Cube<const int32_t> limbs, Matrix<int64_t> residual,
         int64_t prime, Matrix<int32_t> digits, Vector<int32_t> room) {
        nb::gil_scoped_release unlocked;
        const Lifting lifting{inverse.data(),           limbs.data(),
                              int64_t(room.shape(0)),   int64_t(limbs.shape(0)),
                              int64_t(residual.shape(1)), prime,
                              residual.data()};
        run([&]() ROSENBLATT_LAMBDA_INLINE {
          lifting.lift(digits.data(), int64_t(digits.shape(0)), room.data());
        });
      },
      "inverse"_a.noconvert(), "limbs"_a.noconvert(), "residual"_a.noconvert(), "prime"_a,
      "digits"_a.noconvert(), "room"_a.noconvert());

  bind_joint(m);
  bind_rules(m);
  bind_directions(m);

  nb::class_<SvmlightReader>(m, "SvmlightReader")
      .def(nb::init<>())
      .def(
          "read",
          [](SvmlightReader& reader, Vector<const uint8_t> text, int64_t begin, int64_t end,
             int64_t rows) {
            const char* const start = reinterpret_cast<const char*>(text.data());
            const char* at = start + begin;
            Reading reading;
            {
              nb::gil_scoped_release unlocked;
              reading = reader.read(at, start + end, rows);
            }
            if (reading == Reading::no_memory) throw std::bad_alloc();
            return std::tuple(int64_t(at - start), reading == Reading::fine);
          },
          "text"_a.noconvert(), "begin"_a, "end"_a, "rows"_a)
      .def("take",
           [](SvmlightReader& reader) {
             nb::object column = reader.is_wide ? nb::cast(given(reader.wide))
                                                : nb::cast(given(reader.narrow));
             return nb::make_tuple(given(reader.value), column, given(reader.start),
                                   given(reader.label));
           })
      .def_ro("lines", &SvmlightReader::lines)
      .def_ro("rows", &SvmlightReader::rows)
      .def_ro("entries", &SvmlightReader::entries)
      .def_ro("comments", &SvmlightReader::comments)
      .def_ro("queries", &SvmlightReader::queries)
      .def_ro("least", &SvmlightReader::least)
      .def_ro("least_line", &SvmlightReader::least_line)
      .def_ro("most", &SvmlightReader::most)
      .def_ro("most_line", &SvmlightReader::most_line);
}
