// @ts-check
// The dual form: coefficients of the rows instead of weights of the features, and a curved boundary.
//
// What is learned are β_i, b and the scores of all rows without b, so that a visit is one look at one
// number. Kernel values of exp and powers may differ from Python's in the last bit.
import { learner } from "./twin.js";

export const KERNELS = ["none", "rbf", "poly"];

/** k(x, z) of points in arrays. @param {string} kernel @param {number} gamma @param {number} degree */
export function kernelOf(kernel, gamma, degree) {
  const power = (/** @type {number} */ v) => (degree === 2 ? v * v : v ** degree);
  return (/** @type {ArrayLike<number>} */ x, /** @type {number} */ i, /** @type {ArrayLike<number>} */ z, /** @type {number} */ k, /** @type {number} */ d) => {
    let product = 0, xx = 0, zz = 0;
    for (let j = 0; j < d; ++j) {
      product += x[i * d + j] * z[k * d + j];
      xx += x[i * d + j] ** 2;
      zz += z[k * d + j] ** 2;
    }
    return kernel === "rbf" ? Math.exp(Math.abs(product * -2 + zz + xx) * -gamma) : power(product * gamma + 1);
  };
}

export const dual = {
  name: "kernel",
  /** @param {import("./learn.js").Given} given */
  begin(given) {
    const { x, n, d, intercept, kernel = "rbf", gamma = 1, degree = 2 } = given;
    const value = kernelOf(kernel, gamma, degree);
    /** @type {Float64Array[]} */ const gram = [];
    const row = (/** @type {number} */ i) => (gram[i] ??= Float64Array.from({ length: n }, (_, k) => value(x, i, x, k, d)));
    return learner(given, {
      size: 2 * n + 1, // β, b, scores without b
      score: (i, w, at) => w[at + n + 1 + i] + w[at + n],
      add(i, factor, into, at) {
        const values = row(i);
        into[at + i] += factor;
        if (intercept) into[at + n] += factor;
        for (let k = 0; k < n; ++k) into[at + n + 1 + k] += factor * values[k];
      },
    });
  },
};

/** The scores anywhere in the plane, of coefficients β and b, class by class. @param {import("./learn.js").Rows} rows @param {any} settings @param {ArrayLike<number>} beta */
export function scoresAnywhere({ x, n, d }, { kernel, gamma, degree }, beta) {
  const value = kernelOf(kernel, gamma, degree), at = new Float64Array(2), count = beta.length / (n + 1);
  /** @type {number[]} */ const support = [];
  for (let i = 0; i < n; ++i) for (let c = 0; c < count; ++c) if (beta[c * (n + 1) + i] && support.at(-1) !== i) support.push(i);
  return (/** @type {number} */ u, /** @type {number} */ v, /** @type {Float64Array} */ into) => {
    [at[0], at[1]] = [u, v];
    for (let c = 0; c < count; ++c) into[c] = beta[c * (n + 1) + n];
    for (const i of support) {
      const similar = value(x, i, at, 0, d);
      for (let c = 0; c < count; ++c) into[c] += beta[c * (n + 1) + i] * similar;
    }
  };
}
