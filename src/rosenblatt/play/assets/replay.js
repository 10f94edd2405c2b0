// @ts-check
// What follows from the record of a run: the weights after every step.
import { kernelOf } from "./kernel.js";

/** A step is one update; with order="batch" all updates of one look at the rows. */
export class Replay {
  /** @param {import("./learn.js").Run} run */
  constructor(run) {
    this.run = run;
    const { rows: { d, n, k = 2 }, settings: { order }, row, visit } = run;
    /** @type {number[]} */ this.edges = [0]; // step t is made of the updates edges[t - 1] .. edges[t]
    for (let u = 1; u <= row.length; ++u)
      if (u === row.length || order !== "batch" || visit[u] !== visit[u - 1]) this.edges.push(u);
    if (!row.length) this.edges = [0];
    this.steps = this.edges.length - 1;
    this.curved = (run.settings.kernel ?? "none") !== "none";
    this.many = k > 2;
    this.one = this.curved ? n + 1 : d + 1; // numbers of one class,
    this.size = (this.many ? k : 1) * this.one; // and of all
    /** @type {Float64Array[] | undefined} */ this.gram = undefined; // rows of it that were needed
    /** @type {{t: number, values: Float64Array} | undefined} */ this.scored = undefined;
    this.weights = this.curved ? new Float64Array(0) : this.path();
  }

  /** Rows are added once more, in the same order: the same bits. */
  path() {
    const { run, size, one, many } = this, { x, y, d } = run.rows, { intercept } = run.settings;
    const all = new Float64Array((this.steps + 1) * size), sum = new Float64Array(size);
    const add = (/** @type {number} */ i, /** @type {number} */ at, /** @type {number} */ sign) => {
      for (let j = 0; j < d; ++j) sum[at + j] += sign * x[i * d + j];
      if (intercept) sum[at + d] += sign;
    };
    for (let t = 1; t <= this.steps; ++t) {
      sum.fill(0);
      for (let u = this.edges[t - 1]; u < this.edges[t]; ++u) {
        const i = run.row[u];
        add(i, many ? y[i] * one : 0, many ? 1 : y[i]);
        if (many) add(i, run.rival[u] * one, -1);
      }
      for (let j = 0; j < size; ++j) all[t * size + j] = all[(t - 1) * size + j] + sum[j];
    }
    return all;
  }

  /** The weights after so many steps, class by class; in dual form β of the rows, and b. @param {number} t */
  at(t) {
    if (this.curved) return this.coefficients(t);
    return this.weights.subarray(t * this.size, (t + 1) * this.size);
  }

  /** @param {number} t */
  coefficients(t) {
    const { y, n, k = 2 } = this.run.rows, { intercept } = this.run.settings, { one } = this;
    const counts = this.many ? this.run.byClass(this.edges[t]) : this.run.counts(this.edges[t]);
    const found = new Float64Array(this.size);
    for (let c = 0; c < this.size / one; ++c)
      for (let i = 0; i < n; ++i) {
        const beta = this.many ? counts[i * k + c] : y[i] * counts[i];
        found[c * one + i] = beta;
        if (intercept) found[c * one + n] += beta;
      }
    return found;
  }

  /** The rows of step t. @param {number} t */
  rowsOf(t) {
    return t > 0 ? this.run.row.slice(this.edges[t - 1], this.edges[t]) : [];
  }

  /** The classes whose weights step t has changed: of one update its own, then its rival. @param {number} t */
  changed(t) {
    const { row, rival, rows: { y } } = this.run, [from, to] = [this.edges[t - 1], this.edges[t]];
    if (to - from === 1) return [y[row[from]], rival[from]];
    const found = new Set();
    for (let u = from; u < to; ++u) found.add(y[row[u]]).add(rival[u]);
    return /** @type {number[]} */ ([...found].sort());
  }

  /** From 1. @param {number} t */
  epochOf(t) {
    const { run } = this, per = run.settings.order === "batch" ? 1 : run.rows.n;
    return t > 0 ? Math.floor(run.visit[this.edges[t - 1]] / per) + 1 : 0;
  }

  /** In the midst of a step: a true state of the perceptron, for w goes along x. @param {import("./film.js").Moment} moment */
  between({ done, turn }) {
    const from = this.at(done);
    if (!turn) return from;
    const to = this.at(done + 1);
    return turn === 1 ? to : from.map((v, j) => v + turn * (to[j] - v));
  }

  /** The scores of all rows, class by class, under weights as `at` gives them; in dual form those of a moment. @param {ArrayLike<number>} w @param {{done: number, turn: number}} moment */
  scoresOf(w, { done, turn }) {
    const { x, n, d } = this.run.rows, count = this.size / this.one;
    if (this.curved) {
      const from = this.dual(done), to = turn ? this.dual(done + 1) : from;
      return from.map((v, j) => v + turn * (to[j] - v));
    }
    const found = new Float64Array(n * count);
    for (let i = 0; i < n; ++i)
      for (let c = 0; c < count; ++c) {
        let sum = w[c * this.one + d];
        for (let j = 0; j < d; ++j) sum += w[c * this.one + j] * x[i * d + j];
        found[i * count + c] = sum;
      }
    return found;
  }

  /** Scores of the rows after step t, with a kernel. @param {number} t */
  dual(t) {
    if (this.scored?.t === t) return this.scored.values;
    const { rows, settings } = this.run, { x, n } = rows, beta = this.at(t), count = this.size / this.one;
    const value = kernelOf(settings.kernel ?? "", settings.gamma ?? 1, settings.degree ?? 2), values = new Float64Array(n * count);
    const support = [...Array(n).keys()].filter((j) => Array.from({ length: count }, (_, c) => beta[c * this.one + j]).some((v) => v));
    this.gram ??= [];
    for (const j of support) this.gram[j] ??= Float64Array.from({ length: n }, (_, i) => value(x, i, x, j, 2));
    for (let i = 0; i < n; ++i)
      for (let c = 0; c < count; ++c) {
        values[i * count + c] = beta[c * this.one + n];
        for (const j of support) values[i * count + c] += beta[c * this.one + j] * this.gram[j][i];
      }
    this.scored = { t, values };
    return values;
  }

  /** What is kept after step t, and its mistakes; null where nothing is. @param {number} t */
  keptAt(t) {
    const changes = this.run.kept?.changes;
    return changes ? changes.filter((c) => c.updates <= this.edges[t]).at(-1) ?? changes[0] : null;
  }
}
