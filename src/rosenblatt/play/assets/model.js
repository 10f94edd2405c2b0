// @ts-check
// What the page is about: points, settings, the run they give and what is proved, and the film of it. A
// change of the points or the settings trains at once; the former run is remembered beside it.
import { classNumber, labelOf, trained } from "./classes.js";
import { Film } from "./film.js";
import { recorded, train } from "./learn.js";
import { Replay } from "./replay.js";
import { seedOf } from "./seed.js";
import { Time } from "./time.js";
import { verdict } from "./verdict.js";

export const ORDERS = ["cyclic", "shuffle", "random", "batch"];
export const KEEPS = ["last", "best", "pocket", "average"];
const MOST_UPDATES = 20000, WHILE_DRAGGING = 1500, MOST_ITER = 2000, MOST_UNDO = 60;
const MOST_COLUMNS_PROVED = 8, GRID = 64;
/** @type {Data} */ const EMPTY = { x: new Float64Array(0), y: new Int8Array(0), n: 0, d: 2, names: ["x1", "x2"], classes: ["-1", "1"] };
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
  /** @param {any} core @param {Record<string, any>} presets @param {(run: boolean) => void} changed the run, or only what is shown of it */
  constructor(core, presets, changed) {
    this.core = core;
    this.presets = presets;
    this.changed = changed;
    this.settings = { order: "cyclic", keep: "last", margin: 0, intercept: true, seed: 0, kernel: "none", gamma: 1, degree: 2 };
    /** @type {Data} */ this.data = EMPTY;
    /** @type {Data | null} */ this.table = null; // all columns, where two of them were chosen
    /** @type {{of: Data, now: Data, mean: number[]} | null} */ this.centred = null;
    this.preset = "";
    this.edited = false;
    this.selected = -1; // the point that keys and words are about
    this.moving = -1; // the point that a hand holds
    this.revealed = false; // the verdict, and whatever else tells the end
    this.guess = "";
    this.everyVisit = false;
    this.time = new Time(() => this.moved());
    /** @type {any} */ this.run = null;
    /** @type {any} */ this.replay = null;
    /** @type {any} */ this.verdict = { status: "empty" };
    /** @type {Replay | null} */ this.ghost = null; // the run before a change, while that is what is spoken of
    this.challenges = new Set();
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

  /** Other data altogether, and maybe the record of a training. @param {Data} data @param {any} settings @param {any} [record] */
  use(data, settings = {}, record = null) {
    this.data = data;
    this.record = record;
    this.table = data.d > 2 ? data : null;
    this.settings = { ...this.settings, ...settings };
    this.before = [];
    this.centred = null;
    this.anew();
  }

  /** Two columns of the table, or all of them. @param {[number, number] | null} pair */
  columns(pair) {
    if (!this.table) return;
    const { x, n, d, names } = this.table;
    this.data = !pair ? this.table : {
      ...this.table, d: 2, names: pair.map((j) => names[j]),
      x: Float64Array.from({ length: 2 * n }, (_, k) => x[Math.floor(k / 2) * d + pair[k % 2]]),
    };
    this.centred = null;
    this.anew();
  }

  /** From the start, with nothing told. */
  anew() {
    this.selected = -1;
    this.ghost = null;
    this.challenges.clear();
    this.guess = "";
    this.revealed = false;
    this.retrain();
    this.time.use(new Film(this.replay, this.everyVisit), false);
    this.changed(true);
  }

  /** The same run once more, with the verdict hidden or told. @param {boolean} revealed @param {string} [guess] */
  reveal(revealed, guess = "") {
    this.revealed = revealed;
    this.guess = guess;
    this.ghost = null;
    if (!revealed) this.time.use(this.time.film, false);
    this.changed(false);
  }

  /** @param {boolean} on */
  watchVisits(on) {
    const { over, step } = this.time;
    this.everyVisit = on;
    this.time.use(new Film(this.replay, on), over);
    if (!over) this.time.goTo(step);
    this.changed(false);
  }

  /** @param {any} settings */
  set(settings) {
    this.settings = { ...this.settings, ...settings };
    this.ghost = this.replay;
    this.afresh();
  }

  /** Trained with a change: at its end where the end is known, and from the start where it is not. */
  afresh() {
    if (!this.revealed) return this.anew();
    this.guess = ""; // it was about the points as they were
    this.ghost ??= this.replay;
    this.retrain(this.moving >= 0);
    this.time.use(new Film(this.replay, this.everyVisit), true);
    this.note();
    return this.changed(true);
  }

  /** What a class is asked to find by moving points. */
  note() {
    const { run, verdict } = this;
    if (run.updates > 20 && run.stop === "clean") this.challenges.add("many");
    if (verdict.status === "overlap" || verdict.status === "quasi") this.challenges.add("never");
    if (run.updates === 1 && run.stop === "clean") this.challenges.add("single");
  }

  /** Time has moved on. */
  moved() {
    if (this.time.over) this.revealed = true;
    else this.ghost = null;
    this.changed(false);
  }

  /** @param {boolean} dragging */
  retrain(dragging = false) {
    const { data, settings } = this, { intercept, margin, keep, seed } = settings;
    if (data.n > MOST_WITH_KERNEL || data.d !== 2) settings.kernel = "none";
    const rows = trained(data), all = { ...settings, ...limits(rows, keep, dragging, settings.kernel), cycles: true };
    this.run = this.record ? recorded(rows, all, this.record) : train(this.core, rows, all, seedOf(seed));
    this.record = null; // what is changed from here on is trained
    this.replay = new Replay(this.run);
    this.verdict = data.d <= MOST_COLUMNS_PROVED ? verdict(rows, intercept, margin) : { status: "unknown" };
    if (this.verdict.radius) this.verdict.beta = Math.sqrt(this.verdict.radius ** 2 + 2 * margin);
  }

  // --- Changes of points -------------------------------------------------------------------------

  /** @param {Partial<Data>} change */
  edit(change) {
    if (this.moving < 0 || !this.ghost) {
      this.before = [...this.before, this.data].slice(-MOST_UNDO);
      this.ghost = this.replay;
    }
    this.edited = true;
    this.revealed = true;
    this.data = { ...this.data, ...change };
    this.data.n = this.data.y.length;
    this.selected = Math.min(this.selected, this.data.n - 1);
    this.afresh();
  }

  /** @param {number} i @param {number} px @param {number} py @param {boolean} held by a hand, which has not let go */
  move(i, px, py, held) {
    if (held && this.moving !== i) this.ghost = null;
    this.moving = held ? i : -1;
    const x = this.data.x.slice();
    x[2 * i] = px;
    x[2 * i + 1] = py;
    this.edit({ x });
  }

  /** The hand has let go: train to the end. */
  released() {
    if (this.moving < 0) return;
    this.moving = -1;
    this.afresh();
  }

  /** @param {number} px @param {number} py @param {number} c the number of the class; it may be a new one */
  add(px, py, c) {
    const { x, y, n, classes } = wider(this.data, c);
    this.selected = n;
    this.edit({ x: Float64Array.of(...x, px, py), y: Int8Array.of(...y, labelOf(classes.length, c)), n: n + 1, classes });
  }

  /** To the next class. @param {number} i */
  flip(i) {
    const { y, classes: { length: k } } = this.data, next = labelOf(k, (classNumber(k, y[i]) + 1) % k);
    this.selected = i;
    this.edit({ y: y.map((v, j) => (j === i ? next : v)) });
  }

  /** @param {number} i */
  remove(i) {
    this.selected = -1;
    this.edit({ x: this.data.x.filter((_, k) => k >> 1 !== i), y: this.data.y.filter((_, k) => k !== i) });
  }

  clear() {
    this.edit({ x: new Float64Array(0), y: new Int8Array(0) });
  }

  undo() {
    const data = this.before.pop();
    if (!data) return;
    this.data = data;
    this.edited = this.edited && this.before.length > 0;
    this.selected = -1;
    this.ghost = this.replay;
    this.revealed = true;
    this.afresh();
  }

  /** Points moved so that their mean is zero, up to the grid of links; and back. @param {boolean} on */
  centre(on) {
    const { data, centred } = this, { x, n, d } = data;
    const shifted = (/** @type {number[]} */ by) => ({ ...data, x: x.map((v, k) => v + by[k % d]) });
    if (on) {
      const mean = data.names.map((_, j) => Math.round((x.reduce((sum, v, k) => (k % d === j ? sum + v : sum), 0) / Math.max(n, 1)) * GRID) / GRID);
      this.data = shifted(mean.map((v) => -v));
      this.centred = { of: data, now: this.data, mean };
    } else if (centred) {
      this.data = centred.now === data ? centred.of : shifted(centred.mean);
      this.centred = null;
    }
    this.afresh();
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
