// @ts-check
// A run as a film: what a time t, in milliseconds, means. All that is on the screen is a function of t.
import { arranged } from "./twin.js";

const UPDATE = 1200, PASS = 40, PASSES = 600; // an update; a point that is passed over, and all between two updates
const VISIT = 700; // a point that is passed over, where every visit is watched
const LONGEST = 22000, LONGEST_VISITS = 120000;
const LOOK = 0.34, CARRY = 0.5, TURN = 0.72; // the beats: look, x goes to the tip of w, w and the line turn, rest
const SHORT = 250; // an update that is faster is not divided into beats

const smooth = (/** @type {number} */ u) => (u <= 0 ? 0 : u >= 1 ? 1 : u * u * (3 - 2 * u));

/**
 * `done` steps are made. Where `rows` is not empty they make the next one: `look` at them, `carry` x to the
 * tip of w, and `turn` is how much of the step is made. Otherwise row `passed` is looked at, if it is known.
 * @typedef {{done: number, rows: number[], passed: number, visit: number, look: number, carry: number, turn: number, rest: boolean, start: boolean, over: boolean}} Moment
 */

export class Film {
  /** @param {import("./replay.js").Replay} replay @param {boolean} everyVisit */
  constructor(replay, everyVisit) {
    const { run, steps } = replay;
    this.replay = replay;
    this.everyVisit = everyVisit;
    this.gaps = Array.from({ length: steps + 1 }, (_, k) => (k < steps ? this.visitOf(k + 1) : run.visits) - this.after(k));
    const passing = this.gaps.map((gap) => (everyVisit ? gap * VISIT : Math.min(gap * PASS, PASSES)));
    const whole = passing.reduce((sum, ms) => sum + ms, steps * UPDATE);
    const scale = Math.min(1, (everyVisit ? LONGEST_VISITS : LONGEST) / Math.max(whole, 1));
    this.update = scale * UPDATE;
    this.passing = passing.map((ms) => scale * ms);
    this.begin = new Float64Array(steps + 2); // of step k + 1, with what is passed over before it
    for (let k = 0; k <= steps; ++k) this.begin[k + 1] = this.begin[k] + this.passing[k] + (k < steps ? this.update : 0);
    this.length = this.begin[steps + 1];
  }

  /** The number of the visit that begins step k. @param {number} k */
  visitOf(k) {
    return this.replay.run.visit[this.replay.edges[k - 1]];
  }

  /** The visits before anything after step k. @param {number} k */
  after(k) {
    return k ? this.visitOf(k) + 1 : 0;
  }

  /** When step k is made, and at rest. @param {number} k */
  endOf(k) {
    return k ? this.begin[k] - 1e-6 : 0;
  }

  /** Which steps have begun: the last of them, or the passing over before the next one. @param {number} t */
  stepAt(t) {
    let [low, high] = [0, this.replay.steps];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.begin[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** @param {number} t @returns {Moment} */
  at(t) {
    const { replay, begin, update } = this, still = { rows: [], passed: -1, visit: -1, look: 0, carry: 1, turn: 0, rest: true, start: false, over: false };
    if (t >= this.length) return { ...still, done: replay.steps, over: true };
    if (t <= 0) return { ...still, done: 0, start: true };
    const done = this.stepAt(t), passing = this.passing[done], since = t - begin[done];
    if (since < passing) {
      const visit = this.after(done) + Math.floor((since / passing) * this.gaps[done]);
      return { ...still, done, visit, passed: this.rowAt(visit) };
    }
    const p = (since - passing) / update, beats = update >= SHORT;
    return {
      ...still, done, rows: replay.rowsOf(done + 1), visit: this.visitOf(done + 1),
      look: beats ? smooth(p / (LOOK * 0.7)) : 1, carry: beats ? smooth((p - LOOK) / (CARRY - LOOK)) : 1,
      turn: beats ? smooth((p - CARRY + 0.06) / (TURN - CARRY + 0.06)) : Number(p >= 0.5), rest: beats ? p >= TURN : p >= 0.5,
    };
  }

  /** The row of a visit; -1 where that is not known. @param {number} visit */
  rowAt(visit) {
    const { rows: { n }, settings: { order }, seed } = this.replay.run, epoch = Math.floor(visit / n);
    if (order === "cyclic") return visit % n;
    if (order !== "shuffle" || seed === undefined) return -1;
    if (this.arranged?.epoch !== epoch) this.arranged = { epoch, rows: arranged(seed, epoch, n) };
    return this.arranged.rows[visit % n];
  }

  /** From 1. @param {Moment} moment */
  epochOf({ visit, done, over }) {
    const { run } = this.replay, per = run.settings.order === "batch" ? 1 : run.rows.n;
    if (over) return run.mistakes.length;
    return visit >= 0 ? Math.floor(visit / per) + 1 : Math.min(done, 1);
  }

  /** The next place to stop at: the end of a step, and of each visit where those are watched. @param {number} t */
  next(t) {
    const { steps } = this.replay, near = t + 1e-3, done = this.stepAt(near), since = near - this.begin[done], one = this.passing[done] / this.gaps[done];
    if (this.everyVisit && since < this.passing[done]) return this.begin[done] + (Math.floor(since / one) + 1) * one - 1e-6;
    return done < steps ? this.endOf(done + 1) : this.length;
  }

  /** The place to stop at before. @param {number} t */
  before(t) {
    let found = 0;
    const from = Math.max(this.stepAt(t + 1e-3) - 1, 0);
    for (let at = this.endOf(from); at < t - 1e-3; at = this.next(at)) found = at;
    return found;
  }
}
