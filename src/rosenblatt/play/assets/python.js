// @ts-check
// The code that makes this run once more in Python, to the bit.
import { classNumber } from "./classes.js";

/** A float as Python reads it back. @param {number} value */
const literal = (value) => (Number.isInteger(value) && Math.abs(value) < 1e16 ? value.toFixed(1) : String(value));

/** @param {string} text */
const quoted = (text) => JSON.stringify(text);

/** @param {any} rows those of the run @param {any} settings with the limits @param {string} digits the fingerprint */
export function python({ x, y, n, d, k, classes }, settings, digits) {
  // Python sorts labels: where they are not in that order here, signs or numbers stand for them.
  const numbers = classes.every((/** @type {string} */ c) => c.trim() !== "" && Number.isFinite(Number(c)));
  const sorted = classes.every((/** @type {string} */ c, /** @type {number} */ a) => a === 0 || (numbers ? Number(classes[a - 1]) < Number(c) : classes[a - 1] < c));
  const rows = Array.from({ length: n }, (_, i) => `    [${Array.from(x.subarray(i * d, i * d + d), literal).join(", ")}],`);
  const label = (/** @type {number} */ v) => {
    if (!sorted) return String(v);
    const name = classes[classNumber(k, v)];
    return numbers ? String(Number(name)) : quoted(name);
  };
  const labels = Array.from(y, label);
  const curved = settings.kernel !== "none";
  const name = curved ? "KernelPerceptron" : "Perceptron";
  const flag = settings.intercept ? "True" : "False";
  return [
    "import numpy as np",
    "",
    `from rosenblatt import ${name}, trace`,
    "from rosenblatt.play import fingerprint",
    "",
    "X = np.array([", ...rows, "])",
    `y = np.array([${labels.join(", ")}])`,
    "",
    `perceptron = ${name}(`,
    ...(curved ? [`    kernel=${quoted(settings.kernel)},`, `    gamma=${literal(settings.gamma)},`, `    degree=${settings.degree},`] : []),
    `    order=${quoted(settings.order)},`,
    `    keep=${quoted(settings.keep)},`,
    `    margin=${literal(settings.margin)},`,
    `    fit_intercept=${flag},`,
    `    max_iter=${settings.maxIter},`,
    `    max_updates=${settings.maxUpdates},`,
    "    patience=None,",
    `    random_state=${settings.seed},`,
    ")",
    "run = trace(perceptron, X, y)",
    "print(run)",
    `print(fingerprint(run))  # ${digits}`,
    "",
  ].join("\n");
}
