// @ts-check
// Is it a preprocessing, as rosenblatt writes them? Nothing else is applied to a table.
import { checkFields } from "./form.js";
import { moment, pattern } from "./dates.js";
import { READING } from "./dialect.js";
import { demand } from "./json.js";

const KINDS = ["number", "text", "boolean", "prose"], GAP = "(missing)", OTHER = "(other)";
const NOT = "This is not the preprocessing of a table:";
/** The fields of its parts, as form.js reads them. */
const NUMBERS = "name:text kind:text fill:finite~ center:finite scale:finite seen:object~";
const WORDS = "name:text kind:text words:text* missing:flag reference:text~ pooled:flag";

/** @param {boolean} holds @param {string} otherwise @returns {asserts holds} */
function insist(holds, otherwise) {
  demand(holds, `${NOT} ${otherwise}`);
}

/** Characters by their numbers, as Python has them. @param {any} one @param {any} two */
function before(one, two) {
  if (typeof one !== "string") return one < two;
  const [a, b] = [[...one], [...two]], k = a.findIndex((c, j) => c !== b[j]);
  return k < 0 ? a.length < b.length : k < b.length && Number(a[k].codePointAt(0)) < Number(b[k].codePointAt(0));
}

/** @param {any[]} values */
const rising = (values) => values.every((v, k) => !k || before(values[k - 1], v));

/** Throws Rejected where it is none. @param {any} preprocessing */
export function checkPreprocessing(preprocessing) {
  insist(preprocessing.schema === "rosenblatt-preprocessing/1", "schema is another one");
  checkFields(preprocessing, "schema:text columns:object* target:object~ reading:object", NOT);
  preprocessing.columns.forEach(checkColumn);
  if (preprocessing.target) checkTarget(preprocessing.target);
  checkReading(preprocessing.reading);
  const prose = preprocessing.columns.map((/** @type {any} */ c) => c.kind === "prose");
  insist(!prose.includes(true) || !prose.slice(prose.indexOf(true)).includes(false), "a column of prose is not among the last");
}

/** @param {any} column */
function checkColumn(column) {
  insist(KINDS.includes(column.kind), "a kind is none of the three");
  if (column.kind === "number") {
    checkFields(column, NUMBERS, NOT);
    if (column.seen) checkSeen(column.seen);
    return insist(column.scale > 0, "a scale is not positive");
  }
  if (column.kind === "prose") {
    checkFields(column, "name:text kind:text words:text* hashed:object~", NOT);
    if (column.hashed) return checkHashed(column);
    return insist(rising(column.words), "words are not sorted, or one stands twice");
  }
  checkFields(column, WORDS, NOT);
  const { words, missing, reference, pooled } = column, boolean = column.kind === "boolean";
  insist(rising(words), "words are not sorted, or one stands twice");
  insist((words.length || missing || pooled) && !(pooled && (boolean || words.includes(OTHER))) && (!boolean || words.join() === "False,True"), "words are not those of their column");
  insist(reference === null || ((words.includes(reference) && reference !== GAP) || (pooled && reference === OTHER)), "a reference is none of the words");
  insist(!boolean || missing || reference === "False", "a reference is not False");
}

/** @param {any} seen */
function checkSeen(seen) {
  checkFields(seen, "low:finite high:finite whole:flag", NOT);
  insist(Number(seen.low) <= Number(seen.high), "low is above high");
}

/** @param {any} column */
function checkHashed({ words, hashed }) {
  checkFields(hashed, "into:count buckets:count*", NOT);
  const { into, buckets } = hashed, inside = buckets.every((/** @type {bigint} */ k) => k < into);
  insist(into <= 1 << 24 && buckets.length === words.length && inside && rising(buckets), "buckets are not different numbers, rising, one a column");
}

/** @param {any} target */
function checkTarget(target) {
  checkFields(target, "name:text kind:text values:any* positive:any", NOT);
  const { kind, values, positive } = target;
  insist(KINDS.slice(0, 3).includes(kind), "a kind is none of the three");
  if (!values.length) {
    checkFields(positive, "sign:text number:finite", NOT);
    return insist(kind === "number" && [">=", "<=", ">", "<"].includes(positive.sign), "positive is no condition");
  }
  const types = { number: ["bigint", "number"], text: ["string"], boolean: ["boolean"] }[/** @type {"number"} */ (kind)];
  insist(values.every((/** @type {any} */ v) => types.includes(typeof v) && typeof v === typeof values[0]), "values are of another kind");
  insist(rising(values) && values.length > 1, "values are not sorted, or one stands twice");
  if (positive === null) return;
  insist(Array.isArray(positive) && positive.every((v) => values.includes(v)), "positive is none of the values");
  insist(rising(positive) && positive.length > 0 && positive.length < values.length && (values.length > 2 || positive[0] === values[0]), "positive are none, all, or not sorted");
}

/** @param {any} reading */
function checkReading(reading) {
  checkFields(reading, READING, NOT);
  checkLayout(reading);
  insist([...reading.delimiter].length === 1, "its delimiter is not one character");
  const marks = [reading.mark, reading.decimal ?? ".", ...reading.numeric.map((/** @type {any} */ style) => {
    checkFields(style, "column:text unit:text decimal:text", NOT);
    return style.decimal;
  })];
  insist(marks.every((mark) => mark === "." || mark === ","), "a decimal mark is neither of the two");
}

/** @param {any} reading */
function checkLayout({ sep, names, dates }) {
  insist(sep === null || /^[^a-zA-Z0-9".\r\n+\-\0\u0080-\uffff]$/.test(sep), "its separator cannot divide fields");
  const named = names === null || (Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === "string" && name));
  insist(named && (names === null || new Set(names).size === names.length), "names are none, empty, or one stands twice");
  for (const date of dates) {
    checkFields(date, "column:text since:text unit:text format:text", NOT);
    insist(moment(date.since) !== null && ["days", "seconds"].includes(date.unit) && (!date.format || pattern(date.format)), "a column of dates has no beginning");
  }
}
