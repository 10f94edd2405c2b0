// @ts-check
// What mouse, finger and keyboard do on the board.
import { letterOf } from "./board.js";
import { KINDS, classNumber } from "./classes.js";

const NEAR = 20, NEAR_FINGER = 34, EDGE = 12; // pixels
const PLACES = 16, FINER = 8; // along a side: sums that a class can follow; with Shift so many times as many
const ADDS = ["b", "a", "c"]; // keys that add a point, by the number of its class

export class Hands {
  /** @param {import("./board.js").Board} board @param {import("./model.js").Model} model @param {(words: string) => void} tell what changed, aloud */
  constructor(board, model, tell) {
    this.board = board;
    this.model = model;
    this.tell = tell;
    this.tool = "move";
    this.armed = -1; // touched, and not moved yet
    const { svg } = board;
    svg.addEventListener("pointerdown", (/** @type {PointerEvent} */ e) => this.down(e));
    svg.addEventListener("pointermove", (/** @type {PointerEvent} */ e) => this.move(e));
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => this.up());
    svg.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => this.key(e));
    // A finger scrolls the page over the board, but not where it takes a point or sets one.
    svg.addEventListener("touchstart", (/** @type {TouchEvent} */ e) => {
      const [{ clientX, clientY }] = e.touches;
      if (this.editable && e.touches.length === 1 && (this.tool !== "move" || this.nearest(this.where({ clientX, clientY }), NEAR_FINGER) >= 0)) e.preventDefault();
    }, { passive: false });
  }

  get editable() {
    return this.model.data.d === 2;
  }

  /** A grid of powers of two, so that what is placed is exact. @param {number} v @param {"x" | "y"} axis @param {boolean} fine */
  snapped(v, axis, fine) {
    const step = this.step(axis) / (fine ? FINER : 1);
    return Math.round(v / step) * step;
  }

  /** @param {"x" | "y"} axis */
  step(axis) {
    const { screen } = this.board, span = screen.even ? Math.max(screen.view.x1 - screen.view.x0, screen.view.y1 - screen.view.y0) : screen.view[`${axis}1`] - screen.view[`${axis}0`];
    return 2 ** Math.floor(Math.log2(span / PLACES));
  }

  /** @param {{clientX: number, clientY: number}} event @returns {[number, number]} */
  where({ clientX, clientY }) {
    const box = this.board.svg.getBoundingClientRect();
    return [clientX - box.left, clientY - box.top];
  }

  /** @param {[number, number]} place @param {number} within */
  nearest([px, py], within) {
    let best = -1, least = within ** 2;
    for (let i = 0; i < this.board.scene.n; ++i) {
      const [x, y] = this.board.at(i), far = (x - px) ** 2 + (y - py) ** 2;
      if (far < least) [best, least] = [i, far];
    }
    return best;
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button) return;
    const { model, board, tool } = this, place = this.where(event), hit = this.nearest(place, event.pointerType === "touch" ? NEAR_FINGER : NEAR);
    model.time.playing = false;
    if (this.editable && hit >= 0 && tool === "flip") return this.done(() => model.flip(hit));
    if (this.editable && hit >= 0 && tool === "erase") return this.done(() => model.remove(hit));
    if (this.editable && hit < 0 && KINDS.includes(tool)) {
      const [x, y] = board.screen.from(...place);
      return this.done(() => model.add(this.snapped(x, "x", event.shiftKey), this.snapped(y, "y", event.shiftKey), KINDS.indexOf(tool)));
    }
    if (hit < 0 && event.pointerType === "touch") return undefined;
    model.selected = hit;
    if (this.editable && hit >= 0) {
      this.armed = hit;
      board.svg.setPointerCapture(event.pointerId);
      event.preventDefault();
      board.svg.focus({ preventScroll: true });
    }
    model.changed(false); // a touch alone gives nothing away
    return undefined;
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (this.armed < 0) return;
    const { board: { screen }, model } = this, [px, py] = this.where(event), inside = (/** @type {number} */ v, /** @type {number} */ side) => Math.min(Math.max(v, EDGE), side - EDGE);
    const [x, y] = screen.from(inside(px, screen.width), inside(py, screen.height)), i = this.armed;
    const to = [this.snapped(x, "x", event.shiftKey), this.snapped(y, "y", event.shiftKey)];
    if (to[0] !== model.data.x[2 * i] || to[1] !== model.data.x[2 * i + 1]) model.move(i, to[0], to[1], true);
  }

  up() {
    if (this.armed < 0) return;
    this.armed = -1;
    if (this.model.moving >= 0) this.done(() => this.model.released());
  }

  /** A change, and what it came to. @param {() => void} act */
  done(act) {
    act();
    this.tell("");
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { model, board } = this, { n } = model.data, { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const turn = { PageDown: 1, n: 1, PageUp: -1 }[key];
    if (turn && n) {
      model.selected = (model.selected + turn + (model.selected < 0 && turn < 0 ? 1 : 0) + n) % n;
      model.changed(false);
      this.tell(this.described(model.selected));
    } else if (!this.editable) return;
    else if (ADDS.includes(key)) {
      const { x0, x1, y0, y1 } = board.screen.view;
      this.done(() => model.add(this.snapped((x0 + x1) / 2, "x", false), this.snapped((y0 + y1) / 2, "y", false), ADDS.indexOf(key)));
    } else if (model.selected < 0 || !this.act(key, event.shiftKey)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** To the point that is chosen. @param {string} key @param {boolean} fine */
  act(key, fine) {
    const { model } = this, i = model.selected, [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key] ?? [0, 0];
    const far = (/** @type {"x" | "y"} */ axis) => this.step(axis) / (fine ? FINER : 1);
    if (dx || dy) this.done(() => model.move(i, model.data.x[2 * i] + dx * far("x"), model.data.x[2 * i + 1] + dy * far("y"), false));
    else if (key === "f" || key === "F") this.done(() => model.flip(i));
    else if (key === "Delete" || key === "Backspace") this.done(() => model.remove(i));
    else return false;
    return true;
  }

  /** A point in words. @param {number} i */
  described(i) {
    const { board: { scene, say } } = this;
    return say("board.point", { row: letterOf(i, scene.n), place: say.vector([scene.xs[i], scene.ys[i]]), label: scene.classes[classNumber(scene.k, scene.y[i])] });
  }
}
