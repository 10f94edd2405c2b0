// @ts-check
// Elements in a line of code each.

/** @param {Element} element @param {Record<string, any>} attributes @param {any[]} children */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** An element of HTML. @param {string} tag @param {Record<string, any>} [attributes] @param {...any} children @returns {any} */
export const h = (tag, attributes = {}, ...children) =>
  filled(document.createElement(tag), attributes, children);

/** An element of SVG. @param {string} tag @param {Record<string, any>} [attributes] @param {...any} children @returns {any} */
export const s = (tag, attributes = {}, ...children) =>
  filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/** As Python writes it with six digits: 7, 0.5, 1.234e-05. @param {number} value @param {number} digits */
export function number(value, digits = 6) {
  if (value === 0 || !Number.isFinite(value)) return Object.is(value, -0) ? "-0" : String(value);
  value = halfToEven(value, digits);
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  const plain = (/** @type {string} */ text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  const exponent = Number(power);
  if (exponent >= -4 && exponent < digits) return plain(value.toFixed(Math.max(digits - 1 - exponent, 0)));
  return `${plain(mantissa)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** Half way between two numbers of so many digits Python takes the even one, and not the greater: that one. @param {number} value @param {number} digits */
function halfToEven(value, digits) {
  const scaled = Math.abs(value) * 10 ** (digits - 1 - Math.floor(Math.log10(Math.abs(value))));
  if (Math.abs((scaled % 1) - 0.5) > 1e-6 && scaled < 10 ** digits) return value;
  const [mantissa, power] = value.toExponential(99).split("e"), cut = mantissa.indexOf(".") + digits;
  const half = /^50*$/.test(mantissa.slice(cut)) && /[02468]\.?$/.test(mantissa.slice(0, cut));
  return half ? Number(`${mantissa.slice(0, cut)}e${power}`) : value;
}

/** @param {ArrayLike<number>} values */
export function vector(values) {
  const shown = Array.from(values).slice(0, 6).map((v) => number(v));
  return `(${shown.join(", ")}${values.length > 6 ? ", …" : ""})`;
}

let given = 0;
/** An id that no other element of the document has. @param {string} name */
export const unique = (name) => `rosenblatt-${name}-${++given}`;
