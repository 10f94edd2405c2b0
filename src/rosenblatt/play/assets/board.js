// @ts-check
// The board: points of two or three classes, what was learned and what is proved about them.
import { KINDS, SIGNS } from "./classes.js";
import { h, s } from "./dom.js";
import { arrow, conflictOf, cut, gapOf, gradientOf, gridOf, kindOf, named, paintPoints, pointOf, sidesOf, signOf, tinted } from "./drawing.js";
import { screenOf } from "./plane.js";

const MOST_SHAPES = 400; // from here on points are painted, not placed
const MOST_LETTERS = 26, MOST_STATES = 300;
const LONG = 1.3; // times as wide as the points: then w has outgrown them
let boards = 0;

/** Pixels around what is shown. @param {number} width */
const airOf = (width) => (width < 500 ? 24 : 44);

/** What a point is called. @param {number} i @param {number} n how many there are */
export const letterOf = (i, n) => (n <= MOST_LETTERS ? String.fromCharCode(65 + i) : String(i));

/** @typedef {import("./scene.js").Scene} Scene */

export class Board {
  /** @param {import("./strings.js").Say} say */
  constructor(say) {
    this.say = say;
    /** @type {Scene} */ this.scene = /** @type {any} */ (null);
    this.screen = screenOf([], [], 800, 500, 44);
    this.scale = 1; // of the arrows
    [this.width, this.height] = [0, 0];
    /** @type {any[]} */ this.fitted = []; // what the view was made for
    /** @type {any[]} */ this.painted = []; // what is on the canvas
    /** @type {any[]} */ this.placed = []; // what the points were made for
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.colours = KINDS.map((kind) => h("i", { class: kind, hidden: true }));
    this.gradient = gradientOf(`rosenblatt-tint-${++boards}`);
    this.ground = s("rect", { class: "ground" });
    [this.sides, this.grid, this.under, this.vectors, this.points, this.over] = ["sides", "lines", "under", "vectors", "points", "over"].map((name) => s("g", { class: name }));
    this.svg = s("svg", { tabindex: "0", role: "application", class: "board-svg" }, s("defs", {}, this.gradient), this.ground, this.sides, this.grid, this.under, this.vectors, this.points, this.over);
    this.call = h("div", { class: "call", hidden: true, "aria-hidden": "true" }, say("board.drag"));
    this.element = h("div", { class: "plane" }, this.canvas, this.svg, this.colours, this.call);
  }

  measure() {
    [this.width, this.height] = [this.element.clientWidth, this.element.clientHeight];
  }

  /** The view: anew for other points, another size, and where a point has left it. @param {Scene} scene @param {import("./model.js").Model} model */
  fit(scene, model) {
    const { width, height } = this, { xs, ys, n, flat } = scene;
    const its = [width, height, model.preset, model.table, flat && model.data.names, model.settings.kernel];
    const same = its.every((v, a) => v === this.fitted[a]);
    if (!width || (same && flat && (model.moving >= 0 || !this.outside(scene)))) return;
    this.fitted = its;
    const points = /** @type {[number, number][]} */ (Array.from({ length: n }, (_, i) => [xs[i], ys[i]]));
    const { scale, places } = flat && !model.replay.curved ? beside(model, points) : { scale: 1, places: [] };
    this.scale = scale;
    this.screen = screenOf(points, places, width, height, airOf(width));
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    for (const [name, v] of Object.entries({ width, height })) this.ground.setAttribute(name, v);
    this.grid.replaceChildren(...gridOf(this.screen, scene.names, this.say.number));
  }

  /** Whether a point is at the edge, where it could not be moved further. @param {Scene} scene */
  outside({ xs, ys, n }) {
    const { width, height } = this.screen, edge = airOf(width) - 4;
    for (let i = 0; i < n; ++i) {
      const [px, py] = this.screen.to(xs[i], ys[i]);
      if (px < edge || py < edge || px > width - edge || py > height - edge) return true;
    }
    return false;
  }

  /** @param {Scene} scene @param {import("./model.js").Model} model */
  draw(scene, model) {
    this.scene = scene;
    this.fit(scene, model);
    const { screen, say } = this, { line, curve, moment, past, kept, star, conflict } = scene, { replay } = model;
    const two = line && line.length === 3 ? line : null, under = [], over = [];
    const unit = scene.flat ? Math.max(...scene.xs.map((v, i) => v * v + scene.ys[i] ** 2), 1e-300) / 40 : Math.max(...scene.xs.map(Math.abs), 1e-300) / 20;
    this.ground.setAttribute("style", two ? tinted(screen, two, this.gradient, unit) : "fill: none");
    const sides = line && !two ? sidesOf(screen, line, scene.shown) : { shapes: [], middles: [] };
    this.sides.replaceChildren(...(curve ? curve(screen) : sides.shapes));
    if (star) {
      under.push(...gapOf(screen, star, scene.band));
      over.push(...named(screen, star, say("board.gap"), 0.9, "good"));
    }
    const fading = moment.rows.length && !moment.turn ? 1 - moment.look : 1;
    if (past) {
      under.push(s("g", { opacity: 0.55 * fading }, cut(screen, past, "ghost")));
      if (fading === 1 && (moment.rest || !moment.rows.length)) over.push(...named(screen, past, say("board.before"), 0.08, ""));
    }
    if (kept) {
      under.push(...cut(screen, kept, "kept"), ...cut(screen, kept, "kept-core"));
      over.push(...named(screen, kept, say(`keep.line.${model.settings.keep}`), 0.5, "ink"));
    }
    if (line) under.push(...cut(screen, line, "rule-case"), ...cut(screen, line, "rule"));
    const watched = model.moving < 0 && scene.flat && !replay.curved && screen.zero;
    this.vectors.replaceChildren(...(watched ? this.steps(scene, replay, over) : []));
    if (conflict) under.push(...conflictOf(screen, scene));
    if (two) over.push(...this.called(two));
    for (const { c, at: [x, y] } of sides.middles) over.push(s("text", { class: "side-name middle", x: Math.min(Math.max(x, 60), screen.width - 60), y }, this.name(c)));
    if (moment.done || moment.turn) over.push(s("text", { class: "count", x: 12, y: screen.height - 13 }, this.count(model)));
    this.under.replaceChildren(...under);
    this.over.replaceChildren(...over);
    this.place(model);
    this.svg.setAttribute("aria-label", say(scene.flat ? "board.label" : "board.label.fixed", { count: scene.n, columns: model.data.d }));
  }

  // --- Points ------------------------------------------------------------------------------------

  /** @param {number} i */
  at(i) {
    return this.screen.to(this.scene.xs[i], this.scene.ys[i]);
  }

  /** How near the two nearest points are, in pixels, but for those in one place. */
  apart() {
    const { n } = this.scene, places = Array.from({ length: n }, (_, i) => this.at(i));
    return Math.min(...places.flatMap(([x, y], i) => places.slice(i + 1).map(([u, v]) => Math.hypot(x - u, y - v) || Infinity)));
  }

  /** Points as shapes, with what is said of them now. @param {import("./model.js").Model} model */
  place(model) {
    const { scene, screen } = this, { n, y, moment, moving, wrong } = scene, few = n <= MOST_SHAPES;
    const its = few ? [n, y, screen] : [moving, screen];
    if (its.length !== this.placed.length || its.some((v, a) => v !== this.placed[a])) {
      const r = n <= MOST_LETTERS ? Math.max(Math.min(Math.max(0.235 * (screen.even ? screen.unit : 0), 9.5), 18, 0.48 * this.apart()), 5) : n <= 100 ? 6 : 4.5;
      const numbers = few ? [...Array(n).keys()] : moving >= 0 ? [moving] : [];
      this.points.replaceChildren(...numbers.map((i) => Object.assign(pointOf(kindOf(scene, i), r, n <= MOST_LETTERS ? letterOf(i, n) : ""), { row: i })));
    }
    this.placed = its;
    const speaking = moving < 0 && moment.rows.length > 0, lit = new Set(speaking ? moment.rows : []), conflict = new Set(scene.conflict?.rows);
    for (const group of this.points.children) {
      const { row } = group, [px, py] = this.at(row);
      group.setAttribute("transform", `translate(${px.toFixed(2)} ${py.toFixed(2)})`);
      const states = { wrong: wrong[row], lit: lit.has(row), passed: moment.passed === row && !moment.rows.length, selected: model.selected === row, held: conflict.has(row) };
      group.setAttribute("class", ["point", kindOf(scene, row), ...Object.entries(states).flatMap(([name, on]) => (on ? [name] : []))].join(" "));
    }
    this.points.classList.toggle("dim", speaking && !moment.rest);
    if (!few || this.painted.length) this.paint(few);
  }

  /** A point that words name stands out. @param {string | undefined} row */
  point(row) {
    for (const group of this.points.children) group.classList.toggle("named", row !== undefined && group.row === Number(row));
  }

  /** Many points, on the canvas below; that which a hand holds is above, so that the others stay as they are. @param {boolean} few */
  paint(few) {
    const { scene, screen } = this, { width, height } = screen, dots = Math.min(Math.ceil(devicePixelRatio || 1), 2);
    const now = few ? [] : [screen, scene.moving, scene.n, scene.y, dots, document.documentElement.dataset.theme];
    if (scene.flat && now.length === this.painted.length && now.every((v, a) => v === this.painted[a]) && (scene.moving >= 0 || scene.xs.every((v, i) => v === this.paintedAt[i]))) return;
    this.painted = now;
    this.paintedAt = scene.xs;
    [this.canvas.width, this.canvas.height] = [dots * width, dots * height]; // which clears it
    if (few) return;
    const pen = this.canvas.getContext("2d");
    pen.setTransform(dots, 0, 0, dots, 0, 0);
    paintPoints(pen, screen, scene, this.colours.map((sample) => getComputedStyle(sample).color)); // a canvas does not know light-dark()
  }

  // --- Words on it ---------------------------------------------------------------------------------

  /** A class by its sign, and by its label where that says more. @param {number} c @param {string} [key] */
  name(c, key = "board.called") {
    const label = this.scene.classes[c], plain = /^-?[0-9]+$/.test(label);
    return this.say.parts(key, { sign: signOf(c, "tspan") }).concat(plain ? [] : [` ${label}`]);
  }

  /** What both sides of a line are called, in the corners farthest from it. @param {ArrayLike<number>} line */
  called(line) {
    const { screen, say } = this, { width, height } = screen, { shown } = this.scene;
    const score = (/** @type {number} */ px, /** @type {number} */ py) => screen.from(px, py).concat(1).reduce((sum, v, j) => sum + v * line[j], 0);
    const places = [[14, 26, "start"], [width - 14, 26, "end"], [width - 14, height - 16, "end"], [14, height - 38, "start"]].map(([x, y, anchor]) => ({ x, y, anchor, score: score(Number(x), Number(y)) }));
    places.sort((a, b) => b.score - a.score);
    const text = (/** @type {any} */ at, /** @type {any[]} */ words) => s("text", { class: "side-name", x: at.x, y: at.y, "text-anchor": at.anchor }, words);
    if (!line[0] && !line[1]) return line[2] ? [text({ x: width / 2, y: 28, anchor: "middle" }, this.name(shown[line[2] > 0 ? 1 : 0], "board.every"))] : [];
    const first = places[0], last = places[3], found = [];
    if (first.score > 0) found.push(text(first, this.name(shown[1])));
    if (last.score < 0) found.push(text(last, this.name(shown[0])));
    if (first.score * last.score <= 0) return found;
    const near = first.score > 0 ? last : first, far = Math.abs(near.score) / Math.hypot(line[0], line[1]); // the line is outside of the picture
    return [...found, s("text", { class: "away", x: near.x, y: Number(near.y) + (Number(near.y) < 50 ? 22 : -22), "text-anchor": near.anchor }, say("board.away", { far: say.number(far) }))];
  }

  /** @param {import("./model.js").Model} model */
  count({ run, replay }) {
    const { wrong: all, n: count, moment } = this.scene, wrong = all.reduce((sum, v) => sum + v, 0);
    return run.kept ? this.say("board.pocket", { wrong, count, kept: replay.keptAt(moment.turn > 0.5 ? moment.done + 1 : moment.done).mistakes }) : this.say("board.wrong", { wrong, count });
  }

  // --- The update as a sum of vectors ----------------------------------------------------------------

  /** x grows from zero to its point, goes to the tip of w, and the tip of w goes along it. @param {Scene} scene @param {any} replay @param {any[]} over */
  steps({ w, moment, n, xs, ys, y, shown }, replay, over) {
    const { screen } = this, zero = screen.to(0, 0), scale = this.scale * screen.unit, shapes = [s("circle", { class: "ink-fill", cx: zero[0], cy: zero[1], r: 4 })];
    const tip = (/** @type {ArrayLike<number>} */ v, /** @type {number} */ at) => [zero[0] + scale * v[at], zero[1] - scale * v[at + 1]];
    const { rows, done, look, carry, rest } = moment, before = replay.at(done), after = rows.length ? replay.at(done + 1) : before, pale = rest ? 0.45 : 1;
    const changed = !rows.length ? [] : replay.many ? replay.changed(done + 1) : [0];
    for (let c = 0; c * 3 < replay.size; ++c) {
      const at = 3 * c, old = tip(before, at), place = changed.indexOf(c), name = replay.many ? KINDS[shown[c]] : "ink";
      if (place >= 0 && moment.turn && Math.hypot(before[at], before[at + 1])) shapes.push(...arrow(zero, old, `${name} former`));
      shapes.push(...arrow(zero, tip(w, at), name));
      if (w[at] || w[at + 1]) over.push(s("text", { class: "vector-name middle", ...beyond(zero, tip(w, at), 16), opacity: place >= 0 && moment.turn && !rest ? 0 : 1 }, replay.many ? `w${SIGNS[shown[c]]}` : "w"));
      if (place < 0) continue;
      const single = rows.length === 1, sign = !single ? 1 : replay.many ? (place ? -1 : 1) : y[rows[0]];
      const x = single ? [xs[rows[0]], ys[rows[0]]] : [after[at] - before[at], after[at + 1] - before[at + 1]];
      const short = 1 - (1 - carry) * Math.min(0.6, 25 / screen.unit / Math.max(Math.hypot(x[0], x[1]), 1e-9)); // it ends before the point
      const by = screen.unit * look * short * (1 + (sign * this.scale - 1) * carry);
      const from = [0, 1].map((a) => zero[a] + (old[a] - zero[a]) * carry), to = [from[0] + by * x[0], from[1] - by * x[1]];
      const kind = single && !replay.many ? KINDS[shown[sign > 0 ? 1 : 0]] : replay.many ? name : "ink";
      shapes.push(...arrow(from, to, `${kind} added`, { opacity: pale }));
      if (carry > 0.5) {
        const [dx, dy] = [to[0] - from[0], to[1] - from[1]], length = Math.hypot(dx, dy) || 1, out = Math.sign((from[0] - zero[0]) * dy - (from[1] - zero[1]) * dx) || 1;
        over.push(s("text", { class: `vector-name middle ${kind}`, x: from[0] + 0.55 * dx + (out * 20 * dy) / length, y: from[1] + 0.55 * dy - (out * 20 * dx) / length + 6, opacity: pale }, `${sign > 0 ? "+" : "−"}${single ? letterOf(rows[0], n) : "Σ"}`));
      }
    }
    return shapes;
  }
}

/** A place beyond the tip of an arrow. @param {number[]} from @param {number[]} to @param {number} by */
function beyond(from, to, by) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]], length = Math.hypot(dx, dy) || 1;
  return { x: to[0] + (by * dx) / length, y: to[1] + (by * dy) / length + 5 };
}

/** What should be seen beside the points: the tips of w, and the lines where they are nearest to zero. Arrows have the units of the points, unless w outgrows them. @param {import("./model.js").Model} model @param {[number, number][]} points */
function beside({ replay }, points) {
  const step = Math.max(Math.floor(replay.steps / MOST_STATES), 1), sides = [0, 1].map((a) => [Math.min(0, ...points.map((p) => p[a])), Math.max(0, ...points.map((p) => p[a]))]);
  const wide = Math.max(...sides.map(([low, high]) => high - low), 1e-300), tips = /** @type {[number, number][]} */ ([]), feet = /** @type {[number, number][]} */ ([]);
  for (let t = 0; t <= replay.steps; t += step)
    for (let c = 0; c < replay.size; c += 3) {
      const [a, b, shift] = replay.at(t).subarray(c, c + 3), square = a * a + b * b;
      tips.push([a, b]);
      if (square && !replay.many) feet.push([(-a * shift) / square, (-b * shift) / square]);
    }
  const longest = Math.max(...tips.map(([a, b]) => Math.hypot(a, b))), scale = longest > LONG * wide ? (0.4 * wide) / longest : 1;
  const near = feet.filter((foot) => foot.every((v, a) => v > sides[a][0] - 0.25 * wide && v < sides[a][1] + 0.25 * wide));
  return { scale, places: [...near, ...tips.map(([a, b]) => /** @type {[number, number]} */ ([scale * a, scale * b]))] };
}
