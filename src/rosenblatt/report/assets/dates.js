// @ts-check
// Dates of ISO 8601 as numbers: days since the first one, or seconds where there are times.

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|[-+]\d\d:?\d\d)?)?$/;
const DAY = 86400;

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

/** The number of a date; null if the word is none, or another kind of date. @param {string} cell @param {{since: string, unit: string}} dates */
export function dated(cell, { since, unit }) {
  const found = moment(cell.trim()), first = moment(since);
  if (!found || !first) return null;
  const seconds = found.seconds - first.seconds;
  if (unit === "days") return seconds % DAY || found.digits || found.zone ? null : seconds / DAY;
  if (found.zone !== null && found.zone !== Boolean(first.zone)) return null;
  if (!found.digits || seconds >= 0) return Number(`${seconds}.${found.digits || 0}`);
  const rest = 10n ** BigInt(found.digits.length) - BigInt(found.digits); // both count backwards
  return Number(`-${-seconds - 1}.${String(rest).padStart(found.digits.length, "0")}`);
}
