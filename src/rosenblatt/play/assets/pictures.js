// @ts-check
// The small pictures beside the board, one of them large. Each is drawn for the moment that the board shows.
import { letterOf } from "./board.js";
import { KINDS, classNumber } from "./classes.js";
import { h, s } from "./dom.js";
import { glyph } from "./drawing.js";
import { kernelOf } from "./kernel.js";
import { Screen, around, clipped, corners, crossing, ticks } from "./plane.js";
import { tag } from "./words.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./film.js").Moment} Moment */
/** @typedef {import("./strings.js").Say} Say */
/** @typedef {{model: Model, moment: Moment, say: Say, width: number, height: number, large: boolean, step: number, end: boolean}} State `step` counts parts of steps, too; at the `end` nothing is hidden */

const MOST_PLACES = 150, MOST_STACKED = 160;

/** @type {WeakMap<any, Record<string, any>>} */ const kept = new WeakMap();

/** What is computed once for a run. @param {any} replay @param {string} name @param {() => any} make */
function once(replay, name, make) {
  const known = kept.get(replay) ?? {};
  kept.set(replay, known);
  return (known[name] ??= make());
}

/** At most so many of 0 … n, evenly, always both ends. @param {number} n */
function some(n) {
  const step = Math.max(n / MOST_PLACES, 1), found = [];
  for (let k = 0; k < n; k += step) found.push(Math.floor(k));
  return [...found, n];
}

/** @param {number[][]} points @param {string} kind */
const curve = (points, kind) => s("polyline", { class: `curve ${kind}`, points: points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ") });

/** @param {Model} model @param {number} i */
const kindAt = ({ run: { rows: { k, y, shown } } }, i) => KINDS[shown[classNumber(k, y[i])]];

/** Axes of whole numbers: what is drawn of them, and the way to pixels. @param {State} state @param {number} wide @param {number} tall */
function axes({ width, height, say }, wide, tall) {
  const left = 14 + 6 * say.count(Math.max(Math.round(tall), 1)).length, x = (/** @type {number} */ v) => left + (v / Math.max(wide, 1)) * (width - left - 10), y = (/** @type {number} */ v) => height - 20 - (v / Math.max(tall, 1)) * (height - 34);
  const whole = ticks(0, Math.max(tall, 1), height > 120 ? 4 : 2).filter(Number.isInteger);
  const shapes = whole.flatMap((v) => [s("path", { class: v ? "grid" : "axis", d: `M${left} ${y(v)}H${width - 8}` }), s("text", { class: "tick end", x: left - 5, y: y(v) + 4 }, say.count(v))]);
  return { x, y, shapes, each: (width - left - 10) / Math.max(wide, 1) };
}

// --- Mistakes in each epoch ------------------------------------------------------------------------

/** @param {State} state */
function epochs(state) {
  const { model, moment, say, width, height, step, end } = state, { run, replay, time: { film } } = model, epoch = film.epochOf(moment), made = replay.edges[Math.floor(step)], all = run.mistakes;
  const per = run.settings.order === "batch" ? 1 : run.rows.n, of = Array.from({ length: made }, (_, u) => Math.floor(run.visit[u] / per) + 1), so = new Array(epoch + 1).fill(0);
  for (const e of of) ++so[e];
  const columns = Math.max(end ? all.length : epoch, 6), most = Math.max(3, ...(end ? all : so)), { x, y, shapes, each: wide } = axes(state, columns, most);
  const r = Math.min(9, wide / 3.4, (height - 34) / most / 2.5), tall = new Array(epoch + 1).fill(0);
  if (r > 2.2 && made <= MOST_STACKED) { // each mistake in the shape of its class
    shapes.splice(0, shapes.length, s("path", { class: "axis", d: `M${x(0)} ${y(0)}H${width - 8}` }));
    of.forEach((e, u) => shapes.push(glyph(kindAt(model, run.row[u]), r, x(e - 0.5), y(0) - 4 - r - 2.5 * r * tall[e]++, u === made - 1 && !moment.over ? { class: `glyph ${kindAt(model, run.row[u])} here` } : {})));
  } else {
    const each = Math.ceil(4 / wide); // epochs of one bar: their mean
    for (let e = 1; e <= epoch; e += each) {
      const some = so.slice(e, e + each), m = some.reduce((sum, v) => sum + v, 0) / some.length;
      shapes.push(s("rect", { class: epoch - e < each ? "bar here" : "bar", x: x(e - 0.86), y: y(m), width: Math.max((each - 0.28) * wide, 1), height: y(0) - y(m) }));
    }
  }
  const every = Math.ceil((8 + 8 * String(columns).length) / wide);
  for (let e = every; e <= epoch; e += every) if (e === epoch || e + every <= epoch) shapes.push(s("text", { class: "tick middle", x: x(e - 0.5), y: height - 6 }, say.count(e)));
  if (epoch) shapes.push(s("text", { class: "tick middle now", x: Math.min(x(epoch - 0.5), width - 4 - 4 * String(epoch).length), y: height - 6 }, say.count(epoch)));
  return { shapes, note: say.parts(moment.over && run.stop === "clean" ? "note.epochs.none" : "note.epochs", { made }) };
}

// --- The proof: how long w is after k updates, between two walls ---------------------------------------

/** ‖w‖ after every step, from the scores: ‖w + yx‖² = ‖w‖² + 2ys + ‖x‖², with a kernel just so. @param {Model} model */
const lengths = ({ replay, run }) => once(replay, "lengths", () => {
  const { rows: { x, y, n, d }, settings: { intercept, kernel = "none", gamma = 1, degree = 2 } } = run, value = replay.curved ? kernelOf(kernel, gamma, degree) : null;
  const squares = Float64Array.from({ length: n }, (_, i) => (value ? value(x, i, x, i, d) : x.subarray(i * d, i * d + d).reduce((/** @type {number} */ sum, /** @type {number} */ v) => sum + v * v, 0)) + (intercept ? 1 : 0));
  const found = [0], many = replay.many;
  for (let u = 0, square = 0; u < run.row.length; ++u) {
    const i = run.row[u];
    square += many ? 2 * run.score[u] + 2 * squares[i] : 2 * y[i] * run.score[u] + squares[i];
    found.push(Math.sqrt(Math.max(square, 0)));
  }
  return { found, beta: Math.sqrt((many ? 2 : 1) * squares.reduce((most, v) => Math.max(most, v), 0) + 2 * run.settings.margin) };
});

/** @param {State} state */
function proof({ model, moment, say, width, height, large, step, end }) {
  const { replay, verdict, revealed, run } = model, { found, beta } = lengths(model), shapes = [], told = revealed && verdict.bound !== undefined && !replay.curved;
  const bound = told ? Number(verdict.bound) : 0, reached = end ? replay.steps : Math.max(step, 1), most = Math.max(told ? bound : reached * 2, 10);
  const [left, right, top, low] = [14, width - 14, 12, height - 20], lowest = told ? Math.min(verdict.gamma, ...found.slice(1)) : Math.min(...found.slice(1, Math.ceil(reached) + 1), beta / 2) * 0.7;
  const high = Math.max(beta * Math.sqrt(most * 1.25), ...(end ? found : []));
  const x = (/** @type {number} */ k) => left + (Math.log(Math.max(k, 1)) / Math.log(most * 1.25)) * (right - left);
  const y = (/** @type {number} */ v) => low - (Math.log(Math.max(v, lowest) / lowest) / Math.log(high / lowest)) * (low - top);
  const last = most * 1.25, path = (/** @type {number[][]} */ points) => `M${points.map(([a, b]) => `${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("L")}`;
  if (told) shapes.push(s("path", { class: "corridor", d: `${path([[1, verdict.gamma], [bound, bound * verdict.gamma], [1, beta]])}Z` }), s("path", { class: "wall low", d: path([[1, verdict.gamma], [last, last * verdict.gamma]]) }), s("path", { class: "wall closes", d: `M${x(bound)} ${y(bound * verdict.gamma)}V${low}` }));
  shapes.push(s("path", { class: "wall", d: path([[1, beta], [last, beta * Math.sqrt(last)]]) }));
  const places = some(Math.floor(step)).filter((t) => t > 0), points = places.map((t) => [x(t), y(found[t])]);
  const [before, after] = [found[Math.floor(step)], found[Math.ceil(step)]];
  if (step) points.push([x(step), y(before + (step % 1) * (after - before))]);
  if (points.length) shapes.push(curve(points, "ink"), s("circle", { class: "ink-fill", cx: points.at(-1)?.[0], cy: points.at(-1)?.[1], r: 4.5 }));
  if (large) {
    const radius = replay.many || run.settings.margin > 0 ? "β" : "R";
    const along = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ dy, /** @type {string} */ kind, /** @type {string} */ words) => s("text", { class: `wall-name middle ${kind}`, transform: `translate(${(x(1) + x(last)) * 0.45} ${y(from) + 0.45 * (y(to) - y(from))}) rotate(${(Math.atan2(y(to) - y(from), x(last) - x(1)) * 180) / Math.PI})`, dy }, words);
    shapes.push(along(beta, beta * Math.sqrt(last), -7, "", say("chart.above", { radius })), ...(told ? [along(verdict.gamma, last * verdict.gamma, 15, "good", say("chart.below"))] : []));
  }
  for (const k of decades(most, width)) if (!told || Math.abs(x(k) - x(bound)) > 24) shapes.push(s("text", { class: "tick middle", x: x(k), y: height - 6 }, say.count(k)));
  if (told) shapes.push(s("text", { class: "tick middle now", x: Math.min(x(bound), width - 4 - 4 * String(bound).length), y: height - 6 }, say.count(verdict.bound)));
  const how = replay.curved ? ".kernel" : told ? "" : revealed ? ".none" : ".hidden";
  return { shapes, note: say.parts(`note.proof${how}`, told ? { bound: verdict.bound, radius: say.number(verdict.radius), gamma: say.number(verdict.gamma) } : {}) };
}

/** Round numbers of a log axis, as many as there is room for. @param {number} most @param {number} width */
function decades(most, width) {
  const decades = Math.log10(most) + 1, each = width / decades, steps = each > 110 ? [1, 2, 5] : each > 42 ? [1] : [], found = [1];
  for (let p = 1; p <= most; p *= steps.length ? 10 : 100) found.push(...(steps.length ? steps : [1]).map((k) => k * p).filter((k) => k > 1 && k <= most));
  return found;
}

// --- The plane of w ------------------------------------------------------------------------------------

/** Each point is a line in the space of weights, and w a point that must get to one side of all. @param {State} state */
function space(state) {
  const { model, moment, say, width, height, end } = state, { replay, run, data } = model, { one } = replay, now = replay.between(moment), { shown } = run.rows;
  const reached = end ? replay.steps : Math.min(moment.done + 1, replay.steps), classes = replay.many ? shown.map((_, c) => c) : [0];
  const path = (/** @type {number} */ c, /** @type {number} */ until) => some(until).map((t) => /** @type {[number, number]} */ ([replay.at(t)[c * one], replay.at(t)[c * one + 1]]));
  const seen = classes.flatMap((c) => path(c, reached)), { x0, x1, y0, y1 } = around([[0, 0], ...seen]), [cx, cy] = [(x0 + x1) / 2, (y0 + y1) / 2];
  const unit = Math.max((x1 - x0) / Math.max(width - 44, 20), (y1 - y0) / Math.max(height - 40, 20), 1e-300);
  const screen = new Screen({ x0: cx - (unit * width) / 2, x1: cx + (unit * width) / 2, y0: cy - (unit * height) / 2, y1: cy + (unit * height) / 2 }, width, height);
  const [ox, oy] = screen.to(0, 0), shapes = [s("path", { class: "axis", d: `M0 ${oy}H${width}M${ox} 0V${height}` })];
  let region = corners(screen.view), note = say.parts("note.space.many");
  if (!replay.many) {
    const { x, y, n } = run.rows, half = (/** @type {number} */ i) => [y[i] * x[2 * i], y[i] * x[2 * i + 1], y[i] * now[2]], speaking = new Set(moment.rows);
    if (model.revealed) for (let i = 0; i < n; ++i) region = clipped(region, half(i));
    if (model.revealed && region.length > 2) shapes.push(s("polygon", { points: screen.path(region), class: "region" }));
    for (let i = 0; i < Math.min(n, 150); ++i) {
      const ends = crossing(screen.view, half(i)).map(([u, v]) => screen.to(u, v)), lit = speaking.has(i) && model.moving < 0;
      if (ends.length === 2) shapes.push(s("line", { x1: ends[0][0], y1: ends[0][1], x2: ends[1][0], y2: ends[1][1], class: `row-line ${kindAt(model, i)}${lit ? " lit" : ""}` }));
    }
    note = moment.rows.length === 1 ? say.parts("note.space", { point: tag(model, moment.rows[0]) }) : say.parts(model.revealed && moment.over && region.length > 2 && data.n ? "note.space.done" : "note.space.rest");
  }
  for (const c of classes) {
    const kind = replay.many ? KINDS[shown[c]] : "ink", trail = path(c, moment.done).map(([u, v]) => screen.to(u, v)), at = screen.to(now[c * one], now[c * one + 1]);
    shapes.push(curve([...trail, at], `trail ${kind}`), ...(trail.length <= 60 ? trail.map(([px, py]) => s("circle", { class: `${kind}-fill`, cx: px, cy: py, r: 2 })) : []), s("circle", { class: `${kind}-fill`, cx: at[0], cy: at[1], r: 5 }));
    shapes.push(s("text", { class: "vector-name", x: Math.min(at[0] + 9, width - 16), y: Math.max(at[1] - 7, 16) }, "w"));
  }
  return { shapes, note };
}

// --- Mistakes after every update, of the last weights and of those kept ---------------------------------

/** @param {Model} model */
const counts = ({ replay, run }) => once(replay, "counts", () => some(replay.steps).map((t) => {
  const { y, n, k = 2 } = run.rows, scores = replay.scoresOf(replay.at(t), { done: t, turn: 0 });
  let wrong = 0;
  for (let i = 0; i < n; ++i) {
    let right = true;
    if (!replay.many) right = y[i] * scores[i] > 0;
    else for (let c = 0; c < k; ++c) right &&= c === y[i] || scores[i * k + y[i]] > scores[i * k + c];
    if (!right) ++wrong;
  }
  return [t, wrong];
}));

/** @param {State} state */
function pocket(state) {
  const { model, moment, say, width, height, step, end } = state, { replay, run } = model, all = counts(model), until = Math.floor(step), most = end ? replay.steps : Math.max(until, 10);
  const { x, y, shapes } = axes(state, most, Math.max(...all.map(([, m]) => m), 1)), seen = all.filter(([t]) => t <= until), [at, now] = seen[seen.length - 1];
  for (const t of ticks(0, Math.max(most, 1), 3)) if (t && Number.isInteger(t)) shapes.push(s("text", { class: "tick middle", x: Math.min(x(t), width - 4 - 4 * String(t).length), y: height - 6 }, say.count(t)));
  shapes.push(curve(seen.map(([t, m]) => [x(t), y(m)]), "quiet"), s("circle", { class: "ink-fill", cx: x(at), cy: y(now), r: 4 }));
  if (!run.kept) return { shapes, note: say.parts("note.pocket", { now }) };
  const stairs = [], { changes } = run.kept, edge = replay.edges[until], place = (/** @type {number} */ u) => (run.settings.order === "batch" ? replay.edges.findIndex((e) => e >= u) : u);
  for (const [a, { updates, mistakes }] of changes.entries())
    if (updates <= edge) stairs.push([x(place(updates)), y(mistakes)], [x(place(Math.min(changes[a + 1]?.updates ?? edge, edge))), y(mistakes)]);
  shapes.push(curve(stairs, "kept-curve"));
  return { shapes, note: say.parts("note.pocket.kept", { now, kept: replay.keptAt(until).mistakes }) };
}

// --- The dual form: how often each row was used ------------------------------------------------------------

/** @param {State} state */
function dual(state) {
  const { model, moment: { rows }, say, height, step, end } = state, { run, replay, data: { n } } = model, found = run.counts(replay.edges[Math.floor(step)]);
  const { x, y, shapes, each: wide } = axes(state, n, Math.max(...(end ? run.counts() : found), 3)), last = rows.length === 1 ? rows[0] : -1;
  const every = Math.ceil((8 + 7 * (n > 26 ? String(n).length : 1)) / wide);
  for (let i = 0; i < n; ++i) {
    if (found[i]) shapes.push(s("rect", { class: `glyph ${kindAt(model, i)}${i === last ? " here" : ""}`, x: x(i + 0.12), y: y(found[i]), width: Math.max(0.76 * wide, 0.8), height: y(0) - y(found[i]) }));
    if (i % every === 0) shapes.push(s("text", { class: "tick middle", x: x(i + 0.5), y: height - 6 }, letterOf(i, n)));
  }
  return { shapes, note: last < 0 ? say.parts("note.dual") : say.parts("note.dual.point", { point: tag(model, last), count: found[last] }) };
}

// --- All of them --------------------------------------------------------------------------------------------

/** What a training does not have is not offered. @type {Record<string, {draw: (state: State) => {shapes: any[], note: any[]}, offered: (model: Model) => boolean}>} */
const VIEWS = {
  space: { draw: space, offered: ({ data, replay }) => data.n > 0 && data.d === 2 && !replay.curved },
  proof: { draw: proof, offered: ({ run, data }) => data.n > 0 && run.settings.order !== "batch" },
  epochs: { draw: epochs, offered: () => true },
  pocket: { draw: pocket, offered: ({ data }) => data.n > 0 },
  dual: { draw: dual, offered: ({ data }) => data.n > 0 },
};

export class Pictures {
  /** @param {Say} say @param {Model} model @param {{view: string}} chosen which one is large */
  constructor(say, model, chosen) {
    this.say = say;
    this.model = model;
    this.chosen = chosen;
    this.laid = "";
    this.figures = Object.entries(VIEWS).map(([name, view]) => {
      const svg = s("svg", { "aria-hidden": "true" }), note = h("span", { class: "note" });
      const caption = h("figcaption", {}, h("b", {}, say(`view.${name}`)), " ", note);
      const open = h("button", { type: "button", class: "enlarge", "aria-label": say(`view.${name}`), onclick: () => { chosen.view = name; this.show(model.time.moment); } });
      return { ...view, name, svg, note, open, width: 0, height: 0, element: h("figure", { class: name }, caption, svg, open) };
    });
    this.element = h("div", { class: "views", role: "group", "aria-label": say("view.title") }, this.figures.map(({ element }) => element));
  }

  measure() {
    for (const figure of this.figures) [figure.width, figure.height] = [figure.svg.clientWidth, figure.svg.clientHeight];
  }

  /** Which are there, and which is large. */
  lay() {
    const offered = this.figures.filter((one) => one.offered(this.model)), large = offered.find(({ name }) => name === this.chosen.view) ?? offered[0];
    for (const figure of this.figures) {
      figure.element.hidden = !offered.includes(figure);
      figure.element.classList.toggle("large", figure === large);
      figure.open.setAttribute("aria-pressed", String(figure === large));
    }
    return { offered, large };
  }

  /** @param {Moment} moment */
  show(moment) {
    const { model, say } = this, laid = this.laid, { offered, large } = this.lay(), now = offered.map(({ name }) => name).join() + large?.name;
    if (now !== laid) this.measure(); // others have come, or gone
    this.laid = now;
    const { rows, done, turn, over } = moment, step = over ? model.replay.steps : done + (rows.length ? turn : 0);
    for (const figure of offered) {
      const { width, height } = figure;
      if (!width) continue;
      const { shapes, note } = figure.draw({ model, moment, say, width, height, large: figure === large, step, end: model.revealed });
      figure.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      figure.svg.replaceChildren(...shapes);
      figure.note.replaceChildren(...note);
    }
  }
}

