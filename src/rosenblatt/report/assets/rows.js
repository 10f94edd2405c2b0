// @ts-check
// The rows that a certificate speaks of, in whole numbers: row i is a_i = y_i (x_i, 1), or y_i x_i
// through the origin. Weights w have row i on the right side if a_i·w > 0.
import { dot } from "./exact.js";
import { length2, nearest, number, ofDecimal, ofFloat, signOf, whole } from "./fractions.js";
import { demand } from "./json.js";

/** @typedef {import("./fractions.js").Ratio} Ratio */

const PRIME = 1980527385046969939n; // no neighbour of a power of two, as floats often are

/** Whole numbers of a document as numbers; beyond 2^53 there is no row. @param {bigint[]} counts */
export const places = (counts) => counts.map((v) => (v <= 9007199254740991n ? Number(v) : Infinity));

/** ‖x‖, right to the last digit or the one before. @param {ArrayLike<number>} x */
export function hypot(x) {
  let largest = 0;
  for (let j = 0; j < x.length; ++j) largest = Math.max(largest, Math.abs(x[j]));
  if (largest === 0 || largest === Infinity) return largest;
  // A power of two near the largest, so that no square is too large or lost. The sum keeps what it loses.
  const scale = 2 ** Math.max(-1000, Math.min(1000, Math.floor(Math.log2(largest))));
  let sum = 0, lost = 0;
  for (let j = 0; j < x.length; ++j) {
    const v = x[j] / scale, term = v * v + lost, more = sum + term;
    lost = term - (more - sum);
    sum = more;
  }
  return Math.sqrt(sum) * scale;
}

/** What all rows have in common, whether two classes or many, all rows or some. @abstract */
export class Rows {
  /** @param {any} claim @param {number} size of a_i @param {boolean} intercept */
  constructor(claim, size, intercept) {
    this.decimal = claim.numbers === "decimal";
    this.size = size;
    this.intercept = intercept;
    /** Row numbers that count. @type {number[]} */
    this.present = [];
  }

  /** @param {number} i @returns {ArrayLike<number>} @abstract */
  x(i) { throw new Error(`no row ${i}`); }

  /** @param {number} i @returns {number} @abstract */
  y(i) { throw new Error(`no row ${i}`); }

  /** @param {number} i @returns {boolean} @abstract */
  has(i) { throw new Error(`no row ${i}`); }

  /** The number that a float stands for. @param {number} v */
  meant(v) { return this.decimal ? ofDecimal(String(v)) : ofFloat(v); }

  /** (x, 1), or x through the origin: the numbers that are meant. @param {ArrayLike<number>} x @returns {Ratio[]} */
  lifted(x) {
    const found = Array.from(x, (v) => this.meant(v));
    if (this.intercept) found.push([1n, 1n]);
    return found;
  }

  /** @param {string[]} texts @param {string} what @returns {Ratio[]} */
  vector(texts, what) {
    demand(texts.length === this.size, `${what}: a vector has the wrong length`);
    return texts.map(number);
  }

  /** The sign of y (x, 1)·w - bound in whole numbers, for exact = (w, bound). @param {ArrayLike<number>} x @param {number} y @param {bigint[]} exact */
  sign(x, y, exact) {
    /** @type {Ratio[]} */ const row = [];
    /** @type {bigint[]} */ const rest = [];
    const side = BigInt(y), last = exact.length - 1;
    exact.forEach((v, j) => { // most are often zero
      if (v === 0n) return;
      rest.push(v);
      row.push(j === last ? [-side, 1n] : j < x.length ? this.meant(x[j]) : [1n, 1n]);
    });
    return signOf(side * dot(whole(row).above, rest));
  }

  /**
   * The sign of a_i·w - bound for every row that is present: by floating point where that is certain
   * (verify.py has the proof of the limit), and 0 for rows that are not among those asked for.
   * @param {Ratio[]} w @param {Ratio} [bound] @param {boolean[]} [among]
   */
  signs(w, bound = [0n, 1n], among) {
    const exact = whole([...w, bound]).above;
    const largest = exact.reduce((most, v) => (v > most ? v : -v > most ? -v : most), 0n) || 1n;
    const f = exact.map((v) => nearest(v, largest));
    const unit = (f.length + 16) * 2 ** -53 * hypot(f) + 2 ** -900, low = /** @type {number} */ (f.pop());
    return this.present.map((i, k) => {
      if (among && !among[k]) return 0;
      const x = this.x(i), y = this.y(i);
      let score = this.intercept ? f[f.length - 1] : 0;
      for (let j = 0; j < x.length; ++j) score += x[j] * f[j];
      score = y * score - low;
      if (unit * (hypot(x) + 2) < Math.abs(score) && Math.abs(score) < Infinity) return score > 0 ? 1 : -1;
      return this.sign(x, y, exact);
    });
  }

  /** Is each row orthogonal to all of the normals? @param {bigint[][]} normals */
  flat(normals) {
    return this.present.map((i) => !normals.some((v) => this.sign(this.x(i), 1, [...v, 0n])));
  }

  /** Σ weight·a_i over the rows named, whose weights are positive whole numbers. @param {any} part @param {string} what */
  total(part, what) {
    const rows = places(part.rows), weights = this.weights(part, what);
    return this.blend(rows, weights.map((v, k) => v * BigInt(this.y(rows[k]))));
  }

  /** @param {any} part @param {string} what @returns {bigint[]} */
  weights(part, what) {
    const rows = places(part.rows), weights = part.weights.map(number);
    const apart = new Set(rows).size === rows.length && rows.length === weights.length;
    demand(apart, `${what}: rows and weights differ`);
    demand(rows.every((i) => this.has(i)), `${what}: a row that is not there`);
    const good = weights.every((/** @type {Ratio} */ [a, b]) => a > 0n && a % b === 0n);
    demand(good, `${what}: a weight is not 1 up`);
    return weights.map((/** @type {Ratio} */ [a, b]) => a / b);
  }

  /** Σ weight·(x_i, 1), exactly: over one denominator. @param {number[]} rows @param {bigint[]} weights */
  blend(rows, weights) {
    const all = rows.map((i) => this.lifted(this.x(i)));
    /** @type {Ratio[]} */ const sums = Array.from({ length: all.length && this.size }, (_, j) => {
      const { above, below } = whole(all.map((row) => row[j]));
      return [dot(above, weights), below];
    });
    return whole(sums);
  }

  /** ‖a_i‖², exactly. @param {number} i @returns {Ratio} */
  square(i) {
    const { above, below } = whole(this.lifted(this.x(i)));
    return [length2(above), below ** 2n];
  }

  /** ‖w‖² and ‖blend‖². @param {any} w @param {any} blend @returns {Ratio[]} */
  squares(w, blend) {
    return [w, blend].map(({ above, below }) => [length2(above), below ** 2n]);
  }

  /** (x_i, 1) in whole numbers, each row times what that takes. @param {number[]} rows */
  multiples(rows) {
    return rows.map((i) => whole(this.lifted(this.x(i))).above);
  }
}

/** Rank modulo a prime. The true rank is never smaller. @param {bigint[][]} vectors */
export function rank(vectors) {
  /** @type {[number, bigint[]][]} */ const echelon = [];
  for (const vector of vectors) {
    let v = vector.map((entry) => mod(entry));
    for (const [pivot, row] of echelon) {
      const factor = v[pivot];
      if (factor) v = v.map((a, j) => mod(a - factor * row[j]));
    }
    const pivot = v.findIndex(Boolean);
    if (pivot < 0) continue;
    const inverse = power(v[pivot], PRIME - 2n);
    echelon.push([pivot, v.map((entry) => mod(entry * inverse))]);
  }
  return echelon.length;
}

/** @param {bigint} v */
const mod = (v) => ((v %= PRIME) < 0n ? v + PRIME : v);

/** @param {bigint} base @param {bigint} exponent */
function power(base, exponent) {
  let found = 1n;
  for (; exponent; exponent >>= 1n, base = mod(base * base)) if (exponent & 1n) found = mod(found * base);
  return found;
}
