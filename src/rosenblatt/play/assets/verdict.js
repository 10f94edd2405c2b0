// @ts-check
// Can a line separate the points? Exactly, with the reason: what `certify` says, while a point moves.
//
// Row i is a_i = y_i (x_i, 1), or y_i x_i through the origin. The point of their hull nearest to zero
// is the separator of the largest homogeneous margin γ; is it zero, its blend is the conflict.
import { dot, floor, ratio, reduced, solve, whole } from "./exact.js";
import { least, nearest } from "./nearest.js";

/** @typedef {import("./learn.js").Rows} Rows */

/** @param {Rows} rows @param {boolean} intercept @param {number} [margin] μ, for the bound */
export function verdict({ x, y, n, d }, intercept, margin = 0) {
  if (!n) return { status: "empty" };
  const { values, scale } = whole(x);
  const lifted = Array.from({ length: n }, (_, i) => {
    const row = values.slice(i * d, i * d + d).map((v) => BigInt(y[i]) * v);
    return intercept ? [...row, BigInt(y[i]) * scale] : row;
  });
  const all = lifted.map((_, i) => i);
  const found = nearestOf(lifted, all);
  if (found.point.some((v) => v !== 0n)) return separable(lifted, found, scale, { y, d, intercept, margin });
  return { ...conflictOf(found, { x, y, d }), ...weakly(lifted, found) };
}

/** @param {bigint[][]} rows @param {number[]} numbers those of the rows */
function nearestOf(rows, numbers) {
  const lowest = least(rows);
  const vertex = (/** @type {number} */ i) => ({ vector: rows[i], rows: [numbers[i]] });
  return nearest((direction) => vertex(lowest(direction).index), vertex(0));
}

/** @param {bigint[][]} lifted @param {any} found @param {bigint} scale @param {any} given */
function separable(lifted, found, scale, { y, d, intercept, margin }) {
  const { point, below } = found;
  const longest = lifted.reduce((max, row) => { const v = dot(row, row); return v > max ? v : max; }, 0n);
  const { values: [mu], scale: under } = whole([margin]);
  // β²/γ² with β² = R² + 2μ, all over the same power of two.
  const above = (longest * under + 2n * mu * scale * scale) * below * below;
  const homogeneous = point.map((/** @type {bigint} */ v) => ratio(v, below * scale));
  if (!intercept) homogeneous.push(0);
  return {
    status: "separable",
    gamma: Math.sqrt(ratio(dot(point, point), (below * scale) ** 2n)),
    radius: Math.sqrt(ratio(longest, scale ** 2n)),
    bound: floor(above, dot(point, point) * under),
    homogeneous,
    support: found.corral.flatMap((/** @type {any} */ v) => v.rows),
    geometric: intercept ? widest(lifted, y, d, scale) : origin(homogeneous, found, scale),
  };
}

/** Through the origin both margins are one. @param {number[]} w @param {any} found @param {bigint} scale */
function origin(w, { point, below, corral }, scale) {
  const margin = Math.sqrt(ratio(dot(point, point), (below * scale) ** 2n));
  return { w, margin, rows: corral.flatMap((/** @type {any} */ v) => v.rows) };
}

/** The line farthest from both classes: half way between their hulls. @param {bigint[][]} lifted @param {Int8Array} y @param {number} d @param {bigint} scale */
function widest(lifted, y, d, scale) {
  const sides = [1, -1].map((side) => lifted.flatMap((row, i) => (y[i] === side ? [{ i, row: row.slice(0, d) }] : [])));
  if (sides.some((side) => !side.length)) return null;
  const lowest = sides.map((side) => least(side.map(({ row }) => row)));
  const pair = (/** @type {number} */ p, /** @type {number} */ q) => ({
    vector: sides[0][p].row.map((v, j) => v + sides[1][q].row[j]), // the minus is in the rows
    rows: [sides[0][p].i, sides[1][q].i],
  });
  const found = nearest((direction) => pair(lowest[0](direction).index, lowest[1](direction).index), pair(0, 0));
  const { point, below } = found, [above, under] = lowest.map((f) => f(point).reached);
  const w = point.map((v) => ratio(v, below * scale));
  w.push(ratio(under - above, 2n * below * scale * scale));
  const margin = Math.sqrt(ratio(dot(point, point), (below * scale) ** 2n)) / 2;
  return { w, margin, rows: [...new Set(found.corral.flatMap((v) => v.rows))] };
}

/** Rows whose blend of one class is a blend of the other, and where. @param {any} found @param {any} given */
function conflictOf({ corral, shares, below }, { x, y, d }) {
  /** @type {number[]} */ const rows = corral.map((/** @type {any} */ v) => v.rows[0]);
  const weights = shares.map((/** @type {bigint} */ v) => ratio(v, below));
  const side = (/** @type {number} */ sign) => {
    const sum = rows.reduce((t, i, k) => t + (y[i] === sign ? weights[k] : 0), 0);
    return Array.from({ length: d }, (_, j) =>
      rows.reduce((t, i, k) => t + (y[i] === sign ? weights[k] * x[i * d + j] : 0), 0) / (sum || 1));
  };
  return { conflict: { rows, weights, shares: shares.map(String), meeting: side(rows.some((i) => y[i] > 0) ? 1 : -1) } };
}

/**
 * Is there a line with no row on the wrong side and some on the right one? Rows of a conflict lie on
 * every such line: what remains is asked in the directions that are left.
 * @param {bigint[][]} lifted @param {any} found
 */
function weakly(lifted, found) {
  let rows = lifted, numbers = lifted.map((_, i) => i), conflict = found;
  for (;;) {
    const basis = conflict.corral.slice(1).map((/** @type {any} */ v) => v.vector);
    const left = basis.length ? without(basis, rows) : rows;
    const kept = left.flatMap((row, k) => (row.some((v) => v !== 0n) ? [k] : []));
    rows = kept.map((k) => left[k]);
    numbers = kept.map((k) => numbers[k]);
    if (!rows.length) return { status: "overlap" };
    conflict = nearestOf(rows, numbers);
    if (conflict.point.some((/** @type {bigint} */ v) => v !== 0n)) return { status: "quasi", separated: numbers };
  }
}

/** The rows without their part in the span of the basis, times a common factor > 0. @param {bigint[][]} basis @param {bigint[][]} rows */
function without(basis, rows) {
  const gram = basis.map((u) => basis.map((v) => dot(u, v)));
  const size = rows[0].length;
  const columns = Array.from({ length: size }, (_, j) => basis.map((b) => b[j]));
  const found = solve(gram, columns);
  if (!found) throw new Error("the rows of a conflict but one are independent");
  const { solutions, denominator } = found;
  const projector = columns.map((_, i) => columns.map((__, j) =>
    (i === j ? denominator : 0n) - dot(columns[i], solutions[j])));
  return rows.map((row) => reduced(projector.map((line) => dot(line, row))));
}
