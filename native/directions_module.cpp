// Bindings of the pairs that a cone of directions forces: directions.hpp.

#include <vector>

#include "bindings.hpp"
#include "directions.hpp"

namespace {

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> handed_over(std::vector<T>&& values) {
  auto* mine = new std::vector<T>(std::move(values));
  nb::capsule owner(mine, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {mine->data(), {mine->size()}, owner};
}

auto handed_over(Pairs&& pairs) {
  return std::make_tuple(handed_over(std::move(pairs.positive)), handed_over(std::move(pairs.negative)),
                         handed_over(std::move(pairs.amount)));
}

}  // namespace

// Whole numbers of 128 bits come as two words each, the low one first.
void bind_directions(nb::module_& m) {
  m.def(
      "rank_along",
      [](Cube<const uint64_t> x, Matrix<const uint64_t> direction, Vector<int32_t> rank) {
        nb::gil_scoped_release unlocked;
        rank_along(reinterpret_cast<const Wide*>(x.data()), int64_t(x.shape(0)), int64_t(x.shape(1)),
                   reinterpret_cast<const Wide*>(direction.data()), rank.data());
      },
      "x"_a.noconvert(), "direction"_a.noconvert(), "rank"_a.noconvert());
  m.def(
      "forced_pairs",
      [](Matrix<const int32_t> rank, Vector<const int8_t> y, Vector<const int64_t> cost,
         Vector<const int32_t> positive, Vector<const int32_t> negative, Vector<const int64_t> amount) {
        Pairs out;
        {
          nb::gil_scoped_release unlocked;
          const int64_t generators = int64_t(rank.shape(0)), n = int64_t(rank.shape(1));
          Flow flow(y.data(), cost.data(), n);
          if (generators == 2) {
            flow.sweep(rank.data(), rank.data() + n);
          } else {
            flow.begin_with(positive.data(), negative.data(), amount.data(), int64_t(amount.shape(0)));
            flow.grow(rank.data(), generators);
          }
          out = flow.pairs();
        }
        return handed_over(std::move(out));
      },
      "rank"_a.noconvert(), "y"_a.noconvert(), "cost"_a.noconvert(), "positive"_a.noconvert(),
      "negative"_a.noconvert(), "amount"_a.noconvert());
  m.def(
      "undecided_pairs",
      [](Matrix<const int32_t> rank, Vector<const int8_t> y, Vector<const int64_t> left, int64_t most) {
        Pairs out;
        {
          nb::gil_scoped_release unlocked;
          const int64_t generators = int64_t(rank.shape(0)), n = int64_t(rank.shape(1));
          out = generators == 2 ? undecided_in_plane(rank.data(), rank.data() + n, n, y.data(),
                                                     left.data(), most)
                                : undecided(rank.data(), n, generators, y.data(), left.data(), most);
        }
        return handed_over(std::move(out));
      },
      "rank"_a.noconvert(), "y"_a.noconvert(), "left"_a.noconvert(), "most"_a);
}
