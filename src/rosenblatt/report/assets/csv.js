// @ts-check
// A table of numbers and labels as text, read as verify.py reads it: no dialects, plain numbers alone.
import { Data, lifted } from "./data.js";
import { scientific } from "./fractions.js";
import { demand, Rejected, repr, Unreadable } from "./json.js";
import { places } from "./rows.js";

/** @typedef {{name: string, text: string}} File */

export const TRUTH = { true: true, True: true, TRUE: true, false: false, False: false, FALSE: false };
const PLAIN = /^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$/;
const NUMBERS = "This program reads plain numbers; rosenblatt verify CERTIFICATE TABLE --encoded NUMBERS.csv writes those of a table with words or gaps.";
const LONGEST = 131072; // characters of a field

/**
 * The records of delimited text. A quote opens at the beginning of a field only; inside, two stand for
 * one. `strict`: nothing follows the one that closes. `at.line` is the number of lines read so far.
 * @param {string} text @param {string} delimiter @param {boolean} strict @param {{line: number}} at
 */
export function* records(text, delimiter, strict, at) {
  const plain = new RegExp(`[^\\r\\n${delimiter.replace(/[\\\]^-]/, "\\$&")}]*`, "y");
  for (let i = 0; i < text.length; ) {
    /** @type {string[]} */ const record = [];
    for (let more = text[i] !== "\n" && text[i] !== "\r"; more; ) {
      let field = "";
      if (text[i] === '"') [field, i] = quoted(text, i + 1, delimiter, strict, at);
      plain.lastIndex = i;
      field += /** @type {RegExpExecArray} */ (plain.exec(text))[0];
      i = plain.lastIndex;
      if (strict && field.length > LONGEST) fail(at, 1, `field larger than field limit (${LONGEST})`);
      record.push(field);
      more = text[i] === delimiter;
      if (more) ++i;
    }
    if (i < text.length) i += text.startsWith("\r\n", i) ? 2 : 1;
    ++at.line;
    yield record;
  }
}

/** @param {{line: number}} at @param {number} lines those that were begun @param {string} why */
function fail(at, lines, why) {
  at.line += lines;
  throw new Rejected(why);
}

/** The field behind a quote, and where it ends. @param {string} text @param {number} i @param {string} delimiter @param {boolean} strict @param {{line: number}} at @returns {[string, number]} */
function quoted(text, i, delimiter, strict, at) {
  let field = "";
  for (;;) {
    const end = text.indexOf('"', i), upto = end < 0 ? text.length : end, after = text[upto + 1];
    field += text.slice(i, upto);
    if (end >= 0 && after === '"') {
      field += '"';
      i = upto + 2;
      continue;
    }
    at.line += (field.match(/\r\n|\r|\n/g) ?? []).length;
    if (end < 0 && strict) fail(at, Number(!/[\r\n]$/.test(field)), "unexpected end of data");
    const ends = after === undefined || after === delimiter || after === "\n" || after === "\r";
    if (strict && !ends) fail(at, 1, `'${delimiter}' expected after '"'`);
    return [field, upto + Number(end >= 0)];
  }
}

/** A number as it stands; throws where it is none, or where decimals are meant and a float cannot tell it from others. @param {string} text @param {boolean} decimal */
export function value(text, decimal) {
  demand(PLAIN.test(text), `${repr(text)} is not a plain number. ${NUMBERS}`, Unreadable);
  const x = Number(text);
  demand(Number.isFinite(x), `${text} is beyond the largest float`);
  demand(!decimal || equal(text, String(x)), `${text} has more digits than a float can tell apart`);
  return x;
}

/** As numbers. @param {string} one @param {string} two */
export function equal(one, two) {
  if (!PLAIN.test(one) || !PLAIN.test(two)) return false;
  const [a, b] = [scientific(one), scientific(two)];
  return a.digits === b.digits && a.exponent === b.exponent;
}

/** -1 or +1 for each label, of many classes 1 to k; 0 where a row left out has another. Labels that are
 * numbers may be written otherwise, but in one way: 1.00 does not join 1. @param {any} claim @param {string[]} labels */
export function labelSigns(claim, labels) {
  const two = claim.labels.length === 2, out = new Set(places(claim.dropped));
  /** @type {Map<string, number>} */
  const signs = new Map(claim.labels.map((/** @type {string} */ name, /** @type {number} */ c) => [name, two ? 2 * c - 1 : c + 1]));
  const there = new Map(labels.flatMap((text, i) => (out.has(i) ? [] : [[text, i]])));
  const taken = new Set([...there.keys()].filter((text) => signs.has(text)));
  for (const text of [...there.keys()].filter((text) => !taken.has(text)).sort()) {
    const same = claim.labels.filter((/** @type {string} */ name) => name && equal(name, text));
    const no = `row ${counted(/** @type {number} */ (there.get(text)))} has the label ${repr(text)}, not one of ${repr(claim.labels)} in one spelling`;
    demand(same.length === 1 && !taken.has(same[0]), no);
    taken.add(same[0]);
    signs.set(text, /** @type {number} */ (signs.get(same[0])));
  }
  return labels.map((text) => signs.get(text) ?? 0);
}

/** The number of a row, as a person counts it. @param {number} i */
export const counted = (i) => `${(i + 1).toLocaleString("en-US")} (counted from 1)`;

/** The rows, what the numbers are, and the columns that are not used. @param {any} claim @param {File} file @returns {[any, string, string[]]} */
export function readPlain(claim, { name: path, text }) {
  const names = [...claim.columns, claim.target], decimal = claim.numbers === "decimal";
  /** @type {number[]} */ const numbers = [];
  /** @type {string[]} */ const labels = [];
  /** @type {string[]} */ let unused = [];
  const at = { line: 0 };
  try {
    const table = records(text.replace(/^\ufeff/, ""), ",", true, at), header = table.next().value ?? [];
    for (const name of names) {
      const often = header.filter((other) => other === name).length;
      const there = `${repr(name)}; the columns are ${repr(header.slice(0, 20))}`;
      demand(often, `no column ${there}. ${NUMBERS}`, Unreadable);
      demand(often === 1, `several columns ${there}`);
    }
    const target = /** @type {string} */ (names.at(-1));
    demand(names.indexOf(target) === names.length - 1, `the target ${repr(target)} is a column, too`);
    const where = names.map((name) => header.indexOf(name));
    unused = header.filter((name) => !names.includes(name));
    /** @type {boolean[] | null} */ let kinds = null;
    for (const record of table) {
      if (!record.length) continue;
      demand(record.length === header.length, "there are more cells than names, or fewer");
      const cells = where.map((place) => record[place]), label = /** @type {string} */ (cells.pop());
      kinds ??= cells.map((cell) => cell in TRUTH); // a column has one
      for (const [j, cell] of cells.entries()) {
        demand(!kinds[j] || cell in TRUTH, repr(cell));
        numbers.push(kinds[j] ? Number(TRUTH[/** @type {keyof TRUTH} */ (cell)]) : value(cell, decimal));
      }
      labels.push(label);
    }
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    throw new (error instanceof Unreadable ? Unreadable : Rejected)(`${path}, line ${at.line}: ${error.message}`);
  }
  return [dataOf(claim, Float64Array.from(numbers), labels), `those in ${path}`, unused];
}

/** @param {any} claim @param {Float64Array} numbers @param {string[]} labels */
export function dataOf(claim, numbers, labels) {
  const data = new Data(claim, numbers, labelSigns(claim, labels));
  return claim.labels.length > 2 ? lifted(claim, data) : data;
}
