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
    score(i, w) {
      lane.fill(0);
      for (let j = 0; j < d; ++j) lane[j % LANES] += x[i * d + j] * w[j];
      for (let half = LANES / 2; half >= 1; half /= 2)
        for (let l = 0; l < half; ++l) lane[l] += lane[l + half];
      return lane[0] + w[d];
    },
    add(i, factor, into) {
      for (let j = 0; j < d; ++j) into[j] += factor * x[i * d + j];
      if (intercept) into[d] += factor;
    },
  };
}

/**
 * @typedef {{
 *   size: number,
 *   score: (i: number, w: Float64Array) => number,
 *   add: (i: number, factor: number, into: Float64Array) => void,
 * }} Space what is learned: so many numbers, the score of a row under them, a multiple of a row added
 */

/** @param {import("./learn.js").Given} given @param {Space} space */
export function learner({ y, n, margin, averaged, room }, { size, score, add }) {
  const w = new Float64Array(size), drift = averaged ? new Float64Array(size) : null;
  const step = new Float64Array(size);
  const marks = new Uint8Array(n), looked = new Float64Array(n), pool = new Int32Array(n);
  const log = { row: new Int32Array(room), visit: new Float64Array(room), score: new Float64Array(room) };
  let updates = 0;

  /** One look at one row. @param {number} i @param {number} visits */
  function visit(i, visits) {
    const s = score(i, w);
    if (y[i] * s > margin) return false;
    log.row[updates] = i;
    log.visit[updates] = visits;
    log.score[updates++] = s;
    add(i, y[i], w);
    if (drift) add(i, visits * y[i], drift);
    return true;
  }

  return {
    w, drift, pool, step, marks, looked, log,

    /** @param {bigint} seed @param {number} k */
    arrange(seed, k) {
      const partner = partners(seed, k, n);
      for (let i = 0; i < n; ++i) pool[i] = i;
      for (let i = 0; i < n; ++i) swap(pool, i, partner(i));
    },

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

    /** All rows under the same weights. */
    look() {
      let mistakes = 0;
      step.fill(0);
      for (let i = 0; i < n; ++i) {
        looked[i] = score(i, w);
        marks[i] = y[i] * looked[i] > margin ? 0 : 1;
        if (!marks[i]) continue;
        add(i, y[i], step);
        ++mistakes;
      }
      return mistakes;
    },

    /** Mistakes of other weights; from `limit` on it is not counted further. @param {Float64Array} weights @param {number} limit */
    count(weights, limit) {
      let mistakes = 0;
      for (let i = 0; i < n && (i % BLOCK || mistakes < limit); ++i)
        if (!(y[i] * score(i, weights) > 0)) ++mistakes;
      return mistakes;
    },

    /** @param {Float64Array} weights */
    scores: (weights) => Float64Array.from({ length: n }, (_, i) => score(i, weights)),
  };
}
