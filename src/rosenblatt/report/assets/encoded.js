// @ts-check
// The table that a certificate was made of, encoded again as it says: words become 0 and 1, gaps are
// filled, numbers are shifted and scaled. Whoever wrote the certificate chose that, so it is told.
import { dataOf, equal, readPlain, TRUTH } from "./csv.js";
import { decimalMark, look, numberIn, place } from "./dialect.js";
import { styled } from "./formatted.js";
import { demand, float, repr } from "./json.js";
import { checkPreprocessing } from "./recipe.js";
import { dated } from "./dates.js";
import { bucket } from "./murmur.js";
import { places } from "./rows.js";

/** @typedef {import("./csv.js").File} File */

const GAP = "(missing)", OTHER = "(other)";
const WORD = /[\p{L}\p{N}_]{2,}/gu;

/** The rows, what the numbers are, and the columns that are not used. @param {any} claim @param {File[]} files @returns {[any, string, string[]]} */
export function readEncoded(claim, files) {
  const { preprocessing } = claim;
  if (!preprocessing && files.length === 1) return readPlain(claim, files[0]);
  demand(preprocessing, "one file is expected: the certificate does not say how several are read");
  checkPreprocessing(preprocessing);
  const columns = columnsOf(preprocessing), { reading } = preprocessing, features = columns.flatMap((c) => c.features);
  const about = repr(features) === repr(claim.columns) && preprocessing.target?.name === claim.target;
  demand(about, "The certificate contradicts itself: its preprocessing gives other columns than it has");
  const table = look(files, reading);
  const inputs = [...columns.map((/** @type {any} */ c) => c.name), claim.target];
  demand(new Set(inputs).size === inputs.length, "This is not the preprocessing of a table: a name stands twice");
  const lacks = (/** @type {string} */ name) => !table.names.includes(name);
  if (inputs.some(lacks) && ![...claim.columns, claim.target].some(lacks)) return readPlain(claim, files[0]);
  for (const name of inputs) {
    const often = table.names.filter((/** @type {string} */ other) => other === name).length;
    demand(often === 1, `${files[0].name} has ${often ? "several columns" : "no column"} ${repr(name)}, which the preprocessing needs`);
  }
  return encode(claim, table, columns, reading);
}

/** @param {any} claim @param {any} table @param {any[]} columns @param {any} reading @returns {[any, string, string[]]} */
function encode(claim, table, columns, reading) {
  const at = (/** @type {string} */ name) => table.names.indexOf(name), { target } = claim.preprocessing;
  const styles = new Map([...reading.numeric, ...reading.dates].map((/** @type {any} */ style) => [style.column, style]));
  const plain = [...columns, target].filter((c) => c.kind === "number" && !styles.has(c.name));
  const mark = decimalMark(table, plain.map((c) => at(c.name)), reading), decimal = claim.numbers === "decimal";
  demand(!decimal || columns.every((c) => !c.scaled), "Decimals are meant as they are written, and the preprocessing scales them");
  const label = labelOf(target), dropped = new Set(places(claim.dropped));
  let left = 0; // rows without a label
  /** @type {number[]} */ const numbers = [];
  /** @type {string[]} */ const labels = [];
  for (const { name, rows } of table.files) {
    for (const [i, row] of rows.entries()) {
      const cell = (/** @type {any} */ column, /** @type {boolean} */ exactly) => {
        const text = row[at(column.name)], where = `${place(name, i)}, column ${repr(column.name)}`;
        if (table.missing.has(text)) return null;
        if (column.kind !== "number") return text.trim() || null;
        const style = /** @type {any} */ (styles.get(column.name)), found = style ? (style.since ? dated : styled)(text, style) : numberIn(text, mark);
        demand(found !== null, `${where} holds ${repr(text)}: a number is expected`);
        demand(found !== Infinity, `${where} holds inf: numbers must be finite`);
        const written = text.trim().replace(mark, ".");
        demand(!exactly || style || equal(written, String(found)), `${where} holds ${written}, which float64 cannot hold exactly`);
        return Number.isNaN(found) ? null : found;
      };
      const said = cell(target, true);
      if (said === null ? reading.drop_unlabelled : reading.drop_label.some((/** @type {string} */ label) => same(label, said))) {
        demand(dropped.has(labels.length), "The certificate counts rows that have no label in this table");
        for (let j = 0; j < claim.columns.length; ++j) numbers.push(0);
        labels.push("");
        ++left;
        continue;
      }
      for (const column of columns) column.write(cell(column, decimal), numbers, `${place(name, i)}, column ${repr(column.name)}`);
      labels.push(label(said, `${place(name, i)}, target ${repr(target.name)}`));
    }
  }
  demand(labels.length, `${table.name} has no rows, only the names of its columns`);
  for (const column of columns) column.refuseMerged();
  const told = [...columns.map((c) => c.told()).filter(Boolean), ...[...styles.values()].map(toldStyle), ...toldLabels(target)];
  const why = reading.drop_unlabelled ? ["without a label"] : [], without = reading.drop_label.map(repr);
  if (without.length) why.push(`with the label ${without.length > 5 ? `${without.slice(0, 5).join(", ")} and ${without.length - 5} more` : without.join(", ")}`);
  if (left) told.push(`${left.toLocaleString("en-US")} row${left > 1 ? "s" : ""} ${why.join(" or ")} left out`);
  const names = table.files.map((/** @type {File} */ file) => file.name).join(", ");
  const said = told.length ? `made of ${names} (${told.slice(0, 5).join("; ")}${told.length > 5 ? `; and ${told.length - 5} more` : ""})` : `those in ${names}`;
  const used = [...columns.map((c) => c.name), claim.target];
  const unused = table.names.filter((/** @type {string} */ name) => !used.includes(name));
  return [dataOf(claim, Float64Array.from(numbers), labels), said, unused];
}

/** @param {any} preprocessing */
function columnsOf(preprocessing) {
  const since = new Map(preprocessing.reading.dates.map((/** @type {any} */ date) => [date.column, ` (${date.unit} since ${date.since})`]));
  return preprocessing.columns.map((/** @type {any} */ column) => {
    if (column.kind === "number") return numbersOf(column, since.get(column.name) ?? "");
    return column.kind === "prose" ? proseOf(column) : wordsOf(column);
  });
}

/** A 0/1 column for each frequent word of a text, or for each bucket of hashed ones; other words count for nothing. @param {any} column */
function proseOf({ name, kind, words, hashed }) {
  const keys = hashed ? hashed.buckets.map(Number) : words, what = hashed ? "buckets of hashed words" : "words";
  return {
    name, kind, scaled: false, features: words.map((/** @type {string} */ word) => `${name}: ${word}`),
    write(/** @type {string | null} */ text, /** @type {number[]} */ out) {
      const said = text?.toLowerCase().match(WORD) ?? [];
      const there = new Set(hashed ? said.map((word) => bucket(word, Number(hashed.into))) : said);
      for (const key of keys) out.push(Number(there.has(key)));
    },
    refuseMerged() {},
    told: () => `${repr(name)} as ${words.length.toLocaleString("en-US")} ${what}, 0 or 1 each`,
  };
}

/** (x - center) / scale; `fill` stands for missing values. @param {any} column @param {string} measure what is counted */
function numbersOf({ name, kind, ...given }, measure) {
  const [fill, center, scale] = [given.fill ?? NaN, given.center, given.scale].map(Number);
  const scaled = center !== 0 || scale !== 1, /** @type {Set<number>} */ seen = new Set();
  let filled = 0;
  const made = (/** @type {number} */ x) => (x - center) / scale;
  const shift = [center ? `minus ${float(center)}` : "", scale !== 1 ? `divided by ${float(scale)}` : ""].filter(Boolean).join(", ");
  return {
    name, kind, scaled, features: [name + measure],
    write(/** @type {number | null} */ x, /** @type {number[]} */ out, /** @type {string} */ where) {
      demand(x !== null || !Number.isNaN(fill), `${where}: the value is missing, and training did not learn how to fill it`);
      if (x === null) ++filled;
      else if (scaled) seen.add(x + 0);
      out.push(made(x ?? fill));
    },
    refuseMerged() {
      const values = [...seen].sort((a, b) => a - b), all = values.map(made);
      demand(all.every(Number.isFinite), `Scaling makes numbers of the column ${repr(name)} infinite (${shift})`);
      const k = all.findIndex((v, i) => i && !(v > all[i - 1]));
      demand(k < 0, `Scaling makes ${float(values[k - 1])} and ${float(values[k])} in the column ${repr(name)} the same number (${shift}), so a proof about the scaled numbers would not be one about the table`);
    },
    told() {
      const gaps = filled ? `${float(fill)} for ${filled.toLocaleString("en-US")} missing value${filled > 1 ? "s" : ""}` : "";
      const done = [shift, gaps].filter(Boolean).join(", ");
      return done && `${repr(name)} ${done}`;
    },
  };
}

/** A 0/1 column for each word but the reference. @param {any} column */
function wordsOf({ name, kind, words, missing, reference, pooled }) {
  const boolean = kind === "boolean", values = [...words, ...(pooled ? [OTHER] : []), ...(missing ? [GAP] : [])];
  const levels = values.filter((value) => value !== reference), single = boolean && !missing;
  return {
    name, kind, scaled: false, features: single ? [name] : levels.map((value) => `${name}=${value}`),
    write(/** @type {string | null} */ word, /** @type {number[]} */ out, /** @type {string} */ where) {
      const spelled = word !== null && boolean && word in TRUTH ? repr(TRUTH[/** @type {keyof TRUTH} */ (word)]) : word;
      const known = pooled && spelled !== null && !words.includes(spelled) ? OTHER : spelled;
      demand(word !== null || missing, `${where}: the value is missing, and training did not learn how to fill it`);
      demand(word === null || pooled || words.includes(known), `${where} holds ${repr(word)}, which did not occur in training`);
      for (const level of levels) out.push(Number(level === (known ?? GAP)));
    },
    refuseMerged: () => demand(!missing || !words.includes(GAP), `In the column ${repr(name)} missing values and the word ${repr(GAP)} become the same, so a proof about the numbers would not be one about the table`),
    told: () => single ? "" : `${repr(name)} as ${levels.length === 1 ? "0 or 1" : `${levels.length} columns of 0 and 1`}${reference === null ? "" : `, reference ${repr(reference)}`}${pooled ? `, ${repr(OTHER)} for all other words` : ""}`,
  };
}

/** Is the label that someone gave this one of the table? @param {string} label @param {any} said */
const same = (label, said) => typeof said === "number" ? label.trim() !== "" && Number(label) === said : label.trim() === said;

/** @param {any} style */
const toldStyle = ({ column, unit, decimal, since }) => since ? `${repr(column)} read as numbers, ${unit} since ${since}` :
  `${repr(column)} read as numbers${unit ? ` in ${unit}` : ""}${decimal === "," ? " with a decimal comma" : ""}`;

/** @param {any} value */
const text = (value) => (typeof value === "string" ? value : repr(value));

/** @param {any} target */
function toldLabels({ positive }) {
  if (!positive) return [];
  return [Array.isArray(positive) ? `the label ${positive.map(repr).join(" or ")} against all others` : `labels ${condition(positive)} against all others`];
}

/** @param {any} positive */
function condition({ sign, number }) {
  return sign + (Number.isInteger(Number(number)) && Math.abs(Number(number)) < 2 ** 53 ? BigInt(Number(number)) : float(Number(number)));
}

/** The label of a row, as the certificate names it. @param {any} target @returns {(value: any, where: string) => string} */
function labelOf({ kind, values, positive }) {
  const several = positive && !Array.isArray(positive) ? condition(positive) : positive?.map(text).join(" or ");
  const known = new Map(values.map((/** @type {any} */ v) => [kind === "number" ? Number(v) : text(v), v]));
  const holds = (/** @type {any} */ x) => {
    const limit = Number(positive.number);
    return { ">=": x >= limit, "<=": x <= limit, ">": x > limit, "<": x < limit }[/** @type {string} */ (positive.sign)];
  };
  const others = values.filter((/** @type {any} */ v) => Array.isArray(positive) && !positive.includes(v));
  const rest = others.length === 1 ? `(${text(others[0])})` : `(not ${several})`;
  return (value, where) => {
    demand(value !== null, `${where} has no label`);
    if (positive && !Array.isArray(positive)) return holds(value) ? several : rest;
    const word = kind === "boolean" && value in TRUTH ? repr(TRUTH[/** @type {keyof TRUTH} */ (value)]) : value;
    demand(known.has(word), `${where} has the label ${repr(value)}: it must be ${values.slice(0, 10).map(repr).join(", ")}`);
    if (!positive) return text(known.get(word));
    return positive.some((/** @type {any} */ label) => label === known.get(word)) ? several : rest;
  };
}
