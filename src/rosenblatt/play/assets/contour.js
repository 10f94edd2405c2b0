// @ts-check
// A curved boundary on the board: where each class wins, the stronger the higher its score, and where two
// are level (marching squares).
import { KINDS } from "./classes.js";
import { s } from "./dom.js";

const CELL = 11; // pixels
const LEVELS = [0, 0.5, 1.5, 4]; // one tint over the other

/** @param {(x: number, y: number, into: Float64Array) => void} scores of two classes one, of more one each @param {number} count of them @param {number[]} shown the numbers of the classes */
export function contour(scores, count, shown) {
  /** @type {{screen: any, values: Float64Array} | null} */ let known = null;

  /** The scores on a grid. @param {import("./plane.js").Screen} screen @param {number} wide @param {number} tall */
  function field(screen, wide, tall) {
    if (known?.screen === screen) return known.values;
    const { x0, x1, y0, y1 } = screen.view, found = new Float64Array(count), values = new Float64Array((wide + 1) * (tall + 1) * count);
    for (let j = 0; j <= tall; ++j)
      for (let i = 0; i <= wide; ++i) {
        scores(x0 + ((x1 - x0) * i) / wide, y1 + ((y0 - y1) * j) / tall, found);
        values.set(found, (j * (wide + 1) + i) * count);
      }
    known = { screen, values };
    return values;
  }

  /** The shapes; `turn` of the way to another field. @param {import("./plane.js").Screen} screen @param {any} [other] @param {number} [turn] */
  const shapes = (screen, other, turn = 0) => {
    const [wide, tall] = [screen.width, screen.height].map((side) => Math.max(Math.round(side / CELL), 8));
    const from = field(screen, wide, tall), to = other ? other.field(screen, wide, tall) : from;
    /** By how much class c is above the others. @param {number} at @param {number} c */
    const lead = (at, c) => {
      const value = (/** @type {number} */ r) => from[at + r] + turn * (to[at + r] - from[at + r]);
      if (count === 1) return c ? value(0) : -value(0);
      let best = -Infinity;
      for (let r = 0; r < count; ++r) if (r !== c) best = Math.max(best, value(r));
      return value(c) - best;
    };
    const path = (/** @type {number[][]} */ points) => points.map(([i, j]) => `${((i / wide) * screen.width).toFixed(1)} ${((j / tall) * screen.height).toFixed(1)}`).join("L");
    let line = "";
    const tints = Array.from({ length: Math.max(count, 2) }, (_, c) => {
      const leads = Float64Array.from({ length: from.length / count }, (_, at) => lead(at * count, c));
      return LEVELS.map((level) => {
        let region = "";
        for (let j = 0; j < tall; ++j)
          for (let i = 0; i < wide; ++i) {
            const { points, edge } = cut([[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]], (a, b) => leads[b * (wide + 1) + a] - level);
            if (points.length) region += `M${path(points)}Z`;
            if (c && !level) for (let e = 0; e + 1 < edge.length; e += 2) line += `M${path(edge.slice(e, e + 2))}`; // those of class 0 are others', too
          }
        return s("path", { d: region, class: `${KINDS[shown[c]]}-side layer` });
      });
    });
    return [...tints.flat(), s("path", { d: line, class: "rule" })];
  };
  return Object.assign(shapes, { field });
}

/** The part of a cell where the score is positive, and its edge. @param {number[][]} corners @param {(i: number, j: number) => number} value */
function cut(corners, value) {
  const points = [], edge = [];
  for (let k = 0; k < 4; ++k) {
    const a = corners[k], b = corners[(k + 1) % 4], [fa, fb] = [value(a[0], a[1]), value(b[0], b[1])];
    if (fa >= 0) points.push(a);
    if ((fa >= 0) !== (fb >= 0)) {
      const t = fa / (fa - fb), between = [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
      points.push(between);
      edge.push(between);
    }
  }
  return { points, edge };
}
