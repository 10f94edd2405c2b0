// @ts-check
// What is on the board, as shapes of SVG; many points as paint on a canvas.
import { KINDS, SIGNS, labelOf } from "./classes.js";
import { number, s } from "./dom.js";
import { borders, crossing, regions, ticks } from "./plane.js";

/** @typedef {import("./board.js").Scene} Scene */
/** @typedef {import("./plane.js").Screen} Screen */

/** Where each class wins; of three with their signs. @param {Screen} screen @param {Scene} scene */
export function regionsOf(screen, { line, shown }) {
  if (!line || !Array.from(line).some((v, j) => v && (j + 1) % 3)) return []; // intercepts alone divide nothing
  const found = regions(screen.view, line).map((polygon, c) => ({ polygon, c: shown[c] })).filter(({ polygon }) => polygon.length > 2);
  const shapes = found.map(({ polygon, c }) => s("polygon", { points: screen.path(polygon), class: `${KINDS[c]}-side` }));
  return line.length === 3 ? shapes : [...shapes, ...found.map(({ polygon, c }) => nameOf(screen, polygon, c))];
}

/** The sign of a class in the middle of its region. @param {Screen} screen @param {[number, number][]} polygon @param {number} c */
function nameOf(screen, polygon, c) {
  const [x, y] = [0, 1].map((axis) => polygon.reduce((sum, at) => sum + at[axis], 0) / polygon.length);
  const [px, py] = screen.to(x, y);
  return s("text", { x: px, y: py + 16, class: `region-name ${KINDS[c]}` }, SIGNS[c]);
}

/** @param {Screen} screen @param {string[]} names */
export function axesOf(screen, names) {
  const { view, width, height } = screen, shapes = [], free = width - 24 - 8 * (names[0] ?? "").length;
  for (const x of ticks(view.x0, view.x1)) {
    const [px] = screen.to(x, 0);
    shapes.push(s("line", { x1: px, x2: px, y1: 0, y2: height, class: x === 0 ? "axis" : "grid" }),
      s("text", { x: px + 4, y: height - 6, class: "tick" }, px < free - 24 ? number(x, 4) : ""));
  }
  for (const y of ticks(view.y0, view.y1)) {
    const [, py] = screen.to(0, y);
    shapes.push(s("line", { x1: 0, x2: width, y1: py, y2: py, class: y === 0 ? "axis" : "grid" }),
      s("text", { x: 4, y: py - 4, class: "tick" }, py > 40 ? number(y, 4) : ""));
  }
  shapes.push(s("text", { x: width - 8, y: height - 6, class: "name end" }, names[0] ?? ""),
    s("text", { x: 8, y: 18, class: "name" }, names[1] ?? ""));
  return shapes;
}

/** The borders of a rule. @param {Screen} screen @param {ArrayLike<number>} rule @param {string} kind */
function cut(screen, rule, kind) {
  return borders(screen.view, rule).map((ends) => {
    const [[x1, y1], [x2, y2]] = ends.map(([x, y]) => screen.to(x, y));
    return s("line", { x1, y1, x2, y2, class: `cut ${kind}` });
  });
}

/** The separator of the largest margin, and of two classes how far it is from both. @param {Screen} screen @param {ArrayLike<number>} w @param {number} band */
export function marginsOf(screen, w, band) {
  const length = Math.hypot(w[0], w[1]) * band;
  const sides = band ? [length, -length].flatMap((far) => cut(screen, [w[0], w[1], w[2] + far], "margin")) : [];
  return [...cut(screen, w, "star"), ...sides];
}

/** The rule now, beside the former one and the one that is kept. @param {Screen} screen @param {Scene} scene */
export function rulesOf(screen, { ghost, kept, line }) {
  const shapes = [];
  if (ghost) shapes.push(...cut(screen, ghost, "ghost"));
  if (kept) shapes.push(...cut(screen, kept, "kept"));
  if (line) shapes.push(...cut(screen, line, "line"), ...(line.length === 3 ? arrow(screen, line) : []));
  return shapes;
}

/** Where w points: to the plus side, at right angles on the screen. @param {Screen} screen @param {ArrayLike<number>} line */
function arrow(screen, line) {
  const ends = crossing(screen.view, line).map(([x, y]) => screen.to(x, y));
  if (ends.length < 2) return [];
  const [mx, my] = [(ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2];
  let [dx, dy] = [ends[1][1] - ends[0][1], ends[0][0] - ends[1][0]];
  const size = Math.hypot(dx, dy) / 46;
  [dx, dy] = [dx / size, dy / size];
  const [x, y] = screen.from(mx + dx, my + dy);
  if (line[0] * x + line[1] * y + line[2] < 0) [dx, dy] = [-dx, -dy];
  const [tx, ty] = [mx + dx, my + dy];
  const head = [[tx, ty], [tx - 0.25 * dx - 0.14 * dy, ty - 0.25 * dy + 0.14 * dx], [tx - 0.25 * dx + 0.14 * dy, ty - 0.25 * dy - 0.14 * dx]];
  return [s("line", { x1: mx, y1: my, x2: tx - 0.2 * dx, y2: ty - 0.2 * dy, class: "cut line" }),
    s("polygon", { points: head.map((p) => p.join(",")).join(" "), class: "arrow-head" }),
    s("text", { x: tx + 0.25 * dx, y: ty + 0.25 * dy + 5, class: "arrow-name" }, "w")];
}

/** A shape of its own for each class. @type {Record<string, () => any>} */
const SHAPES = {
  plus: () => s("circle", { r: 7 }), minus: () => s("path", { d: "M0,-8.5 L8,6 L-8,6 Z" }),
  third: () => s("rect", { x: -6.5, y: -6.5, width: 13, height: 13 }),
};

/** @param {string} kind @param {[number, number]} place @param {boolean} large as where there are few */
export const pointOf = (kind, [px, py], large) =>
  s("g", { class: `point ${kind}`, transform: `translate(${px.toFixed(2)},${py.toFixed(2)})${large ? "" : " scale(0.6)"}` }, SHAPES[kind]());

/** The rows of each class joined, and where their blends meet. @param {Screen} screen @param {Scene} scene */
export function conflictOf(screen, { conflict, xs, ys, y }) {
  if (!conflict) return [];
  const rows = [...new Set(conflict.rows)], at = (/** @type {number} */ i) => screen.to(xs[i], ys[i]);
  const shapes = [...new Set(rows.map((i) => y[i]))].flatMap((label) => {
    const some = rows.filter((i) => y[i] === label);
    return some.length < 2 ? [] : [s("polygon", { points: some.map((i) => at(i).join(",")).join(" "), class: "blend" })];
  });
  const held = rows.map((i) => s("circle", { cx: at(i)[0], cy: at(i)[1], r: 11, class: "held" }));
  const places = new Set(conflict.meetings.map(([u, v]) => screen.to(u, v).map((p) => p.toFixed(2)).join(",")));
  return [...shapes, ...held, ...[...places].map((place) =>
    s("path", { d: "M-6,-6 L6,6 M-6,6 L6,-6", transform: `translate(${place})`, class: "meeting" }))];
}

/** Many points at once. @param {CanvasRenderingContext2D} pen @param {Screen} screen @param {Scene} scene @param {string[]} colours by class */
export function paintPoints(pen, screen, { n, y, k, xs, ys, moving }, colours) {
  colours.forEach((colour, c) => {
    const label = labelOf(k, c);
    if (c >= k) return;
    pen.fillStyle = colour;
    pen.beginPath();
    for (let i = 0; i < n; ++i) {
      if (y[i] !== label || i === moving) continue;
      const [px, py] = screen.to(xs[i], ys[i]);
      if (c === 1) {
        pen.moveTo(px + 3.5, py);
        pen.arc(px, py, 3.5, 0, 7);
      } else if (c === 2) pen.rect(px - 3.3, py - 3.3, 6.6, 6.6);
      else {
        pen.moveTo(px, py - 4.5);
        pen.lineTo(px + 4, py + 3.5);
        pen.lineTo(px - 4, py + 3.5);
      }
    }
    pen.fill();
  });
}
