// @ts-check
// What happens in a moment, in a sentence and its sum.
import { KINDS, SIGNS, classNumber } from "./classes.js";
import { letterOf } from "./board.js";
import { h, variable } from "./dom.js";
import { signOf } from "./drawing.js";

const MOST_TOLD = 8;

/** @typedef {import("./strings.js").Say} Say */
/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./film.js").Moment} Moment */

/** A point as words name it, in its shape and colour. @param {Model} model @param {number} i @param {boolean} [lit] it is marked on the board, too */
export function tag({ data: { y, n, classes } }, i, lit = false) {
  const c = classNumber(classes.length, y[i]);
  return h("b", { class: `tag ${KINDS[c]}${lit ? " lit" : ""}`, "data-row": i }, h("span", {}, SIGNS[c]), ` ${letterOf(i, n)}`);
}

/** Some points, and dots for the others. @param {Model} model @param {number[]} rows */
export const tags = (model, rows) => [...rows.slice(0, MOST_TOLD).flatMap((i, a) => [...(a ? [" "] : []), tag(model, i)]), ...(rows.length > MOST_TOLD ? [" …"] : [])];

/** The sentence, what follows from it, and the sum. @param {Model} model @param {Moment} moment @param {Say} say @returns {{says: any[], then?: any[], sum: any[][]}} */
export function wordsOf(model, moment, say) {
  const { data, ghost, replay } = model, w = variable("w");
  if (!data.n) return { says: say.parts("say.empty"), sum: [] };
  if (ghost && moment.over) return changeOf(model, say);
  if (moment.over) return endOf(model, say);
  if (moment.start) return startOf(model, say);
  if (!moment.rows.length) return passedOf(model, moment, say);
  const { rows, done } = moment, { run } = replay, many = rows.length > 1;
  const then = many || run.settings.order === "batch" ? say.parts("then.batch", { w }) : thenOf(model, moment, say);
  if (many) return { says: say.parts("say.batch", { count: rows.length, points: tags(model, rows) }), then, sum: [changed(model, moment, say, 0)] };
  const [i] = rows, u = replay.edges[done], score = run.score[u], margin = replay.many ? score : run.rows.y[i] * score;
  const how = !done ? "first" : margin < 0 ? "wrong" : margin === 0 ? "on" : "near";
  const values = { point: tag(model, i, true), score: say.number(replay.many ? Math.abs(score) : score), mu: say.number(run.settings.margin), ...(replay.many ? sides(model, u) : {}) };
  const sums = replay.curved ? [alpha(model, moment, say)] : replay.many ? replay.changed(done + 1).map((c) => changed(model, moment, say, c)) : [scored(model, moment, i, score, say), changed(model, moment, say, 0)];
  return { says: say.parts(`say.${replay.many ? "rival." : ""}${how}`, values), then, sum: sums };
}

/** @param {Model} model @param {Say} say */
function startOf({ data, settings, replay }, say) {
  const [minus, plus, third] = [0, 1, 2].map((c) => signOf(c));
  const key = data.classes.length > 2 && replay.many ? ".many" : settings.kernel !== "none" ? ".kernel" : data.d > 2 ? ".plane" : "";
  return { says: say.parts(`say.start${key}`, { count: data.n, columns: data.d, minus, plus, third }), sum: [say.parts(`say.start.${settings.margin ? "margin" : settings.order === "batch" ? "batch" : "how"}`, { mu: settings.margin })] };
}

/** The own class, and its rival. @param {Model} model @param {number} u */
const sides = ({ replay: { run } }, u) => ({ own: signOf(run.rows.shown[run.rows.y[run.row[u]]]), rival: signOf(run.rows.shown[run.rival[u]]) });

/** @param {Model} model @param {Moment} moment @param {Say} say */
function thenOf(model, { rows, done }, say) {
  const { replay } = model, { y } = replay.run.rows;
  if (replay.curved) return say.parts("then.kernel");
  if (replay.many) return say.parts("then.many", sides(model, replay.edges[done]));
  return say.parts(`then.${y[rows[0]] > 0 ? "plus" : "minus"}${done ? "" : ".first"}`, { w: variable("w") });
}

/** @param {Model} model @param {Moment} moment @param {Say} say */
function passedOf(model, moment, say) {
  const { replay, run, everyVisit } = model, { passed, done } = moment;
  const clean = done === replay.steps && run.stop === "clean" && run.visits - moment.visit <= run.rows.n;
  if (passed < 0 || !everyVisit) return { says: say.parts(clean ? "say.clean" : "say.passing"), sum: [] };
  const scores = replay.scoresOf(replay.at(done), moment), point = tag(model, passed, true);
  if (!replay.many) return { says: say.parts("say.pass", { point, score: say.number(scores[passed]) }), sum: replay.curved ? [] : [scored(model, moment, passed, scores[passed], say)] };
  const { k = 3, y, shown } = run.rows, own = y[passed], others = [...Array(k).keys()].filter((c) => c !== own);
  const rival = others.reduce((best, c) => (scores[passed * k + c] > scores[passed * k + best] ? c : best));
  return { says: say.parts("say.pass.many", { point, rival: signOf(shown[rival]), score: say.number(scores[passed * k + own] - scores[passed * k + rival]) }), sum: [] };
}

/** @param {Model} model @param {Say} say */
function endOf(model, say) {
  const { run, replay, data, settings, edited } = model, made = run.updates, values = { made, then: run.cycle[0], epochs: run.mistakes.length };
  const invited = data.d === 2 && !edited && data.n <= 26 && (run.stop === "clean" || run.stop === "cycle");
  const says = [...say.parts(`end.${run.stop}`, run.stop === "cycle" ? { ...values, made: say.count(made) } : values), ...(invited ? [" ", ...say.parts("end.drag")] : [])];
  const errors = { errors: run.errors, count: data.n, keep: say(`keep.line.${settings.keep}`) };
  if (run.stop === "cycle") return { says, sum: [say.parts("end.cycle.how")] };
  if (run.errors) return { says, sum: [say.parts(settings.keep === "last" ? "end.last" : "end.kept", errors)] };
  return { says, sum: replay.curved || replay.many || data.d > 4 ? [] : [assigned("w", say.vector(run.returned.subarray(0, data.d))), assigned("b", say.number(run.returned[data.d]))] };
}

/** After a change: what it came to. @param {Model} model @param {Say} say */
function changeOf(model, say) {
  const { run, ghost, data, selected: i, verdict, challenges, replay } = model, then = /** @type {any} */ (ghost).run;
  const head = i >= 0 && data.d === 2 ? [...say.parts("change.at", { point: tag(model, i, true), place: say.vector(data.x.subarray(2 * i, 2 * i + 2)) }), " "] : [];
  const lines = !replay.curved && !replay.many && data.d === 2, never = lines && ["overlap", "quasi"].includes(verdict.status);
  const what = never ? "no" : run.stop === "clean" ? "updates" : run.stop === "cycle" ? "cycle" : "endless";
  const says = say.parts(`change.${what}`, { made: run.updates, then: then.stop === "clean" ? then.updates : say("change.unfinished") });
  if (!head.length) says[0] = `${says[0]}`.replace(/./, (first) => first.toLocaleUpperCase(say.language));
  const done = (/** @type {string} */ name) => [" ", say(`change.${name}`), challenges.has(name) ? " ✓" : " ○"];
  return { says: [...head, ...says], sum: lines ? [[say("change.try"), ...done("many")], done("never"), done("single")] : [] };
}

// --- Sums ------------------------------------------------------------------------------------------

/** @param {string} name @param {any} value */
const assigned = (name, value) => [variable(name), " ", h("b", {}, value)];

/** A summand with its sign. @param {number} value @param {Say} say */
const added = (value, say) => `${value < 0 ? "−" : "+"} ${say.number(Math.abs(value))}`;

/** How a score comes about. @param {Model} model @param {Moment} moment @param {number} i @param {number} score @param {Say} say */
function scored({ replay, run }, { done }, i, score, say) {
  const { x, d } = run.rows, before = replay.at(done), factor = (/** @type {number} */ v) => (v < 0 ? `(${say.number(v)})` : say.number(v));
  if (d > 2) return [say("sum.score"), " ", h("b", {}, say.number(score))];
  const terms = [0, 1].map((j) => `${j ? added(before[j], say) : say.number(before[0])}·${factor(x[2 * i + j])}`);
  return [h("span", { class: "score" }, say("sum.score"), ` ${terms.join(" ")}${run.settings.intercept ? ` ${added(before[2], say)}` : ""} = `, h("b", {}, say.number(score)))];
}

/** What becomes of the weights of class c. @param {Model} model @param {Moment} moment @param {Say} say @param {number} c */
function changed({ replay, run }, { rows, done }, say, c) {
  const { x, y, d, shown } = run.rows, at = replay.many ? c * replay.one : 0, [before, after] = [replay.at(done), replay.at(done + 1)].map((v) => v.subarray(at, at + d + 1));
  const single = rows.length === 1, sign = replay.many ? (c === y[rows[0]] ? 1 : -1) : y[rows[0]];
  const step = single ? x.subarray(rows[0] * d, rows[0] * d + d) : after.map((v, j) => v - before[j]).subarray(0, d);
  const kind = single ? KINDS[replay.many ? shown[c] : shown[sign > 0 ? 1 : 0]] : "", name = replay.many ? say.parts("sum.of", { w: variable("w"), sign: signOf(shown[c]) }) : [variable("w")];
  const plus = single && sign < 0 ? "−" : "+";
  const w = [...name, ` ${say.vector(before.subarray(0, d))} `, h("b", { class: kind }, `${plus} ${say.vector(step)}`), " = ", h("b", {}, say.vector(after.subarray(0, d)))];
  const change = after[d] - before[d];
  return !run.settings.intercept ? w : [h("span", {}, w), " ", h("span", {}, variable("b"), ` ${say.number(before[d])} `, h("b", { class: kind }, added(change, say)), " = ", h("b", {}, say.number(after[d])))];
}

/** With a kernel. @param {Model} model @param {Moment} moment @param {Say} say */
function alpha(model, { rows: [i], done }, say) {
  const before = model.run.counts(model.replay.edges[done])[i];
  return [...say.parts("sum.alpha", { point: tag(model, i) }), ` ${before} `, h("b", {}, "+ 1"), " = ", h("b", {}, before + 1)];
}
