// @ts-check
// Data in, and out again: a table pasted or dropped; the run as Python, as a link, as a page.
import { h } from "./dom.js";
import { fingerprint } from "./fingerprint.js";
import { written } from "./link.js";
import { python } from "./python.js";
import { parse } from "./table.js";

/** @param {import("./strings.js").Say} say @param {import("./model.js").Model} model @param {{page: boolean}} home */
export function sharingCard(say, model, home) {
  const text = h("textarea", { rows: 4, spellcheck: "false", "aria-label": say("data.paste"), placeholder: "x1,x2,y\n3,3,1\n4,3,1\n1,1,-1" });
  const message = h("p", { role: "status", class: "message" }), out = h("textarea", { rows: 10, readonly: true, hidden: true, "aria-label": say("data.select") });
  const target = h("select", { onchange: () => load(text.value, target.value) });
  const labels = h("label", { class: "field", hidden: true }, h("span", {}, say("data.target")), target);
  const pickers = h("div", { class: "fields" });

  /** @param {string} given @param {string} [name] */
  function load(given, name) {
    out.hidden = true;
    try {
      const found = parse(given, name);
      target.replaceChildren(...found.targets.map((one) => h("option", { value: one, selected: one === found.target }, one)));
      labels.hidden = found.targets.length < 2;
      const { n, d } = found.data;
      message.textContent = [say("data.loaded", { rows: n, columns: d, target: found.target }), found.left.length ? say("data.left", { names: found.left.join(", ") }) : ""].join(" ").trim();
      message.classList.remove("wrong");
      model.preset = "";
      model.edited = true;
      model.use(found.data);
    } catch (error) {
      const { key, values } = /** @type {any} */ (error);
      if (!key) throw error;
      message.textContent = say(key, values);
      message.classList.add("wrong");
    }
  }

  /** @param {string} content */
  async function copy(content) {
    message.classList.remove("wrong");
    out.hidden = false;
    out.value = content;
    try {
      await navigator.clipboard.writeText(content);
      message.textContent = say("data.copied");
    } catch {
      message.textContent = say("data.select");
      out.select();
    }
  }

  function copyLink() {
    const hash = written(model);
    if (hash) return copy(`${location.href.split("#")[0]}#${hash}`);
    message.textContent = say("data.nolink");
    return undefined;
  }

  function save() {
    const { names, classes, x, y } = model.data;
    const content = JSON.stringify({ names, classes, x: Array.from(x), y: Array.from(y), settings: model.settings });
    const page = /** @type {any} */ (document.documentElement.cloneNode(true));
    page.querySelector("#play").replaceChildren();
    page.removeAttribute("data-theme");
    page.querySelector("#play-table").textContent = content.replace(/</g, "\\u003c");
    const link = h("a", { download: "playground.html", href: URL.createObjectURL(new Blob(["<!doctype html>\n", page.outerHTML], { type: "text/html" })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  /** Which columns are on the board. */
  function columns() {
    const { table, data } = model;
    if (!table) return pickers.replaceChildren();
    const all = data === table, at = (/** @type {number} */ k) => (all ? k : table.names.indexOf(data.names[k]));
    const options = (/** @type {number} */ chosen) => table.names.map((name, j) => h("option", { value: j, selected: j === chosen }, name));
    const both = [0, 1].map((k) => h("select", { onchange: () => pick(false) }, options(at(k))));
    const mode = h("select", { onchange: () => pick(mode.value === "all") },
      h("option", { value: "all", selected: all }, say("data.all", { count: table.d })), h("option", { value: "two", selected: !all }, "2"));
    const pick = (/** @type {boolean} */ every) => {
      const pair = /** @type {[number, number]} */ (both.map((one) => Number(one.value)));
      model.columns(every || pair[0] === pair[1] ? null : pair);
    };
    const field = (/** @type {string} */ key, /** @type {any} */ input) => h("label", { class: "field" }, h("span", {}, say(key)), input);
    return pickers.replaceChildren(field("data.columns", mode), field("data.across", both[0]), field("data.up", both[1]));
  }

  const button = (/** @type {string} */ key, /** @type {() => any} */ act) => h("button", { type: "button", onclick: act }, say(key));
  const buttons = [
    button("data.python", () => {
      const settings = { ...model.run.settings, seed: model.settings.seed };
      return copy(python(model.run.rows, settings, fingerprint(model.run)));
    }),
    ...(home.page ? [button("data.link", copyLink), button("data.save", save)] : []),
  ];
  const element = h("section", { class: "card sharing" }, h("h2", {}, say("data.title")),
    h("label", { class: "field wide" }, h("span", {}, say("data.paste")), text), h("p", { class: "quiet" }, say("data.hint")),
    h("div", { class: "buttons" }, button("data.load", () => load(text.value)), ...buttons), labels, pickers, message, out);
  return { element, show: columns, load };
}
