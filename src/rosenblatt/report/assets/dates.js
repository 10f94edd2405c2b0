// @ts-check
// Dates as numbers: days since the first one, or seconds where there are times.

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|[-+]\d\d:?\d\d)?)?$/;
const DAY = 86400;

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const TWO = "\\d{1,2}", NAME = "[A-Za-z]{3,9}\\.?", WEEKDAY = "[A-Za-z]{2,9}\\.?", HALF = "[AaPp]\\.?[Mm]\\.?", ZONE = "Z|[-+]\\d{2}:?\\d{2}";
/** @type {Record<string, string>} */
const PARTS = { y: TWO, m: TWO, d: TWO, H: TWO, I: TWO, M: TWO, S: TWO, b: NAME, B: NAME, a: WEEKDAY, A: WEEKDAY, Y: "\\d{4}", f: "\\d{1,9}", p: HALF, z: ZONE };
const CLOCK = `(?:(?:T|\\s+)(?<H>\\d{1,2}):(?<M>\\d{2})(?::(?<S>\\d{2})(?:[.,](?<f>\\d{1,9}))?)?(?:\\s?(?<p>${HALF}))?(?:\\s?(?<z>${ZONE}))?)?`;

/** Of words that are written so; null of what is no format. A clock may follow a day. @param {string} format */
export function pattern(format) {
  let text = "";
  for (const [, percent, part, other] of format.matchAll(/(%)([^])|([^%]+|%)/gu)) {
    if (percent && part in PARTS && !text.includes(`<${part}>`)) text += `(?<${part}>${PARTS[part]})`;
    else if ((percent && part !== "%") || other === "%") return null;
    else text += (other ?? "%").split(/\s+/).map((piece) => piece.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("\\s+");
  }
  if (text.includes("<Y>") === text.includes("<y>")) return null;
  return new RegExp(`^(?:${text}${/<[HIMSfpz]>/.test(text) ? "" : CLOCK})$`, "u");
}

/** The date in ISO 8601, which need not exist; null of anything else. @param {string} word @param {string} format */
function iso(word, format) {
  const part = pattern(format)?.exec(word.trim())?.groups;
  if (!part) return null;
  const short = Number(part.y), two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const year = part.Y ?? String(short + (short > 68 ? 1900 : 2000));
  const name = (part.b ?? part.B ?? "").toLowerCase().slice(0, 3), month = name ? MONTHS.indexOf(name) + 1 : Number(part.m ?? 1);
  if (name && !month) return null;
  const day = `${year}-${two(month)}-${two(Number(part.d ?? 1))}`, half = (part.p ?? "").toLowerCase();
  if (part.H === undefined && part.I === undefined) return day;
  let hour = Number(part.H ?? part.I);
  if (half || part.I !== undefined) {
    if (hour < 1 || hour > 12) return null;
    hour = (hour % 12) + (half.startsWith("p") ? 12 : 0);
  }
  return `${day} ${two(hour)}:${two(Number(part.M ?? 0))}:${two(Number(part.S ?? 0))}${part.f ? `.${part.f}` : ""}${part.z ?? ""}`;
}

/** Seconds, what is written behind them, and whether it has a zone; null of anything else, also of the 31st of February. @param {string} word */
export function moment(word) {
  const found = ISO.exec(word);
  if (!found) return null;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((text) => Number(text ?? 0));
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (!year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || hour > 23 || minute > 59 || second > 59) return null;
  const zone = (found[8] ?? "").replace("Z", "+0000").replace(":", ""), ahead = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3));
  const shift = zone.startsWith("-") ? -ahead : ahead;
  return {
    seconds: date.getTime() / 1000 + hour * 3600 + (minute - shift) * 60 + second,
    digits: (found[7] ?? "").replace(/0+$/, ""),
    zone: found[4] === undefined ? null : zone !== "",
  };
}

/** The number of a date; null if the word is none, or another kind of date. @param {string} cell @param {{since: string, unit: string, format: string}} dates */
export function dated(cell, { since, unit, format }) {
  const found = moment(format ? iso(cell, format) ?? "" : cell.trim()), first = moment(since);
  if (!found || !first) return null;
  const seconds = found.seconds - first.seconds;
  if (unit === "days") return seconds % DAY || found.digits || found.zone ? null : seconds / DAY;
  if (found.zone !== null && found.zone !== Boolean(first.zone)) return null;
  if (!found.digits || seconds >= 0) return Number(`${seconds}.${found.digits || 0}`);
  const rest = 10n ** BigInt(found.digits.length) - BigInt(found.digits); // both count backwards
  return Number(`-${-seconds - 1}.${String(rest).padStart(found.digits.length, "0")}`);
}
