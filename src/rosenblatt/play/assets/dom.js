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

/** A button with a text or a sign. @param {any} content @param {() => any} act @param {Record<string, any>} [attributes] */
export const button = (content, act, attributes = {}) => h("button", { type: "button", onclick: act, ...attributes }, content);

/** A variable of a formula. @param {string} name */
export const variable = (name) => h("i", { class: "v" }, name);
