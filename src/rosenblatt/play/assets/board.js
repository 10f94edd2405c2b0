// @ts-check
// The board: points of two or three classes, what was learned and what is proved about them, and the hands
// that move them.
import { KINDS, classNumber } from "./classes.js";
import { h, s, vector } from "./dom.js";
import { axesOf, conflictOf, marginsOf, paintPoints, pointOf, regionsOf, rulesOf } from "./drawing.js";
import { Screen, viewOf } from "./plane.js";

const ADDS = ["b", "a", "c"]; // keys that add a point, by the number of its class
const SIZE = 600, NEAR = 16, MOST_SHAPES = 400; // from here on points are painted, not placed

/**
 * @typedef {{
 *   xs: ArrayLike<number>, ys: ArrayLike<number>, y: ArrayLike<number>, k: number, shown: number[], n: number,
 *   line: ArrayLike<number> | null, star: ArrayLike<number> | null, band: number, ghost: ArrayLike<number> | null, kept: ArrayLike<number> | null,
 *   ringed: number[], moving: number, conflict: {rows: number[], meetings: number[][]} | null, names: string[], curve: any,
 * }} Scene `shown` are the numbers of the classes that rules are about, `k` is how many there are on the board
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
    this.canvas = h("canvas", { "aria-hidden": "true" });
    /** @type {any[]} */ this.paint = []; // what is on the canvas
    this.colours = KINDS.map((kind) => h("i", { class: kind, hidden: true }));
    [this.regions, this.axes, this.shapes] = [s("g"), s("g"), s("g")];
    /** @type {any[]} */ this.frame = [];
    this.svg = s("svg", {
      viewBox: `0 0 ${SIZE} ${SIZE}`, tabindex: "0", role: "application", class: "board-svg",
      onpointerdown: (/** @type {PointerEvent} */ e) => this.down(e),
      onpointermove: (/** @type {PointerEvent} */ e) => this.move(e),
      onpointerup: () => this.up(), onpointercancel: () => this.up(),
      onkeydown: (/** @type {KeyboardEvent} */ e) => this.key(e),
    }, this.regions, this.axes, this.shapes);
    this.element = h("div", { class: "board" }, this.canvas, this.svg, this.colours);
  }

  /** The view follows the points, but not while one of them is moved. */
  fit() {
    if (this.scene) this.screen = new Screen(viewOf(this.scene.xs, this.scene.ys), SIZE, SIZE);
  }

  /** @param {Scene} scene */
  draw(scene) {
    this.scene = scene;
    const { screen } = this, shapes = [];
    this.regions.replaceChildren(...(scene.curve ? scene.curve(screen) : regionsOf(screen, scene)));
    const frame = [screen, ...scene.names];
    if (frame.some((v, a) => v !== this.frame[a])) this.axes.replaceChildren(...axesOf(screen, scene.names));
    this.frame = frame; // axes stay while a point is moved
    if (scene.star) shapes.push(...marginsOf(screen, scene.star, scene.band));
    shapes.push(...rulesOf(screen, scene));
    const placed = scene.n <= MOST_SHAPES;
    for (let i = 0; i < scene.n; ++i)
      if (placed || i === scene.moving) shapes.push(pointOf(KINDS[classNumber(scene.k, scene.y[i])], this.at(i), placed));
    if (scene.conflict) shapes.push(...conflictOf(screen, scene));
    for (const i of scene.ringed.slice(0, MOST_SHAPES)) {
      const [cx, cy] = this.at(i);
      shapes.push(s("circle", { cx, cy, r: 13, class: "ring" }));
    }
    if (this.selected >= 0 && this.selected < scene.n) {
      const [x, y] = this.at(this.selected);
      shapes.push(s("rect", { x: x - 12, y: y - 12, width: 24, height: 24, rx: 5, class: "selected" }));
    }
    this.shapes.replaceChildren(...shapes);
    this.svg.setAttribute("aria-label", this.say("board.label", { count: scene.n }));
    if (!placed || this.paint.length) this.painted(scene, placed);
  }

  /** @param {number} i */
  at(i) {
    const { xs, ys } = /** @type {Scene} */ (this.scene);
    return this.screen.to(xs[i], ys[i]);
  }

  /** Many points, on the canvas below; that which a hand holds is above, so that the others stay as they are. @param {Scene} scene @param {boolean} placed */
  painted(scene, placed) {
    const { moving, n, y } = scene, dots = Math.min(Math.ceil(devicePixelRatio || 1), 2);
    const now = placed ? [] : [this.screen, moving, n, y, dots];
    if (moving >= 0 && now.length === this.paint.length && now.every((v, a) => v === this.paint[a])) return;
    this.paint = now;
    this.canvas.width = this.canvas.height = dots * SIZE; // which clears it
    if (placed) return;
    const pen = this.canvas.getContext("2d");
    pen.setTransform(dots, 0, 0, dots, 0, 0);
    paintPoints(pen, this.screen, scene, this.colours.map((sample) => getComputedStyle(sample).color)); // a canvas does not know light-dark()
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
    if (hit < 0 && KINDS.includes(this.tool)) {
      const [x, y] = this.screen.from(px, py);
      return this.actions.add(x, y, KINDS.indexOf(this.tool));
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
    const added = ADDS.indexOf(key);
    if (added >= 0) {
      this.actions.add((x0 + x1) / 2, (y0 + y1) / 2, added);
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
    const { xs, ys, y, k } = /** @type {Scene} */ (this.scene);
    return this.say("board.point", { row: i, place: vector([xs[i], ys[i]]), label: classes[classNumber(k, y[i])] });
  }
}
