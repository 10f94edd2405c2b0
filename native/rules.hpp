// When to step, and how far: one struct of a few lines per rule, in units of the learning rate.
//
// m is the margin y_i (w.x_i + b) of the row looked at, c its weight. A rule says whether the row
// calls for an update and by how much: w += step y_i x_i, b += step y_i.
#pragma once

#include "rows.hpp"

namespace rosenblatt {

// Rosenblatt, "The perceptron", Psychological Review 65 (1958); with margin > 0 the fixed-increment
// rule with margin of Duda and Hart, Pattern Classification and Scene Analysis (1973), 5.5.
// A row on the hyperplane is a mistake, and so is a row whose score overflowed to NaN.
struct FixedIncrement {
  double margin;
  ROSENBLATT_INLINE bool calls(double m) const { return !(m > margin); }
  ROSENBLATT_INLINE double step(double c) const { return c; }
};

}  // namespace rosenblatt
