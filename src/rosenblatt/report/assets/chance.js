// @ts-check
// Overlap up to chance: what verify.py checks, and why it holds, is said there at check_chance.
import { abs, dot } from "./exact.js";
import { compare, number, whole } from "./fractions.js";
import { Lifted } from "./data.js";
import { demand } from "./json.js";
import { places } from "./rows.js";
import { sha256 } from "./sha256.js";

/** @typedef {import("./fractions.js").Ratio} Ratio */

const VECTORS = 4, RANDOM = 52n, UNLIKELY = 1n << 20n;

/** @param {any} claim @param {any} data */
export function checkChance(claim, data) {
  const part = claim.chance, bits = part.bits < 4096n ? part.bits : 4096n, rows = places(part.rows);
  demand(!(data instanceof Lifted), "chance: only of rows of two classes");
  const weights = data.weights(part, "chance"), size = data.size;
  const vectors = part.vectors.map((/** @type {string[]} */ texts) => texts.map(number));
  const good = vectors.length === VECTORS && vectors.every((/** @type {Ratio[]} */ z) =>
    z.length === weights.length && z.every(([a, b]) => a % b === 0n));
  demand(good, "chance: there should be four vectors of whole numbers");
  const shares = vectors.map((/** @type {Ratio[]} */ z) => z.map(([a, b]) => a / b));
  const random = shares.map((/** @type {any} */ _, /** @type {number} */ k) => randomVector(claim, part, k, size));
  const signed = [weights, ...shares].map((some) => some.map((/** @type {bigint} */ v, /** @type {number} */ i) => v * BigInt(data.y(rows[i]))));
  /** @type {Ratio[]} */ let sums = signed.map(() => [0n, 1n]);
  for (let j = 0; j < size; ++j) {
    const { power, values } = column(data, j, rows), { above, below } = whole(values);
    sums = sums.map((sum, k) => {
      const blend = even(dot(above, signed[k]), below, power);
      return plus(sum, k ? distance(random[k - 1][j], [blend[0], blend[1] << bits]) : [abs(blend[0]), blend[1]]);
    });
  }
  const [r, ...rest] = sums;
  shares.forEach((/** @type {bigint[]} */ z, /** @type {number} */ k) => {
    const most = z.map((v, i) => /** @type {Ratio} */ ([abs(v), weights[i] << bits])).reduce((a, b) => (compare(a, b) < 0 ? b : a));
    const [above, below] = plus([r[0] * most[0], r[1] * most[1]], rest[k]);
    demand(2n * above + below <= UNLIKELY * below, "a random vector is not nearly a blend of the rows");
  });
}

/** The numbers of some rows in a column, and a power of two above all of them. @param {any} data @param {number} j @param {number[]} rows */
function column(data, j, rows) {
  if (data.intercept && j === data.size - 1) return { power: 0, values: rows.map(() => /** @type {Ratio} */ ([1n, 1n])) };
  let largest = 0;
  for (const i of data.present) largest = Math.max(largest, Math.abs(data.x(i)[j]));
  return { power: powerAbove(largest), values: rows.map((i) => data.meant(data.x(i)[j])) };
}

/** The number is below this power of two. @param {number} largest */
function powerAbove(largest) {
  if (largest === 0) return 0;
  let power = Math.floor(Math.log2(largest)) + 1;
  while (power > -1073 && largest < 2 ** (power - 1)) --power;
  while (power < 1024 && largest >= 2 ** power) ++power;
  return power;
}

/** @param {bigint} above @param {bigint} below @param {number} power @returns {Ratio} */
const even = (above, below, power) => (power < 0 ? [above << BigInt(-power), below] : [above, below << BigInt(power)]);

/** @param {bigint} g @param {Ratio} ratio @returns {Ratio} */
const distance = (g, [a, b]) => [abs(g * b - a), b];

/** @param {Ratio} one @param {Ratio} two @returns {Ratio} */
function plus(one, two) {
  const { above, below } = whole([one, two]);
  return [above[0] + above[1], below];
}

/** From -2^51 to 2^51 - 1: the first bits of a hash of data and weights, counted on. @param {any} claim @param {any} part @param {number} k @param {number} size */
function randomVector(claim, part, k, size) {
  const words = [claim.sha256, claim.numbers, claim.fit_intercept ? "1" : "0", ...part.rows.map(String), ...part.weights];
  const seed = bytes(sha256(new TextEncoder().encode(words.join(" "))));
  /** @type {bigint[]} */ const found = [];
  while (found.length < size) {
    const text = new Uint8Array(48), counter = new DataView(text.buffer);
    text.set(seed);
    counter.setBigUint64(32, BigInt(k), true);
    counter.setBigUint64(40, BigInt(found.length), true);
    const block = new DataView(bytes(sha256(text)).buffer);
    for (let at = 0; at < 32; at += 8) found.push((block.getBigUint64(at, true) >> (64n - RANDOM)) - (1n << (RANDOM - 1n)));
  }
  return found.slice(0, size);
}

/** @param {string} hexadecimal */
const bytes = (hexadecimal) => Uint8Array.from({ length: 32 }, (_, k) => parseInt(hexadecimal.slice(2 * k, 2 * k + 2), 16));
