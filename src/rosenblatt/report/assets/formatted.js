// @ts-check
// Numbers that are written for people: with a currency or a unit, divided thousands, brackets.

const MONEY = "[$€£¥₹₩]|USD|EUR|GBP|CHF|JPY|CAD|AUD|INR";
const UNIT = `[%‰]|°\\s?[CF]?|${MONEY}|\\p{L}+(?:[./]\\p{L}+|[²³])*\\.?`;

/** The number in a cell that is written for people, $1,200 or 35 %; null if it is none of this unit. @param {string} cell @param {{unit: string, decimal: string}} style */
export function styled(cell, { unit, decimal: mark }) {
  const group = `[${mark === "." ? "," : "."}'’\\s_]`, point = `\\${mark}`;
  const digits = `\\d{1,3}(?:${group}\\d{3})+(?:${point}\\d+)?|\\d+(?:${point}\\d*)?|${point}\\d+`;
  const whole = new RegExp(`^([-+−]?)\\s?(${MONEY})?\\s?([-−]?)(${digits})([eE][-+]?\\d+)?\\s?(${UNIT})?$`, "u");
  const brackets = /^\(\s?(.*?)\s?\)\s?([%‰]?)$/.exec(cell.trim()); // as accountants write what is negative
  const found = whole.exec(brackets ? brackets[1] : cell.trim()), behind = brackets?.[2] || undefined;
  if (!found || [found[2], found[6], behind].filter(Boolean).length > 1) return null;
  const said = (found[2] ?? found[6] ?? behind ?? "").replace(/\s/g, "");
  const plain = found[4].replace(new RegExp(group, "g"), "").replace(mark, ".") + (found[5] ?? "");
  const minus = (found[1] === "-" || found[1] === "−") !== Boolean(found[3]);
  const value = Number(plain) * (minus !== Boolean(brackets) ? -1 : 1);
  return said === unit || (value === 0 && !said) ? value : null;
}
