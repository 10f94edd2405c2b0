// @ts-check
// A table that was pasted or dropped: columns of numbers, and one of two or three labels.
import { MOST_CLASSES, labelOf } from "./classes.js";

const MOST_ROWS = 2000;

/** Fields of delimited text, quoted ones whole. @param {string} text @param {string} delimiter */
function records(text, delimiter) {
  const rows = [[""]];
  let quoted = false;
  for (let k = 0; k < text.length; ++k) {
    const c = text[k], row = rows[rows.length - 1];
    if (quoted) {
      if (c !== '"') row[row.length - 1] += c;
      else if (text[k + 1] === '"') row[row.length - 1] += text[++k];
      else quoted = false;
    } else if (c === '"' && row[row.length - 1] === "") quoted = true;
    else if (c === delimiter) row.push("");
    else if (c === "\n") rows.push([""]);
    else if (c !== "\r") row[row.length - 1] += c;
  }
  return rows.filter((row) => row.length > 1 || row[0].trim() !== "");
}

/** @param {string} line */
function delimiterOf(line) {
  const found = ["\t", ";", ",", " "].map((c) => [c, line.split(c).length]);
  return /** @type {string} */ (found.reduce((best, one) => (one[1] > best[1] ? one : best))[0]);
}

const isNumber = (/** @type {string} */ text) => text.trim() !== "" && Number.isFinite(Number(text));

/**
 * The table; an error is a key of the strings and its values.
 * @param {string} text @param {string} [target] the name of the column of labels
 */
export function parse(text, target) {
  const clean = text.replace(/^\ufeff/, "").trim();
  const rows = records(clean, delimiterOf(clean.split("\n", 1)[0]));
  if (rows.length < 2) throw refusal("table.short", {});
  const named = !rows[0].every(isNumber) && (rows[0].some((field) => !isNumber(field)) && rows[0].filter(isNumber).length < rows[1].filter(isNumber).length);
  const names = named ? rows[0].map((name) => name.trim()) : rows[0].map((_, j) => `x${j + 1}`);
  const body = named ? rows.slice(1) : rows;
  const first = named ? 2 : 1;
  body.forEach((row, i) => {
    if (row.length !== names.length) throw refusal("table.ragged", { line: i + first, found: row.length, wanted: names.length });
  });
  if (body.length > MOST_ROWS) throw refusal("table.long", { found: body.length, most: MOST_ROWS });
  const column = (/** @type {number} */ j) => body.map((row) => row[j].trim());
  const sizes = names.map((_, j) => new Set(column(j)).size);
  const fits = sizes.map((size) => size >= 2 && size <= MOST_CLASSES);
  const wanted = target === undefined ? -1 : names.indexOf(target);
  const label = wanted >= 0 ? wanted : fits[names.length - 1] ? names.length - 1 : [sizes.indexOf(2), fits.indexOf(true)].find((j) => j >= 0) ?? -1;
  if (label < 0) throw refusal("table.nolabels", { names: names.join(", ") });
  const labels = column(label), classes = [...new Set(labels)].sort(byValue);
  if (!fits[label]) throw refusal("table.classes", { name: names[label], found: classes.length });
  const used = names.map((_, j) => j).filter((j) => j !== label && column(j).every(isNumber));
  if (used.length < 2) throw refusal("table.numbers", { found: used.length });
  const left = names.filter((_, j) => j !== label && !used.includes(j));
  return {
    data: {
      x: Float64Array.from(body.flatMap((row) => used.map((j) => Number(row[j])))),
      y: Int8Array.from(labels, (v) => labelOf(classes.length, classes.indexOf(v))),
      n: body.length, d: used.length, names: used.map((j) => names[j]), classes,
    },
    target: names[label], targets: names.filter((_, j) => fits[j]), left,
  };
}

/** Numbers by size, other labels by letter. @param {string} a @param {string} b */
const byValue = (a, b) => (isNumber(a) && isNumber(b) ? Number(a) - Number(b) : a < b ? -1 : 1);

/** @param {string} key @param {Record<string, any>} values */
const refusal = (key, values) => Object.assign(new Error(key), { key, values });
