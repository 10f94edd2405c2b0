// @ts-check
// The charts beside the board: each is one picture of the run up to the step that is shown.
import { KINDS, classNumber } from "./classes.js";
import { number, s } from "./dom.js";
import { Screen, clipped, corners, crossing, ticks } from "./plane.js";

const WIDE = 560, TALL = 280, LEFT = 54, LOW = 34, TOP = 12, RIGHT = 14;

/** Axes around a picture, and the way from numbers to the screen. @param {[number, number]} xs @param {[number, number]} ys @param {string} xName @param {string} label */
function frame(xs, ys, xName, label) {
  const [w, t] = [WIDE - LEFT - RIGHT, TALL - LOW - TOP];
  const screen = new Screen({ x0: xs[0], x1: xs[1], y0: ys[0], y1: ys[1] }, w, t);
  const to = (/** @type {number} */ x, /** @type {number} */ y) => {
    const [px, py] = screen.to(x, y);
    return [LEFT + px, TOP + py];
  };
  const shapes = [];
  for (const y of ticks(ys[0], ys[1], 4)) {
    const [, py] = to(0, y);
    shapes.push(s("line", { x1: LEFT, x2: WIDE - RIGHT, y1: py, y2: py, class: y === 0 ? "axis" : "grid" }),
      s("text", { x: LEFT - 6, y: py + 4, class: "tick end" }, number(y, 4)));
  }
  for (const x of ticks(xs[0], xs[1], 6)) {
    if (xName && Math.round(x) !== x) continue; // there is no update 1.5
    const [px] = to(x, 0);
    shapes.push(s("text", { x: px, y: TALL - LOW + 16, class: "tick middle" }, number(x, 6)));
  }
  shapes.push(s("text", { x: WIDE - RIGHT, y: TALL - 3, class: "name end" }, xName));
  const svg = s("svg", { viewBox: `0 0 ${WIDE} ${TALL}`, role: "img", "aria-label": label, class: "chart" }, shapes);
  const line = (/** @type {[number, number][]} */ points, /** @type {string} */ kind) => svg.append(
    s("polyline", { points: points.map(([x, y]) => to(x, y).map((v) => v.toFixed(1)).join(",")).join(" "), class: `curve ${kind}` }));
  return { svg, to, line };
}

/** At most so many of 0 … n, evenly, always both ends. @param {number} n @param {number} most */
function some(n, most) {
  const step = Math.max(n / most, 1), found = [];
  for (let k = 0; k < n; k += step) found.push(Math.floor(k));
  return [...found, n];
}

/** Mistakes in each epoch; the one shown stands out. @param {any} state @param {import("./strings.js").Say} say */
export function mistakes({ run, replay, step }, say) {
  const all = run.mistakes, e = all.length;
  const { svg, to, line } = frame([0.5, Math.max(e, 4) + 0.5], [0, Math.max(...all, 1) * 1.08], say("chart.epoch"), say("chart.mistakes"));
  if (e > 120) line(all.map((/** @type {number} */ m, /** @type {number} */ k) => [k + 1, m]), "first");
  else all.forEach((/** @type {number} */ m, /** @type {number} */ k) => {
    const [x0, y0] = to(k + 0.62, m), [x1, y1] = to(k + 1.38, 0);
    const here = k + 1 === replay.epochOf(step);
    svg.append(s("rect", { x: x0, y: y0, width: x1 - x0, height: Math.max(y1 - y0, 1), class: here ? "bar here" : "bar" }));
  });
  if (e > 120) mark(svg, to, replay.epochOf(step));
  return svg;
}

/** @param {any} svg @param {any} to @param {number} x */
function mark(svg, to, x) {
  const [px] = to(x, 0);
  svg.append(s("line", { x1: px, x2: px, y1: TOP, y2: TALL - LOW, class: "now" }));
}

/** kγ <= ⟨w, ŵ*⟩ <= ‖w‖ <= √k β: the proof of convergence, closing in. @param {any} state @param {import("./strings.js").Say} say */
export function squeeze({ replay, step, verdict }, say) {
  const w = verdict.homogeneous, length = Math.hypot(...w), k = replay.steps, beta = verdict.beta;
  const bound = Number(verdict.bound), end = bound <= 8 * k ? bound : k;
  const at = some(k, 240), norms = [], products = [];
  for (const t of at) {
    const now = replay.at(t);
    norms.push([t, Math.hypot(...now)]);
    products.push([t, now.reduce((/** @type {number} */ sum, /** @type {number} */ v, /** @type {number} */ j) => sum + v * w[j], 0) / length]);
  }
  const highest = Math.max(Math.sqrt(end) * beta, end * verdict.gamma) * 1.04;
  const { svg, to, line } = frame([0, Math.max(end, 1)], [0, highest], say("chart.updates"), say("chart.squeeze"));
  line(some(end, 120).map((t) => [t, Math.sqrt(t) * beta]), "limit");
  line([[0, 0], [end, end * verdict.gamma]], "limit");
  line(/** @type {any} */ (norms), "first");
  line(/** @type {any} */ (products), "second");
  mark(svg, to, step);
  return svg;
}

/** Mistakes of the last weights after every step, and of those kept. @param {any} state @param {import("./strings.js").Say} say */
export function pocket({ replay, step, run }, say) {
  const { x, y, n, d, k } = run.rows;
  const score = (/** @type {ArrayLike<number>} */ w, /** @type {number} */ i, /** @type {number} */ at) => {
    let sum = w[at + d];
    for (let j = 0; j < d; ++j) sum += w[at + j] * x[i * d + j];
    return sum;
  };
  const right = (/** @type {ArrayLike<number>} */ w, /** @type {number} */ i) => {
    if (!replay.many) return y[i] * score(w, i, 0) > 0;
    const own = score(w, i, y[i] * (d + 1));
    for (let c = 0; c < k; ++c) if (c !== y[i] && !(own > score(w, i, c * (d + 1)))) return false;
    return true;
  };
  const count = (/** @type {ArrayLike<number>} */ w) => {
    let wrong = 0;
    for (let i = 0; i < n; ++i) if (!right(w, i)) ++wrong;
    return wrong;
  };
  const last = some(replay.steps, 300).map((t) => [t, count(replay.at(t))]);
  const { svg, to, line } = frame([0, Math.max(replay.steps, 1)], [0, Math.max(...last.map(([, m]) => m), 1) * 1.06], say("chart.updates"), say("chart.pocket"));
  line(/** @type {any} */ (last), "second thin");
  if (run.kept) {
    const changes = run.kept.changes, stairs = [];
    for (let k = 0; k < changes.length; ++k) {
      const until = k + 1 < changes.length ? changes[k + 1].updates : run.updates;
      stairs.push([changes[k].updates, changes[k].mistakes], [until, changes[k].mistakes]);
    }
    const steps = run.settings.order === "batch" ? stairs.map(([u, m]) => [replay.edges.findIndex((/** @type {number} */ v) => v >= u), m]) : stairs;
    line(/** @type {any} */ (steps), "first");
  }
  mark(svg, to, step);
  return svg;
}

/** How a label is shown. @param {any} rows @param {number} label */
const kindOf = ({ k, shown }, label) => KINDS[shown[classNumber(k, label)]];

/** How often each row has been added so far: the dual form. @param {any} state @param {import("./strings.js").Say} say */
export function counts({ replay, step, run }, say) {
  const found = run.counts(replay.edges[step]), { n, y } = run.rows;
  const top = Math.max(...found, 1);
  const { svg, to } = frame([-0.5, Math.max(n, 4) - 0.5], [0, top * 1.08], say("chart.row"), say("chart.counts"));
  for (let i = 0; i < n; ++i) {
    if (!found[i]) continue;
    const [x0, y0] = to(i - 0.4, found[i]), [x1, y1] = to(i + 0.4, 0);
    svg.append(s("rect", { x: x0, y: y0, width: Math.max(x1 - x0, 0.8), height: y1 - y0, class: `bar ${kindOf(run.rows, y[i])}` }));
  }
  return svg;
}

// --- Two that show the plane of w ------------------------------------------------------------------

/** A square picture around points of the plane of w. @param {[number, number][]} points @param {string} label */
function plane(points, label) {
  const far = Math.max(...points.map(([x, y]) => Math.max(Math.abs(x), Math.abs(y))), 1e-300) * 1.25;
  const screen = new Screen({ x0: -far, x1: far, y0: -far, y1: far }, 360, 360);
  const [ox, oy] = screen.to(0, 0);
  const svg = s("svg", { viewBox: "0 0 360 360", role: "img", "aria-label": label, class: "chart square" },
    s("line", { x1: 0, x2: 360, y1: oy, y2: oy, class: "axis" }), s("line", { x1: ox, x2: ox, y1: 0, y2: 360, class: "axis" }),
    s("text", { x: 354, y: oy - 6, class: "name end" }, "w₁"), s("text", { x: ox + 6, y: 14, class: "name" }, "w₂"));
  return { svg, screen };
}

/** @param {any} screen @param {ArrayLike<number>} from @param {ArrayLike<number>} to @param {string} kind @param {string} name */
function vectorOf(screen, from, to, kind, name) {
  const [x1, y1] = screen.to(from[0], from[1]), [x2, y2] = screen.to(to[0], to[1]);
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 1) return [];
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = [[x2, y2], [x2 - 11 * ux - 5 * uy, y2 - 11 * uy + 5 * ux], [x2 - 11 * ux + 5 * uy, y2 - 11 * uy - 5 * ux]];
  return [s("line", { x1, y1, x2: x2 - 8 * ux, y2: y2 - 8 * uy, class: `vector ${kind}` }),
    s("polygon", { points: head.map((p) => p.join(",")).join(" "), class: `vector-head ${kind}` }),
    s("text", { x: (x1 + x2) / 2 - 14 * uy, y: (y1 + y2) / 2 + 14 * ux + 4, class: "vector-name" }, name)];
}

/** The update as a sum of vectors: w, then what is added, then the new w. @param {any} state @param {import("./strings.js").Say} say */
export function sum({ replay, step }, say) {
  if (replay.many) return sums(replay, step, say);
  const after = replay.at(step), before = replay.at(Math.max(step - 1, 0)), zero = [0, 0];
  const { svg, screen } = plane([before, after].map((w) => [w[0], w[1]]), say("chart.sum"));
  svg.append(...vectorOf(screen, zero, before, "old", step > 0 ? "w" : ""),
    ...vectorOf(screen, before, after, "added", step > 0 ? say("chart.added") : ""),
    ...vectorOf(screen, zero, after, "new", step > 0 ? "w′" : "w"));
  return svg;
}

/** Of many classes: those that the step has changed; before the first step there is none. @param {any} replay @param {number} step @param {import("./strings.js").Say} say */
function sums(replay, step, say) {
  const { one, run: { rows } } = replay, [before, after] = [replay.at(Math.max(step - 1, 0)), replay.at(step)];
  const of = (/** @type {ArrayLike<number>} */ w, /** @type {number} */ c) => /** @type {[number, number]} */ ([w[c * one], w[c * one + 1]]);
  const changed = step > 0 ? replay.changed(step) : [];
  const { svg, screen } = plane(changed.flatMap((/** @type {number} */ c) => [of(before, c), of(after, c)]), say("chart.sum"));
  for (const c of changed)
    svg.append(...vectorOf(screen, [0, 0], of(before, c), "old", ""), ...vectorOf(screen, of(before, c), of(after, c), "added", ""),
      ...vectorOf(screen, [0, 0], of(after, c), kindOf(rows, c), rows.classes[c]));
  return svg;
}

/** The weights of each class are a point. @param {any} state @param {import("./strings.js").Say} say */
function points({ replay, step, run: { rows } }, say) {
  const { one } = replay, at = (/** @type {number} */ t, /** @type {number} */ c) => /** @type {[number, number]} */ ([replay.at(t)[c * one], replay.at(t)[c * one + 1]]);
  const times = some(replay.steps, 300), classes = rows.classes.map((/** @type {string} */ _, /** @type {number} */ c) => c);
  const { svg, screen } = plane(classes.flatMap((/** @type {number} */ c) => times.map((t) => at(t, c))), say("chart.space"));
  for (const c of classes) {
    const trail = times.filter((t) => t < step).map((t) => at(t, c)), [cx, cy] = screen.to(...at(step, c));
    svg.append(s("polyline", { points: screen.path([...trail, at(step, c)]), class: `curve trail ${kindOf(rows, c)}` }),
      s("circle", { cx, cy, r: 6, class: `weights ${kindOf(rows, c)}` }), s("text", { x: cx, y: cy - 10, class: "vector-name" }, rows.classes[c]));
  }
  return svg;
}

/** Each row is a line in the space of weights, and w a point that must get to one side of all. @param {any} state @param {import("./strings.js").Say} say */
export function weightSpace(state, say) {
  const { replay, step, run } = state;
  if (replay.many) return points(state, say);
  const path = some(replay.steps, 300).map((t) => [replay.at(t)[0], replay.at(t)[1]]);
  const { svg, screen } = plane(/** @type {any} */ (path), say("chart.space"));
  const { x, y, n } = run.rows, now = replay.at(step), b = now[2];
  /** @type {any} */ let region = corners(screen.view);
  const halves = Array.from({ length: n }, (_, i) => [y[i] * x[2 * i], y[i] * x[2 * i + 1], y[i] * b]);
  for (const half of halves) region = clipped(region, half);
  if (region.length > 2) svg.append(s("polygon", { points: screen.path(region), class: "region" }));
  halves.slice(0, 150).forEach((half, i) => {
    const ends = crossing(screen.view, half).map(([u, v]) => screen.to(u, v));
    if (ends.length === 2)
      svg.append(s("line", { x1: ends[0][0], y1: ends[0][1], x2: ends[1][0], y2: ends[1][1], style: n > 40 ? "opacity: 0.3" : null, class: `row-line ${kindOf(run.rows, y[i])}` }));
  });
  const trail = path.slice(0, path.findIndex((_, k) => some(replay.steps, 300)[k] >= step) + 1);
  svg.append(s("polyline", { points: screen.path(/** @type {any} */ (trail)), class: "curve trail" }));
  const [cx, cy] = screen.to(now[0], now[1]);
  svg.append(s("circle", { cx, cy, r: 6, class: "weights" }), s("text", { x: cx + 9, y: cy - 7, class: "vector-name" }, "w"));
  return svg;
}
