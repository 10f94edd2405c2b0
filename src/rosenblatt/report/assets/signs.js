// @ts-check
// The signs that coefficients can take under quasi-complete separation, and columns that are collinear.
import { dot } from "./exact.js";
import { number, signOf, whole } from "./fractions.js";
import { demand } from "./json.js";
import { places } from "./rows.js";

/** @typedef {import("./fractions.js").Ratio} Ratio */
/** @typedef {import("./rows.js").Rows} Rows */

/**
 * Columns left out, and vectors that are 0 times every row: so these columns are combinations of others,
 * and the coefficients in them can be 0, whatever the scores.
 * @param {any} claim @param {Rows} data @returns {Map<number, bigint[]>}
 */
export function collinear(claim, data) {
  const parts = claim.collinear ?? [], /** @type {Map<number, bigint[]>} */ found = new Map();
  for (const part of parts) found.set(places([part.column])[0], whole(data.vector(part.vector, "collinear")).above);
  const columns = [...found.keys()];
  demand(columns.every((j) => j < data.size) && found.size === parts.length, "collinear: no column, or one twice");
  for (const [j, v] of found) {
    const there = columns.filter((k) => v[k]);
    demand(there.length === 1 && there[0] === j, `collinear: column ${j} is not left out alone`);
  }
  demand(!found.size || data.flat([...found.values()]).every(Boolean), "columns are not collinear");
  return found;
}

/**
 * The signs that w_j can take where all a_i·w >= 0 (and w is not always 0 there), of the w that are 0 in
 * the columns left out: those with the same scores are w - Σ (w_k / vector_k) vector.
 * @param {Rows} data @param {Ratio[]} w @param {bigint[][]} normals @param {number} j @param {any} part
 * @param {Map<number, bigint[]>} out @param {(v: Ratio[]) => number} lowest
 */
export function checkSign(data, w, normals, j, part, out, lowest) {
  const what = `the sign of coefficient ${j}`, { signs } = part;
  const at = (/** @type {bigint[]} */ v) => coefficient(v, j, out), here = at(whole(w).above)[0];
  demand((signs !== "0") === normals.some((v) => at(v)[0] !== 0n), `${what}: is it always 0?`);
  const proof = signs === "0" ? [] : signs === "±" ? (here ? ["other"] : []) : ["times", "rows", "weights"];
  const fields = Object.keys(part).sort().join();
  demand(fields === ["signs", ...proof].sort().join(), `${what}: its proof has other fields`);
  let proved = signs === "0" || signs === "±";
  if (signs === "±" && here) { // w is inside the cone: near it w_j can move, if it is 0
    const other = data.vector(part.other, what);
    proved = signOf(at(whole(other).above)[0]) * signOf(here) < 0 && lowest(other) >= 0;
  } else if (signs === "+" || signs === "-") { // ±e_j is a positive blend of rows, up to the span of the balanced
    const [above, below] = number(part.times), side = signs === "+" ? 1n : -1n;
    const blend = data.total(part, what);
    const same = normals.every((v) => {
      const [a, b] = at(v);
      return dot(blend.above, v) * below * b === side * above * a * blend.below;
    });
    proved = same && signOf(side * above) * signOf(here) > 0 && above > 0n;
  }
  demand(proved, `${what} is not proved`);
}

/** v_j - Σ v_k u_j / u_k over the columns k left out and their vectors u. @param {bigint[]} v @param {number} j @param {Map<number, bigint[]>} out @returns {Ratio} */
function coefficient(v, j, out) {
  /** @type {Ratio} */ let [above, below] = [v[j], 1n];
  for (const [k, u] of out) if (u[j]) [above, below] = [above * u[k] - v[k] * u[j] * below, below * u[k]];
  return below < 0n ? [-above, -below] : [above, below];
}
