// @ts-check
// SHA-256, as FIPS 180-4 has it.

/** The cube roots of the first primes and their square roots. */
const [K, H] = (() => {
  /** @type {number[]} */ const primes = [];
  for (let n = 2; primes.length < 64; ++n) if (primes.every((p) => n % p)) primes.push(n);
  // floor(2^32 · root) in whole numbers: a float's last bit must not decide.
  const root = (/** @type {number} */ p, /** @type {bigint} */ k) => {
    const wanted = BigInt(p) << (32n * k);
    let low = 0n, high = 1n << 40n;
    while (high - low > 1n) {
      const middle = (low + high) >> 1n;
      if (middle ** k <= wanted) low = middle;
      else high = middle;
    }
    return Number(low & 0xffffffffn);
  };
  return [Uint32Array.from(primes, (p) => root(p, 3n)), Uint32Array.from(primes.slice(0, 8), (p) => root(p, 2n))];
})();

/** SHA-256 in hexadecimal digits. @param {Uint8Array} bytes */
export function sha256(bytes) {
  const padded = new Uint8Array(((bytes.length + 72) >> 6) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer), h = H.slice(), w = new Uint32Array(64);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const turn = (/** @type {number} */ v, /** @type {number} */ k) => (v >>> k) | (v << (32 - k));
  for (let at = 0; at < padded.length; at += 64) {
    for (let t = 0; t < 16; ++t) w[t] = view.getUint32(at + 4 * t);
    for (let t = 16; t < 64; ++t) {
      const u = w[t - 15], v = w[t - 2];
      w[t] = w[t - 16] + (turn(u, 7) ^ turn(u, 18) ^ (u >>> 3)) + w[t - 7] + (turn(v, 17) ^ turn(v, 19) ^ (v >>> 10));
    }
    let [a, b, c, d, e, f, g, i] = h;
    for (let t = 0; t < 64; ++t) {
      const one = (i + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[t] + w[t]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [i, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, i].forEach((v, k) => { h[k] += v; });
  }
  return Array.from(h, (v) => v.toString(16).padStart(8, "0")).join("");
}
