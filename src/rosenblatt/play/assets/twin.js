// @ts-check
// The core in plain JavaScript: what core.wasm computes, to the bit. It is the oracle of the tests,
// and trains where a page may not compile WebAssembly. `native/` has the same with comments.

const LANES = 16, BLOCK = 64, G = 0x9e3779b97f4a7c15n;
/** @param {bigint} v */
const u64 = (v) => BigInt.asUintN(64, v);

/** One output of SplitMix64. @param {bigint} z */
function mix(z) {
  z = u64((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = u64((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

/** Place i is swapped with the returned one. @param {bigint} seed @param {number} k @param {number} n */
function partners(seed, k, n) {
  const start = mix(u64(seed + BigInt(k + 1) * G));
  return (/** @type {number} */ i) =>
    i + Number((mix(u64(start + BigInt(i + 1) * G)) * BigInt(n - i)) >> 64n);
}

/** @param {Int32Array} pool @param {number} i @param {number} j */
function swap(pool, i, j) {
  [pool[i], pool[j]] = [pool[j], pool[i]];
}

/** The rows in the order of an epoch. @param {bigint} seed @param {number} epoch @param {number} n @param {Int32Array} [pool] */
export function arranged(seed, epoch, n, pool = new Int32Array(n)) {
  const partner = partners(seed, epoch, n);
  for (let i = 0; i < n; ++i) pool[i] = i;
  for (let i = 0; i < n; ++i) swap(pool, i, partner(i));
  return pool;
}

export const twin = {
  name: "javascript",
  /** Memory for one training. @param {import("./learn.js").Given} given */
  begin: (given) => learner(given, weights(given)),
};

/**
 * Weights of the features, lifted. @param {import("./learn.js").Given} given
 * @returns {Space}
 */
function weights({ x, d, intercept }) {
  const lane = new Float64Array(LANES);
  return {
    size: d + 1,
    score(i, w, at) {
      lane.fill(0);
      for (let j = 0; j < d; ++j) lane[j % LANES] += x[i * d + j] * w[at + j];
      for (let half = LANES / 2; half >= 1; half /= 2)
        for (let l = 0; l < half; ++l) lane[l] += lane[l + half];
      return lane[0] + w[at + d];
    },
    add(i, factor, into, at) {
      for (let j = 0; j < d; ++j) into[at + j] += factor * x[i * d + j];
      if (intercept) into[at + d] += factor;
    },
  };
}

/**
 * @typedef {{
 *   size: number,
 *   score: (i: number, w: Float64Array, at: number) => number,
 *   add: (i: number, factor: number, into: Float64Array, at: number) => void,
 * }} Space what is learned of a class: so many numbers from a place on, the score of a row under them, a multiple of a row added
 * @typedef {{
 *   size: number,
 *   see: (i: number, w: Float64Array) => {margin: number, score: number, rival: number},
 *   step: (i: number, factor: number, rival: number, into: Float64Array) => void,
 * }} Side what a row calls for
 */

/** Two classes: one score, which should have the sign of the label. @param {Int8Array} y @param {Space} space @returns {Side} */
const ofTwo = (y, { size, score, add }) => ({
  size,
  see(i, w) {
    const found = score(i, w, 0);
    return { margin: y[i] * found, score: found, rival: 0 };
  },
  step: (i, factor, _, into) => add(i, factor * y[i], into, 0),
});

/** Many: a score each; the rival is the highest of the others, of equal ones the first. @param {Int8Array} y @param {number} k @param {Space} space @returns {Side} */
function ofMany(y, k, { size, score, add }) {
  const all = new Float64Array(k);
  return {
    size: k * size,
    see(i, w) {
      for (let c = 0; c < k; ++c) all[c] = score(i, w, c * size);
      const own = y[i];
      let rival = own === 0 ? 1 : 0;
      for (let c = rival + 1; c < k; ++c) if (c !== own && all[c] > all[rival]) rival = c;
      const margin = all[own] - all[rival];
      return { margin, score: margin, rival };
    },
    step(i, factor, rival, into) {
      add(i, factor, into, y[i] * size);
      add(i, -factor, into, rival * size);
    },
  };
}

/** @param {import("./learn.js").Given} given @param {Space} space of one class */
export function learner({ y, k, n, margin, averaged, room }, space) {
  const { size, see, step: added } = k > 2 ? ofMany(y, k, space) : ofTwo(y, space);
  const w = new Float64Array(size), drift = averaged ? new Float64Array(size) : null;
  const step = new Float64Array(size);
  const marks = new Int32Array(n), looked = new Float64Array(n), pool = new Int32Array(n);
  const log = { row: new Int32Array(room), visit: new Float64Array(room), score: new Float64Array(room), rival: new Int32Array(room) };
  let updates = 0;

  /** One look at one row. @param {number} i @param {number} visits */
  function visit(i, visits) {
    const seen = see(i, w);
    if (seen.margin > margin) return false;
    log.row[updates] = i;
    log.visit[updates] = visits;
    log.rival[updates] = seen.rival;
    log.score[updates++] = seen.score;
    added(i, 1, seen.rival, w);
    if (drift) added(i, visits, seen.rival, drift);
    return true;
  }

  return {
    w, drift, pool, step, marks, looked, log,

    /** @param {bigint} seed @param {number} k */
    arrange: (seed, k) => arranged(seed, k, n, pool),

    /** @param {boolean} arranged @param {number} begin @param {number} end @param {number} most @param {number} visits */
    visit(arranged, begin, end, most, visits) {
      updates = 0;
      let k = begin;
      for (; k < end && updates < most; ++k) visit(arranged ? pool[k] : k, visits++);
      return { reached: k, updates };
    },

    /** @param {bigint} seed @param {number} draw @param {number} seen @param {number} looks @param {number} most @param {number} visits */
    search(seed, draw, seen, looks, most, visits) {
      updates = 0;
      let made = 0, partner = partners(seed, draw, n);
      for (; made < looks && updates < most && seen < n; ++made) {
        swap(pool, seen, partner(seen));
        if (!visit(pool[seen++], visits + made)) continue;
        while (seen > 0) --seen, swap(pool, seen, partner(seen));
        partner = partners(seed, ++draw, n);
      }
      return { visits: made, updates, draw, seen };
    },

    /** All rows under the same weights; a mark is 1 + the rival. */
    look() {
      let mistakes = 0;
      step.fill(0);
      for (let i = 0; i < n; ++i) {
        const seen = see(i, w);
        looked[i] = seen.score;
        marks[i] = seen.margin > margin ? 0 : 1 + seen.rival;
        if (!marks[i]) continue;
        added(i, 1, seen.rival, step);
        ++mistakes;
      }
      return mistakes;
    },

    /** Mistakes of other weights; from `limit` on it is not counted further. @param {Float64Array} weights @param {number} limit */
    count(weights, limit) {
      let mistakes = 0;
      for (let i = 0; i < n && (i % BLOCK || mistakes < limit); ++i)
        if (!(see(i, weights).margin > 0)) ++mistakes;
      return mistakes;
    },
  };
}
