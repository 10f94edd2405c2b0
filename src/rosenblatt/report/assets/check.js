// @ts-check
// All that a certificate claims about its data, in whole numbers: what verify.py checks, as it does.
import { counted } from "./csv.js";
import { dot } from "./exact.js";
import { CHANCE, checkForm, MEANT, unpacked } from "./form.js";
import { compare, nearest, next, number, ofFloat, whole } from "./fractions.js";
import { demand, parsed, Rejected, repr, Unreadable } from "./json.js";
import { Lifted } from "./data.js";
import { hypot, places, rank } from "./rows.js";
import { checkSign, collinear } from "./signs.js";
import { sha256Of } from "./hashed.js";
import { checkChance } from "./chance.js";

/** @typedef {import("./fractions.js").Ratio} Ratio */
/** @typedef {import("./rows.js").Rows} Rows */

const OTHER_DATA = "this is other data: a number, a label, or the order of rows or columns differs";

/** Throws Rejected unless all that is claimed about this data is proved. @param {any} claim @param {any} data */
export function check(claim, data) {
  const { verdict, margins, conflict } = claim, points = data.points ?? data;
  demand(sha256Of(claim, points) === claim.sha256, OTHER_DATA);
  const separable = margins ? true : conflict ? false : null;
  demand(claim.separable === separable, "separable is not what is proved");
  if (verdict === "complete separation") {
    const ends = new Map(Object.keys(margins).map((kind) => [kind, checkMargin(data, kind, margins[kind])]));
    checkMistakeBounds(claim, data, /** @type {any} */ (ends.get("homogeneous")));
    const every = Array.from({ length: data.size }, (_, j) => Array.from({ length: data.size }, (_, k) => BigInt(j === k)));
    const w = data.vector(margins.homogeneous.separator, "separator");
    checkSigns(claim, data, w, every, (v) => Math.min(...new Set(data.signs(v))));
  } else if (verdict === CHANCE) checkChance(claim, data);
  else if (verdict !== "undecided") checkBalance(claim, data);
  if (conflict) checkConflict(data, conflict);
  for (const part of claim.revealing ?? []) checkRevealing(data, part);
  collinear(claim, data);
}

/** A positive blend of rows that is zero: no w can have them all on the right side. @param {Rows} data @param {any} part */
export function checkConflict(data, part) {
  const rows = places(part.rows), y = part.y.map(Number);
  demand(rows.length && rows.length <= data.size + 1, "the conflict has no rows or too many");
  demand(!data.total(part, "conflict").above.some(Boolean), "the conflict does not cancel");
  const same = y.length === rows.length && rows.every((i, k) => data.y(i) === y[k]);
  demand(same, "the conflict has other labels");
  demand(data.intercept === ("point" in part), "a meeting point comes with an intercept");
  if (!data.intercept) return;
  const point = meeting(data, part), met = point.length === part.point.length;
  demand(met && point.every((v, j) => v === part.point[j]), "they meet in another point");
}

/** With an intercept the blends of both classes weigh the same and meet in a point. @param {Rows} data @param {any} part */
export function meeting(data, part) {
  const positive = (/** @type {any} */ _, /** @type {number} */ k) => part.y[k] > 0n;
  const half = { rows: part.rows.filter(positive), weights: part.weights.filter(positive) };
  const { above } = data.total(half, "conflict"), total = /** @type {bigint} */ (above.pop());
  return above.map((v) => {
    const found = nearest(v, total);
    if (!Number.isFinite(found)) throw new RangeError("the point where they meet is beyond all floats");
    return found;
  });
}

/**
 * Rows whose positive blend is zero are on the hyperplane of every w with all a_i·w >= 0, and so is
 * every row in their span. `orthogonal` spans what is orthogonal to them: it is orthogonal, and the two
 * ranks (which can only be greater) add up to the whole space. Without it the span is not asked for:
 * all other rows are strictly right.
 * @param {any} claim @param {Rows} data
 */
export function checkBalance(claim, data) {
  const balance = claim.balance ?? claim.conflict; // which is often enough
  demand(!data.total(balance, "balance").above.some(Boolean), "the balance does not cancel");
  const rows = places(balance.rows), spans = "orthogonal" in claim, balanced = new Set(rows);
  demand(spans || !("signs" in claim), "signs of coefficients need the orthogonal vectors");
  const normals = (claim.orthogonal ?? []).map((/** @type {string[]} */ texts) => whole(data.vector(texts, "orthogonal")).above);
  const basis = spans ? data.multiples(rows) : [];
  if (spans) demand(rank(basis) + rank(normals) === data.size, "the ranks do not add up");
  const flat = spans ? data.flat(normals) : data.present.map((i) => balanced.has(i)); // in the span of the balanced ones?
  const inside = new Map(data.present.map((i, k) => [i, flat[k]]));
  demand(rows.every((i) => inside.get(i)), "an orthogonal vector is not orthogonal");
  if (claim.verdict === "overlap") return demand(flat.every(Boolean), "a row is not in the span of the balanced rows");
  const free = flat.map((v) => !v), w = data.vector(claim.separator, "separator");
  const signs = spans ? signsBeside(data, basis, free, w) : data.signs(w);
  demand(signs.every((v, k) => v === Number(free[k])), "a row is on the wrong side, or on it");
  const right = data.present.filter((_, k) => signs[k]), said = "separated" in claim ? places(claim.separated) : right;
  demand("separated" in claim || !(spans || data instanceof Lifted), "no rows are named");
  const same = right.length === said.length && right.every((i, k) => i === said[k]);
  demand(same && right.length, "other rows are right");
  checkLastBits(claim, data, new Set(right), whole(w).above);
  checkSigns(claim, data, w, normals, (v) => Math.min(...new Set(signsBeside(data, basis, free, v))));
}

/** Rows that w has strictly right by less than 2^-40 of the terms of their score.
 * @param {any} claim @param {Rows} data @param {Set<number>} right @param {bigint[]} w */
function checkLastBits(claim, data, right, w) {
  const rows = places(claim.last_bits ?? []), size = (/** @type {bigint} */ v) => (v < 0n ? -v : v);
  demand(rows.every((i, k) => right.has(i) && (!k || rows[k - 1] < i)), "last_bits: rows that are not right, or out of order");
  for (const i of rows) {
    const terms = whole(data.lifted(data.x(i))).above.map((v, j) => v * w[j]);
    const total = terms.reduce((sum, v) => sum + v, 0n), most = terms.reduce((sum, v) => sum + size(v), 0n);
    demand(size(total) << 40n < most, "last_bits: a row is right by more");
  }
}

/** Those of all coefficients, where they are named; `lowest` is the least sign of all rows.
 * @param {any} claim @param {Rows} data @param {Ratio[]} w @param {bigint[][]} normals @param {(v: Ratio[]) => number} lowest */
function checkSigns(claim, data, w, normals, lowest) {
  if (!claim.signs) return;
  const others = collinear(claim, data);
  for (const [j, part] of claim.signs.slice(0, data.size).entries()) {
    const open = part.signs === "?" && Object.keys(part).length === 1;
    if (!open) checkSign(data, w, normals, j, part, others, lowest);
  }
  if (claim.signs.length !== data.size) throw new RangeError("there are more signs than coefficients, or fewer");
}

/** The sign of a_i·w for every row, of weights that have the balanced rows on their hyperplane: it has
 * their span, too, and only the rows that are free of it have to be looked at.
 * @param {Rows} data @param {bigint[][]} basis @param {boolean[]} free @param {Ratio[]} w */
function signsBeside(data, basis, free, w) {
  const exact = whole(w).above;
  demand(!basis.some((row) => dot(row, exact)), "a balanced row is not on it");
  return data.signs(w, [0n, 1n], free);
}

/**
 * lo: a separator and a number that every row reaches. hi: the length of a blend of rows. For every w,
 * min a_i·w <= Σ weight_i a_i·w / Σ weight_i <= ‖w‖ ‖Σ weight_i a_i‖ / Σ weight_i. With a free intercept
 * ("geometric") the weights of both classes have the same sum, so that it cancels, and lengths are those
 * of the features alone. Returns the squares of both ends.
 * @param {Rows} data @param {string} kind @param {any} part @returns {[Ratio, Ratio]}
 */
export function checkMargin(data, kind, part) {
  const free = kind === "geometric" && data.intercept, reached = number(part.at_least);
  const blend = data.total(part, kind), w = data.vector(part.separator, kind);
  demand(!(free && blend.above.pop()), `${kind}: the weights of the two classes differ`);
  const [w2, blend2] = data.squares(whole(free ? w.slice(0, -1) : w), blend);
  if (w2[0] <= 0n) throw new RangeError("the separator is zero");
  const total = part.weights.map(number).reduce((/** @type {bigint} */ sum, /** @type {Ratio} */ [a, b]) => sum + a / b, 0n);
  /** @type {Ratio} */ const hi2 = [blend2[0], blend2[1] * total ** 2n];
  /** @type {Ratio} */ const lo2 = [reached[0] ** 2n * w2[1], reached[1] ** 2n * w2[0]];
  demand(reached[0] > 0n && data.signs(w, reached).every((v) => v >= 0), `${kind}: a row is nearer`);
  const lo = part.lo, hi = part.hi ?? Infinity; // null: beyond all floats
  demand(lo >= 0 && lo <= hi, `${kind}: lo is greater than hi, or negative`);
  const above = (/** @type {number} */ end, /** @type {Ratio} */ square) => {
    if (end === Infinity) return 1;
    const [a, b] = ofFloat(end);
    return compare([a * a, b * b], square);
  };
  demand(above(lo, lo2) <= 0 && above(next(lo, 1n), lo2) > 0, `${kind}: lo is another`);
  demand(above(next(hi, -1n), hi2) < 0 && above(hi, hi2) >= 0, `${kind}: hi is another`);
  demand(part.exact === (compare(lo2, hi2) === 0), `${kind}: exact or not`);
  return [lo2, hi2];
}

/** No row is longer than the one named: by floating point where that is certain. @param {any} claim @param {any} given @param {[Ratio, Ratio]} ends */
function checkMistakeBounds(claim, given, ends) {
  const [data, times] = given instanceof Lifted ? [given.points, 2n] : [given, 1n]; // (x_i, 1) twice
  const [longest] = places([claim.radius_row]);
  demand(data.has(longest), "the longest row is not there");
  const length = hypot(data.x(longest)), radius2 = data.square(longest);
  const limit = length > 2 ** -900 && length < Infinity ? length * (1 - 2 ** -48) : 0;
  for (const i of data.present)
    if (!(hypot(data.x(i)) < limit)) demand(compare(data.square(i), radius2) <= 0, `row ${counted(i)} is longer`);
  const said = [claim.mistake_bound, claim.best_possible_mistake_bound].map(wholeNumber);
  const proved = said.every((bound, k) => bound === (times * radius2[0] * ends[k][1]) / (radius2[1] * ends[k][0]));
  demand(proved, "the mistake bounds are others");
}

/** @param {string} text */
function wholeNumber(text) {
  if (!text.startsWith("0x") && text.length > 4300) throw new RangeError("a whole number has too many digits");
  return BigInt(text);
}

/** One column alone separates rows: sign (x_j - threshold) y_i >= 0 everywhere. @param {Rows} data @param {any} part */
function checkRevealing(data, part) {
  const [j] = places([part.column]), threshold = number(part.threshold), d = data.size - Number(data.intercept);
  demand(j < d, "revealing: no such column");
  demand(data.intercept || threshold[0] === 0n, "revealing: a threshold through the origin");
  /** @type {Ratio[]} */ const w = Array.from({ length: d }, (_, k) => [k === j ? part.sign : 0n, 1n]);
  if (data.intercept) w.push([-part.sign * threshold[0], threshold[1]]);
  const signs = data.signs(w);
  demand(signs.every((v) => v >= 0), `column ${j} has a row on the wrong side`);
  const right = BigInt(signs.filter(Boolean).length);
  demand(right === part.rows && right > 0n, `column ${j} has other rows right`);
}

/** What a certificate that holds proves, in words. @param {any} claim */
function result(claim) {
  const dropped = claim.dropped.length;
  const rows = `${written(claim.rows - BigInt(dropped))} rows${dropped ? ` (${written(dropped)} left out)` : ""}`;
  if (claim.verdict === CHANCE)
    return `ACCEPTED UP TO CHANCE: overlap, ${rows}; a wrong claim would be accepted with a probability of 2^-128.`;
  if (claim.verdict !== "undecided") return `ACCEPTED: ${claim.verdict}, ${rows}, proved.${infinite(claim)}`;
  if (claim.separable === null) return `UNDECIDED: nothing is claimed about the ${rows}, and nothing is proved.`;
  return `ACCEPTED: not separable, ${rows}, proved; quasi-complete separation or overlap is undecided.`;
}

/** Which coefficients of a logistic regression run to infinity, and which way. @param {any} claim */
function infinite(claim) {
  const { labels } = claim, many = labels.length > 2, names = [...claim.columns.map(repr), ...(claim.fit_intercept ? ["the intercept"] : [])];
  /** @type {Record<string, string>} */ const ends = { "+": "to +inf", "-": "to -inf", "±": "either way" };
  const of = (/** @type {number} */ j) => `${names[j % names.length]}${many ? ` of ${repr(labels[Math.floor(j / names.length)])}` : ""}`;
  /** @type {string[]} */ const found = (claim.signs ?? []).flatMap((/** @type {any} */ { signs }, /** @type {number} */ j) => (signs in ends ? [`${of(j)} ${ends[signs]}`] : []));
  const more = found.length > SHOWN ? ` and ${written(found.length - SHOWN)} more` : "";
  const model = many ? `multinomial logistic regression against ${repr(labels.at(-1))}` : `logistic regression for ${repr(labels[1])}`;
  return found.length ? ` Infinite coefficients of a ${model}: ${found.slice(0, SHOWN).join(", ")}${more}.` : "";
}

/** @param {bigint | number} v */
const written = (v) => v.toLocaleString("en-US");

const SHOWN = 5; // names of columns

/** What it is about: the label and how it is coded, the columns, the intercept. @param {any} claim @param {string[]} unused */
function subject(claim, unused) {
  const { labels, columns: names } = claim, more = names.length - SHOWN;
  const coded = (/** @type {string | null} */ label, /** @type {number} */ c) => (label === null ? [] : [`${repr(label)} as ${["-1", "+1"][c]}`]);
  const words = labels.length === 2 ? labels.flatMap(coded) : labels.map(repr);
  const columns = names.slice(0, SHOWN).map(repr).join(", ") + (more > 0 ? ` and ${written(more)} more column${more > 1 ? "s" : ""}` : "");
  const alone = names.length === 1 ? " alone" : "", lift = claim.fit_intercept ? "with an intercept" : "through the origin";
  const few = unused.length === 1 ? "1 other column is" : `${written(unused.length)} other columns are`;
  const rest = unused.length ? `${few} not used` : "no column is left out";
  return `About ${repr(claim.target)} (${words.join(", ")}) by ${columns}${alone}, ${lift}; ${rest}.`;
}

/**
 * Checks the text of a certificate; `read` gives the data, what the numbers are, and the columns that are
 * not used. Returns a status (0: proved, 1: rejected, 2: cannot be read, 3: undecided, 13: up to chance) and what to say.
 * @param {string} text @param {(claim: any) => [any, string, string[]]} read
 */
export function judge(text, read) {
  let claim;
  try {
    claim = unpacked(parsed(text));
    checkForm(claim);
    const [data, numbers, unused] = read(claim);
    check(claim, data);
    const meant = MEANT[/** @type {keyof MEANT} */ (claim.numbers)], sentence = result(claim);
    const lines = [sentence, subject(claim, unused), `The numbers are ${numbers}, ${meant}.`];
    return { status: sentence.startsWith("UNDECIDED") ? 3 : claim.verdict === CHANCE ? 13 : 0, lines };
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    if (error instanceof Unreadable) return { status: 2, lines: [`Cannot check the certificate: ${message}`] };
    const reason = error instanceof Rejected ? message : `not a certificate (${message})`;
    return { status: 1, lines: [`REJECTED: ${reason}`] };
  }
}
