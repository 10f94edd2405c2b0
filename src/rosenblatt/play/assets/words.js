// @ts-check
// A step of a run in words: those of `Trace.step`, in every language.
import { number, vector } from "./dom.js";

const MOST_CLASSES_TOLD = 4, MOST_ROWS_TOLD = 8;

/** @typedef {import("./strings.js").Say} Say */
/** @typedef {import("./replay.js").Replay} Replay */

/** Step t, and why. @param {Replay} replay @param {number} t @param {Say} say */
export function stepWords(replay, t, say) {
  const { curved, many } = replay;
  if (t > 0) return say("step.made", { t, why: why(replay, t, say), moved: (curved ? alphas : many ? classesMoved : moved)(replay, t, say) });
  if (curved) return say("step.zero");
  return many ? say("step.start.many", { count: replay.run.rows.k }) : say("step.start", { w: vector(replay.at(0).slice(0, -1)), b: number(0) });
}

/** @param {number} before @param {number} change */
const sum = (before, change) => `${number(before)} ${change >= 0 ? "+" : "-"} ${number(Math.abs(change))}`;

/** The weights of one class before and after. @param {Replay} replay @param {number} t @param {number} at where they begin @param {string} added with its sign */
function equation({ run, weights, size }, t, at, added) {
  const { d } = run.rows;
  const [before, after] = [t - 1, t].map((s) => weights.subarray(s * size + at, s * size + at + d + 1));
  const w = `w ${vector(before.subarray(0, d))} ${added} = ${vector(after.subarray(0, d))}`;
  return run.settings.intercept ? `${w}, b ${sum(before[d], after[d] - before[d])} = ${number(after[d])}` : w;
}

/** What was added to the weights of one class in all. @param {Replay} replay @param {number} t @param {number} at */
function difference(replay, t, at) {
  const { d } = replay.run.rows, [before, after] = [replay.at(t - 1), replay.at(t)];
  return `+ ${vector(Array.from({ length: d }, (_, j) => after[at + j] - before[at + j]))}`;
}

/** @param {Replay} replay @param {number} i */
const row = ({ run: { rows: { x, d } } }, i) => vector(x.subarray(i * d, i * d + d));

/** @param {Replay} replay @param {number} t */
function moved(replay, t) {
  const [i, ...more] = replay.rowsOf(t), { y } = replay.run.rows;
  return equation(replay, t, 0, more.length ? difference(replay, t, 0) : `${y[i] > 0 ? "+" : "-"} ${row(replay, i)}`);
}

/** Of many classes. @param {Replay} replay @param {number} t @param {Say} say */
function classesMoved(replay, t, say) {
  const { one, run: { rows: { classes } } } = /** @type {any} */ (replay), [i, ...more] = replay.rowsOf(t);
  const told = replay.changed(t).map((c, a) => {
    const added = more.length ? difference(replay, t, c * one) : `${a ? "-" : "+"} ${row(replay, i)}`;
    return say(more.length ? "moved.class" : a ? "moved.away" : "moved.towards", { label: classes[c], moved: equation(replay, t, c * one, added) });
  });
  return some(told, MOST_CLASSES_TOLD);
}

/** @param {string[]} parts @param {number} most */
const some = (parts, most) => [...parts.slice(0, most), ...(parts.length > most ? ["…"] : [])].join("; ");

/** What step t did to the coefficients of its rows. @param {Replay} replay @param {number} t @param {Say} say */
function alphas(replay, t, say) {
  const { run, many, size } = replay, [from, to] = [replay.edges[t - 1], replay.edges[t]];
  const rows = replay.rowsOf(t), { y, k = 2, classes } = /** @type {any} */ (run.rows);
  if (many) {
    const before = run.byClass(from);
    return some(rows.map((i, a) => {
      const both = [[y[i], 1], [run.rival[from + a], -1]].map(([c, step]) =>
        say("alpha.for", { label: classes[c], sum: `${sum(before[i * k + c], step)} = ${before[i * k + c] + step}` }));
      return say("alpha.row", { row: i, sum: both.join(", ") });
    }), MOST_ROWS_TOLD);
  }
  const before = run.counts(from), [b, after] = [t - 1, t].map((s) => replay.at(s)[size - 1]);
  const told = rows.slice(0, MOST_ROWS_TOLD).map((i) => say("alpha.row", { row: i, sum: `${sum(before[i], 1)} = ${before[i] + 1}` }));
  if (run.settings.intercept && to > from) told.push(`b ${sum(b, after - b)} = ${number(after)}`);
  return told.join(", ");
}

/** @param {Replay} replay @param {number} t @param {Say} say */
function why(replay, t, say) {
  const { run, curved, many } = replay, rows = replay.rowsOf(t), i = rows[0], u = replay.edges[t - 1];
  const { y, classes } = /** @type {any} */ (run.rows);
  if (rows.length > 1) {
    const listed = rows.slice(0, MOST_ROWS_TOLD).join(", ") + (rows.length > MOST_ROWS_TOLD ? ", …" : "");
    return say("why.many", { count: rows.length, rows: listed });
  }
  const score = run.score[u], margin = many ? score : y[i] * score;
  const values = {
    row: curved ? String(i) : `${i} ${row(replay, i)}`, mu: number(run.settings.margin), score: number(score),
    label: classes[many ? y[i] : y[i] > 0 ? 1 : 0], rival: many ? classes[run.rival[u]] : "",
    margin: number(many ? Math.abs(margin) : margin),
  };
  return say(`why.${many ? "rival." : ""}${margin < 0 ? "wrong" : margin === 0 ? "on" : "near"}`, values);
}
