// @ts-check
// What is on the board, as shapes of SVG; many points as paint on a canvas.
import { KINDS, SIGNS, classNumber, labelOf } from "./classes.js";
import { s } from "./dom.js";
import { borders, clipped, corners, crossing, regions, ticks } from "./plane.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./plane.js").Screen} Screen */

const SMALL = 0.04; // a part of the board that has no name
const LEVELS = [[0, 0.05], [1, 0.09], [3, 0.15], [6, 0.22], [10, 0.28], [16, 0.34], [26, 0.39]]; // |score|, strength of the tint

/** A rule of two classes in pixels: their score at (0, 0), and how it grows. @param {Screen} screen @param {ArrayLike<number>} line */
function inPixels(screen, line) {
  const at = (/** @type {number} */ px, /** @type {number} */ py) => {
    const [x, y] = screen.from(px, py);
    return line[0] * x + line[1] * y + line[2];
  };
  const c = at(0, 0);
  return { at, a: (at(screen.width, 0) - c) / screen.width, b: (at(0, screen.height) - c) / screen.height };
}

/** The tint of two classes, by |score|: one gradient across the line. @param {Screen} screen @param {ArrayLike<number>} line @param {any} gradient @param {number} unit of scores */
export function tinted(screen, line, gradient, unit) {
  const { at, a, b } = inPixels(screen, line), steep = Math.hypot(a, b);
  if (!steep || !Number.isFinite(steep)) return line[2] ? `fill: var(--${line[2] > 0 ? "pos" : "neg"}); fill-opacity: 0.12` : "fill: none";
  const [cx, cy] = [screen.width / 2, screen.height / 2], far = at(cx, cy) / steep, [nx, ny] = [a / steep, b / steep], reach = screen.width + screen.height;
  const [fx, fy] = [cx - nx * far, cy - ny * far];
  Object.entries({ x1: fx - nx * reach, y1: fy - ny * reach, x2: fx + nx * reach, y2: fy + ny * reach }).forEach(([name, v]) => gradient.setAttribute(name, v));
  [...gradient.children].forEach((stop, i) => {
    const side = i < LEVELS.length ? -1 : 1, [score, strength] = LEVELS[side < 0 ? LEVELS.length - 1 - i : i - LEVELS.length];
    stop.setAttribute("offset", Math.min(Math.max(0.5 + (side * score * unit) / steep / reach / 2, 0), 1));
    stop.setAttribute("stop-opacity", strength);
  });
  return `fill: url(#${gradient.id})`;
}

/** @param {string} id */
export const gradientOf = (id) => s("linearGradient", { id, gradientUnits: "userSpaceOnUse" }, ["minus", "plus"].flatMap((kind) => LEVELS.map(() => s("stop", { class: kind }))));

/** @param {[number, number][]} polygon */
const areaOf = (polygon) => Math.abs(polygon.reduce((sum, [x, y], a) => {
  const [u, v] = polygon[(a + 1) % polygon.length];
  return sum + (x * v - u * y) / 2;
}, 0));

/** Where each class wins, of three. @param {Screen} screen @param {ArrayLike<number>} line @param {number[]} shown */
export function sidesOf(screen, line, shown) {
  if (!Array.from(line).some((v, j) => v && (j + 1) % 3)) return { shapes: [], middles: [] }; // intercepts alone divide nothing
  const found = regions(screen.view, line).map((polygon, c) => ({ polygon, c: shown[c] })).filter(({ polygon }) => polygon.length > 2);
  const middle = (/** @type {[number, number][]} */ polygon) => [0, 1].map((axis) => polygon.reduce((sum, at) => sum + at[axis], 0) / polygon.length);
  const large = found.filter(({ polygon }) => areaOf(polygon) > SMALL * areaOf(corners(screen.view)));
  return {
    shapes: found.map(({ polygon, c }) => s("polygon", { points: screen.path(polygon), class: `${KINDS[c]}-side` })),
    middles: large.map(({ polygon, c }) => ({ c, at: screen.to(.../** @type {[number, number]} */ (middle(polygon))) })),
  };
}

/** @param {Screen} screen @param {string[]} names @param {(v: number) => string} number */
export function gridOf(screen, names, number) {
  const { view, width, height } = screen, shapes = [], about = Math.max(Math.round(width / 90), 3);
  const clamp = (/** @type {number} */ v, /** @type {number} */ low, /** @type {number} */ high) => Math.min(Math.max(v, low), high);
  const [ox, oy] = screen.to(0, 0), below = clamp(oy + 15, 14, height - 5), left = clamp(ox - 6, 26, width);
  for (const x of ticks(view.x0, view.x1, about)) {
    const [px] = screen.to(x, 0);
    shapes.push(s("path", { class: x ? "grid" : "axis", d: `M${px} 0V${height}` }));
    if (x && px > 20 && px < width - 60) shapes.push(s("text", { x: px, y: below, class: "tick middle" }, number(x)));
  }
  for (const y of ticks(view.y0, view.y1, Math.max((about * height) / width, 3))) {
    const [, py] = screen.to(0, y);
    shapes.push(s("path", { class: y ? "grid" : "axis", d: `M0 ${py}H${width}` }));
    if (y && py > 24 && py < height - 24) shapes.push(s("text", { x: left, y: py + 4, class: "tick end" }, number(y)));
  }
  shapes.push(s("text", { x: width - 8, y: clamp(oy - 7, 14, height - 8), class: "tick end" }, subscripted(names[0] ?? "")), s("text", { x: clamp(ox + 6, 8, width - 60), y: 15, class: "tick" }, subscripted(names[1] ?? "")));
  return shapes;
}

/** x1 as formulas have it. @param {string} name */
const subscripted = (name) => name.replace(/^x([0-9])$/, (_, digit) => `x${"₀₁₂₃₄₅₆₇₈₉"[digit]}`);

/** The borders of a rule. @param {Screen} screen @param {ArrayLike<number>} rule @param {string} kind */
export function cut(screen, rule, kind) {
  return borders(screen.view, rule).map((ends) => {
    const [[x1, y1], [x2, y2]] = ends.map(([x, y]) => screen.to(x, y));
    return s("line", { x1, y1, x2, y2, class: kind });
  });
}

/** A name along a line, so far from its left end. @param {Screen} screen @param {ArrayLike<number>} rule @param {string} name @param {number} place 0 … 1 @param {string} kind */
export function named(screen, rule, name, place, kind) {
  if (rule.length !== 3) return [];
  const ends = crossing(screen.view, rule).map(([x, y]) => screen.to(x, y)).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (ends.length < 2 || Math.hypot(ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]) < 160) return [];
  const [x, y] = [0, 1].map((axis) => ends[0][axis] + place * (ends[1][axis] - ends[0][axis]));
  const turned = (Math.atan2(ends[1][1] - ends[0][1], ends[1][0] - ends[0][0]) * 180) / Math.PI;
  return [s("text", { class: `along middle ${kind}`, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${turned.toFixed(1)})`, dy: -7 }, name)];
}

/** The separator of the widest gap, and of two classes the gap. @param {Screen} screen @param {ArrayLike<number>} w @param {number} band */
export function gapOf(screen, w, band) {
  const far = Math.hypot(w[0], w[1]) * band, inside = clipped(clipped(corners(screen.view), [w[0], w[1], w[2] + far]), [-w[0], -w[1], far - w[2]]);
  return [...(band && inside.length > 2 ? [s("polygon", { points: screen.path(inside), class: "band" })] : []), ...cut(screen, w, "star")];
}

/** @param {number[]} from @param {number[]} to in pixels @param {string} kind @param {Record<string, any>} [more] */
export function arrow([x1, y1], [x2, y2], kind, more = {}) {
  const length = Math.hypot(x2 - x1, y2 - y1), size = Math.min(13, length);
  if (length < 3) return [];
  const [ux, uy] = [((x2 - x1) / length) * size, ((y2 - y1) / length) * size], [bx, by] = [x2 - ux, y2 - uy];
  return [s("g", { class: `vector ${kind}`, ...more }, s("line", { x1, y1, x2: x2 - 0.7 * ux, y2: y2 - 0.7 * uy }),
    s("polygon", { points: `${x2},${y2} ${bx - 0.45 * uy},${by + 0.45 * ux} ${bx + 0.45 * uy},${by - 0.45 * ux}` }))];
}

/** A shape of its own for each class. @param {string} kind @param {number} r @param {number} [x] @param {number} [y] @param {Record<string, any>} [more] */
export function glyph(kind, r, x = 0, y = 0, more = {}) {
  const at = { class: `glyph ${kind}`, ...more };
  if (kind === "plus") return s("circle", { cx: x, cy: y, r, ...at });
  if (kind === "third") return s("rect", { x: x - 0.9 * r, y: y - 0.9 * r, width: 1.8 * r, height: 1.8 * r, ...at });
  return s("path", { d: `M${x} ${y - 1.22 * r}L${x + 1.2 * r} ${y + 0.84 * r}H${x - 1.2 * r}Z`, "stroke-linejoin": "round", ...at });
}

/** @param {string} kind @param {number} r @param {string} letter */
export const pointOf = (kind, r, letter) => s("g", { class: `point ${kind}` }, s("circle", { class: "halo", r: 1.75 * r }), glyph(kind, r),
  letter ? s("text", { class: "letter middle", y: r * (kind === "minus" ? 0.56 : 0.36), style: `font-size: ${(r * (kind === "minus" ? 0.9 : 1.05)).toFixed(1)}px` }, letter) : []);

/** The points of each class joined, and where their blends meet. @param {Screen} screen @param {Scene} scene */
export function conflictOf(screen, { conflict, xs, ys, y }) {
  const rows = /** @type {number[]} */ ([...new Set(conflict.rows)]), at = (/** @type {number} */ i) => screen.to(xs[i], ys[i]);
  const shapes = [...new Set(rows.map((i) => y[i]))].flatMap((label) => {
    const some = rows.filter((i) => y[i] === label);
    return some.length < 2 ? [] : [s("polygon", { points: some.map((i) => at(i).join(",")).join(" "), class: "blend" })];
  });
  const places = new Set(conflict.meetings.map((/** @type {[number, number]} */ [u, v]) => screen.to(u, v).map((p) => p.toFixed(2)).join(",")));
  return [...shapes, ...[...places].map((place) => s("path", { d: "M-8,-8 L8,8 M-8,8 L8,-8", transform: `translate(${place})`, class: "meeting" }))];
}

/** The sign of a class, as words have it. @param {number} c @param {string} [tag] */
export const signOf = (c, tag = "b") => (tag === "b" ? Object.assign(document.createElement("b"), { className: KINDS[c], textContent: SIGNS[c] }) : s("tspan", { class: KINDS[c] }, SIGNS[c]));

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

/** @param {Scene} scene @param {number} i */
export const kindOf = ({ k, y }, i) => KINDS[classNumber(k, y[i])];
