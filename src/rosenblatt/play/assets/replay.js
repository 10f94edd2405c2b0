// @ts-check
// What follows from the record of a run: the weights after every step.

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

  /** What is kept after step t, and its mistakes; null where nothing is. @param {number} t */
  keptAt(t) {
    const changes = this.run.kept?.changes;
    return changes ? changes.filter((c) => c.updates <= this.edges[t]).at(-1) ?? changes[0] : null;
  }

  /** The first step that the other run does not make, too; -1 where they are the same. @param {Replay} other */
  partsFrom(other) {
    const [a, b] = [this.run, other.run];
    for (let u = 0; u < Math.max(a.row.length, b.row.length); ++u)
      if (a.row[u] !== b.row[u] || (this.many && other.many && a.rival[u] !== b.rival[u])) return u;
    return -1;
  }
}
