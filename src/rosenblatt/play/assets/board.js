// @ts-check
// The board: points of two classes, the line that was learned, and what is proved about them.
import { h, number, s, vector } from "./dom.js";
import { Screen, clipped, corners, crossing, ticks, viewOf } from "./plane.js";

const SIZE = 600, NEAR = 16, MOST_SHAPES = 400; // from here on points are painted, not placed

/**
 * @typedef {{
 *   xs: ArrayLike<number>, ys: ArrayLike<number>, y: ArrayLike<number>, n: number,
 *   line: ArrayLike<number> | null, star: ArrayLike<number> | null, band: number, ghost: ArrayLike<number> | null, kept: ArrayLike<number> | null,
 *   ringed: number[], conflict: {rows: number[], meeting: number[]} | null, names: string[], curve: any,
 * }} Scene
 */
export class Board {
  /** @param {import("./strings.js").Say} say @param {any} actions what a person can do */
  constructor(say, actions) {
    this.say = say;
    this.actions = actions;
    this.tool = "move";
    this.selected = -1;
    this.dragged = -1;
    this.editable = true;
    /** @type {Scene | null} */ this.scene = null;
    this.screen = new Screen({ x0: -4, x1: 4, y0: -4, y1: 4 }, SIZE, SIZE);
    this.canvas = h("canvas", { width: 2 * SIZE, height: 2 * SIZE, "aria-hidden": "true" });
    this.colours = [1, -1].map((sign) => ({ sign, sample: h("i", { class: sign > 0 ? "plus" : "minus", hidden: true }) }));
    this.svg = s("svg", {
      viewBox: `0 0 ${SIZE} ${SIZE}`, tabindex: "0", role: "application", class: "board-svg",
      onpointerdown: (/** @type {PointerEvent} */ e) => this.down(e),
      onpointermove: (/** @type {PointerEvent} */ e) => this.move(e),
      onpointerup: () => this.up(), onpointercancel: () => this.up(),
      onkeydown: (/** @type {KeyboardEvent} */ e) => this.key(e),
    });
    this.element = h("div", { class: "board" }, this.canvas, this.svg, this.colours.map(({ sample }) => sample));
  }

  /** The view follows the points, but not while one of them is moved. */
  fit() {
    if (this.scene) this.screen = new Screen(viewOf(this.scene.xs, this.scene.ys), SIZE, SIZE);
  }

  /** @param {Scene} scene */
  draw(scene) {
    this.scene = scene;
    const { view } = this.screen, screen = this.screen;
    const shapes = [];
    if (scene.curve) shapes.push(...scene.curve(screen));
    else if (scene.line && (scene.line[0] || scene.line[1])) {
      const plus = clipped(corners(view), scene.line), minus = clipped(corners(view), Array.from(scene.line, (v) => -v));
      if (plus.length) shapes.push(s("polygon", { points: screen.path(plus), class: "plus-side" }));
      if (minus.length) shapes.push(s("polygon", { points: screen.path(minus), class: "minus-side" }));
    }
    shapes.push(...this.axes(scene));
    if (scene.star) shapes.push(...this.margins(scene.star, scene.band));
    if (scene.ghost) shapes.push(...this.cut(scene.ghost, "ghost"));
    if (scene.kept) shapes.push(...this.cut(scene.kept, "kept"));
    if (scene.line) shapes.push(...this.cut(scene.line, "line"), ...this.arrow(scene.line));
    const placed = scene.n <= MOST_SHAPES;
    if (placed) for (let i = 0; i < scene.n; ++i) shapes.push(this.point(i));
    if (scene.conflict) shapes.push(...this.conflict(scene));
    for (const i of scene.ringed.slice(0, MOST_SHAPES)) {
      const [cx, cy] = this.at(i);
      shapes.push(s("circle", { cx, cy, r: 13, class: "ring" }));
    }
    if (this.selected >= 0 && this.selected < scene.n) {
      const [x, y] = this.at(this.selected);
      shapes.push(s("rect", { x: x - 12, y: y - 12, width: 24, height: 24, rx: 5, class: "selected" }));
    }
    this.svg.replaceChildren(...shapes);
    this.svg.setAttribute("aria-label", this.say("board.label", { count: scene.n }));
    this.paint(scene, placed);
  }

  /** @param {number} i */
  at(i) {
    const { xs, ys } = /** @type {Scene} */ (this.scene);
    return this.screen.to(xs[i], ys[i]);
  }

  /** @param {Scene} scene */
  axes({ names }) {
    const { view } = this.screen, shapes = [], free = SIZE - 24 - 8 * (names[0] ?? "").length;
    for (const x of ticks(view.x0, view.x1)) {
      const [px] = this.screen.to(x, 0);
      shapes.push(s("line", { x1: px, x2: px, y1: 0, y2: SIZE, class: x === 0 ? "axis" : "grid" }),
        s("text", { x: px + 4, y: SIZE - 6, class: "tick" }, px < free - 24 ? number(x, 4) : ""));
    }
    for (const y of ticks(view.y0, view.y1)) {
      const [, py] = this.screen.to(0, y);
      shapes.push(s("line", { x1: 0, x2: SIZE, y1: py, y2: py, class: y === 0 ? "axis" : "grid" }),
        s("text", { x: 4, y: py - 4, class: "tick" }, py > 40 ? number(y, 4) : ""));
    }
    shapes.push(s("text", { x: SIZE - 8, y: SIZE - 6, class: "name end" }, names[0] ?? ""),
      s("text", { x: 8, y: 18, class: "name" }, names[1] ?? ""));
    return shapes;
  }

  /** @param {ArrayLike<number>} line @param {string} kind */
  cut(line, kind) {
    const ends = crossing(this.screen.view, line).map(([x, y]) => this.screen.to(x, y));
    if (ends.length < 2) return [];
    const [[x1, y1], [x2, y2]] = ends;
    return [s("line", { x1, y1, x2, y2, class: `cut ${kind}` })];
  }

  /** The separator of the largest margin, and how far it is from both classes. @param {ArrayLike<number>} w @param {number} band */
  margins(w, band) {
    const length = Math.hypot(w[0], w[1]) * band;
    const sides = [length, -length].flatMap((far) => this.cut([w[0], w[1], w[2] + far], "margin"));
    return [...this.cut(w, "star"), ...sides];
  }

  /** Where w points: to the plus side, at right angles on the screen. @param {ArrayLike<number>} line */
  arrow(line) {
    const ends = crossing(this.screen.view, line).map(([x, y]) => this.screen.to(x, y));
    if (ends.length < 2) return [];
    const [mx, my] = [(ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2];
    let [dx, dy] = [ends[1][1] - ends[0][1], ends[0][0] - ends[1][0]];
    const size = Math.hypot(dx, dy) / 46;
    [dx, dy] = [dx / size, dy / size];
    const [x, y] = this.screen.from(mx + dx, my + dy);
    if (line[0] * x + line[1] * y + line[2] < 0) [dx, dy] = [-dx, -dy];
    const [tx, ty] = [mx + dx, my + dy];
    const head = [[tx, ty], [tx - 0.25 * dx - 0.14 * dy, ty - 0.25 * dy + 0.14 * dx], [tx - 0.25 * dx + 0.14 * dy, ty - 0.25 * dy - 0.14 * dx]];
    return [s("line", { x1: mx, y1: my, x2: tx - 0.2 * dx, y2: ty - 0.2 * dy, class: "cut line" }),
      s("polygon", { points: head.map((p) => p.join(",")).join(" "), class: "arrow-head" }),
      s("text", { x: tx + 0.25 * dx, y: ty + 0.25 * dy + 5, class: "arrow-name" }, "w")];
  }

  /** @param {number} i */
  point(i) {
    const { y } = /** @type {Scene} */ (this.scene), [px, py] = this.at(i);
    const shape = y[i] > 0
      ? s("circle", { r: 7 })
      : s("path", { d: "M0,-8.5 L8,6 L-8,6 Z" });
    return s("g", { class: `point ${y[i] > 0 ? "plus" : "minus"}`, transform: `translate(${px.toFixed(2)},${py.toFixed(2)})` }, shape);
  }

  /** The rows of each class joined, and where their blends meet. @param {Scene} scene */
  conflict({ conflict, y }) {
    if (!conflict) return [];
    const shapes = [1, -1].flatMap((side) => {
      const rows = conflict.rows.filter((i) => y[i] === side);
      if (rows.length < 2) return [];
      return [s("polygon", { points: rows.map((i) => this.at(i).join(",")).join(" "), class: "blend" })];
    });
    const [cx, cy] = this.screen.to(conflict.meeting[0], conflict.meeting[1]);
    const held = conflict.rows.map((i) => s("circle", { cx: this.at(i)[0], cy: this.at(i)[1], r: 11, class: "held" }));
    return [...shapes, ...held, s("path", { d: "M-6,-6 L6,6 M-6,6 L6,-6", transform: `translate(${cx},${cy})`, class: "meeting" })];
  }

  /** Many points, on the canvas below. @param {Scene} scene @param {boolean} placed */
  paint({ n, y }, placed) {
    const pen = this.canvas.getContext("2d");
    pen.clearRect(0, 0, 2 * SIZE, 2 * SIZE);
    if (placed) return;
    pen.setTransform(2, 0, 0, 2, 0, 0);
    for (const { sign, sample } of this.colours) {
      pen.fillStyle = getComputedStyle(sample).color; // a canvas does not know light-dark()
      pen.beginPath();
      for (let i = 0; i < n; ++i) {
        if (y[i] !== sign) continue;
        const [px, py] = this.at(i);
        if (sign > 0) {
          pen.moveTo(px + 3.5, py);
          pen.arc(px, py, 3.5, 0, 7);
        } else {
          pen.moveTo(px, py - 4.5);
          pen.lineTo(px + 4, py + 3.5);
          pen.lineTo(px - 4, py + 3.5);
        }
      }
      pen.fill();
    }
  }

  // --- Hands ---------------------------------------------------------------------------------------

  /** @param {PointerEvent} event @returns {[number, number]} */
  where(event) {
    const box = this.svg.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * SIZE, ((event.clientY - box.top) / box.height) * SIZE];
  }

  /** @param {number} px @param {number} py @param {number} within */
  nearest(px, py, within) {
    let best = -1, least = within ** 2;
    for (let i = 0; i < (this.scene?.n ?? 0); ++i) {
      const [x, y] = this.at(i), far = (x - px) ** 2 + (y - py) ** 2;
      if (far < least) [best, least] = [i, far];
    }
    return best;
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button || !this.scene) return;
    const [px, py] = this.where(event), hit = this.nearest(px, py, event.pointerType === "touch" ? 2 * NEAR : NEAR);
    this.selected = hit;
    if (!this.editable) return this.actions.select(hit);
    if (hit >= 0 && this.tool === "flip") return this.actions.flip(hit);
    if (hit >= 0 && this.tool === "erase") return this.actions.remove(hit);
    if (hit < 0 && (this.tool === "plus" || this.tool === "minus")) {
      const [x, y] = this.screen.from(px, py);
      return this.actions.add(x, y, this.tool === "plus" ? 1 : -1);
    }
    if (hit >= 0) {
      this.dragged = hit;
      this.svg.setPointerCapture(event.pointerId);
      event.preventDefault();
      this.svg.focus({ preventScroll: true });
    }
    return this.actions.select(hit);
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (this.dragged < 0) return;
    const [px, py] = this.where(event), inside = (/** @type {number} */ v) => Math.min(Math.max(v, 4), SIZE - 4);
    const [x, y] = this.screen.from(inside(px), inside(py));
    this.actions.move(this.dragged, x, y, true);
  }

  up() {
    if (this.dragged < 0) return;
    this.dragged = -1;
    this.actions.released();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.scene || event.ctrlKey || event.metaKey || event.altKey) return;
    const { n } = this.scene, done = this.act(event.key, event.shiftKey ? 1 : 8, n);
    if (done) event.preventDefault();
  }

  /** @param {string} key @param {number} far @param {number} n */
  act(key, far, n) {
    const turn = { PageDown: 1, n: 1, PageUp: -1, p: -1 }[key];
    if (turn && n) {
      this.selected = (this.selected + turn + n) % n;
      this.actions.select(this.selected);
      return true;
    }
    if (key === "Escape") {
      this.selected = -1;
      this.actions.select(-1);
      return true;
    }
    if (!this.editable) return false;
    const { x0, x1, y0, y1 } = this.screen.view;
    if (key === "a" || key === "b") {
      this.actions.add((x0 + x1) / 2, (y0 + y1) / 2, key === "a" ? 1 : -1);
      this.selected = n;
      this.actions.select(n);
      return true;
    }
    if (this.selected < 0) return false;
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key] ?? [0, 0];
    const { xs, ys } = /** @type {Scene} */ (this.scene);
    if (dx || dy) this.actions.move(this.selected, xs[this.selected] + (dx * far * (x1 - x0)) / 512, ys[this.selected] + (dy * far * (y1 - y0)) / 512, false);
    else if (key === "f" || key === "F") this.actions.flip(this.selected);
    else if (key === "Delete" || key === "Backspace") this.actions.remove(this.selected);
    else return false;
    return true;
  }

  /** A point in words. @param {number} i @param {string[]} classes */
  describe(i, classes) {
    const { xs, ys, y } = /** @type {Scene} */ (this.scene);
    return this.say("board.point", { row: i, place: vector([xs[i], ys[i]]), label: classes[y[i] > 0 ? 1 : 0] });
  }
}
