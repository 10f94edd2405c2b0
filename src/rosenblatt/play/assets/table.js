// @ts-check
// A table that was pasted, chosen or dropped: columns of numbers, and one of two or three labels.
import { MOST_CLASSES, labelOf } from "./classes.js";

const MOST_ROWS = 2000;
const LABELS = /^(y|labels?|class(es)?|targets?|species|outcome|group|kind|type|category|diagnosis)$/i;

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
  return rows.filter((row) => row.length > 1 || row[0].trim() !== "").map((row) => row.map((field) => field.trim()));
}

/** @param {string} line */
function delimiterOf(line) {
  const found = ["\t", ";", ",", " "].map((c) => [c, line.split(c).length]);
  return /** @type {string} */ (found.reduce((best, one) => (one[1] > best[1] ? one : best))[0]);
}

const isNumber = (/** @type {string} */ text) => text !== "" && Number.isFinite(Number(text));
const isMissing = (/** @type {string} */ text) => /^(|na|n\/a|nan|null|none|\?|-)$/i.test(text);
const hasComma = (/** @type {string} */ text) => /^[+-]?\d+,\d+$/.test(text);

/**
 * The table with `names` that may be chosen as labels; or `refused`: a key of the texts and its values.
 * @param {string} text @param {string} [target] the name of the column of labels
 * @returns {any}
 */
export function parse(text, target) {
  const clean = text.replace(/^\ufeff/, "").trim(), delimiter = delimiterOf(clean.split("\n", 1)[0]);
  let rows = records(clean, delimiter);
  const refused = (/** @type {string} */ key, /** @type {any} */ values = {}, /** @type {any} */ more = {}) => ({ names: [], ...more, refused: { key: `table.${key}`, values } });
  if (rows.length < 2) return refused("short");
  const commas = delimiter !== "," && rows.some((row) => row.some(hasComma));
  if (commas) rows = rows.map((row) => row.map((field) => (hasComma(field) ? field.replace(",", ".") : field)));
  const headed = rows[0].some((field) => !isNumber(field)) && rows[0].filter(isNumber).length < rows[1].filter(isNumber).length;
  const names = headed ? rows[0] : rows[0].map((_, j) => `x${j + 1}`), body = headed ? rows.slice(1) : rows, first = headed ? 2 : 1;
  const ragged = body.findIndex((row) => row.length !== names.length);
  if (ragged >= 0) return refused("ragged", { line: ragged + first, found: body[ragged].length, wanted: names.length });
  if (body.length > MOST_ROWS) return refused("long", { found: body.length, most: MOST_ROWS });

  const columns = names.map((_, j) => body.map((row) => row[j])), values = columns.map((column) => new Set(column.filter((v) => !isMissing(v))));
  const fits = values.map(({ size }) => size >= 2 && size <= MOST_CLASSES), label = target === undefined ? labelsOf(names, values, fits) : names.indexOf(target);
  if (label < 0) return refused("labels", { names: names.join(", ") });
  const more = { names, target: names[label] };
  if (!fits[label]) return refused("classes", { name: names[label], found: values[label].size }, more);
  // A column of numbers may lack some; one that is mostly words is left out.
  const used = names.map((_, j) => j).filter((j) => j !== label && values[j].size && [...values[j]].every(isNumber));
  if (used.length < 2) return refused("numbers", { found: used.length, name: names[label] }, more);
  for (const [i, row] of body.entries())
    for (const j of [...used, label]) if (isMissing(row[j])) return refused("missing", { line: i + first, name: names[j] }, more);
  const labels = columns[label], classes = [...values[label]].sort(byValue);
  return {
    ...more, commas, left: names.filter((_, j) => j !== label && !used.includes(j)),
    data: {
      x: Float64Array.from(body.flatMap((row) => used.map((j) => Number(row[j])))),
      y: Int8Array.from(labels, (v) => labelOf(classes.length, classes.indexOf(v))),
      n: body.length, d: used.length, names: used.map((j) => names[j]), classes,
    },
  };
}

/** A name that says so, where it can be; then words, or -1, 0 and 1; then the last column; then any that can be. @param {string[]} names @param {Set<string>[]} values @param {boolean[]} fits */
function labelsOf(names, values, fits) {
  const all = names.map((_, j) => j).filter((j) => fits[j]).reverse();
  const told = names.flatMap((name, j) => (LABELS.test(name) ? [j] : [])), able = told.find((j) => fits[j]);
  if (able !== undefined) return able;
  const kinds = [(/** @type {string} */ v) => !isNumber(v), (/** @type {string} */ v) => ["-1", "0", "1", "+1"].includes(v), () => true];
  return kinds.map((kind) => all.find((j) => [...values[j]].every(kind)) ?? -1).find((j) => j >= 0) ?? told[0] ?? -1;
}

/** Numbers by size, other labels by letter. @param {string} a @param {string} b */
const byValue = (a, b) => (isNumber(a) && isNumber(b) ? Number(a) - Number(b) : a < b ? -1 : 1);
