// @ts-check
// The compiled core: arrays are laid into its memory, and what comes back are views of it.
import { unpacked } from "./packed.js";
import { twin } from "./twin.js";

/** The core, which is packed; the twin where the page may not compile it. @param {string} packed */
export async function compiled(packed) {
  try {
    const { instance } = /** @type {any} */ (await WebAssembly.instantiate(await unpacked(packed).arrayBuffer()));
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
    begin({ x, y, k, n, d, margin, intercept, averaged, room }) {
      const many = k > 2, size = (many ? k : 1) * (d + 1), Labels = many ? Int32Array : Int8Array;
      const give = memory(8 * n * d + (64 + 8 * k) * n + 40 * size + 32 * room + 8 * k + 4096);
      const at = (/** @type {any} */ view) => (view ? view.byteOffset : 0);
      const rows = give(Float64Array, n * d), labels = give(Labels, n);
      rows.set(x);
      labels.set(y);
      const w = give(Float64Array, size), drift = averaged ? give(Float64Array, size) : null;
      const other = give(Float64Array, size), step = give(Float64Array, size), each = give(Float64Array, k);
      const marks = give(many ? Int32Array : Uint8Array, n), looked = give(Float64Array, n), pool = give(Int32Array, n);
      const wide = { counts: give(Int32Array, 2 * n * (many ? k : 1)), row: give(Int32Array, 2 * room), visit: give(Int32Array, 2 * room), rival: give(Int32Array, many ? 2 * room : 0) };
      const log = { row: new Int32Array(room), visit: new Float64Array(room), score: give(Float64Array, room), rival: new Int32Array(room) };
      const told = new Int32Array(wasm.memory.buffer, wasm.told(), 4);
      const first = [at(rows), at(labels), n, d], memories = [at(w), at(drift), at(wide.counts)];
      const logged = [at(wide.row), at(wide.visit), at(log.score)];
      if (many) wasm.learn_many(...first, k, margin, Number(intercept), ...memories, at(each), ...logged, at(wide.rival));
      else wasm.learn(...first, margin, Number(intercept), ...memories, ...logged);

      /** The low halves of the log's 64 bits: nothing here is larger. */
      function noted() {
        const updates = told[0];
        for (let u = 0; u < updates; ++u) {
          log.row[u] = wide.row[2 * u];
          log.visit[u] = wide.visit[2 * u];
          if (many) log.rival[u] = wide.rival[2 * u];
        }
        return updates;
      }
      const halves = (/** @type {bigint} */ seed) =>
        [Number(seed & 0xffffffffn), Number(seed >> 32n)];

      return {
        w, drift, pool, step, marks, looked, log,
        /** @param {bigint} seed @param {number} epoch */
        arrange: (seed, epoch) => wasm.arrange(at(pool), n, ...halves(seed), epoch),
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
          return (many ? wasm.look_many : wasm.look)(at(step), at(marks), at(looked));
        },
        /** @param {Float64Array} weights @param {number} limit */
        count(weights, limit) {
          other.set(weights);
          return wasm.count(at(other), limit);
        },
      };
    },
  };
}
