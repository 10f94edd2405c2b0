// @ts-check
// Can a line separate the points? Exactly, with the reason: what `certify` says, while a point moves.
//
// Row i is a_i = y_i (x_i, 1), or y_i x_i through the origin. The point of their hull nearest to zero
// is the separator of the largest homogeneous margin γ; is it zero, its blend is the conflict. Of many
// classes a row is compared with each rival r: a has x_i in the block of its class, -x_i in that of r.
import { dot } from "./exact.js";
import { least, longest, nearest, vectors } from "./nearest.js";
import { floor, ratio, reduced, scaled, solve, whole } from "./systems.js";

/** @typedef {import("./learn.js").Rows} Rows */
/** @typedef {import("./nearest.js").Vectors} Vectors */
/** @typedef {Vectors & {row: (a: number) => number, rival: (a: number) => number, rank: number}} Compared at most `rank` are independent */

/** @param {Rows} rows @param {boolean} intercept @param {number} [margin] μ, for the bound */
export function verdict(rows, intercept, margin = 0) {
  const { x, y, n, d, k = 2 } = rows;
  if (!n) return { status: "empty" };
  const points = pointsOf(rows, intercept), { scale } = points;
  const lifted = k > 2 ? ofMany(points, y, k) : ofTwo(points, y);
  const found = nearestOf(lifted);
  if (found.point.some((v) => v !== 0n)) return separable(lifted, found, scale, { y, d, k, intercept, margin });
  return { ...conflictOf(found, lifted, { x, y, d, k }), ...weakly(lifted, found, k) };
}

/** The points, with a 1 where there is an intercept. @param {Rows} rows @param {boolean} intercept @returns {Vectors & {scale: bigint}} */
function pointsOf({ x, n, d }, intercept) {
  const { at, scale, factor } = scaled(x), size = intercept ? d + 1 : d, near = new Float64Array(n * size);
  const longest = x.reduce((most, v) => Math.max(most, Math.abs(v)), intercept ? 1 : 2 ** -1000);
  const by = factor || 2 ** -Math.floor(Math.log2(longest)); // products of tiny floats would be 0
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < d; ++j) near[i * size + j] = x[i * d + j] * by;
    if (intercept) near[i * size + d] = by;
  }
  const vector = (/** @type {number} */ i) => Array.from({ length: size }, (_, j) => (j < d ? at(i * d + j) : scale));
  return { count: n, size, vector, near, most: longest * by, exact: factor > 0, scale };
}

/** @param {Vectors} points @param {Int8Array} y @returns {Compared} */
function ofTwo(points, y) {
  const { size, vector } = points, near = points.near.map((v, a) => y[Math.floor(a / size)] * v);
  return { ...points, near, vector: (i) => (y[i] > 0 ? vector(i) : vector(i).map((v) => -v)), row: (a) => a, rival: () => 0, rank: size };
}

/** @param {Vectors} points @param {Int8Array} y @param {number} k @returns {Compared} */
function ofMany({ count, size, vector: point, near: floats, most, exact }, y, k) {
  const row = (/** @type {number} */ a) => Math.floor(a / (k - 1));
  const rival = (/** @type {number} */ a) => (a % (k - 1)) + (a % (k - 1) >= y[row(a)] ? 1 : 0);
  const near = new Float64Array(count * (k - 1) * k * size);
  for (let a = 0; a < count * (k - 1); ++a)
    for (let j = 0; j < size; ++j) {
      near[(a * k + y[row(a)]) * size + j] = floats[row(a) * size + j];
      near[(a * k + rival(a)) * size + j] = -floats[row(a) * size + j];
    }
  const vector = (/** @type {number} */ a) => {
    const found = new Array(k * size).fill(0n);
    point(row(a)).forEach((v, j) => { [found[y[row(a)] * size + j], found[rival(a) * size + j]] = [v, -v]; });
    return found;
  };
  return { count: count * (k - 1), size: k * size, vector, near, most, exact, row, rival, rank: (k - 1) * size };
}

/** @param {Vectors} rows @param {number[]} [numbers] those of the rows */
function nearestOf(rows, numbers) {
  const lowest = least(rows);
  const vertex = (/** @type {number} */ i) => ({ vector: rows.vector(i), rows: [numbers ? numbers[i] : i] });
  return nearest((direction) => vertex(lowest(direction).index), vertex(0));
}

/** @param {Compared} lifted @param {any} found @param {bigint} scale @param {any} given */
function separable(lifted, found, scale, { y, d, k, intercept, margin }) {
  const { point, below } = found, square = longest(lifted);
  const { values: [mu], scale: under } = whole([margin]);
  // β²/γ² with β² = R² + 2μ (of many classes 2R² + 2μ), all over the same power of two.
  const above = (square * under + 2n * mu * scale * scale) * below * below;
  const plain = point.map((/** @type {bigint} */ v) => ratio(v, below * scale));
  const homogeneous = intercept ? plain : plain.flatMap((/** @type {number} */ v, /** @type {number} */ j) => ((j + 1) % d ? [v] : [v, 0]));
  return {
    status: "separable",
    gamma: Math.sqrt(ratio(dot(point, point), (below * scale) ** 2n)),
    radius: Math.sqrt(ratio(square, scale ** 2n)), // of many classes √2 R
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

/** The line farthest from both classes: half way between their hulls. @param {Compared} lifted @param {Int8Array} y @param {number} d @param {bigint} scale */
function widest({ near, vector, size, most, exact }, y, d, scale) {
  const sides = [1, -1].map((side) => [...y.keys()].filter((i) => y[i] === side));
  if (sides.some((side) => !side.length)) return null;
  const row = (/** @type {number} */ i) => vector(i).slice(0, d);
  const lowest = sides.map((side) => least({
    count: side.length, size: d, most, exact, vector: (a) => row(side[a]),
    near: Float64Array.from({ length: side.length * d }, (_, a) => near[side[Math.floor(a / d)] * size + (a % d)]),
  }));
  const pair = (/** @type {number} */ p, /** @type {number} */ q) => {
    const [u, v] = [row(sides[0][p]), row(sides[1][q])]; // the minus is in the rows
    return { vector: u.map((value, j) => value + v[j]), rows: [sides[0][p], sides[1][q]] };
  };
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
 * @param {Compared} lifted @param {any} found @param {number} k
 */
function weakly(lifted, found, k) {
  /** @type {bigint[][]} */ const basis = [];
  for (let conflict = found; ;) {
    basis.push(...conflict.corral.slice(1).map((/** @type {any} */ v) => lifted.vector(v.rows[0])));
    if (basis.length === lifted.rank) return { status: "overlap" }; // the conflicts span all there is
    const { numbers, left } = without(basis, lifted);
    if (!numbers.length) return { status: "overlap" };
    conflict = nearestOf(left, numbers);
    if (conflict.point.every((/** @type {bigint} */ v) => v === 0n)) continue;
    const often = new Map(); // a row is separated when it is from all its rivals
    for (const a of numbers) often.set(lifted.row(a), (often.get(lifted.row(a)) ?? 0) + 1);
    const separated = [...often.keys()].filter((i) => often.get(i) === k - 1);
    return { status: "quasi", separated, right: numbers.length, compared: lifted.count };
  }
}

/** The vectors without their part in the span of the basis, times a common factor > 0; `numbers` are those of which something is left. @param {bigint[][]} basis @param {Vectors} given */
function without(basis, { count, size, vector, near, most, exact }) {
  const matrix = complement(basis, size), floats = matrix.map(Number);
  const highest = floats.reduce((high, v) => Math.max(high, Math.abs(v)), 0) * most * size;
  if (!exact || highest >= 2 ** 53) { // whole numbers of any size then
    const all = Array.from({ length: count }, (_, a) => vector(a));
    const rows = all.map((row) => Array.from({ length: size }, (_, i) => dot(matrix.slice(i * size, i * size + size), row)));
    const numbers = rows.flatMap((row, a) => (row.some((v) => v !== 0n) ? [a] : []));
    return { numbers, left: numbers.length ? vectors(numbers.map((a) => reduced(rows[a]))) : vectors([[0n]]) };
  }
  const left = new Float64Array(count * size), numbers = [];
  for (let a = 0; a < count; ++a) {
    let some = false;
    for (let i = 0; i < size; ++i) {
      let sum = 0;
      for (let j = 0; j < size; ++j) sum += floats[i * size + j] * near[a * size + j];
      left[numbers.length * size + i] = sum;
      some ||= sum !== 0;
    }
    if (some) numbers.push(a);
  }
  const one = (/** @type {number} */ a) => Array.from(left.subarray(a * size, a * size + size), BigInt);
  return { numbers, left: { count: numbers.length, size, vector: one, near: left, most: highest, exact: true } };
}

/** The projector to what is at right angles to all of the basis, times a factor > 0, row by row. @param {bigint[][]} basis @param {number} size */
function complement(basis, size) {
  const gram = basis.map((u) => basis.map((v) => dot(u, v)));
  const columns = Array.from({ length: size }, (_, j) => basis.map((b) => b[j]));
  const found = solve(gram, columns);
  if (!found) throw new Error("the rows of conflicts, but for one each, are independent");
  const { solutions, denominator } = found;
  return reduced(columns.flatMap((u, i) => columns.map((_, j) => (i === j ? denominator : 0n) - dot(u, solutions[j]))));
}
