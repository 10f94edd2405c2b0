// @ts-check
// From the plane of the data to the screen and back; half planes, cut to what is seen.

/** @typedef {{x0: number, x1: number, y0: number, y1: number}} View what is seen of the plane */
/** @typedef {[number, number]} Point */

export class Screen {
  /** @param {View} view @param {number} width @param {number} height @param {boolean} [even] units are as long in both directions @param {boolean} [zero] and zero is shown */
  constructor(view, width, height, even = true, zero = true) {
    this.view = view;
    this.width = width;
    this.height = height;
    this.even = even;
    this.zero = zero;
  }

  /** Pixels of a unit across. */
  get unit() {
    return this.width / (this.view.x1 - this.view.x0);
  }

  /** @param {number} x @param {number} y @returns {Point} */
  to(x, y) {
    const { x0, x1, y0, y1 } = this.view;
    return [((x - x0) / (x1 - x0)) * this.width, ((y1 - y) / (y1 - y0)) * this.height];
  }

  /** @param {number} px @param {number} py @returns {Point} */
  from(px, py) {
    const { x0, x1, y0, y1 } = this.view;
    return [x0 + (px / this.width) * (x1 - x0), y1 - (py / this.height) * (y1 - y0)];
  }

  /** @param {Point[]} points of the plane */
  path(points) {
    return points.map(([x, y]) => this.to(x, y).map((v) => v.toFixed(2)).join(",")).join(" ");
  }
}

const UNEVEN = 40; // from here on one direction has a unit of its own
const FAR = 3; // times as far as the points are wide: then zero is not shown

/** @param {Point[]} points @returns {View} */
export function around(points) {
  const view = { x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity };
  for (const [x, y] of points) {
    [view.x0, view.x1] = [Math.min(view.x0, x), Math.max(view.x1, x)];
    [view.y0, view.y1] = [Math.min(view.y0, y), Math.max(view.y1, y)];
  }
  return view;
}

/**
 * What is shown: the points, zero unless it is too far from them, then others, too; one unit as long in
 * both directions where that is sensible. @param {Point[]} points @param {Point[]} others @param {number} width @param {number} height @param {number} air
 */
export function screenOf(points, others, width, height, air) {
  let view = around(points.length ? points : [[-4, -3], [4, 3]]);
  const wide = Math.max(view.x1 - view.x0, view.y1 - view.y0);
  const zero = Math.max(...points.flat().map(Math.abs), 0) <= FAR * (wide || Infinity);
  if (zero) view = around([[view.x0, view.y0], [view.x1, view.y1], [0, 0], ...others]);
  let [across, up] = [view.x1 - view.x0, view.y1 - view.y0];
  if (!(across > 0)) across = up || 4;
  if (!(up > 0)) up = across;
  const [cx, cy] = [(view.x0 + view.x1) / 2, (view.y0 + view.y1) / 2], [w, t] = [width, height].map((side) => Math.max(side - 2 * air, 20));
  const even = Math.max(across, up) < UNEVEN * Math.min(across, up), unit = Math.max(across / w, up / t);
  const [ux, uy] = even ? [unit, unit] : [across / w, up / t];
  const shown = { x0: cx - (ux * width) / 2, x1: cx + (ux * width) / 2, y0: cy - (uy * height) / 2, y1: cy + (uy * height) / 2 };
  return new Screen(shown, width, height, even, even && zero);
}

/** @param {View} view @returns {Point[]} */
export const corners = ({ x0, x1, y0, y1 }) => [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];

/** The part of a polygon where u x + v y + c >= 0. @param {Point[]} polygon @param {ArrayLike<number>} line */
export function clipped(polygon, line) {
  const value = (/** @type {Point} */ [x, y]) => line[0] * x + line[1] * y + line[2];
  /** @type {Point[]} */ const kept = [];
  polygon.forEach((a, k) => {
    const b = polygon[(k + 1) % polygon.length], [fa, fb] = [value(a), value(b)];
    if (fa >= 0) kept.push(a);
    if ((fa > 0 && fb < 0) || (fa < 0 && fb > 0)) {
      const t = fa / (fa - fb);
      kept.push([a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]);
    }
  });
  return kept;
}

/** The part of a segment where u x + v y + c >= 0; none: []. @param {Point[]} ends @param {ArrayLike<number>} line @returns {Point[]} */
function shortened(ends, line) {
  if (ends.length < 2) return [];
  const [[ax, ay], [bx, by]] = ends, value = (/** @type {number} */ x, /** @type {number} */ y) => line[0] * x + line[1] * y + line[2];
  const [fa, fb] = [value(ax, ay), value(bx, by)], t = fa / (fa - fb);
  if (fa < 0 && fb < 0) return [];
  const between = /** @type {Point} */ ([ax + t * (bx - ax), ay + t * (by - ay)]);
  return [fa < 0 ? between : ends[0], fb < 0 ? between : ends[1]];
}

/** Where a line crosses the view: two points, or none. @param {View} view @param {ArrayLike<number>} line */
export function crossing(view, line) {
  if (!line[0] && !line[1]) return [];
  /** @type {Point[]} */ const found = [];
  const frame = corners(view), value = (/** @type {Point} */ [x, y]) => line[0] * x + line[1] * y + line[2];
  frame.forEach((a, k) => {
    const b = frame[(k + 1) % 4], [fa, fb] = [value(a), value(b)];
    if (fa === 0) found.push(a);
    else if ((fa > 0 && fb < 0) || (fa < 0 && fb > 0)) {
      const t = fa / (fa - fb);
      found.push([a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]);
    }
  });
  return found.length >= 2 ? [found[0], found[found.length - 1]] : [];
}

/**
 * A linear rule of the plane: one weight vector, whose sign says which of two classes it is, or one
 * for each class, of which the highest wins. Three numbers each, one after the other.
 * @typedef {ArrayLike<number>} Rule
 */

/** By how much class c is above class r. @param {Rule} rule @param {number} c @param {number} r @returns {number[]} */
function above(rule, c, r) {
  if (rule.length === 3) return Array.from(rule, (v) => (c ? v : -v));
  return [0, 1, 2].map((j) => rule[3 * c + j] - rule[3 * r + j]);
}

/** The numbers of the classes of a rule but for some. @param {Rule} rule @param {number[]} but */
function others(rule, ...but) {
  return Array.from({ length: Math.max(rule.length / 3, 2) }, (_, c) => c).filter((c) => !but.includes(c));
}

/** Where each class wins, in what is seen; of equal ones the first does. @param {View} view @param {Rule} rule */
export const regions = (view, rule) => others(rule).map((c) => others(rule, c).reduce((polygon, r) => {
  const line = above(rule, c, r);
  return c > r && !line.some((v) => v) ? [] : clipped(polygon, line);
}, corners(view)));

/** Where two classes are level and above the others: segments. @param {View} view @param {Rule} rule */
export function borders(view, rule) {
  const pairs = others(rule).flatMap((c) => others(rule, c).filter((r) => r > c).map((r) => [c, r]));
  return pairs.map(([c, r]) => others(rule, c, r).reduce(
    (ends, other) => shortened(ends, above(rule, c, other)), crossing(view, above(rule, c, r)))).filter((ends) => ends.length);
}

/** Round numbers along an axis. @param {number} low @param {number} high @param {number} about how many */
export function ticks(low, high, about = 6) {
  const raw = (high - low) / about, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((v) => v >= raw) ?? 10 * power;
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high; ++k) found.push(k * step || 0); // no -0
  return found;
}
