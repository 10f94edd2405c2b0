// @ts-check
// The whole state in a link: settings in words, points on a grid of 1/64 in 23 bits each, one of them
// for the class; of three classes in 24.
import { MOST_CLASSES, classNumber, labelOf } from "./classes.js";

const GRID = 64, REACH = 16, BITS = 11, SIGNS = ["-1", "1"], DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const END = "end";
const NAMES = { order: "o", keep: "k", margin: "m", intercept: "i", seed: "s", kernel: "f", gamma: "g", degree: "d" };

/** Whether the points lie on the grid of a link. @param {any} data */
function onGrid({ x, n, d }) {
  return d === 2 && n <= 300 && Array.from(x).every((v) => v >= -REACH && v < REACH && Number.isInteger(v * GRID));
}

/** @param {any} data */
function packed({ x, y, n, classes: { length: k } }) {
  let bits = "";
  for (let i = 0; i < n; ++i) {
    for (const v of [x[2 * i], x[2 * i + 1]]) bits += ((v + REACH) * GRID).toString(2).padStart(BITS, "0");
    bits += classNumber(k, y[i]).toString(2).padStart(k - 1, "0");
  }
  return (bits.match(/.{1,6}/g) ?? []).map((six) => DIGITS[parseInt(six.padEnd(6, "0"), 2)]).join("");
}

/** @param {string} text @param {string[]} classes */
function unpacked(text, classes) {
  const bits = [...text].map((c) => DIGITS.indexOf(c).toString(2).padStart(6, "0")).join("");
  const k = classes.length, wide = 2 * BITS + k - 1, n = Math.floor(bits.length / wide), x = new Float64Array(2 * n), y = new Int8Array(n);
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < 2; ++j) x[2 * i + j] = parseInt(bits.slice(wide * i + BITS * j, wide * i + BITS * (j + 1)), 2) / GRID - REACH;
    y[i] = labelOf(k, Math.min(parseInt(bits.slice(wide * i + 2 * BITS, wide * (i + 1)), 2), k - 1));
  }
  return { x, y, n, d: 2, names: ["x1", "x2"], classes };
}

/** What stands behind # in the link; null where the data does not fit into one. @param {any} state */
export function written({ preset, edited, data, settings, centred, time }) {
  const words = new URLSearchParams();
  if (preset && !edited) words.set("e", preset);
  else if (onGrid(data)) {
    words.set("p", packed(data));
    if (data.classes.join() !== SIGNS.join()) for (const name of data.classes) words.append("c", name);
  }
  else return null;
  for (const [name, short] of Object.entries(NAMES)) words.set(short, String(settings[name]));
  if (centred && !words.has("p")) words.set("z", "true");
  if (time.step) words.set("t", String(time.over ? END : time.step));
  return words.toString();
}

/** The same back; what cannot be understood is left out. @param {string} text @param {{orders: string[], keeps: string[], kernels: string[]}} allowed */
export function read(text, { orders, keeps, kernels }) {
  const words = new URLSearchParams(text), points = words.get("p") ?? "";
  const number = (/** @type {string} */ name, /** @type {(v: number) => boolean} */ fits) => {
    const value = Number(words.get(name) ?? NaN);
    return fits(value) ? value : undefined;
  };
  const one = (/** @type {string} */ name, /** @type {string[]} */ of) => of.find((v) => v === words.get(name));
  const settings = {
    order: one("o", orders), keep: one("k", keeps), margin: number("m", (v) => v >= 0 && Number.isFinite(v)),
    intercept: words.has("i") ? words.get("i") !== "false" : undefined,
    seed: number("s", (v) => Number.isInteger(v) && v >= 0 && v < 2 ** 32),
    kernel: one("f", kernels), gamma: number("g", (v) => v > 0 && Number.isFinite(v)), degree: number("d", (v) => v === 2 || v === 3),
  };
  const given = [...new Set(words.getAll("c"))], classes = given.length >= 2 && given.length <= MOST_CLASSES ? given : SIGNS;
  return {
    preset: words.get("e"),
    data: /^[\w-]+$/.test(points) && points.length >= 4 ? unpacked(points, classes) : null,
    settings: Object.fromEntries(Object.entries(settings).filter(([, v]) => v !== undefined)),
    centred: words.get("z") === "true",
    step: words.get("t") === END ? Infinity : number("t", (v) => Number.isInteger(v) && v >= 0),
  };
}
