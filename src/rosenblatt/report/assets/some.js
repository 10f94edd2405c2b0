// @ts-check
// What the rows that the page holds prove by themselves, in words: blends need no other rows.
import { checkBalance, checkConflict, checkMargin } from "./check.js";
import { Lifted, Some } from "./data.js";
import { checkForm, unpacked } from "./form.js";
import { parsed } from "./json.js";
import { places } from "./rows.js";

/** @typedef {{row: number, label: string, numbers: number[]}} Held */

const FEW = 4; // digits

/** @param {number} v */
const shown = (v) => v.toLocaleString("en-US", { maximumSignificantDigits: FEW });

/** @param {number} count @param {string} word */
const many = (count, word) => `${count.toLocaleString("en-US")} ${word}${count === 1 ? "" : "s"}`;

/**
 * Sentences about what was checked just now; `whole` says that it is the verdict itself. Throws Rejected
 * where the certificate is not what it should be; null where the page holds too few rows.
 * @param {string} certificate @param {Held[]} held
 */
export function checkSome(certificate, held) {
  const claim = unpacked(parsed(certificate));
  checkForm(claim);
  const two = claim.labels.length === 2, rows = new Map(held.map(({ row, label, numbers }) => {
    const c = claim.labels.indexOf(label);
    return [row, { x: numbers, y: two ? 2 * c - 1 : c + 1 }];
  }));
  const points = new Some(claim, rows), data = claim.labels.length > 2 ? new Lifted(claim, points) : points;
  const has = (/** @type {any} */ part) => part && places(part.rows).every((i) => data.has(i));
  if (claim.conflict) return has(claim.conflict) ? conflict(claim, data, has(claim.balance ?? claim.conflict)) : null;
  return claim.margins && Object.values(claim.margins).every(has) ? margins(claim, data) : null;
}

/** @param {any} claim @param {any} data @param {boolean} balanced */
function conflict(claim, data, balanced) {
  const part = claim.conflict, n = part.rows.length;
  checkConflict(data, part);
  const sentences = [];
  if (data instanceof Lifted) {
    sentences.push(`${many(n, "comparison")} of a row's own class with a rival, each times a positive whole number, add up to exactly zero.`, "So no linear scores put the own class strictly first in all of them.");
  } else {
    const sides = [1n, -1n].map((side) => part.y.filter((/** @type {bigint} */ y) => y === side).length);
    const of = (/** @type {number} */ k) => {
      const label = `labelled “${claim.labels[1 - k]}”`;
      return sides[k] === 1 ? `a row ${label}` : `a weighted average of ${many(sides[k], "row")} ${label}`;
    };
    sentences.push(data.intercept
      ? `In every column ${of(0)} equals ${of(1)}, exactly and not just in the digits shown.`
      : `${many(n, "row")}, each times a positive whole number and those labelled “${claim.labels[0]}” times −1, add up to exactly zero.`);
    sentences.push(`So no hyperplane${data.intercept ? "" : " through the origin"} has ${n === 2 ? "both" : `all ${n}`} strictly on the right side.`);
  }
  const whole = claim.verdict === "overlap" && !claim.orthogonal?.length && balanced;
  if (whole) {
    checkBalance(claim, data);
    const some = places((claim.balance ?? part).rows).length;
    sentences.push(`${claim.balance ? `A weighted sum of ${many(some, "row")} is zero, too, and leaves` : "They also leave"} no direction free: every hyperplane has a row on the wrong side, or all rows on it. This is what overlap means.`);
  }
  return { sentences, whole };
}

/** @param {any} claim @param {any} data */
function margins(claim, data) {
  const kind = claim.margins.geometric ? "geometric" : "homogeneous", part = claim.margins[kind];
  for (const name of Object.keys(claim.margins)) checkMargin(data, name, claim.margins[name]);
  const n = data.points ? data.points.present.length : data.present.length;
  const far = part.hi === null ? "any float" : shown(part.hi);
  return {
    whole: false,
    sentences: [
      `The separator of the certificate has ${many(n, "row")}, the nearest ones, on the right side, by a ${kind} margin of at least ${shown(part.lo)}.`,
      `A weighted sum of them proves that no separator has a margin greater than ${far}.`,
    ],
  };
}
