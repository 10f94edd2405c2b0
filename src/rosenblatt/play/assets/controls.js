// @ts-check
// The controls that are always at hand: examples, tools, play and step, and the choices of training.
import { KINDS, classNumber } from "./classes.js";
import { button, h, s } from "./dom.js";
import { glyph } from "./drawing.js";
import { KEEPS, ORDERS } from "./model.js";
import { around } from "./plane.js";

/** @typedef {import("./strings.js").Say} Say */
/** @typedef {import("./model.js").Model} Model */

const TOOLS = { move: "✥", plus: "●", minus: "▲", third: "■", flip: "⇄", erase: "⌫" };
const MARGINS = [0, 0.5, 1, 2, 5, 10], SPEEDS = [0.5, 1, 3];
const SHAPES = { // drawn: not every font has such signs
  back: "M15 3v14L5 10zM3 3h2v14H3z", play: "M5 2.5v15L18 10z", pause: "M4 3h4v14H4zM12 3h4v14h-4z", next: "M5 3v14l10-7zM15 3h2v14h-2z",
};
const MOST_DRAWN = 60; // points of a small picture

/** Small pictures of the examples. @param {Say} say @param {Model} model */
export function examples(say, model) {
  const all = Object.entries(model.presets).map(([id, { data }]) => {
    const name = say(`example.${id}`);
    return [id, button(miniature(data), () => model.usePreset(id), { "aria-label": name, title: name })];
  });
  const name = h("span", { class: "name" });
  const show = () => {
    const own = model.edited || !model.preset;
    for (const [id, one] of all) one.setAttribute("aria-pressed", String(id === model.preset));
    name.textContent = model.preset ? say(`example.${model.preset}`) : own ? say("own") : "";
  };
  return { elements: [h("div", { class: "thumbs", role: "group", "aria-label": say("examples") }, all.map(([, one]) => one)), name], show, choose: (/** @type {number} */ k) => all[k]?.[1].click() };
}

/** @param {any} data */
function miniature({ x, y, names: { length: d }, classes: { length: k } }) {
  const n = y.length, step = Math.max(Math.floor(n / MOST_DRAWN), 1), some = y.map((_, i) => i).filter((i) => i % step === 0);
  const { x0, x1, y0, y1 } = around(some.map((i) => [x[d * i], x[d * i + 1]])), unit = Math.min(32 / (x1 - x0 || 1), 20 / (y1 - y0 || 1));
  return s("svg", { viewBox: "-23 -17 46 34", "aria-hidden": "true" }, some.map((i) => glyph(KINDS[classNumber(k, y[i])], n > 20 ? 1.8 : 3, (x[d * i] - (x0 + x1) / 2) * unit, ((y0 + y1) / 2 - x[d * i + 1]) * unit)));
}

/** @param {Say} say @param {Model} model @param {import("./hands.js").Hands} hands */
export function tools(say, model, hands) {
  const all = Object.entries(TOOLS).map(([name, sign]) => button(h("span", { "aria-hidden": "true" }, sign), () => { hands.tool = name; show(); }, { class: name, "aria-label": say(`tool.${name}`), title: say(`tool.${name}`) }));
  const undo = button(h("span", { "aria-hidden": "true" }, "↶"), () => hands.done(() => model.undo()), { "aria-label": say("undo"), title: `${say("undo")} (Ctrl+Z)` });
  const reset = button(h("span", { "aria-hidden": "true" }, "⟲"), () => model.usePreset(model.preset), { "aria-label": say("reset"), title: say("reset") });
  const element = h("div", { class: "tools", role: "group", "aria-label": say("tool.legend") }, all, h("hr"), undo, reset);
  const show = () => {
    const names = Object.keys(TOOLS);
    all.forEach((one, a) => { one.setAttribute("aria-pressed", String(names[a] === hands.tool)); one.disabled = !hands.editable; });
    undo.disabled = !model.before.length;
    reset.disabled = !model.preset || !(model.edited || model.centred);
  };
  return { element, show };
}

/** @param {keyof typeof SHAPES} name */
const icon = (name) => s("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, s("path", { d: SHAPES[name] }));

/** @param {Say} say @param {Model} model */
export function transport(say, { time }) {
  const one = (/** @type {keyof typeof SHAPES} */ name, /** @type {() => void} */ act, /** @type {string} */ key) => button(icon(name), act, { class: name, "aria-label": say(`time.${name}`), title: `${say(`time.${name}`)} (${key})` });
  const play = one("play", () => time.toggle(), "␣");
  let playing = false;
  const show = () => {
    if (time.playing === playing) return;
    playing = time.playing;
    const name = playing ? "pause" : "play";
    play.replaceChildren(icon(name));
    play.setAttribute("aria-label", say(`time.${name}`));
    play.title = `${say(`time.${name}`)} (␣)`;
  };
  return { element: h("div", { class: "keys", role: "group", "aria-label": say("time.legend") }, one("back", () => time.back(), ","), play, one("next", () => time.next(), ".")), show };
}

/** A choice with a name that is read, not seen. @param {string} name @param {[string, string][]} options @param {(value: string) => void} act */
function chip(name, options, act) {
  const select = h("select", { onchange: () => act(select.value) }, options.map(([value, text]) => h("option", { value }, text)));
  return { select, element: h("label", {}, h("span", { class: "unseen" }, name), select) };
}

/** @param {Say} say @param {Model} model */
export function chips(say, model) {
  const order = chip(say("train.order"), ORDERS.map((name) => [name, say(`order.${name}`)]), (value) => model.set({ order: value }));
  const keep = chip(say("train.keep"), KEEPS.map((name) => [name, say(`keep.${name}`)]), (value) => model.set({ keep: value }));
  const margin = chip(say("train.margin"), MARGINS.map((v) => [String(v), `μ = ${say.number(v)}`]), (value) => model.set({ margin: Number(value) }));
  const speed = chip(say("train.speed"), SPEEDS.map((v) => [String(v), `${v === 0.5 ? "½" : v} ×`]), (value) => { model.time.speed = Number(value); });
  const show = () => {
    const { settings, time } = model, mu = String(settings.margin);
    if (![...margin.select.options].some((one) => one.value === mu)) margin.select.append(h("option", { value: mu }, `μ = ${say.number(settings.margin)}`));
    [order.select.value, keep.select.value, margin.select.value, speed.select.value] = [settings.order, settings.keep, mu, String(time.speed)];
  };
  return { element: h("div", { class: "chips", role: "group", "aria-label": say("train.title") }, [order, keep, margin, speed].map(({ element }) => element)), show };
}
