// @ts-check
// The fingerprint of a run: the same 16 digits here and in Python (`rosenblatt.play.fingerprint`) when
// every update, every score and the returned weights are the same to the bit.

/** The cube roots of the first primes, as FIPS 180-4 has them, and their square roots. */
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

/** In dual form of the rows, the rivals and the visits alone: kernel values differ in their last bits. @param {any} run */
export function fingerprint(run) {
  const curved = (run.settings?.kernel ?? "none") !== "none", { k = 2, d } = run.rows;
  const whole = [run.row, run.visit, ...(k > 2 ? [run.rival] : [])];
  const floats = curved ? [] : [run.score, k > 2 ? interceptsLast(run.returned, k, d) : run.returned];
  const view = new DataView(new ArrayBuffer(8 * [...whole, ...floats].reduce((sum, part) => sum + part.length, 0)));
  let at = -8;
  for (const part of whole) for (const v of part) view.setBigUint64(at += 8, BigInt(v), true);
  for (const part of floats) for (const v of part) view.setFloat64(at += 8, v, true);
  return sha256(new Uint8Array(view.buffer)).slice(0, 16);
}

/** The weights of all classes, then their intercepts, as Python has them. @param {Float64Array} w @param {number} k @param {number} d */
function interceptsLast(w, k, d) {
  const all = Array.from(w), of = (/** @type {number} */ c) => c * (d + 1);
  const classes = Array.from({ length: k }, (_, c) => c);
  return [...classes.flatMap((c) => all.slice(of(c), of(c) + d)), ...classes.map((c) => all[of(c) + d])];
}
