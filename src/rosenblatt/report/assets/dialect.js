// @ts-check
// How a text file is written: its delimiter, its decimal mark, its names, and what is missing.
import { records } from "./csv.js";
import { demand, repr } from "./json.js";

/** @typedef {import("./csv.js").File} File */

/** The fields of how a table was read, with those of options.py, as form.js reads them. */
export const READING = `header:flag~ na_values:text* encoding:text~ delimiter:text mark:text numeric:object*
  decimal:text~ skip_rows:count~ header_rows:count~ skip_footer:count~ drop_label:text*
  sep:text~ names:any sheet_name:text~ drop_unlabelled:flag dates:object*`;
const DELIMITERS = [",", ";", "\t", "|"], BLANKS = " ";
const SPELLINGS = ["NA", "N/A", "n/a", "#N/A", "#NA", "NaN", "nan", "-nan", "-NaN", "NULL", "null", "<NA>"];
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** The names of the columns and all rows of some files; `reading` is how the table was read that the certificate is about. @param {File[]} files @param {any} reading */
export function look(files, reading) {
  const all = files.map((file) => fields(file, reading)), { names } = all[0];
  for (const [k, other] of all.entries())
    demand(repr(other.names) === repr(names), `${files[k].name} has other columns than ${files[0].name}`);
  const words = [...SPELLINGS, ...reading.na_values];
  return { ...all[0], files: all, missing: new Set(["", " ", ...words, ...words.map((word) => ` ${word}`)]) };
}

/** @param {File} file @param {any} reading */
function fields({ name, text }, reading) {
  const plain = text.replace(/^\ufeff/, ""), announced = /^sep=(.)\r?\n/.exec(plain);
  const rest = below(announced ? plain.slice(announced[0].length) : plain, Number(reading.skip_rows ?? 0));
  const head = /** @type {RegExpExecArray} */ (/^[\r\n]*((?:"[^"]*"|[^\r\n])*)/.exec(rest))[1];
  const delimiter = reading.sep ?? announced?.[1] ?? (/\.(tsv|tab)(\.|$)/i.test(name) ? "\t" : likeliest(head, reading.delimiter));
  const joined = delimiter === BLANKS ? oneBlank(rest) : rest;
  const rows = [...records(joined, delimiter, false, { line: 0 })].filter((record) => record.length);
  demand(rows.length, `${name} is empty: a table begins with the names of its columns`);
  const own = reading.header === false ? rows[0].map((_, j) => `x${j}`) : joinedNames(rows.splice(0, Number(reading.header_rows ?? 1)));
  rows.splice(rows.length - Math.min(rows.length, Number(reading.skip_footer ?? 0)));
  const given = /** @type {string[]} */ (reading.names ?? own);
  demand(given.length === own.length, `${name} has ${own.length} columns, and there are ${given.length} names`);
  for (const [i, row] of rows.entries())
    demand(row.length === given.length, `${place(name, i)} has ${row.length} fields where the header has ${given.length}`);
  return { name, delimiter, names: given, rows };
}

/** Without the first lines. @param {string} text @param {number} lines */
function below(text, lines) {
  const end = text.includes("\n") ? "\n" : "\r";
  return text.split(end).slice(lines).join(end);
}

/** A name of the upper lines holds for the columns on its right that have none there, up to the next name
 * of a line above. @param {string[][]} records */
function joinedNames(records) {
  const names = Array.from({ length: Math.max(0, ...records.map((record) => record.length)) }, () => /** @type {string[]} */ ([]));
  for (const [k, record] of records.entries()) {
    let above = "";
    for (const [j, parts] of names.entries()) {
      const ends = k === records.length - 1 || records.slice(0, k).some((other) => (other[j] ?? "").trim());
      above = (record[j] ?? "").trim() || (ends ? "" : above);
      if (above) parts.push(above);
    }
  }
  return names.map((parts) => parts.join(" "));
}

/** Any number of spaces and tabs as one. @param {string} text */
function oneBlank(text) {
  const lines = text.replace(/^[ \t]+|[ \t]+$/g, "").replace(/[ \t]*(\r?\n|\r)[ \t]*/g, "$1");
  return lines.replace(/("[^"\r\n]*")|[ \t]+/g, (_, quoted) => quoted ?? BLANKS);
}

/** The one that is most often in the header, outside quotes; blanks where the first table had them, and
 * nothing else divides. @param {string} head @param {string} first */
function likeliest(head, first) {
  const outside = head.replace(/"[^"]*"/g, "");
  const often = (/** @type {string} */ d) => outside.split(d).length + (d === first ? 0.5 : 0);
  const found = DELIMITERS.reduce((best, d) => (often(d) > often(best) ? d : best));
  return first === BLANKS && (found === "\t" || often(found) < 2) ? BLANKS : found;
}

/** @param {string} name @param {number} row */
export const place = (name, row) => `${name}, row ${row + 1} (counted from 1)`;

/** The number in a cell; null if it is none. @param {string} cell @param {string} mark */
export function numberIn(cell, mark) {
  let text = cell.replace(/^[ \t]+|[ \t]+$/g, "");
  if (mark !== ".") text = text.includes(".") ? "no" : text.replace(mark, ".");
  if (NUMBER.test(text)) return Number(text);
  if (/^[+-]?nan$/i.test(text)) return NaN;
  return /^[+-]?inf(inity)?$/i.test(text) ? Infinity : null;
}

/** A comma is meant by the decimal point where that makes more columns numbers; with commas between the
 * fields it never is, but where that was said. @param {any} table @param {number[]} columns @param {any} reading */
export function decimalMark(table, columns, { decimal, mark: first }) {
  if (decimal) return decimal;
  if (table.delimiter === ",") return ".";
  const wrong = (/** @type {string} */ mark) => columns.filter((j) => table.files.some((/** @type {any} */ { rows }) =>
    rows.some((/** @type {string[]} */ row) => !table.missing.has(row[j]) && numberIn(row[j], mark) === null))).length;
  const marks = first === "," ? [",", "."] : [".", ","];
  return wrong(marks[1]) < wrong(marks[0]) ? marks[1] : marks[0];
}
