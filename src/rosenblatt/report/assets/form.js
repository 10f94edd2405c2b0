// @ts-check
// Is it a certificate at all? All fields that it must have and no others, at any depth.
import { demand, repr, Unreadable } from "./json.js";

export const SCHEMA = "rosenblatt-certificate/1";
export const CHANCE = "overlap up to chance"; // which is not proved
export const MEANT = { float: "each as the nearest floating-point number", decimal: "as they are written" };

const EXACT = /^-?0x([0-9a-f]+(\/0x[1-9a-f][0-9a-f]*)?|[01](\.[0-9a-f]{1,13})?p[+-]?[0-9]{1,4})$/;
const BOUND = /^(0|[1-9][0-9]*|0x[0-9a-f]+)$/;

/** @type {Record<string, (value: any) => boolean>} */
const KINDS = {
  text: (v) => typeof v === "string",
  flag: (v) => typeof v === "boolean",
  object: isObject,
  count: (v) => typeof v === "bigint" && v >= 0n,
  side: (v) => v === 1n || v === -1n,
  float: (v) => typeof v === "number" && Number.isFinite(v),
  exact: (v) => typeof v === "string" && EXACT.test(v),
  bound: (v) => typeof v === "string" && BOUND.test(v),
  finite: (v) => typeof v === "bigint" || (typeof v === "number" && Number.isFinite(v)),
  any: () => true,
};
/** The fields of each object: ? may be missing, * is a list of these, ~ may be null. @type {Record<string, string>} */
const FORMS = {
  blend: "rows:count* weights:exact*",
  margins: "homogeneous:margin geometric?:margin",
  margin: "rows:count* weights:exact* separator:exact* at_least:exact lo:float hi:float~ exact:flag",
  conflict: "rows:count* weights:exact* y:side* point?:float*",
  sign: "signs:text other?:exact* times?:exact rows?:count* weights?:exact*",
  column: "column:count sign:side threshold:exact rows:count",
  always: `schema:text producer:text verdict:text separable:flag~ numbers:text
    fit_intercept:flag rows:count dropped:count* columns:text* target:text labels:text~*
    sizes?:count* sha256:text limits:text* preprocessing?:object collinear?:combination*`,
  combination: "column:count vector:exact*",
  chance: "rows:count* weights:exact* bits:count vectors:exact**",
};
/** @type {Record<string, string>} */
const VERDICTS = {
  "complete separation": `margins:margins radius_row:count mistake_bound:bound
    best_possible_mistake_bound:bound signs?:sign* revealing?:column*`,
  "quasi-complete separation": `conflict:conflict balance?:blend orthogonal?:exact**
    separator:exact* separated?:count* last_bits?:count* signs?:sign* revealing?:column*`,
  overlap: "conflict:conflict balance?:blend orthogonal?:exact**",
  [CHANCE]: "conflict?:conflict chance:chance",
  undecided: "conflict?:conflict",
};

const LONGEST = 2n ** 23n; // numbers in a vector

/** Names x0, x1, … may be written as their number, and long vectors by the values that differ from
 * most, each with the places where it stands. @param {any} claim @returns {any} */
export function unpacked(claim) {
  if (!isObject(claim)) return claim;
  if (typeof claim.columns === "bigint") {
    demand(claim.columns >= 0n && claim.columns <= LONGEST, "columns: too many, or fewer than none");
    claim.columns = Array.from({ length: Number(claim.columns) }, (_, j) => `x${j}`);
  }
  const each = isObject(claim.margins) ? Object.values(claim.margins) : [];
  for (const part of [claim, claim.conflict, ...each].filter(isObject))
    for (const name of ["separator", "point"]) if (isObject(part[name])) part[name] = spread(part[name], name);
  return claim;
}

/** A vector from its size, what stands in most places, and the other values with the gaps between their
 * places: 2, 1, 4 are the places 2, 3 and 7. @param {any} short @param {string} where */
function spread(short, where) {
  checkFields(short, "size:count most:any values:any* gaps:count**", where);
  const { size, most, values, gaps } = short;
  const places = gaps.map((/** @type {bigint[]} */ some) => { let at = 0n; return some.map((gap) => (at += gap)); });
  const all = places.flat(), last = all.reduce((/** @type {bigint} */ a, /** @type {bigint} */ b) => (a > b ? a : b), -1n);
  const good = new Set(all).size === all.length && values.length === places.length && last < size && size <= LONGEST;
  demand(good, `${where}: values and places differ, or a place is not there`);
  const out = Array(Number(size)).fill(most);
  places.forEach((/** @type {bigint[]} */ some, /** @type {number} */ k) => some.forEach((place) => (out[Number(place)] = values[k])));
  return out;
}

/** @param {any} value */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {any} claim */
export function checkForm(claim) {
  const schema = isObject(claim) ? claim.schema : null, found = schema ? `is ${repr(schema)}` : "there is none";
  demand(schema === SCHEMA, `its schema should be ${repr(SCHEMA)}, but ${found}`, Unreadable);
  const other = ["family", "absorbed", "demand"].some((name) => name in claim);
  demand(!other, "it is about another model than the logistic one, or about signs: python -m rosenblatt.verify reads it", Unreadable);
  const { verdict } = claim, known = typeof verdict === "string" && Object.hasOwn(VERDICTS, verdict);
  demand(known, `the verdict ${repr(verdict)} is not known`);
  checkFields(claim, `${FORMS.always} ${VERDICTS[verdict]}`, verdict);
  demand(Object.hasOwn(MEANT, claim.numbers), 'numbers is neither "float" nor "decimal"');
  const k = claim.labels.length, named = k === 2 || (k > 2 && new Set([...claim.labels, null]).size === k + 1);
  demand(named && claim.labels.some(Boolean), "labels are not two names, or of many classes as many");
  const there = [...Object.keys(claim), ...Object.keys(claim.margins ?? {})];
  const odd = (k > 2 ? ["collinear", "geometric", "last_bits", "revealing"] : ["sizes"]).filter((name) => there.includes(name));
  demand(!odd.length, `${repr(odd)} belong to another number of classes, or to another family`);
  demand(k === 2 || "sizes" in claim, "the sizes of the classes are missing");
}

/** @param {any} part @param {string} form @param {string} where */
export function checkFields(part, form, where) {
  demand(isObject(part), `${where} is not an object`);
  const kinds = form.trim().split(/\s+/).map((field) => field.split(":"));
  const names = kinds.map(([name]) => name.replace("?", ""));
  const odd = kinds.flatMap(([name]) => (name.endsWith("?") || name in part ? [] : [name]));
  odd.push(...Object.keys(part).filter((name) => !names.includes(name)));
  demand(!odd.length, `${where}: fields are missing, or do not belong here: ${repr(odd.sort())}`);
  kinds.forEach(([, kind], k) => {
    if (names[k] in part) checkValue(part[names[k]], kind, `${where}: ${names[k]}`);
  });
}

/** @param {any} value @param {string} kind @param {string} where */
function checkValue(value, kind, where) {
  if (kind in FORMS) return checkFields(value, FORMS[kind], where);
  const items = kind.endsWith("*") ? value : [value], leaf = kind.replace(/\*$/, "").replace(/~+$/, "");
  demand(Array.isArray(items), `${where} is not a list`);
  if (leaf in KINDS) {
    const good = items.every((v) => (v === null && kind.includes("~")) || KINDS[leaf](v));
    demand(good, `${where} is not what it should be (${leaf})`);
  } else items.forEach((item) => checkValue(item, leaf, where));
}
