// @ts-check
// The cards beside the board: the verdict, the training, the charts, the tour.
import { counts, mistakes, pocket, squeeze, sum, weightSpace } from "./charts.js";
import { SIGNS } from "./classes.js";
import { h, number, unique, vector } from "./dom.js";
import { fingerprint } from "./fingerprint.js";
import { KERNELS } from "./kernel.js";
import { KEEPS, MOST_WITH_KERNEL, ORDERS } from "./model.js";

/** @typedef {import("./strings.js").Say} Say */
/** @typedef {import("./model.js").Model} Model */

/** @param {string} title @param {string} kind @param {...any} children */
const card = (title, kind, ...children) => h("section", { class: `card ${kind}` }, h("h2", {}, title), ...children);

/** @param {Say} say */
export function verdictCard(say) {
  const tag = h("p", { class: "verdict-tag" }), says = h("p"), proof = h("p"), exact = h("p", { class: "quiet" });
  const show = (/** @type {Model} */ { verdict, settings, run, replay: { many } }) => {
    const { status } = verdict, of = many ? ".many" : "";
    title.textContent = say(`verdict.title${of}`);
    const good = { separable: "good", quasi: "odd", overlap: "bad" }[/** @type {string} */ (status)] ?? "";
    // A curve may do what no line does.
    const curve = status !== "separable" && settings.kernel !== "none" && run.rows.n > 0 && run.errors === 0 ? ".kernel" : "";
    tag.className = `verdict-tag ${curve ? "odd" : good}`;
    // With an intercept, what one class is apart from is proved to be apart from it; otherwise it may tie.
    const apart = many && status === "quasi" && settings.intercept ? classesApart(verdict.separated, run.rows) : [];
    const others = SIGNS.filter((sign) => sign !== apart[0]);
    const how = !many || status !== "quasi" ? "" : apart.length === 1 ? ".apart" : ".tied";
    tag.textContent = curve && good && !many ? say("verdict.overlap.kernel") : say(`verdict.${status}${how}`);
    const line = say(run.rows.d > 2 ? "verdict.plane" : "verdict.line");
    exact.textContent = good ? say("verdict.exact") : "";
    if (status === "separable") {
      const { geometric } = verdict;
      says.textContent = many ? say("verdict.separable.many", { count: run.rows.k }) : geometric ? say("verdict.separable.says", { margin: number(geometric.margin), line }) : say("verdict.one.says");
      const key = settings.kernel !== "none" ? "line" : settings.order === "batch" ? "batch" : settings.margin > 0 ? "mu" : "says";
      proof.textContent = say(`verdict.bound.${key}${key === "says" || key === "mu" ? of : ""}`, { bound: grouped(verdict.bound), made: grouped(run.updates), radius: number(verdict.radius), gamma: number(verdict.gamma), lifted: say(settings.intercept ? "bound.lifted" : "bound.plain") });
      return;
    }
    says.textContent = say(`verdict.${status}.${many && verdict.conflict ? "many" : "says"}`, { line, count: verdict.separated?.length, apart: apart.length === 1 ? say("verdict.quasi.class", { apart: apart[0], one: others[0], other: others[1] }) : "", right: grouped(verdict.right ?? 0), all: grouped(verdict.compared ?? 0) });
    proof.textContent = verdict.conflict ? conflictWords(verdict.conflict, run.rows, settings) : "";
  };

  /** @param {any} conflict @param {any} rows @param {any} settings */
  function conflictWords({ rows, rivals, meetings }, { k, d, y, classes, shown }, { intercept, kernel }) {
    const order = rows.map((/** @type {number} */ _, /** @type {number} */ a) => a).sort((/** @type {number} */ a, /** @type {number} */ b) => rows[a] - rows[b]);
    if (k === 2) return say(intercept ? "verdict.conflict.says" : "verdict.conflict.origin", { ...bothSigns(shown), rows: order.map((/** @type {number} */ a) => rows[a]).join(", "), place: vector(meetings[0]), marked: d > 2 || kernel !== "none" ? "" : say("verdict.marked") });
    const told = order.map((/** @type {number} */ a) => say("verdict.conflict.row", { row: rows[a], label: classes[y[rows[a]]], rival: classes[rivals[a]] }));
    return say("verdict.conflict.many", { rows: told.join(", ") });
  }
  const element = card(say("verdict.title"), "verdict", tag, says, proof, exact), title = element.querySelector("h2");
  return { element, show };
}

/** The signs of the classes of which every row is separated from all its rivals. @param {number[]} separated @param {any} rows */
function classesApart(separated, { y, shown }) {
  const known = new Set(separated), tied = new Set([...y].filter((_, i) => !known.has(i)));
  return shown.filter((/** @type {number} */ _, /** @type {number} */ c) => !tied.has(c)).map((/** @type {number} */ c) => SIGNS[c]);
}

/** How the two classes of a rule are drawn. @param {number[]} shown */
const bothSigns = ([minus, plus]) => ({ minus: SIGNS[minus], plus: SIGNS[plus] });

/** With commas between thousands. @param {number | bigint} value */
const grouped = (value) => value.toLocaleString("en");

/** @param {Say} say @param {Model} model */
export function trainingCard(say, model) {
  const select = (/** @type {string} */ name, /** @type {string[]} */ values) =>
    h("select", { onchange: (/** @type {any} */ e) => model.set({ [name]: e.target.value }) },
      values.map((value) => h("option", { value }, say(`${name}.${value}`))));
  const numeric = (/** @type {string} */ name, /** @type {any} */ attributes, /** @type {(v: number) => number} */ fit) =>
    h("input", { type: "number", ...attributes, onchange: (/** @type {any} */ e) => {
      const value = Number(e.target.value);
      model.set({ [name]: Number.isFinite(value) ? fit(value) : 0 });
    } });
  /** @type {Record<string, any>} */
  const inputs = {
    order: select("order", ORDERS), keep: select("keep", KEEPS),
    margin: numeric("margin", { min: 0, step: 0.5 }, (v) => Math.max(v, 0)),
    kernel: select("kernel", KERNELS), gamma: numeric("gamma", { min: 0.01, step: 0.1 }, (v) => (v > 0 ? v : 1)),
    degree: h("select", { onchange: (/** @type {any} */ e) => model.set({ degree: Number(e.target.value) }) }, [2, 3].map((v) => h("option", { value: v }, v))),
    seed: numeric("seed", { min: 0, step: 1 }, (v) => Math.min(Math.max(Math.round(v), 0), 2 ** 32 - 1)),
  };
  const intercept = h("input", { type: "checkbox", onchange: () => model.set({ intercept: intercept.checked }) });
  const why = h("p", { class: "quiet why", hidden: true }, say("kernel.why", { most: MOST_WITH_KERNEL }));
  const stop = h("p", { class: "stop" }), facts = h("dl", { class: "facts" });
  const fields = Object.entries(inputs).map(([name, input]) =>
    h("label", { class: `field ${name}` }, h("span", {}, say(`train.${name}`)), input));
  const show = () => {
    const { settings, run, dragging, data } = model, curved = settings.kernel !== "none";
    const straight = data.d !== 2 || data.n > MOST_WITH_KERNEL;
    inputs.kernel.disabled = straight;
    why.hidden = !straight;
    inputs.gamma.parentElement.hidden = !curved;
    inputs.degree.parentElement.hidden = settings.kernel !== "poly";
    for (const [name, input] of Object.entries(inputs)) input.value = String(settings[/** @type {keyof typeof settings} */ (name)]);
    intercept.checked = settings.intercept;
    inputs.seed.disabled = !["shuffle", "random"].includes(settings.order);
    inputs.seed.title = inputs.seed.disabled ? say("seed.why") : "";
    const kept = run.stop === "clean" && run.errors ? ".kept" : "";
    stop.textContent = say(`stop.${run.stop}${kept}`, { epochs: grouped(run.mistakes.length), updates: grouped(run.updates), errors: grouped(run.errors) });
    const w = run.returned, one = data.d + 1;
    const weights = () => Array.from({ length: w.length / one }, (_, c) => `${w.length > one ? `${run.rows.classes[c]}: ` : ""}${vector(w.subarray(c * one, c * one + data.d))}, ${number(w[c * one + data.d])}`).join("; ");
    const rows = [["updates", grouped(run.updates)], ["epochs", grouped(run.mistakes.length)], ["errors", grouped(run.errors)],
      curved ? ["support", grouped(run.counts().filter((/** @type {number} */ v) => v).length)] : ["weights", weights()], ["fingerprint", dragging ? "…" : fingerprint(run)]];
    if (rows.some(([name], a) => facts.children[a]?.className !== name))
      facts.replaceChildren(...rows.map(([name]) => h("div", { class: name }, h("dt", {}, say(`fact.${name}`)), h("dd"))));
    rows.forEach(([, value], a) => { facts.children[a].lastChild.textContent = value; });
  };
  const element = card(say("train.title"), "training", h("div", { class: "fields" }, fields), why, h("label", { class: "check" }, intercept, say("train.intercept")), stop, facts);
  return { element, show };
}

const OF_MANY = new Set(["sum", "squeeze", "space", "counts"]); // views that show three classes otherwise
const VIEWS = ["mistakes", "sum", "squeeze", "space", "pocket", "counts"];

/** @param {Say} say @param {Model} model */
export function viewsCard(say, model) {
  let now = model.view; // another language does not change it
  const id = unique("view");
  const picture = h("div", { class: "picture" }), note = h("p", { class: "quiet" });
  const panel = h("div", { role: "tabpanel", id, tabindex: "0" }, picture, note);
  const tabs = VIEWS.map((name) => h("button", {
    type: "button", role: "tab", id: `${id}-${name}`, "aria-controls": id, onclick: () => choose(name),
  }, say(`view.${name}`)));
  const list = h("div", { role: "tablist", class: "tabs", "aria-label": say("view.title"), onkeydown: (/** @type {KeyboardEvent} */ e) => {
    const turn = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!turn) return;
    const next = (VIEWS.indexOf(now) + turn + VIEWS.length) % VIEWS.length;
    choose(VIEWS[next]);
    tabs[next].focus();
    e.preventDefault();
  } }, tabs);

  function choose(/** @type {string} */ name) {
    model.view = now = name;
    show();
  }

  function show() {
    tabs.forEach((tab, k) => {
      tab.setAttribute("aria-selected", String(VIEWS[k] === now));
      tab.tabIndex = VIEWS[k] === now ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", `${id}-${now}`);
    const { data, verdict, settings, replay: { many } } = model, state = /** @type {any} */ (model);
    let made = null, key = `note.${now}${many && OF_MANY.has(now) ? ".many" : ""}`;
    if (settings.kernel !== "none" && now !== "mistakes" && now !== "counts") key = "note.curved";
    else if (now === "mistakes") made = mistakes(state, say);
    else if (now === "counts") made = counts(state, say);
    else if (now === "pocket") made = pocket(state, say);
    else if (now === "squeeze") {
      if (verdict.status === "separable" && settings.order !== "batch") made = squeeze(state, say);
      else key = "note.squeeze.no";
    } else if (data.d === 2) made = now === "sum" ? sum(state, say) : weightSpace(state, say);
    else key = "note.space.no";
    picture.replaceChildren(...(made ? [made] : []));
    note.textContent = say(key, { ...bothSigns(model.run.rows.shown), bound: verdict.bound === undefined ? "" : grouped(verdict.bound), ...limits(model) });
  }

  /** The upper curve of the proof, and whether its end is in the picture. @param {Model} model */
  function limits({ verdict, settings, replay: { many, steps } }) {
    const beta = settings.margin > 0 ? `β, β² = ${many ? 2 : ""}R² + 2μ` : `${many ? "√2·" : ""}R`;
    return { beta, far: verdict.bound > 8 * steps ? say("note.squeeze.far") : "" };
  }
  return { element: card(say("view.title"), "views", list, panel), show };
}

/** @param {Say} say */
export function tourCard(say) {
  const body = h("div");
  let shown = "";
  const show = (/** @type {Model} */ { preset }) => {
    const id = preset || "own";
    if (id === shown) return;
    shown = id;
    body.replaceChildren(h("p", {}, say(`tour.${id}.intro`)),
      h("ol", {}, [1, 2, 3].map((k) => h("li", {}, say(`tour.${id}.q${k}`),
        h("details", {}, h("summary", {}, say("tour.answer")), h("p", {}, say(`tour.${id}.a${k}`)))))));
  };
  return { element: card(say("tour.title"), "tour", body), show };
}
