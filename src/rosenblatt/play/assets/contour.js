// @ts-check
// A curved boundary on the board: where each class wins, and where two are level (marching squares).
import { KINDS } from "./classes.js";
import { s } from "./dom.js";

const CELLS = 56;

/** @param {(x: number, y: number, into: Float64Array) => void} scores of two classes one, of more one each @param {number} count of them @param {number[]} shown the numbers of the classes */
export function contour(scores, count, shown) {
  const sides = Math.max(count, 2), found = new Float64Array(count);
  /** By how much a class is above the others. @param {number} c */
  const lead = (c) => {
    if (count === 1) return c ? found[0] : -found[0];
    let best = -Infinity;
    for (let r = 0; r < count; ++r) if (r !== c && found[r] > best) best = found[r];
    return found[c] - best;
  };
  return (/** @type {import("./plane.js").Screen} */ screen) => {
    const { x0, x1, y0, y1 } = screen.view;
    const at = (/** @type {number} */ i, /** @type {number} */ j) => [x0 + ((x1 - x0) * i) / CELLS, y0 + ((y1 - y0) * j) / CELLS];
    const leads = Array.from({ length: sides }, () => new Float64Array((CELLS + 1) ** 2));
    for (let j = 0; j <= CELLS; ++j)
      for (let i = 0; i <= CELLS; ++i) {
        scores(at(i, j)[0], at(i, j)[1], found);
        for (let c = 0; c < sides; ++c) leads[c][j * (CELLS + 1) + i] = lead(c);
      }
    const path = (/** @type {number[][]} */ points) => points.map(([a, b]) => screen.to(at(a, b)[0], at(a, b)[1]).map((v) => v.toFixed(1)).join(",")).join("L");
    let line = "";
    const regions = leads.map((values, c) => {
      let region = "";
      for (let j = 0; j < CELLS; ++j)
        for (let i = 0; i < CELLS; ++i) {
          const { points, edge } = cut([[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]], (a, b) => values[b * (CELLS + 1) + a]);
          if (points.length) region += `M${path(points)}Z`;
          if (c) for (let e = 0; e + 1 < edge.length; e += 2) line += `M${path(edge.slice(e, e + 2))}`; // those of class 0 are others', too
        }
      return s("path", { d: region, class: `${KINDS[shown[c]]}-side` });
    });
    return [...regions, s("path", { d: line, class: "cut line" })];
  };
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
