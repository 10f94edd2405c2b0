// @ts-check
// The film strip under the board: the time axis itself, with a still for every step where there is room.
import { KINDS, classNumber } from "./classes.js";
import { letterOf } from "./board.js";
import { h, s } from "./dom.js";
import { glyph } from "./drawing.js";
import { Screen, borders, regions } from "./plane.js";

const ROOM = 15, NAMED = 34; // pixels of a step: for a still, and for the name of its row
const BAR = 1.5, MOST_TICKS = 60; // pixels of a bar, at least

export class Strip {
  /** @param {import("./strings.js").Say} say @param {import("./model.js").Model} model @param {import("./board.js").Board} board */
  constructor(say, model, board) {
    this.say = say;
    this.model = model;
    this.board = board;
    /** @type {any[]} */ this.drawn = [];
    this.svg = s("svg", { "aria-hidden": "true" });
    [this.width, this.height] = [0, 0];
    this.element = h("div", {
      class: "strip", role: "slider", tabindex: "0", "aria-label": say("time.slider"), "aria-valuemin": 0,
      onpointerdown: (/** @type {PointerEvent} */ e) => { this.element.setPointerCapture(e.pointerId); this.scrub(e); },
      onpointermove: (/** @type {PointerEvent} */ e) => e.buttons && this.scrub(e),
      onkeydown: (/** @type {KeyboardEvent} */ e) => this.key(e),
    }, this.svg);
  }

  measure() {
    [this.width, this.height] = [this.element.clientWidth, this.element.clientHeight];
  }

  /** @param {PointerEvent} event */
  scrub(event) {
    const box = this.element.getBoundingClientRect();
    this.model.time.seek(((event.clientX - box.left) / box.width) * this.model.time.film.length);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { time } = this.model, to = { ArrowRight: () => time.next(), ArrowLeft: () => time.back(), Home: () => time.seek(0), End: () => time.goTo(Infinity) }[event.key];
    if (!to) return;
    to();
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {string} words the sentence of now */
  show(words) {
    const { width, height, model: { time, replay } } = this;
    const its = [time.film, width, height, this.model.data.d === 2 && this.board.screen, document.documentElement.dataset.theme];
    if (its.some((v, a) => v !== this.drawn[a])) this.draw(width, height);
    this.drawn = its;
    const x = (/** @type {number} */ t) => (time.film.length ? (t / time.film.length) * width : 0), seen = x(time.reached);
    this.head.setAttribute("transform", `translate(${Math.min(Math.max(x(time.t), 3), width - 3)} 0)`);
    for (const rect of this.cover.children) { // what was not seen is not shown
      rect.setAttribute("x", seen + 1);
      rect.setAttribute("width", Math.max(width - seen - 1, 0));
    }
    this.element.setAttribute("aria-valuemax", replay.steps);
    this.element.setAttribute("aria-valuenow", time.step);
    if (!time.playing) this.element.setAttribute("aria-valuetext", words);
  }

  /** @param {number} width @param {number} height */
  draw(width, height) {
    const { model: { time: { film }, replay, run }, say } = this, top = 15, low = height - 14, x = (/** @type {number} */ t) => (film.length ? (t / film.length) * width : 0);
    const shapes = [s("rect", { class: "lane", y: top, width, height: Math.max(low - top, 0), rx: 6 })], room = x(film.update);
    let epoch = 0, shown = -Infinity;
    const mark = (/** @type {number} */ t, /** @type {number} */ now) => {
      if (now <= epoch) return;
      epoch = now;
      if (x(t) - shown < 12 + 8 * String(now).length || x(t) > width - 8 * String(now).length - 4) return;
      shapes.push(s("path", { class: "axis", d: `M${x(t)} 2V${low + 12}` }), s("text", { class: "tick", x: x(t) + 4, y: 11 }, epoch === 1 ? say("time.epoch", { epoch }) : say.count(epoch)));
      shown = x(t) + (epoch === 1 ? 40 : 0);
    };
    const step = Math.max(Math.ceil((BAR * replay.steps) / Math.max(width, 1)), 1), wide = Math.max(step * room - 0.6, 0.8);
    /** @type {Record<string, string>} */ const bars = {}; // a path of each kind
    for (let k = 1; k <= replay.steps; k += step) {
      const passing = film.passing[k - 1], at = film.begin[k - 1] + passing;
      mark(film.gaps[k - 1] ? film.begin[k - 1] : at, replay.epochOf(k));
      shapes.push(...this.passed(x(film.begin[k - 1]), x(at), film.gaps[k - 1], (top + low) / 2));
      const row = run.row[replay.edges[k - 1]], kind = this.kind(row), single = replay.edges[k] - replay.edges[k - 1] === 1;
      if (room < ROOM) {
        const half = (low - top) / 2, divided = run.rows.k === 2 && single, from = divided && run.rows.y[row] < 0 ? top + half : top + 2;
        bars[single ? kind : "ink"] = `${bars[single ? kind : "ink"] ?? ""}M${x(at).toFixed(1)} ${from}h${wide.toFixed(1)}v${(divided ? half : 2 * half) - 2}h${-wide.toFixed(1)}z`;
      } else shapes.push(...this.still(k, x(at), room, top, low, single ? row : -1, kind));
    }
    shapes.push(...Object.entries(bars).map(([kind, d]) => s("path", { class: `${kind}-fill`, d })));
    if (film.gaps[replay.steps]) mark(film.begin[replay.steps] + 1, run.mistakes.length);
    shapes.push(...this.passed(x(film.begin[replay.steps]), width, film.gaps[replay.steps], (top + low) / 2));
    if (run.stop === "clean") shapes.push(s("text", { class: "good middle", x: width - 8, y: height - 1 }, "✓"));
    if (run.stop === "cycle") shapes.push(s("text", { class: "cycle end", x: width - 12, y: 11 }, say("time.cycle", { then: run.cycle[0] })));
    this.cover = s("g", {}, s("rect", { class: "page-fill", y: 0, height }), s("rect", { class: "lane", y: top, height: Math.max(low - top, 0) }));
    this.head = s("g", { class: "ink-fill" }, s("path", { d: `M0 ${top - 7}V${low + 4}`, class: "head" }), s("circle", { cy: top - 8, r: 6.5 }));
    this.svg.replaceChildren(...shapes, this.cover, this.head);
  }

  /** @param {number} row */
  kind(row) {
    const { k, y, shown } = this.model.run.rows;
    return KINDS[shown[classNumber(k, y[row])]];
  }

  /** Points that are passed over. @param {number} from @param {number} to @param {number} gap @param {number} y */
  passed(from, to, gap, y) {
    const ticks = Math.min(gap, MOST_TICKS), each = (to - from) / ticks;
    return ticks && each > 1.5 ? [s("path", { class: "pass", d: Array.from({ length: ticks }, (_, j) => `M${(from + (j + 0.5) * each).toFixed(1)} ${y - 4}v8`).join("") })] : [];
  }

  /** The rule after step k; with a kernel how often its row was used by then. @param {number} k @param {number} x @param {number} room @param {number} top @param {number} low @param {number} row -1: many @param {string} kind */
  still(k, x, room, top, low, row, kind) {
    const { model: { replay, data, run }, board: { screen: whole } } = this, tall = low - top, wide = Math.min(room - 3, 1.5 * tall), shapes = [];
    if (replay.curved) shapes.push(s("text", { class: "middle ink", x: wide / 2, y: tall / 2 + 5 }, row < 0 ? "Σ" : run.counts(replay.edges[k])[row]));
    else if (data.d === 2) {
      const { x0, x1, y0, y1 } = whole.view, [cx, cy] = [(x0 + x1) / 2, (y0 + y1) / 2];
      const scale = Math.max((x1 - x0) / wide, (y1 - y0) / tall) / 1.25, [ux, uy] = whole.even ? [scale, scale] : [(x1 - x0) / wide, (y1 - y0) / tall];
      const screen = new Screen({ x0: cx - (ux * wide) / 2, x1: cx + (ux * wide) / 2, y0: cy - (uy * tall) / 2, y1: cy + (uy * tall) / 2 }, wide, tall), rule = replay.at(k);
      regions(screen.view, rule).forEach((polygon, c) => polygon.length > 2 && shapes.push(s("polygon", { points: screen.path(polygon), class: `${KINDS[run.rows.shown[c]]}-side` })));
      for (const ends of borders(screen.view, rule)) shapes.push(s("polyline", { points: screen.path(/** @type {any} */ (ends)), class: "still-rule" }));
      if (row >= 0) shapes.push(glyph(kind, wide < 36 ? 3 : 4.5, ...screen.to(data.x[2 * row], data.x[2 * row + 1])));
    } else if (row >= 0) shapes.push(glyph(kind, 5, wide / 2, tall / 2));
    const name = row < 0 ? "Σ" : replay.many || replay.curved ? letterOf(row, data.n) : `${run.rows.y[row] > 0 ? "+" : "−"}${letterOf(row, data.n)}`;
    return [s("svg", { x: x + (room - wide) / 2, y: top, width: wide, height: Math.max(tall, 0) }, s("rect", { class: "still", width: wide, height: Math.max(tall, 0), rx: 5 }), shapes),
      ...(room >= Math.min(NAMED, 8 * name.length + 6) ? [s("text", { class: `${row < 0 ? "ink" : kind} middle`, x: x + room / 2, y: low + 12 }, name)] : [])];
  }
}
