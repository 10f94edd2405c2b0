// @ts-check
// The classes of the board. Labels are as the core has them: of two classes -1 and 1, of three their
// numbers. A class that has a name but no point takes no part in training.

/** By the number of the class: how it is shown. */
export const KINDS = ["minus", "plus", "third"];
export const SIGNS = ["▲", "●", "■"];
export const MOST_CLASSES = KINDS.length;

/** The number of a label among k classes. @param {number} k @param {number} label */
export const classNumber = (k, label) => (k > 2 ? label : label > 0 ? 1 : 0);

/** The label of class c among k. @param {number} k @param {number} c */
export const labelOf = (k, c) => (k > 2 ? c : c > 0 ? 1 : -1);

/**
 * What is trained on: the rows with the classes that have points. `shown` are their numbers on the board.
 * @param {import("./model.js").Data} data
 */
export function trained({ x, y, n, d, classes }) {
  const all = classes.map((_, c) => c), present = all.filter((c) => y.includes(c));
  if (all.length === 2 || present.length > 2) return { x, y, n, d, k: all.length, classes, shown: all };
  // Two are left, or fewer: then any other stands beside them.
  const both = [...present, ...all.filter((c) => !present.includes(c))].slice(0, 2).sort((a, b) => a - b);
  return { x, y: y.map((c) => (c === both[1] ? 1 : -1)), n, d, k: 2, classes: both.map((c) => classes[c]), shown: both };
}
