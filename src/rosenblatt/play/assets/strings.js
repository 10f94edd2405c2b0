// @ts-check
// Texts in one language, filled in, and numbers as that language writes them.

/** @typedef {ReturnType<typeof speaker>} Say */

/**
 * @param {Record<string, string>} words the table of the language: what stands in braces is filled in; a key that ends with .one is for one thing
 * @param {string} language
 */
export function speaker(words, language) {
  const plain = new Intl.NumberFormat(language, /** @type {any} */ ({ maximumFractionDigits: 2, maximumSignificantDigits: 3, roundingPriority: "morePrecision" }));
  const large = new Intl.NumberFormat(language, { notation: "scientific", maximumFractionDigits: 2 });
  const apart = plain.format(0.5).includes(",") ? "; " : ", ";

  /** With as many digits as one reads. @param {number} value */
  const number = (value) => (Math.abs(value) < 1e9 ? plain : large).format(value || 0).replace("-", "−");
  /** @param {ArrayLike<number>} values */
  const vector = (values) => `(${Array.from(values).slice(0, 4).map(number).join(apart)}${values.length > 4 ? `${apart}…` : ""})`;
  /** A whole number. @param {number | bigint} value */
  const count = (value) => value.toLocaleString(language);
  /** @param {string} key @param {any} values */
  const text = (key, values) => (Number(values.count ?? values.made) === 1 && words[`${key}.one`]) || (words[key] ?? key);
  /** The text with elements in it, or numbers. @param {string} key @param {Record<string, any>} [values] @returns {any[]} */
  const parts = (key, values = {}) => text(key, values).split(/(\{\w+\})/).map((part) => {
    const given = part[0] === "{" ? values[part.slice(1, -1)] : part;
    return typeof given === "number" || typeof given === "bigint" ? count(given) : given;
  }).flat();
  /** @param {string} key @param {Record<string, any>} [values] */
  const say = (key, values = {}) => parts(key, values).map((part) => part?.textContent ?? part).join("");
  return Object.assign(say, { parts, number, vector, count, apart, language });
}
