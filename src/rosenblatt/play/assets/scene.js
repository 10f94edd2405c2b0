// @ts-check
// What the board shows of a moment: where the points are, the rule of now, and the rules beside it.
import { contour } from "./contour.js";
import { scoresAnywhere } from "./kernel.js";
import { projected } from "./project.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./film.js").Moment} Moment */
/** @typedef {ReturnType<typeof sceneOf>} Scene */

/** @param {Model} model @param {Moment} moment */
export function sceneOf(model, moment) {
  const { data, run, replay, verdict, ghost, revealed, settings } = model, { over, done } = moment;
  const flat = data.d === 2, [before, after] = [done, Math.min(done + 1, replay.steps)], { shown } = run.rows;
  const ended = revealed && over, plain = flat && !replay.curved;
  const w = flat ? replay.between(moment) : replay.at(moment.turn < 0.5 ? before : after);
  const common = {
    n: data.n, y: data.y, k: data.classes.length, shown, classes: data.classes, names: flat ? data.names : ["", ""], flat,
    w, moving: model.moving, wrong: wrongOf(model, moment, w), moment,
    /** @type {ArrayLike<number> | null} */ line: null, /** @type {any} */ curve: null, /** @type {ArrayLike<number> | null} */ star: null, band: 0,
    /** @type {ArrayLike<number> | null} */ past: null, /** @type {ArrayLike<number> | null} */ kept: null, /** @type {any} */ conflict: null,
  };
  if (!flat) {
    const { xs, ys, line } = projected(data, w);
    return { ...common, xs, ys, line };
  }
  const side = (/** @type {number} */ axis) => Float64Array.from({ length: data.n }, (_, i) => data.x[2 * i + axis]);
  const scene = { ...common, xs: side(0), ys: side(1) };
  if (!plain) return { ...scene, curve: curveOf(model, moment) };
  const told = ended ? { star: verdict.geometric?.w ?? (replay.many ? verdict.homogeneous : null) ?? null, band: verdict.geometric?.margin ?? 0, conflict: verdict.conflict ?? null } : {};
  const former = ghost && !ghost.curved && ghost.size === replay.size ? ghost.at(ghost.steps) : null;
  const earlier = ghost ? former : moment.turn > 0 || over ? replay.at(over ? Math.max(done - 1, 0) : before) : done ? replay.at(done - 1) : null;
  const kept = settings.keep === "last" ? null : run.kept ? replay.keptAt(moment.turn > 0.5 ? after : before).w : over ? run.returned : null;
  return { ...scene, line: w, ...told, past: earlier, kept };
}

/** Which points are on the wrong side now; of zero weights none is said to be. @param {Model} model @param {Moment} moment @param {ArrayLike<number>} w */
function wrongOf({ run, replay, data }, moment, w) {
  const found = new Uint8Array(data.n);
  if (!moment.done && !moment.turn) return found;
  const scores = replay.scoresOf(w, moment), { y, k = 2 } = run.rows;
  for (let i = 0; i < data.n; ++i) {
    if (!replay.many) found[i] = y[i] * scores[i] > 0 ? 0 : 1;
    else for (let c = 0; c < k; ++c) if (c !== y[i] && !(scores[i * k + y[i]] > scores[i * k + c])) found[i] = 1;
  }
  return found;
}

/** @type {{replay: any, step: number, field: any}[]} */ let fields = []; // of the last curves

/** The curve of a kernel, between two steps a blend of both. @param {Model} model @param {Moment} moment */
function curveOf({ data, run, replay }, { done, turn }) {
  const at = (/** @type {number} */ step) => {
    let found = fields.find((one) => one.replay === replay && one.step === step);
    if (!found) {
      const beta = replay.at(step), scores = scoresAnywhere(data, run.settings, beta);
      found = { replay, step, field: contour(scores, beta.length / (data.n + 1), run.rows.shown) };
      fields = [found, ...fields].slice(0, 3);
    }
    return found.field;
  };
  if (!done && !turn) return null;
  return (/** @type {import("./plane.js").Screen} */ screen) => (turn && turn < 1 ? at(done)(screen, at(done + 1), turn) : at(turn ? done + 1 : done)(screen));
}
