// @ts-check
// The point of a polytope nearest to zero, exactly: Wolfe's algorithm (Mathematical Programming 11,
// 1976) in whole numbers. It decides whether points can be separated, by how much, and if not, why.
import { abs, dot } from "./exact.js";
import { reduced, solve } from "./systems.js";

/**
 * @typedef {{vector: bigint[], rows: number[]}} Vertex a vertex, and the rows that it is made of
 * @typedef {(direction: bigint[]) => Vertex} Extreme the vertex that goes least far in a direction
 */

/**
 * The nearest point is `point` / `below`, a blend of few vertices with `shares` / `below`.
 * @param {Extreme} extreme @param {Vertex} first
 */
export function nearest(extreme, first) {
  let corral = [first], shares = [1n], below = 1n;
  for (;;) {
    const point = blend(corral, shares);
    if (point.every((v) => v === 0n)) return { point, below, corral, shares };
    const found = extreme(reduced(point));
    if (dot(point, found.vector) * below >= dot(point, point)) return { point, below, corral, shares };
    corral.push(found);
    shares.push(0n);
    ({ corral, shares, below } = inside(corral, shares, below));
  }
}

/** @param {Vertex[]} corral @param {bigint[]} shares */
function blend(corral, shares) {
  return corral[0].vector.map((_, j) => corral.reduce((sum, v, i) => sum + shares[i] * v.vector[j], 0n));
}

/**
 * From a blend to the nearest point of the affine hull, as far as no share turns negative: a vertex
 * whose share falls to zero leaves, and the rest tries again.
 * @param {Vertex[]} corral @param {bigint[]} shares @param {bigint} below
 */
function inside(corral, shares, below) {
  for (;;) {
    const { target, under } = affine(corral);
    if (target.every((v) => v > 0n)) {
      const [all, ...rest] = reduced([under, ...target]);
      return { corral, shares: rest, below: all };
    }
    let t = 1n, u = 1n; // the step t / u: the largest that keeps all shares >= 0
    target.forEach((to, i) => {
      if (to > 0n) return;
      const a = shares[i] * under, b = a - to * below;
      if (b > 0n ? a * u < t * b : true) [t, u] = b > 0n ? [a, b] : [0n, 1n];
    });
    const moved = shares.map((from, i) => from * under * (u - t) + t * target[i] * below);
    const stays = moved.map((v, i) => v > 0n || (v === 0n && target[i] > 0n));
    [below, ...shares] = reduced([below * under * u, ...moved]);
    corral = corral.filter((_, i) => stays[i]);
    shares = shares.filter((_, i) => stays[i]);
  }
}

/** Shares of the affine hull's point nearest to zero: G λ = μ, Σ λ = 1. @param {Vertex[]} corral */
function affine(corral) {
  const matrix = corral.map((u) => [...corral.map((v) => dot(u.vector, v.vector)), -1n]);
  matrix.push([...corral.map(() => 1n), 0n]);
  const found = solve(matrix, [[...corral.map(() => 0n), 1n]]);
  if (!found) throw new Error("the vertices of a corral are not independent");
  return { target: found.solutions[0].slice(0, -1), under: found.denominator };
}

/**
 * Vectors by number: each as whole numbers when it is asked for, and all as floats up to some last bits,
 * none of which is larger than `most`. Where `exact`, the floats are the whole numbers themselves.
 * @typedef {{count: number, size: number, vector: (i: number) => bigint[], near: Float64Array, most: number, exact: boolean}} Vectors
 */

/** Those that are known as whole numbers. @param {bigint[][]} rows @returns {Vectors} */
export const vectors = (rows) => ({ count: rows.length, size: rows[0].length, vector: (i) => rows[i], near: floats(rows.flat()), most: 1, exact: false });

/** Which vector goes least far, exactly: floats rule most of them out. @param {Vectors} vectors */
export function least({ count, size, vector, near, most }) {
  const slack = size * most * 2 ** -48, scores = new Float64Array(count);
  return (/** @type {bigint[]} */ direction) => {
    const w = floats(direction);
    let low = Infinity;
    for (let i = 0; i < count; ++i) {
      let sum = 0;
      for (let j = 0; j < size; ++j) sum += near[i * size + j] * w[j];
      if (sum < low) low = sum;
      scores[i] = sum;
    }
    let best = -1, reached = 0n;
    for (let i = 0; i < count; ++i) {
      if (scores[i] > low + slack) continue;
      const exact = dot(vector(i), direction);
      if (best < 0 || exact < reached) [best, reached] = [i, exact];
    }
    return { index: best, reached };
  };
}

/** The square of the longest vector. @param {Vectors} vectors */
export function longest({ count, size, vector, near, most }) {
  const squares = Float64Array.from({ length: count }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < size; ++j) sum += (near[i * size + j] / most) ** 2;
    return sum;
  });
  const enough = squares.reduce((high, v) => Math.max(high, v), 0) * (1 - 2 ** -40);
  let found = 0n;
  squares.forEach((v, i) => {
    if (v < enough) return;
    const exact = dot(vector(i), vector(i));
    if (exact > found) found = exact;
  });
  return found;
}

/** Whole numbers over the largest of them, up to a last bit or two. @param {bigint[]} values */
function floats(values) {
  let most = 1n;
  for (const v of values) if (v > most || -v > most) most = abs(v);
  const shift = BigInt(Math.max(most.toString(16).length * 4 - 1000, 0)), by = Number(most >> shift);
  return Float64Array.from(values, (v) => Number(shift ? v >> shift : v) / by);
}
