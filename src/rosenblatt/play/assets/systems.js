// @ts-check
// Many floats as whole numbers at once, and systems of equations in whole numbers.
import { abs, gcd, parts } from "./exact.js";

const MOST = 2 ** 60;

/** Floats times one power of two, `scale`: whole numbers, each made when it is asked for; `factor` is that power, or 0 where floats do not hold them. @param {ArrayLike<number>} values */
export function scaled(values) {
  let factor = 1, most = 0; // most tables need a small one, and products with it are exact
  for (let i = 0; i < values.length; ++i) {
    while (factor <= MOST && !Number.isInteger(values[i] * factor)) factor *= 2;
    most = Math.max(most, Math.abs(values[i]));
  }
  if (factor <= MOST && Number.isFinite(most * factor))
    return { at: (/** @type {number} */ i) => BigInt(values[i] * factor), scale: BigInt(factor), factor };
  const split = Array.from(values, parts);
  const least = split.reduce((low, [, exponent]) => Math.min(low, exponent), 0);
  return { at: (/** @type {number} */ i) => split[i][0] << BigInt(split[i][1] - least), scale: 1n << BigInt(-least), factor: 0 };
}

/** The same at once. @param {ArrayLike<number>} values */
export function whole(values) {
  const { at, scale } = scaled(values);
  return { values: Array.from(values, (_, i) => at(i)), scale };
}

/** The same direction in smaller numbers. @param {bigint[]} values */
export function reduced(values) {
  let common = 0n;
  for (const v of values) if ((common = gcd(common, v)) === 1n) return values;
  return common > 1n ? values.map((v) => v / common) : values;
}

/**
 * Solves matrix · u = right for each right-hand side, without fractions (Bareiss 1968): the numerators
 * of u, over one denominator > 0. Null where the matrix is singular.
 * @param {bigint[][]} matrix @param {bigint[][]} rights
 */
export function solve(matrix, rights) {
  const n = matrix.length;
  const a = matrix.map((row, i) => [...row, ...rights.map((right) => right[i])]);
  let before = 1n;
  for (let k = 0; k < n; ++k) {
    const pivot = a.findIndex((row, i) => i >= k && row[k] !== 0n);
    if (pivot < 0) return null;
    if (pivot !== k) [a[k], a[pivot]] = [a[pivot], a[k].map((v) => -v)];
    for (let i = 0; i < n; ++i) {
      if (i === k) continue;
      const factor = a[i][k];
      for (let j = k + 1; j < a[i].length; ++j)
        a[i][j] = (a[k][k] * a[i][j] - factor * a[k][j]) / before;
      a[i][k] = 0n;
    }
    before = a[k][k];
    for (let i = 0; i < k; ++i) a[i][i] = before;
  }
  const sign = before < 0n ? -1n : 1n;
  return {
    solutions: rights.map((_, r) => a.map((row) => sign * row[n + r])),
    denominator: sign * before,
  };
}

/** The nearest float of a fraction, whatever its size. @param {bigint} above @param {bigint} below */
export function ratio(above, below) {
  if (above === 0n) return 0;
  const length = (/** @type {bigint} */ v) => abs(v).toString(2).length;
  const shift = 64 - length(above) + length(below);
  const quotient = shift >= 0 ? (above << BigInt(shift)) / below : above / (below << BigInt(-shift));
  const half = Math.trunc(shift / 2); // 2^shift itself may be no float
  return Number(quotient) * 2 ** -half * 2 ** (half - shift);
}

/** The greatest whole number that is not greater. @param {bigint} above >= 0 @param {bigint} below > 0 */
export const floor = (above, below) => above / below;
