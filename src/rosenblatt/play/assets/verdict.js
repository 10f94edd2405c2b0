// @ts-check
// Can a line separate the points? Exactly, with the reason: what `certify` says, while a point moves.
//
// Row i is a_i = y_i (x_i, 1), or y_i x_i through the origin. The point of their hull nearest to zero
// is the separator of the largest homogeneous margin γ; is it zero, its blend is the conflict. Of many
// classes a row is compared with each rival r: a has x_i in the block of its class, -x_i in that of r.
import { dot, floor, ratio, reduced, solve, whole } from "./exact.js";
import { least, nearest } from "./nearest.js";

/** @typedef {import("./learn.js").Rows} Rows */
/** @typedef {{lifted: bigint[][], row: (a: number) => number, rival: (a: number) => number}} Compared */

/** @param {Rows} rows @param {boolean} intercept @param {number} [margin] μ, for the bound */
export function verdict({ x, y, n, d, k = 2 }, intercept, margin = 0) {
  if (!n) return { status: "empty" };
  const { values, scale } = whole(x);
  const points = Array.from({ length: n }, (_, i) => [...values.slice(i * d, i * d + d), ...(intercept ? [scale] : [])]);
  const compared = k > 2 ? ofMany(points, y, k) : ofTwo(points, y), { lifted } = compared;
  const found = nearestOf(lifted, lifted.map((_, a) => a));
  if (found.point.some((v) => v !== 0n)) return separable(lifted, found, scale, { y, d, k, intercept, margin });
  return { ...conflictOf(found, compared, { x, y, d, k }), ...weakly(compared, found, k) };
}

/** @param {bigint[][]} points @param {Int8Array} y @returns {Compared} */
const ofTwo = (points, y) => ({
  lifted: points.map((point, i) => (y[i] > 0 ? point : point.map((v) => -v))), row: (a) => a, rival: () => 0,
});

/** @param {bigint[][]} points @param {Int8Array} y @param {number} k @returns {Compared} */
function ofMany(points, y, k) {
  const row = (/** @type {number} */ a) => Math.floor(a / (k - 1)), size = points[0].length;
  const rival = (/** @type {number} */ a) => (a % (k - 1)) + (a % (k - 1) >= y[row(a)] ? 1 : 0);
  const lifted = Array.from({ length: points.length * (k - 1) }, (_, a) => {
    const point = points[row(a)], all = new Array(k * size).fill(0n);
    for (let j = 0; j < size; ++j) {
      all[y[row(a)] * size + j] = point[j];
      all[rival(a) * size + j] = -point[j];
    }
    return all;
  });
  return { lifted, row, rival };
}

/** @param {bigint[][]} rows @param {number[]} numbers those of the rows */
function nearestOf(rows, numbers) {
  const lowest = least(rows);
  const vertex = (/** @type {number} */ i) => ({ vector: rows[i], rows: [numbers[i]] });
  return nearest((direction) => vertex(lowest(direction).index), vertex(0));
}

/** @param {bigint[][]} lifted @param {any} found @param {bigint} scale @param {any} given */
function separable(lifted, found, scale, { y, d, k, intercept, margin }) {
  const { point, below } = found;
  const longest = lifted.reduce((max, row) => { const v = dot(row, row); return v > max ? v : max; }, 0n);
  const { values: [mu], scale: under } = whole([margin]);
  // β²/γ² with β² = R² + 2μ (of many classes 2R² + 2μ), all over the same power of two.
  const above = (longest * under + 2n * mu * scale * scale) * below * below;
  const plain = point.map((/** @type {bigint} */ v) => ratio(v, below * scale));
  const homogeneous = intercept ? plain : plain.flatMap((/** @type {number} */ v, /** @type {number} */ j) => ((j + 1) % d ? [v] : [v, 0]));
  return {
    status: "separable",
    gamma: Math.sqrt(ratio(dot(point, point), (below * scale) ** 2n)),
    radius: Math.sqrt(ratio(longest, scale ** 2n)), // of many classes √2 R
    bound: floor(above, dot(point, point) * under),
    homogeneous,
    geometric: k > 2 ? null : intercept ? widest(lifted, y, d, scale) : origin(homogeneous, found, scale),
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

/** Rows of which a blend of one class is a blend of others, and where. @param {any} found @param {Compared} compared @param {any} given */
function conflictOf({ corral, shares, below }, { row, rival }, { x, y, d, k }) {
  /** @type {number[]} */ const numbers = corral.map((/** @type {any} */ v) => v.rows[0]), rows = numbers.map(row);
  const weights = shares.map((/** @type {bigint} */ v) => ratio(v, below));
  const middle = (/** @type {number} */ own) => {
    const of = rows.flatMap((i, a) => (y[i] === own ? [a] : [])), sum = of.reduce((t, a) => t + weights[a], 0);
    return Array.from({ length: d }, (_, j) => of.reduce((t, a) => t + weights[a] * x[rows[a] * d + j], 0) / sum);
  };
  const classes = [...new Set(rows.map((i) => y[i]))].sort((a, b) => b - a);
  const meetings = (k > 2 ? classes : classes.slice(0, 1)).map(middle); // two classes meet in one place
  return { conflict: { rows, rivals: numbers.map(rival), weights, shares: shares.map(String), meetings } };
}

/**
 * Is there a line with no row on the wrong side and some on the right one? Rows of a conflict lie on
 * every such line: what remains is asked in the directions that are left.
 * @param {Compared} compared @param {any} found @param {number} k
 */
function weakly({ lifted, row }, found, k) {
  let rows = lifted, numbers = lifted.map((_, a) => a), conflict = found;
  for (;;) {
    const basis = conflict.corral.slice(1).map((/** @type {any} */ v) => v.vector);
    const left = basis.length ? without(basis, rows) : rows;
    const kept = left.flatMap((one, a) => (one.some((v) => v !== 0n) ? [a] : []));
    rows = kept.map((a) => left[a]);
    numbers = kept.map((a) => numbers[a]);
    if (!rows.length) return { status: "overlap" };
    conflict = nearestOf(rows, numbers);
    if (conflict.point.every((/** @type {bigint} */ v) => v === 0n)) continue;
    const often = new Map(); // a row is separated when it is from all its rivals
    for (const a of numbers) often.set(row(a), (often.get(row(a)) ?? 0) + 1);
    return { status: "quasi", separated: [...often.keys()].filter((i) => often.get(i) === k - 1), right: numbers.length, compared: lifted.length };
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
