// @ts-check
// A curved boundary on the board: both sides, and where the score is zero (marching squares).
import { s } from "./dom.js";

const CELLS = 56;

/** @param {(x: number, y: number) => number} score */
export function contour(score) {
  return (/** @type {import("./plane.js").Screen} */ screen) => {
    const { x0, x1, y0, y1 } = screen.view;
    /** @type {number[]} */ const values = [];
    const at = (/** @type {number} */ i, /** @type {number} */ j) => [x0 + ((x1 - x0) * i) / CELLS, y0 + ((y1 - y0) * j) / CELLS];
    for (let j = 0; j <= CELLS; ++j) for (let i = 0; i <= CELLS; ++i) values.push(score(at(i, j)[0], at(i, j)[1]));
    const value = (/** @type {number} */ i, /** @type {number} */ j) => values[j * (CELLS + 1) + i];
    const sides = { plus: "", minus: "" };
    let line = "";
    for (let j = 0; j < CELLS; ++j)
      for (let i = 0; i < CELLS; ++i) {
        const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
        const plus = cut(corners, (a, b) => value(a, b)), minus = cut(corners, (a, b) => -value(a, b));
        const path = (/** @type {number[][]} */ points) => points.map(([a, b]) => screen.to(at(a, b)[0], at(a, b)[1]).map((v) => v.toFixed(1)).join(",")).join("L");
        if (plus.points.length) sides.plus += `M${path(plus.points)}Z`;
        if (minus.points.length) sides.minus += `M${path(minus.points)}Z`;
        for (let k = 0; k + 1 < plus.edge.length; k += 2) line += `M${path(plus.edge.slice(k, k + 2))}`;
      }
    return [s("path", { d: sides.plus, class: "plus-side" }), s("path", { d: sides.minus, class: "minus-side" }), s("path", { d: line, class: "cut line" })];
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
