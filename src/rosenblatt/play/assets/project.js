// @ts-check
// More than two columns on a flat board. Across: the signed distance to the hyperplane, so that every
// point is on its true side. Up: the direction at right angles to w in which the points vary most. Of
// three classes the plane is that of the differences of their weights: there, too, all sides are true.

const ROUNDS = 60;

/** @param {import("./learn.js").Rows} rows @param {ArrayLike<number>} w lifted, class by class */
export function projected({ x, n, d }, w) {
  const mean = new Float64Array(d);
  for (let i = 0; i < n; ++i) for (let j = 0; j < d; ++j) mean[j] += x[i * d + j] / n;
  /** @type {(others: Float64Array[]) => Float64Array} */ const spread = (others) => varying(x, n, d, mean, others);
  const { axes, rule, shift } = w.length > d + 1 ? differences(w, d, mean, spread) : distance(w, d, mean, spread);
  const [xs, ys] = axes.map((axis, a) => Float64Array.from({ length: n }, (_, i) => {
    let sum = a ? 0 : shift;
    for (let j = 0; j < d; ++j) sum += axis[j] * (x[i * d + j] - mean[j]);
    return sum;
  }));
  return { xs, ys, line: rule };
}

/** @param {ArrayLike<number>} u @param {ArrayLike<number>} v @param {number} d */
function dot(u, v, d) {
  let sum = 0;
  for (let j = 0; j < d; ++j) sum += u[j] * v[j];
  return sum;
}

/** Of two classes. @param {ArrayLike<number>} w @param {number} d @param {Float64Array} mean @param {(others: Float64Array[]) => Float64Array} spread */
function distance(w, d, mean, spread) {
  const length = Math.sqrt(dot(w, w, d));
  const across = length ? Float64Array.from({ length: d }, (_, j) => w[j] / length) : spread([]);
  return { axes: [across, spread([across])], rule: length ? [1, 0, 0] : null, shift: length ? (dot(w, mean, d) + w[d]) / length : 0 };
}

/** Of three. @param {ArrayLike<number>} w @param {number} d @param {Float64Array} mean @param {(others: Float64Array[]) => Float64Array} spread */
function differences(w, d, mean, spread) {
  const k = w.length / (d + 1), of = (/** @type {number} */ c) => Array.from({ length: d + 1 }, (_, j) => w[c * (d + 1) + j]);
  const classes = Array.from({ length: k }, (_, c) => of(c)), [first, ...rest] = classes;
  /** @type {Float64Array[]} */ const axes = [];
  let most = 0;
  for (const other of rest) {
    const left = Float64Array.from({ length: d }, (_, j) => other[j] - first[j]);
    most = Math.max(most, Math.sqrt(dot(left, left, d)));
    for (const axis of axes) {
      const along = dot(left, axis, d);
      for (let j = 0; j < d; ++j) left[j] -= along * axis[j];
    }
    const length = Math.sqrt(dot(left, left, d));
    if (length > 1e-9 * most && axes.length < 2) axes.push(left.map((v) => v / length));
  }
  const rule = classes.flatMap((v) => [...axes, ...[0, 0]].slice(0, 2).map((axis) => (axis ? dot(v, axis, d) : 0)).concat(dot(v, mean, d) + v[d]));
  const divided = axes.length > 0;
  while (axes.length < 2) axes.push(spread([...axes]));
  return { axes, rule: divided ? rule : null, shift: 0 };
}

/** The first principal component at right angles to others: power iteration from a fixed start. @param {Float64Array} x @param {number} n @param {number} d @param {Float64Array} mean @param {Float64Array[]} others */
function varying(x, n, d, mean, others) {
  let v = Float64Array.from({ length: d }, (_, j) => 1 / (j + 1));
  for (let round = 0; round < ROUNDS; ++round) {
    const next = new Float64Array(d);
    for (let i = 0; i < n; ++i) {
      let part = 0;
      for (let j = 0; j < d; ++j) part += (x[i * d + j] - mean[j]) * v[j];
      for (let j = 0; j < d; ++j) next[j] += part * (x[i * d + j] - mean[j]);
    }
    for (const u of others) {
      const along = next.reduce((sum, value, j) => sum + value * u[j], 0);
      for (let j = 0; j < d; ++j) next[j] -= along * u[j];
    }
    const size = Math.hypot(...next);
    if (!size) break;
    v = next.map((value) => value / size);
  }
  const largest = v.reduce((best, value, j) => (Math.abs(value) > Math.abs(v[best]) ? j : best), 0);
  return v[largest] < 0 ? v.map((value) => -value) : v; // always the same way up
}
