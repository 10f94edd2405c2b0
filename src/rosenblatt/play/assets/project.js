// @ts-check
// More than two columns on a flat board. Across: the signed distance to the hyperplane, so that every
// point is on its true side. Up: the direction at right angles to w in which the points vary most.

const ROUNDS = 60;

/** @param {import("./learn.js").Rows} rows @param {ArrayLike<number>} w lifted */
export function projected({ x, n, d }, w) {
  const mean = new Float64Array(d);
  for (let i = 0; i < n; ++i) for (let j = 0; j < d; ++j) mean[j] += x[i * d + j] / n;
  let length = 0;
  for (let j = 0; j < d; ++j) length += w[j] ** 2;
  length = Math.sqrt(length);
  const across = length ? Float64Array.from({ length: d }, (_, j) => w[j] / length) : varying(x, n, d, mean, []);
  const up = varying(x, n, d, mean, [across]);
  const xs = new Float64Array(n), ys = new Float64Array(n), shift = length ? w[d] / length : 0;
  for (let i = 0; i < n; ++i)
    for (let j = 0; j < d; ++j) {
      xs[i] += across[j] * (length ? x[i * d + j] : x[i * d + j] - mean[j]);
      ys[i] += up[j] * (x[i * d + j] - mean[j]);
    }
  return { xs: xs.map((v) => v + shift), ys, line: length ? [1, 0, 0] : null };
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
