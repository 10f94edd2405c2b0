// @ts-check
// Everything else, in one sheet: the questions of the example, your data, all of training, facts, what to take with you.
import { button, h } from "./dom.js";
import { fingerprint } from "./fingerprint.js";
import { KERNELS } from "./kernel.js";
import { MOST_WITH_KERNEL } from "./model.js";
import { parse } from "./table.js";

/** @typedef {import("./strings.js").Say} Say */
/** @typedef {import("./model.js").Model} Model */

/** @param {string} title @param {...any} children */
const section = (title, ...children) => h("section", {}, h("h2", {}, title), ...children);
/** @param {string} name @param {any} input @param {string} [kind] */
const field = (name, input, kind = "") => h("label", { class: `field ${kind}` }, h("span", {}, name), input);
/** @param {string} name @param {(on: boolean) => void} act */
const check = (name, act) => {
  const input = h("input", { type: "checkbox", onchange: () => act(input.checked) });
  return { input, element: h("label", { class: "check" }, input, h("span", {}, name)) };
};

/** Three questions about the example, with their answers. @param {Say} say */
function questions(say) {
  const intro = h("p"), list = h("ol");
  let shown = "";
  const show = (/** @type {Model} */ { preset }) => {
    const id = preset || "own";
    if (id === shown) return;
    shown = id;
    intro.textContent = say(`tour.${id}.intro`);
    list.replaceChildren(...[1, 2, 3].map((k) => h("li", {}, say(`tour.${id}.q${k}`), h("details", {}, h("summary", {}, say("tour.answer")), h("p", {}, say(`tour.${id}.a${k}`))))));
  };
  return { element: h("section", { class: "tour" }, h("h2", { tabindex: "-1" }, say("tour.title")), intro, list), show };
}

/** A table that is pasted, chosen or dropped. @param {Say} say @param {Model} model @param {() => void} loaded */
function table(say, model, loaded) {
  const text = h("textarea", { rows: 4, spellcheck: "false", placeholder: "x1,x2,y\n3,3,1\n4,3,1\n1,1,-1" }), message = h("p", { role: "status", class: "message" });
  const target = h("select", { onchange: () => load(source, target.value) }), labels = field(say("data.target"), target), pickers = h("div", { class: "fields" });
  const file = h("input", { type: "file", class: "unseen", accept: ".csv,.tsv,.txt,text/*", "aria-label": say("data.file"), onchange: async () => file.files[0] && load(await file.files[0].text()) });
  let source = "";

  /** @param {string} given @param {string} [name] of the labels */
  function load(given, name) {
    source = given;
    const found = parse(given, name), { refused } = found;
    message.classList.toggle("wrong", Boolean(refused));
    target.replaceChildren(...found.names.map((one) => h("option", { value: one, selected: one === found.target }, one)));
    labels.hidden = found.names.length < 2;
    if (refused) {
      message.textContent = say(refused.key, refused.values);
      return;
    }
    const { n, d } = found.data;
    message.textContent = [say("data.loaded", { rows: n, columns: d, target: found.target }), ...(found.left.length ? [say("data.left", { names: found.left.join(", ") })] : []), ...(found.commas ? [say("data.commas")] : [])].join(" ");
    model.preset = "";
    model.edited = true;
    model.use(found.data);
    loaded();
  }

  /** Which columns are on the board. */
  function show() {
    const { table: all, data } = model;
    if (!all) return pickers.replaceChildren();
    const whole = data === all, at = (/** @type {number} */ k) => (whole ? k : all.names.indexOf(data.names[k]));
    const both = [0, 1].map((k) => h("select", { onchange: () => pick(false) }, all.names.map((name, j) => h("option", { value: j, selected: j === at(k) }, name))));
    const mode = h("select", { onchange: () => pick(mode.value === "all") }, h("option", { value: "all", selected: whole }, say("data.all", { count: all.d })), h("option", { value: "two", selected: !whole }, say("data.two")));
    const pick = (/** @type {boolean} */ every) => {
      const pair = /** @type {[number, number]} */ (both.map((one) => Number(one.value)));
      model.columns(every || pair[0] === pair[1] ? null : pair);
    };
    return pickers.replaceChildren(field(say("data.columns"), mode, "columns"), field(say("data.across"), both[0], "across"), field(say("data.up"), both[1], "up"));
  }
  labels.hidden = true;
  const element = section(say("data.title"), h("p", { class: "quiet" }, say("data.hint")), field(say("data.paste"), text, "wide"),
    h("div", { class: "row" }, button(say("data.load"), () => load(text.value)), h("label", { class: "file" }, h("span", { "aria-hidden": "true" }, say("data.file")), file), button(say("data.clear"), () => model.clear())), labels, pickers, message);
  return { element, show, load };
}

/** All of training. @param {Say} say @param {Model} model */
function training(say, model) {
  const numeric = (/** @type {string} */ name, /** @type {any} */ attributes, /** @type {(v: number) => number} */ fit) => {
    const input = h("input", { type: "number", ...attributes, onchange: () => model.set({ [name]: fit(Number.isFinite(Number(input.value)) ? Number(input.value) : 0) }) });
    return input;
  };
  const select = (/** @type {any[]} */ options, /** @type {(value: string) => void} */ act) => {
    const input = h("select", { onchange: () => act(input.value) }, options.map(([value, text]) => h("option", { value }, text)));
    return input;
  };
  /** @type {Record<string, any>} */
  const inputs = {
    margin: numeric("margin", { min: 0, step: 0.5 }, (v) => Math.max(v, 0)), seed: numeric("seed", { min: 0, step: 1 }, (v) => Math.min(Math.max(Math.round(v), 0), 2 ** 32 - 1)),
    kernel: select(KERNELS.map((name) => [name, say(`kernel.${name}`)]), (value) => model.set({ kernel: value })),
    gamma: numeric("gamma", { min: 0.01, step: 0.1 }, (v) => (v > 0 ? v : 1)), degree: select([[2, 2], [3, 3]], (value) => model.set({ degree: Number(value) })),
  };
  const intercept = check(say("train.intercept"), (on) => model.set({ intercept: on })), centred = check(say("train.centred"), (on) => model.centre(on)), visits = check(say("train.visits"), (on) => model.watchVisits(on));
  const why = h("p", { class: "quiet" }, say("kernel.why", { most: MOST_WITH_KERNEL }));
  const fields = Object.entries(inputs).map(([name, input]) => field(say(`train.${name}`), input, name));
  const show = () => {
    const { settings, data } = model, straight = data.d !== 2 || data.n > MOST_WITH_KERNEL;
    for (const [name, input] of Object.entries(inputs)) input.value = String(settings[/** @type {keyof typeof settings} */ (name)]);
    inputs.kernel.disabled = straight;
    why.hidden = !straight;
    inputs.gamma.parentElement.hidden = settings.kernel === "none";
    inputs.degree.parentElement.hidden = settings.kernel !== "poly";
    inputs.seed.disabled = !["shuffle", "random"].includes(settings.order);
    inputs.seed.title = inputs.seed.disabled ? say("seed.why") : "";
    [intercept.input.checked, centred.input.checked, visits.input.checked] = [settings.intercept, Boolean(model.centred), model.everyVisit];
  };
  return { element: section(say("train.title"), h("div", { class: "fields" }, fields), why, centred.element, intercept.element, visits.element), show };
}

/** What the run came to. @param {Say} say */
function facts(say) {
  const list = h("dl"), hidden = h("p", { class: "quiet" }, say("fact.hidden"));
  const show = (/** @type {Model} */ { run, data, replay, revealed, moving }) => {
    const w = run.returned, one = data.d + 1, classes = Array.from({ length: w.length / one }, (_, c) => `${w.length > one ? `${run.rows.classes[c]}: ` : ""}${say.vector(w.subarray(c * one, c * one + data.d))}${say.apart}${say.number(w[c * one + data.d])}`);
    const told = [["updates", say.count(run.updates)], ["epochs", say.count(run.mistakes.length)], ["errors", say.count(run.errors)], replay.curved ? ["support", say.count(run.counts().filter((/** @type {number} */ v) => v).length)] : ["weights", classes.join("; ")]];
    hidden.hidden = revealed;
    list.replaceChildren(...[...(revealed ? told : []), ["fingerprint", moving >= 0 ? "…" : fingerprint(run)]].map(([name, value]) => h("div", { class: name }, h("dt", {}, say(`fact.${name}`)), h("dd", {}, value))));
  };
  return { element: section(say("fact.title"), hidden, list), show };
}

/** @param {Say} say @param {Model} model @param {{page: boolean, version: string, language: string, texts: Record<string, {name: string}>, speak: (language: string) => void, sharing: any}} home */
export function sheet(say, model, home) {
  const about = h("p", { class: "quiet" }), tour = questions(say), data = table(say, model, () => element.close()), settings = training(say, model), run = facts(say);
  const languages = h("select", { onchange: () => home.speak(languages.value) }, Object.entries(home.texts).map(([id, { name }]) => h("option", { value: id, selected: id === home.language, lang: id }, name)));
  const element = h("dialog", { class: "sheet", "aria-label": say("more") },
    h("form", { method: "dialog" }, h("button", {}, say("close"))), tour.element, data.element, settings.element, run.element, section(say("share.title"), home.sharing.element),
    section(say("language"), field(say("language"), languages, "language")), section(say("keys.title"), h("p", { class: "quiet" }, say("keys.says"))), section(say("about.title"), about));
  element.addEventListener("click", (/** @type {MouseEvent} */ event) => event.target === element && element.close());
  const show = () => {
    if (!element.open) return;
    for (const part of [tour, data, settings, run]) part.show(model);
    const { version } = home;
    about.textContent = [say(home.page ? "about.page" : "about.notebook"), model.replay.curved ? say("about.kernel", { version }) : say("about.bits", { core: say(`core.${model.core.name}`), version })].join(" ");
  };
  const open = (/** @type {any} */ at) => {
    element.showModal();
    show();
    at?.scrollIntoView();
  };
  return { element, show, open: () => open(null), openTour: () => open(tour.element), load: (/** @type {string} */ text) => { open(data.element); data.load(text); } };
}
