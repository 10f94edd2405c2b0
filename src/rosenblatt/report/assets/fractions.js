// @ts-check
// Fractions of whole numbers of any size, as pairs [above, below] with below > 0. Nothing is rounded
// but where a float is asked for, and then once.
import { abs, gcd, parts } from "./exact.js";

/** @typedef {[bigint, bigint]} Ratio */

/** What the number in a float is. @param {number} value @returns {Ratio} */
export function ofFloat(value) {
  const [mantissa, exponent] = parts(value);
  return exponent < 0 ? [mantissa, 1n << BigInt(-exponent)] : [mantissa << BigInt(exponent), 1n];
}

/** What is written: 1.25e-3. @param {string} text @returns {Ratio} */
export function ofDecimal(text) {
  const { digits, exponent } = scientific(text);
  return exponent < 0n ? [digits, 10n ** -exponent] : [digits * 10n ** exponent, 1n];
}

/** Digits and a power of ten, no zeros at the end: equal numbers are written alike. @param {string} text */
export function scientific(text) {
  const [, sign, before, after = "", power = "0"] = /** @type {string[]} */ (
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text)
  );
  const all = (before + after).replace(/^0+/, ""), some = all.replace(/0+$/, "");
  const digits = BigInt(some || "0") * (sign === "-" ? -1n : 1n);
  const exponent = some ? BigInt(power) - BigInt(after.length) + BigInt(all.length - some.length) : 0n;
  return { digits, exponent };
}

/** 0x1f, 0x3/0x7 or 0x1.8p+3. @param {string} text @returns {Ratio} */
export function number(text) {
  const sign = text.startsWith("-") ? -1n : 1n, rest = text.replace(/^-/, "");
  if (rest.includes("p")) return ofFloat(hexadecimal(rest) * Number(sign));
  const [above, below = "0x1"] = rest.split("/");
  return [sign * BigInt(above), BigInt(below)];
}

/** @param {string} text */
function hexadecimal(text) {
  const [mantissa, power] = text.split("p"), [whole, fraction = ""] = mantissa.split(".");
  const shift = BigInt(power) - BigInt(4 * fraction.length), digits = BigInt(whole + fraction);
  const found = shift < 0n ? nearest(digits, 1n << -shift) : nearest(digits << shift, 1n);
  if (found === Infinity) throw new RangeError(`${text} is beyond the largest float`);
  return found;
}

/** Fractions over the least denominator that they have in common. @param {Ratio[]} ratios */
export function whole(ratios) {
  let below = 1n;
  for (const [, b] of ratios) if (b !== 1n && below % b) below *= b / gcd(below, b);
  return { above: ratios.map(([a, b]) => a * (below / b)), below };
}

/** Is one smaller than, equal to or greater than the other: -1, 0, 1. @param {Ratio} one @param {Ratio} two */
export const compare = ([a, b], [c, d]) => signOf(a * d - c * b);

/** @param {bigint} v */
export const signOf = (v) => (v > 0n ? 1 : v < 0n ? -1 : 0);

/** @param {bigint[]} values */
export const length2 = (values) => values.reduce((sum, v) => sum + v * v, 0n);

/** @param {bigint} v */
function bitLength(v) {
  const text = v.toString(16);
  return 4 * (text.length - 1) + 32 - Math.clz32(parseInt(text[0], 16));
}

const view = new DataView(new ArrayBuffer(8));

/** @param {bigint} word */
function floatOf(word) {
  view.setBigUint64(0, word);
  return view.getFloat64(0);
}

/** The float nearest to a fraction, the even one of two; infinite beyond the largest. @param {bigint} above @param {bigint} below > 0 */
export function nearest(above, below) {
  if (above === 0n) return 0;
  const size = abs(above), shift = 66 - bitLength(size) + bitLength(below);
  const [a, b] = shift >= 0 ? [size << BigInt(shift), below] : [size, below << BigInt(-shift)];
  const quotient = a / b, length = bitLength(quotient), first = length - 1 - shift; // its first bit
  if (first > 1023) return above < 0n ? -Infinity : Infinity;
  const drop = BigInt(first >= -1022 ? length - 53 : -1074 + shift); // bits that a float has no place for
  const half = 1n << (drop - 1n), kept = quotient >> drop, rest = quotient - (kept << drop);
  const odd = (kept & 1n) === 1n || a % b !== 0n;
  const rounded = kept + (rest > half || (rest === half && odd) ? 1n : 0n);
  const word = first >= -1022 ? (BigInt(first + 1023) << 52n) + rounded - (1n << 52n) : rounded;
  return above < 0n ? -floatOf(word) : floatOf(word);
}

/** The next float above or below one that is not negative. @param {number} value @param {1n | -1n} step */
export function next(value, step) {
  if (value === 0 && step < 0n) return 0;
  view.setFloat64(0, value);
  return floatOf(view.getBigUint64(0) + step);
}
