// @ts-check
// JSON that is read strictly: whole numbers are not floats (4 is a bigint, 4.0 a number), no name
// stands twice in one object, and NaN is no number.

/** The certificate does not prove what it claims about this data. */
export class Rejected extends Error {}

/** There is no certificate in the file, or no plain numbers in the table. */
export class Unreadable extends Rejected {}

/** @param {unknown} holds @param {string} otherwise @param {typeof Rejected} kind @returns {asserts holds} */
export function demand(holds, otherwise, kind = Rejected) {
  if (!holds) throw new kind(otherwise);
}

const SPACE = /[ \t\n\r]*/y, WORD = /true|false|null|NaN|-?Infinity/y;
const NUMBER = /(-?(?:0|[1-9]\d*))(\.\d+)?([eE][-+]?\d+)?/y;
const WORDS = { true: true, false: false, null: null };
const LONGEST = 4300; // digits that Python reads as a whole number

/** @param {string} text @returns {any} */
export function parsed(text) {
  let at = 0;
  const take = (/** @type {RegExp} */ pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const next = () => (take(SPACE), text[at]);
  const fail = () => { throw new Unreadable(`no JSON at character ${at}`); };
  const expect = (/** @type {string} */ c) => (next() === c ? ++at : fail());

  /** Up to the first quote that no odd number of backslashes stands before. @returns {string} */
  function words() {
    if (next() !== '"') fail();
    for (let end = at; ; ) {
      end = text.indexOf('"', end + 1);
      if (end < 0) fail();
      let slash = end;
      while (text[slash - 1] === "\\") --slash;
      if ((end - slash) % 2) continue;
      const said = text.slice(at, end + 1);
      at = end + 1;
      try {
        return JSON.parse(said);
      } catch {
        fail();
      }
    }
  }

  /** What stands between commas, until the end. @param {string} end @param {() => void} one */
  function each(end, one) {
    ++at;
    if (next() === end) return void ++at;
    for (;;) {
      one();
      if (next() === end) return void ++at;
      expect(",");
    }
  }

  function object() {
    const found = Object.create(null), /** @type {Set<string>} */ twice = new Set();
    each("}", () => {
      const name = words();
      expect(":");
      if (name in found) twice.add(name);
      found[name] = value();
    });
    demand(!twice.size, `fields stand twice in one place: ${repr([...twice])}`);
    return found;
  }

  function list() {
    /** @type {any[]} */ const found = [];
    each("]", () => found.push(value()));
    return found;
  }

  /** @returns {any} */
  function value() {
    const c = next();
    if (c === "{") return object();
    if (c === "[") return list();
    if (c === '"') return words();
    const word = take(WORD)?.[0];
    demand(!word || word in WORDS, "NaN and Infinity are no numbers");
    if (word) return WORDS[/** @type {keyof WORDS} */ (word)];
    const [all, digits, ...more] = take(NUMBER) ?? fail();
    if (more.some(Boolean)) return Number(all);
    if (digits.length > LONGEST) throw new RangeError("a whole number has too many digits");
    return BigInt(digits);
  }

  const found = value();
  if (next() !== undefined) fail();
  return found;
}

/** As Python writes it, for messages that are the same. @param {any} value @returns {string} */
export function repr(value) {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return float(value);
  if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
  if (typeof value === "bigint") return String(value);
  if (typeof value === "object") return `{${Object.entries(value).map((pair) => pair.map(repr).join(": ")).join(", ")}}`;
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const inner = value.replace(/[\\\n\r\t]/g, (c) => ({ "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" })[c] ?? c);
  return quote + (quote === "'" ? inner.replace(/'/g, "\\'") : inner) + quote;
}

/** @param {number} value */
export function float(value) {
  if (!Number.isFinite(value)) return value !== value ? "nan" : value > 0 ? "inf" : "-inf";
  const [digits, power] = value.toExponential().split("e"), e = Number(power);
  if (e < -4 || e >= 16) return `${digits}e${e < 0 ? "-" : "+"}${String(Math.abs(e)).padStart(2, "0")}`;
  return (Object.is(value, -0) ? "-" : "") + String(value) + (Number.isInteger(value) ? ".0" : "");
}
