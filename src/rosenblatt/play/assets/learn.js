// @ts-check
// The loop: epochs until one is clean or a limit is reached, as `_training/training.py` has it, to the
// bit. What is kept of a run is every update, so that it can be stepped through and played back.
import { dual } from "./kernel.js";

/**
 * @typedef {{x: Float64Array, y: Int8Array, n: number, d: number, k?: number}} Rows labels are -1 and 1; of k > 2 classes their numbers
 * @typedef {{order: string, keep: string, margin: number, intercept: boolean, maxIter: number, maxUpdates: number, kernel?: string, gamma?: number, degree?: number, cycles?: boolean}} Settings with `cycles` training ends where weights come back for ever
 * @typedef {Rows & {k: number, margin: number, intercept: boolean, averaged: boolean, room: number, kernel?: string, gamma?: number, degree?: number}} Given
 */
const ROOM = 4096; // updates of one call
const MOST_COMPARED = 100; // numbers
const AVERAGED = new Set(["best", "average"]);

/** Train. @param {any} core @param {Rows} rows @param {Settings} settings @param {bigint} seed */
export function train(core, rows, settings, seed) {
  const { order, keep, margin, intercept, maxIter, maxUpdates, kernel, gamma, degree } = settings;
  const averaged = AVERAGED.has(keep), room = Math.max(ROOM, rows.n);
  const its = kernel && kernel !== "none" ? dual : core;
  const task = its.begin({ ...rows, k: rows.k ?? 2, margin, intercept, averaged, room, kernel, gamma, degree });
  const run = new Run(rows, settings, task);
  run.seed = seed;
  const cycle = settings.cycles && (order === "cyclic" || order === "batch") && task.w.length < MOST_COMPARED ? new Cycle(run) : null;
  const advance = ORDERS[order](task, rows.n, seed);
  const kept = keep === "pocket" || keep === "best" ? new Kept(rows.n, run) : null;
  run.kept = kept;
  run.stop = epochs();
  return run.finish();

  function epochs() {
    for (;;) {
      if (run.clean) return "clean";
      if (cycle?.closed()) return "cycle";
      if (run.mistakes.length >= maxIter) return "max_iter";
      if (run.updates >= maxUpdates) return "max_updates";
      run.beginEpoch();
      while (!run.clean && run.position < rows.n) {
        if (run.updates >= maxUpdates) return "max_updates";
        const free = keep === "pocket" ? 1 : ROOM;
        const before = run.updates;
        advance(run, Math.min(free, maxUpdates - run.updates));
        if (keep === "pocket" && run.updates > before) kept?.challenge(task.w, false);
      }
      if (!finite(task.w) || (task.drift && !finite(task.drift))) return "overflow";
      if (keep === "best") kept?.challengeBoth();
      run.underWay = false;
    }
  }
}

/** @param {Float64Array} values */
const finite = (values) => values.every(Number.isFinite);

/** How a mistake is found. @type {Record<string, (task: any, n: number, seed: bigint) => (run: Run, most: number) => void>} */
const ORDERS = {
  cyclic: (task, n) => (run, most) => run.pass(task.visit(false, run.position, n, most, run.visits)),
  shuffle(task, n, seed) {
    let arranged = -1;
    return (run, most) => {
      const epoch = run.mistakes.length - 1;
      if (arranged !== epoch) task.arrange(seed, arranged = epoch);
      run.pass(task.visit(true, run.position, n, most, run.visits));
    };
  },
  random(task, n, seed) {
    let draw = 0, seen = 0;
    for (let i = 0; i < n; ++i) task.pool[i] = i;
    return (run, most) => {
      const looks = n - run.position;
      const found = task.search(seed, draw, seen, looks, most, run.visits);
      ({ draw, seen } = found);
      run.record(found.visits, found.updates);
      run.position += found.visits;
      run.clean = seen === n;
    };
  },
  batch: (task, n) => (run) => {
    const mistakes = task.look();
    run.noteBatch(mistakes);
    for (let j = 0; j < task.w.length; ++j) {
      task.w[j] += task.step[j];
      if (task.drift) task.drift[j] += run.visits * task.step[j];
    }
    run.visits += 1;
    run.position = n;
    run.clean = mistakes === 0;
  },
};

/** One training: what happened at every update, and what is returned. */
export class Run {
  /** @param {Rows} rows @param {Settings} settings @param {any} task */
  constructor(rows, settings, task) {
    this.rows = rows;
    this.settings = settings;
    this.task = task;
    this.visits = 0;
    this.updates = 0;
    this.position = 0;
    this.clean = false;
    this.underWay = false;
    this.stop = "";
    /** @type {bigint | undefined} */ this.seed = undefined;
    /** @type {number[]} */ this.cycle = []; // weights are the same after so many updates and after so many
    /** @type {number[]} */ this.mistakes = [];
    /** @type {number[]} */ this.row = [];
    /** @type {number[]} */ this.visit = [];
    /** @type {number[]} */ this.score = []; // of many classes the margin to the rival
    /** @type {number[]} */ this.rival = [];
    /** @type {Kept | null} */ this.kept = null;
  }

  beginEpoch() {
    this.mistakes.push(0);
    this.position = 0;
    this.underWay = true;
  }

  /** @param {{reached: number, updates: number}} made */
  pass({ reached, updates }) {
    this.record(reached - this.position, updates);
    this.position = reached;
    this.clean = reached === this.rows.n && this.mistakes[this.mistakes.length - 1] === 0;
  }

  /** @param {number} visits @param {number} updates */
  record(visits, updates) {
    const { log } = this.task;
    for (let k = 0; k < updates; ++k) this.note(log.row[k], log.visit[k], log.score[k], log.rival[k]);
    this.visits += visits;
    this.updates += updates;
    this.mistakes[this.mistakes.length - 1] += updates;
  }

  /** @param {number} row @param {number} visit @param {number} score @param {number} rival */
  note(row, visit, score, rival) {
    this.row.push(row);
    this.visit.push(visit);
    this.score.push(score);
    this.rival.push(rival);
  }

  /** @param {number} mistakes */
  noteBatch(mistakes) {
    const { marks, looked } = this.task;
    for (let i = 0; i < this.rows.n; ++i) if (marks[i]) this.note(i, this.visits, looked[i], marks[i] - 1);
    this.updates += mistakes;
    this.mistakes[this.mistakes.length - 1] += mistakes;
  }

  /** Updates by row after the first `updates` of them: the dual form. @param {number} [updates] */
  counts(updates = this.row.length) {
    const found = new Int32Array(this.rows.n);
    for (let u = 0; u < updates; ++u) ++found[this.row[u]];
    return found;
  }

  /** The same by row and class: added to its own, taken from its rivals. @param {number} [updates] */
  byClass(updates = this.row.length) {
    const { n, y, k = 2 } = this.rows, found = new Int32Array(n * k);
    for (let u = 0; u < updates; ++u) {
      const i = this.row[u];
      ++found[i * k + y[i]];
      --found[i * k + this.rival[u]];
    }
    return found;
  }

  average() {
    const { w, drift } = this.task;
    return this.visits ? w.map((/** @type {number} */ v, /** @type {number} */ j) => v - drift[j] / this.visits) : w.slice();
  }

  /** What is returned, and all that follows from the record; the core's memory is free again. */
  finish() {
    const { keep } = this.settings, { task } = this;
    if (this.underWay && this.kept && this.stop !== "overflow") {
      if (keep === "best") this.kept.challengeBoth();
      else this.kept.challenge(task.w, false);
    }
    this.last = Float64Array.from(task.w);
    this.returned = this.kept ? this.kept.w : keep === "average" ? this.average() : this.last;
    this.errors = task.count(this.returned, Infinity);
    this.converged = this.clean;
    return this;
  }
}

/** Where rows come in the same order each time, weights that come back at the end of an epoch come back for ever. */
class Cycle {
  /** @param {Run} run */
  constructor(run) {
    this.run = run;
    /** @type {Map<string, number>} */ this.updates = new Map();
  }

  closed() {
    const { run } = this, key = run.task.w.join(), then = this.updates.get(key);
    this.updates.set(key, run.updates);
    if (then === undefined) return false;
    run.cycle = [then, run.updates];
    run.settings = { ...run.settings, maxIter: run.mistakes.length }; // Python stops here, too
    return true;
  }
}

/** A run that was recorded elsewhere. @param {Rows} rows @param {Settings} settings @param {any} record */
export function recorded(rows, settings, record) {
  const run = new Run(rows, settings, null);
  const { row, visit, score, rival, mistakes, returned, errors, stop } = record;
  const all = { row, visit, score, rival, mistakes, returned: Float64Array.from(returned), errors, stop };
  const visits = mistakes.length * (settings.order === "batch" ? 1 : rows.n);
  return Object.assign(run, all, { visits, updates: row.length, converged: stop === "clean" });
}

/** The weights with the fewest mistakes so far; of equal ones an average, then the older. */
class Kept {
  /** @param {number} n @param {Run} run */
  constructor(n, run) {
    this.run = run;
    this.w = new Float64Array(run.task.w.length);
    this.mistakes = n; // every row is on the hyperplane of zero weights
    this.averaged = false;
    /** @type {{updates: number, mistakes: number, w: Float64Array}[]} */
    this.changes = [{ updates: 0, mistakes: n, w: this.w }];
  }

  /** @param {Float64Array} w @param {boolean} averaged */
  challenge(w, averaged) {
    const ties = averaged && !this.averaged ? 1 : 0;
    const mistakes = this.run.clean && !averaged ? 0 : this.run.task.count(w, this.mistakes + ties);
    if (mistakes >= this.mistakes + ties) return;
    this.w = Float64Array.from(w);
    this.mistakes = mistakes;
    this.averaged = averaged;
    this.changes.push({ updates: this.run.updates, mistakes, w: this.w });
  }

  /** After an epoch: the last weights and their average. */
  challengeBoth() {
    this.challenge(this.run.task.w, false);
    this.challenge(this.run.average(), true);
  }
}
