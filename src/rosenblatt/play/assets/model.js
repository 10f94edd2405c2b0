// @ts-check
// What the page is about: points, settings, the run they give and what is proved. A change of the
// points or the settings trains at once; the former run stays as a ghost.
import { classNumber, labelOf, trained } from "./classes.js";
import { recorded, train } from "./learn.js";
import { Replay } from "./replay.js";
import { seedOf } from "./seed.js";
import { verdict } from "./verdict.js";

export const ORDERS = ["cyclic", "shuffle", "random", "batch"];
export const KEEPS = ["last", "best", "pocket", "average"];
const MOST_UPDATES = 20000, WHILE_DRAGGING = 1500, MOST_ITER = 2000, MOST_UNDO = 60;
const MOST_COLUMNS_PROVED = 8;
export const MOST_WITH_KERNEL = 400; // points

/** @typedef {import("./learn.js").Rows & {names: string[], classes: string[]}} Data labels are as the classes are: two are -1 and 1 */

/** How long training may go on; Python is told the same. @param {import("./learn.js").Rows} rows @param {string} keep @param {boolean} dragging @param {string} [kernel] */
export function limits({ n, d, k = 2 }, keep, dragging, kernel = "none") {
  let most = dragging ? WHILE_DRAGGING : MOST_UPDATES;
  if (kernel !== "none") most = Math.min(most, Math.floor((dragging ? 4e5 : 4e6) / Math.max(n, 1)));
  if (keep === "pocket") most = Math.min(most, Math.floor((dragging ? 6e5 : 3e7) / Math.max(n, 1)));
  const numbers = (k > 2 ? k : 1) * (d + 1); // the replay has them after every update
  return { maxIter: MOST_ITER, maxUpdates: Math.max(Math.min(most, Math.floor(4e6 / numbers)), 1) };
}

export class Model {
  /** @param {any} core @param {Record<string, any>} presets @param {() => void} changed */
  constructor(core, presets, changed) {
    this.core = core;
    this.presets = presets;
    this.changed = changed;
    this.settings = { order: "cyclic", keep: "last", margin: 0, intercept: true, seed: 0, kernel: "none", gamma: 1, degree: 2 };
    /** @type {Data} */ this.data = { x: new Float64Array(0), y: new Int8Array(0), n: 0, d: 2, names: ["x1", "x2"], classes: ["-1", "1"] };
    /** @type {Data | null} */ this.table = null; // all columns, where two of them were chosen
    this.preset = "";
    this.view = "mistakes"; // the chart that is shown
    this.edited = false;
    this.moving = -1; // the point that a hand holds
    this.step = 0;
    /** @type {any} */ this.run = null;
    /** @type {any} */ this.replay = null;
    /** @type {any} */ this.verdict = { status: "empty" };
    /** @type {Replay | null} */ this.ghost = null;
    /** @type {Data[]} */ this.before = [];
    /** @type {any} */ this.record = null;
  }

  /** @param {string} id */
  usePreset(id) {
    const { data, settings } = this.presets[id];
    this.preset = id;
    this.edited = false;
    this.use(rowsOf(data), settings);
  }

  /** Other data altogether, and maybe the record of a training. @param {Data} data @param {any} settings @param {number} [step] @param {any} [record] */
  use(data, settings = {}, step, record = null) {
    this.data = data;
    this.record = record;
    this.table = data.d > 2 ? data : null;
    this.settings = { ...this.settings, ...settings };
    this.before = [];
    this.ghost = null;
    this.retrain();
    if (step !== undefined) this.step = Math.min(step, this.replay.steps);
    this.changed();
  }

  /** Two columns of the table, or all of them. @param {[number, number] | null} pair */
  columns(pair) {
    if (!this.table) return;
    const { x, n, d, names } = this.table;
    this.data = !pair ? this.table : {
      ...this.table, d: 2, names: pair.map((j) => names[j]),
      x: Float64Array.from({ length: 2 * n }, (_, k) => x[Math.floor(k / 2) * d + pair[k % 2]]),
    };
    this.ghost = null;
    this.retrain();
    this.changed();
  }

  /** @param {any} settings */
  set(settings) {
    this.ghost = this.replay;
    this.settings = { ...this.settings, ...settings };
    this.retrain();
    this.changed();
  }

  /** Train anew, and stand at the end of it. @param {boolean} dragging */
  retrain(dragging = false) {
    const { data, settings } = this, { intercept, margin, keep, seed } = settings;
    if (data.n > MOST_WITH_KERNEL || data.d !== 2) settings.kernel = "none";
    const rows = trained(data), all = { ...settings, ...limits(rows, keep, dragging, settings.kernel) };
    this.run = this.record ? recorded(rows, all, this.record) : train(this.core, rows, all, seedOf(seed));
    this.record = null; // what is changed from here on is trained
    this.replay = new Replay(this.run);
    this.step = this.replay.steps;
    this.verdict = data.d <= MOST_COLUMNS_PROVED ? verdict(rows, intercept, margin) : { status: "unknown" };
    if (this.verdict.radius) this.verdict.beta = Math.sqrt(this.verdict.radius ** 2 + 2 * margin);
  }

  // --- Changes of points -------------------------------------------------------------------------

  /** @param {Float64Array} x @param {Int8Array} y @param {boolean} dragging @param {string[]} classes */
  edit(x, y, dragging, classes = this.data.classes) {
    if (!this.dragging) {
      this.before = [...this.before, this.data].slice(-MOST_UNDO);
      this.ghost = this.replay;
    }
    this.dragging = dragging;
    this.edited = true;
    this.data = { ...this.data, x, y, n: y.length, classes };
    this.retrain(dragging);
    this.changed();
  }

  /** The hand has let go: train to the end. */
  released() {
    if (!this.dragging) return;
    this.dragging = false;
    this.moving = -1;
    this.retrain();
    this.changed();
  }

  /** @param {number} i @param {number} px @param {number} py @param {boolean} dragging */
  move(i, px, py, dragging) {
    this.moving = dragging ? i : -1;
    const x = this.data.x.slice();
    x[2 * i] = px;
    x[2 * i + 1] = py;
    this.edit(x, this.data.y, dragging);
  }

  /** @param {number} px @param {number} py @param {number} c the number of the class; it may be a new one */
  add(px, py, c) {
    const { x, y, classes } = wider(this.data, c);
    this.edit(Float64Array.of(...x, px, py), Int8Array.of(...y, labelOf(classes.length, c)), false, classes);
  }

  /** To the next class. @param {number} i */
  flip(i) {
    const { y, classes: { length: k } } = this.data, next = labelOf(k, (classNumber(k, y[i]) + 1) % k);
    this.edit(this.data.x, this.data.y.map((v, j) => (j === i ? next : v)), false);
  }

  /** @param {number} i */
  remove(i) {
    this.edit(this.data.x.filter((_, k) => k >> 1 !== i), this.data.y.filter((_, k) => k !== i), false);
  }

  clear() {
    this.edit(new Float64Array(0), new Int8Array(0), false);
  }

  undo() {
    const data = this.before.pop();
    if (!data) return;
    this.ghost = this.replay;
    this.data = data;
    this.retrain();
    this.changed();
  }

  /** @param {number} step */
  goTo(step) {
    this.step = Math.min(Math.max(step, 0), this.replay.steps);
    this.changed();
  }
}

/** The data with class c, too. @param {Data} data @param {number} c */
function wider(data, c) {
  const { y, classes: { length: k } } = data;
  if (c < k) return data;
  const numbers = data.classes.map(Number), name = numbers.every((v) => Number.isFinite(v)) ? String(Math.max(...numbers) + 1) : `class ${k + 1}`;
  return { ...data, y: y.map((v) => classNumber(k, v)), classes: [...data.classes, name] };
}

/** Lists of numbers, as they come in a page, as arrays. @param {any} data @returns {Data} */
export function rowsOf({ x, y, names, classes }) {
  return { x: Float64Array.from(x), y: Int8Array.from(y), n: y.length, d: names.length, names, classes };
}
