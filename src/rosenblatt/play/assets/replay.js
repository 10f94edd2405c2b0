// @ts-check
// What follows from the record of a run: the weights after every step, and each step in words.
import { number, vector } from "./dom.js";

/** A step is one update; with order="batch" all updates of one look at the rows. */
export class Replay {
  /** @param {import("./learn.js").Run} run */
  constructor(run) {
    this.run = run;
    const { rows: { d }, settings: { order }, row, visit } = run;
    /** @type {number[]} */ this.edges = [0]; // step t is made of the updates edges[t - 1] .. edges[t]
    for (let u = 1; u <= row.length; ++u)
      if (u === row.length || order !== "batch" || visit[u] !== visit[u - 1]) this.edges.push(u);
    if (!row.length) this.edges = [0];
    this.steps = this.edges.length - 1;
    this.curved = (run.settings.kernel ?? "none") !== "none";
    this.size = this.curved ? run.rows.n + 1 : d + 1;
    this.weights = this.curved ? new Float64Array(0) : this.path();
  }

  /** Rows are added once more, in the same order: the same bits. */
  path() {
    const { run, size } = this, { x, y, d } = run.rows, { intercept } = run.settings;
    const all = new Float64Array((this.steps + 1) * size), sum = new Float64Array(size);
    for (let t = 1; t <= this.steps; ++t) {
      sum.fill(0);
      for (let u = this.edges[t - 1]; u < this.edges[t]; ++u) {
        const i = run.row[u];
        for (let j = 0; j < d; ++j) sum[j] += y[i] * x[i * d + j];
        if (intercept) sum[d] += y[i];
      }
      for (let j = 0; j < size; ++j) all[t * size + j] = all[(t - 1) * size + j] + sum[j];
    }
    return all;
  }

  /** The weights after so many steps; in dual form β of the rows, and b. @param {number} t */
  at(t) {
    if (this.curved) return this.coefficients(t);
    return this.weights.subarray(t * this.size, (t + 1) * this.size);
  }

  /** @param {number} t */
  coefficients(t) {
    const { y } = this.run.rows, counts = this.run.counts(this.edges[t]);
    const found = Float64Array.from({ length: this.size }, (_, i) => (i < y.length ? y[i] * counts[i] : 0));
    if (this.run.settings.intercept) found[y.length] = found.reduce((sum, v) => sum + v, 0);
    return found;
  }

  /** The rows of step t. @param {number} t */
  rowsOf(t) {
    return t > 0 ? this.run.row.slice(this.edges[t - 1], this.edges[t]) : [];
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
    const [a, b] = [this.run.row, other.run.row];
    for (let u = 0; u < Math.max(a.length, b.length); ++u) if (a[u] !== b[u]) return u;
    return -1;
  }

  /** Step t, and why. @param {number} t @param {string[]} classes @param {import("./strings.js").Say} say */
  words(t, classes, say) {
    if (this.curved) return t === 0 ? say("step.zero") : say("step.made", { t, why: this.why(t, classes, say), moved: this.alphas(t) });
    if (t === 0) return say("step.start", { w: vector(this.at(0).slice(0, -1)), b: number(this.at(0)[this.size - 1]) });
    const { run, size } = this, before = this.at(t - 1), after = this.at(t), rows = this.rowsOf(t);
    const { x, y, d } = run.rows, i = rows[0];
    const change = rows.length > 1
      ? `+ ${vector(after.slice(0, d).map((v, j) => v - before[j]))}`
      : `${y[i] > 0 ? "+" : "-"} ${vector(x.subarray(i * d, i * d + d))}`;
    let moved = `w ${vector(before.slice(0, d))} ${change} = ${vector(after.slice(0, d))}`;
    if (run.settings.intercept) {
      const total = rows.reduce((sum, r) => sum + y[r], 0);
      moved += `, b ${number(before[size - 1])} ${total >= 0 ? "+" : "-"} ${number(Math.abs(total))} = ${number(after[size - 1])}`;
    }
    return say("step.made", { t, why: this.why(t, classes, say), moved });
  }

  /** What step t did to the coefficients of its rows. @param {number} t */
  alphas(t) {
    const before = this.run.counts(this.edges[t - 1]), rows = this.rowsOf(t), size = this.size - 1;
    const found = rows.slice(0, 8).map((i) => `α of row ${i} ${before[i]} + 1 = ${before[i] + 1}`);
    const [from, to] = [this.at(t - 1)[size], this.at(t)[size]];
    if (this.run.settings.intercept) found.push(`b ${number(from)} ${to >= from ? "+" : "-"} ${number(Math.abs(to - from))} = ${number(to)}`);
    return found.join(", ");
  }

  /** @param {number} t @param {string[]} classes @param {import("./strings.js").Say} say */
  why(t, classes, say) {
    const { run } = this, { x, y, d } = run.rows, rows = this.rowsOf(t), i = rows[0];
    if (rows.length > 1) {
      const listed = rows.slice(0, 8).join(", ") + (rows.length > 8 ? ", …" : "");
      return say("why.many", { count: rows.length, rows: listed });
    }
    const score = run.score[this.edges[t - 1]], margin = y[i] * score;
    const values = {
      row: this.curved ? String(i) : `${i} ${vector(x.subarray(i * d, i * d + d))}`,
      label: classes[y[i] > 0 ? 1 : 0],
      score: number(score), margin: number(margin), mu: number(run.settings.margin),
    };
    return say(margin < 0 ? "why.wrong" : margin === 0 ? "why.on" : "why.near", values);
  }
}
