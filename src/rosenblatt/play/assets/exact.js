// @ts-check
// Whole numbers of any size: floats become them without rounding.

const bits = new DataView(new ArrayBuffer(8));

/** A float as mantissa · 2^exponent. @param {number} value @returns {[bigint, number]} */
export function parts(value) {
  bits.setFloat64(0, value);
  const word = bits.getBigUint64(0), field = Number((word >> 52n) & 0x7ffn);
  const fraction = word & 0xfffffffffffffn;
  const mantissa = field ? fraction | (1n << 52n) : fraction;
  if (mantissa === 0n) return [0n, 0];
  const even = Math.log2(Number(mantissa & -mantissa)); // zeros at its end
  const odd = mantissa >> BigInt(even);
  return [value < 0 ? -odd : odd, (field || 1) - 1075 + even];
}

/** @param {bigint[]} u @param {bigint[]} v */
export function dot(u, v) {
  let sum = 0n;
  for (let j = 0; j < u.length; ++j) sum += u[j] * v[j];
  return sum;
}

/** @param {bigint} v */
export const abs = (v) => (v < 0n ? -v : v);

/** @param {bigint} a @param {bigint} b */
export function gcd(a, b) {
  a = abs(a);
  b = abs(b);
  while (b) [a, b] = [b, a % b];
  return a;
}
