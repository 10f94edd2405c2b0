// @ts-check
// Every word of the page, in one table for each language.
import { zh } from "./chinese.js";
import { en } from "./english.js";
import { de } from "./german.js";

/** @typedef {(key: string, values?: Record<string, any>) => string} Say */

/** @type {Record<string, {name: string, words: Record<string, string>}>} */
export const LANGUAGES = {
  en: { name: "English", words: en },
  de: { name: "Deutsch", words: de },
  zh: { name: "中文", words: zh },
};

/** What says a sentence of this language; of English where it has none. @param {string} language @returns {Say} */
export function speaker(language) {
  /** @type {Record<string, string>} */
  const words = { ...en, ...(LANGUAGES[language] ?? LANGUAGES.en).words };
  return (key, values = {}) =>
    (words[key] ?? key).replace(/\{(\w+)\}/g, (/** @type {string} */ _, /** @type {string} */ name) => String(values[name] ?? ""));
}
