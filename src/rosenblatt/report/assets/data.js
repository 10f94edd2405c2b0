// @ts-check
// All rows of a table, some of them, and rows of more than two classes.
import { length2 } from "./fractions.js";
import { demand } from "./json.js";
import { places, Rows } from "./rows.js";

/** @typedef {import("./fractions.js").Ratio} Ratio */

/** The rows of a table: all but those dropped. */
export class Data extends Rows {
  /** @param {any} claim @param {Float64Array} numbers those of all rows, one after the other @param {ArrayLike<number>} signs of rows, or of more than two classes their numbers from 1 on */
  constructor(claim, numbers, signs) {
    super(claim, claim.columns.length + (claim.fit_intercept ? 1 : 0), claim.fit_intercept);
    const n = signs.length, d = claim.columns.length, dropped = places(claim.dropped), out = new Set(dropped);
    demand(BigInt(n) === claim.rows, `the data has ${n} rows, not ${claim.rows}`);
    demand(d && d === new Set(claim.columns).size, "no columns, or two of the same name");
    demand(dropped.every((i) => i < n), "dropped names a row that is not there");
    demand(out.size === dropped.length && dropped.length < n, "dropped names a row twice, or all");
    this.n = n;
    this.d = d;
    this.numbers = numbers;
    this.out = out;
    this.all = signs;
    for (let i = 0; i < n; ++i) if (!out.has(i)) this.present.push(i);
  }

  /** @param {number} i */
  x(i) { return this.numbers.subarray(i * this.d, i * this.d + this.d); }

  /** @param {number} i */
  y(i) { return this.all[i]; }

  /** @param {number} i */
  has(i) { return i < this.n && !this.out.has(i); }
}

/** Some rows of the table, those that the page was given: enough for blends of them. */
export class Some extends Rows {
  /** @param {any} claim @param {Map<number, {x: number[], y: number}>} rows */
  constructor(claim, rows) {
    super(claim, claim.columns.length + (claim.fit_intercept ? 1 : 0), claim.fit_intercept);
    this.rows = rows;
    this.present = [...rows.keys()];
    const whole = [...rows.values()].every(({ x }) => x.length === claim.columns.length);
    demand(whole, "rows have more numbers, or fewer");
  }

  /** @param {number} i */
  x(i) { return /** @type {any} */ (this.rows.get(i)).x; }

  /** @param {number} i */
  y(i) { return /** @type {any} */ (this.rows.get(i)).y; }

  /** @param {number} i */
  has(i) { return this.rows.has(i); }
}

/**
 * More than two classes c, each with weights w_c: row i of class y is right if for every other class
 * c, its rival, (w_y - w_c)·(x_i, 1) > 0. So it is as many rows as it has rivals, with the numbers
 * (i k + y) k + c, that have (x_i, 1) in the block of y and minus that in the block of c. The last
 * class has no block, and its weights are 0. `points` are the rows themselves.
 */
export class Lifted extends Rows {
  /** @param {any} claim @param {Data | Some} points */
  constructor(claim, points) {
    const k = claim.labels.length;
    super(claim, (k - 1) * points.size, false);
    this.points = points;
    this.k = k;
    for (const i of points.present)
      for (let c = 0; c < k; ++c)
        if (c !== points.y(i) - 1) this.present.push((i * k + points.y(i) - 1) * k + c);
  }

  /** Row, class and rival. @param {number} i */
  parts(i) {
    const above = Math.floor(i / this.k);
    return [Math.floor(above / this.k), above % this.k, i % this.k];
  }

  /** @param {number} i */
  x(i) {
    const [row, own, rival] = this.parts(i), x = Array.from(this.points.x(row));
    if (this.points.intercept) x.push(1);
    const side = (/** @type {number} */ c) => (c === own ? 1 : c === rival ? -1 : 0);
    return Array.from({ length: this.k - 1 }, (_, c) => x.map((v) => side(c) * v)).flat();
  }

  y() { return 1; }

  /** @param {number} i */
  has(i) {
    const [row, own, rival] = this.parts(i);
    return this.points.has(row) && this.points.y(row) === own + 1 && own !== rival;
  }

  /** With the last class: weights less their mean, the shortest; blocks that sum to 0. @param {any} w @param {any} blend @returns {Ratio[]} */
  squares(w, blend) {
    const size = this.points.size, k = BigInt(this.k);
    const [w2, blend2] = [w, blend].map(({ above }) => length2(Array.from({ length: size }, (_, j) =>
      above.reduce((/** @type {bigint} */ sum, /** @type {bigint} */ v, /** @type {number} */ place) => (place % size === j ? sum + v : sum), 0n))));
    return [
      [k * length2(w.above) - w2, k * w.below ** 2n],
      [length2(blend.above) + blend2, blend.below ** 2n],
    ];
  }
}

/** Of more than two classes: every class has the rows that are claimed. @param {any} claim @param {Data} points */
export function lifted(claim, points) {
  const sizes = claim.labels.map(() => 0n);
  for (const i of points.present) ++sizes[points.y(i) - 1];
  const same = sizes.length === claim.sizes?.length && sizes.every((/** @type {bigint} */ v, /** @type {number} */ c) => v > 0n && v === claim.sizes[c]);
  demand(same, "a class has no row, or another number of rows");
  return new Lifted(claim, points);
}
