// @ts-check
// The compiled core: arrays are laid into its memory, and what comes back are views of it.
import { twin } from "./twin.js";

/** The core from its bytes; the twin where the page may not compile it. @param {Uint8Array} bytes */
export async function compiled(bytes) {
  try {
    const { instance } = /** @type {any} */ (await WebAssembly.instantiate(bytes));
    return core(instance.exports);
  } catch {
    return twin;
  }
}

/** @param {any} wasm its exports */
function core(wasm) {
  const start = wasm.__heap_base.value;

  /** Room for so many bytes in all, to be divided by the returned functions. @param {number} bytes */
  function memory(bytes) {
    const lacking = start + bytes - wasm.memory.buffer.byteLength;
    if (lacking > 0) wasm.memory.grow(Math.ceil(lacking / 65536));
    let at = start + 7 & ~7;
    const give = (/** @type {any} */ Type, /** @type {number} */ length) => {
      const view = new Type(wasm.memory.buffer, at, length);
      at += view.byteLength + 7 & ~7;
      return view.fill(0);
    };
    return give;
  }

  return {
    name: "wasm",

    /** Memory for one training; the former one is gone. @param {import("./learn.js").Given} given */
    begin({ x, y, n, d, margin, intercept, averaged, room }) {
      const give = memory(8 * n * d + 64 * n + 64 * (d + 1) + 24 * room + 4096);
      const at = (/** @type {any} */ view) => (view ? view.byteOffset : 0);
      const rows = give(Float64Array, n * d), signs = give(Int8Array, n);
      rows.set(x);
      signs.set(y);
      const w = give(Float64Array, d + 1), drift = averaged ? give(Float64Array, d + 1) : null;
      const other = give(Float64Array, d + 1), step = give(Float64Array, d + 1);
      const marks = give(Uint8Array, n), looked = give(Float64Array, n), pool = give(Int32Array, n);
      const wide = { counts: give(Int32Array, 2 * n), row: give(Int32Array, 2 * room), visit: give(Int32Array, 2 * room) };
      const log = { row: new Int32Array(room), visit: new Float64Array(room), score: give(Float64Array, room) };
      const told = new Int32Array(wasm.memory.buffer, wasm.told(), 4);
      wasm.learn(at(rows), at(signs), n, d, margin, Number(intercept), at(w), at(drift),
        at(wide.counts), at(wide.row), at(wide.visit), at(log.score));

      /** The low halves of the log's 64 bits: nothing here is larger. */
      function noted() {
        const updates = told[0];
        for (let k = 0; k < updates; ++k) {
          log.row[k] = wide.row[2 * k];
          log.visit[k] = wide.visit[2 * k];
        }
        return updates;
      }
      const halves = (/** @type {bigint} */ seed) =>
        [Number(seed & 0xffffffffn), Number(seed >> 32n)];

      return {
        w, drift, pool, step, marks, looked, log,
        /** @param {bigint} seed @param {number} k */
        arrange: (seed, k) => wasm.arrange(at(pool), n, ...halves(seed), k),
        /** @param {boolean} arranged @param {number} begin @param {number} end @param {number} most @param {number} visits */
        visit(arranged, begin, end, most, visits) {
          const reached = wasm.visit(arranged ? at(pool) : 0, begin, end, most, visits);
          return { reached, updates: noted() };
        },
        /** @param {bigint} seed @param {number} draw @param {number} seen @param {number} looks @param {number} most @param {number} visits */
        search(seed, draw, seen, looks, most, visits) {
          const made = wasm.search(at(pool), ...halves(seed), draw, seen, looks, most, visits);
          return { visits: made, updates: noted(), draw: told[1], seen: told[2] };
        },
        look() {
          step.fill(0);
          return wasm.look(at(step), at(marks), at(looked));
        },
        /** @param {Float64Array} weights @param {number} limit */
        count(weights, limit) {
          other.set(weights);
          return wasm.count(at(other), limit);
        },
        /** @param {Float64Array} weights */
        scores(weights) {
          other.set(weights);
          wasm.scores(at(other), at(looked));
          return looked.slice();
        },
      };
    },
  };
}
