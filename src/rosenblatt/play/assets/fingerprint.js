// @ts-check
// The fingerprint of a run: the same 16 digits here and in Python (`rosenblatt.play.fingerprint`) when
// every update, every score and the returned weights are the same to the bit.
import { sha256 } from "./sha256.js";

/** In dual form of the rows, the rivals and the visits alone: kernel values differ in their last bits. @param {any} run */
export function fingerprint(run) {
  const curved = (run.settings?.kernel ?? "none") !== "none", { k = 2, d } = run.rows;
  const whole = [run.row, run.visit, ...(k > 2 ? [run.rival] : [])];
  const floats = curved ? [] : [run.score, k > 2 ? interceptsLast(run.returned, k, d) : run.returned];
  const view = new DataView(new ArrayBuffer(8 * [...whole, ...floats].reduce((sum, part) => sum + part.length, 0)));
  let at = -8;
  for (const part of whole) for (const v of part) view.setBigUint64(at += 8, BigInt(v), true);
  for (const part of floats) for (const v of part) view.setFloat64(at += 8, v, true);
  return sha256(new Uint8Array(view.buffer)).slice(0, 16);
}

/** The weights of all classes, then their intercepts, as Python has them. @param {Float64Array} w @param {number} k @param {number} d */
function interceptsLast(w, k, d) {
  const all = Array.from(w), of = (/** @type {number} */ c) => c * (d + 1);
  const classes = Array.from({ length: k }, (_, c) => c);
  return [...classes.flatMap((c) => all.slice(of(c), of(c) + d)), ...classes.map((c) => all[of(c) + d])];
}
