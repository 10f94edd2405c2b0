// @ts-check
// The playground, put together: in a page, or in the cell of a notebook.
import { Board } from "./board.js";
import { KINDS, SIGNS } from "./classes.js";
import { contour } from "./contour.js";
import { h } from "./dom.js";
import { KERNELS, scoresAnywhere } from "./kernel.js";
import { read } from "./link.js";
import { KEEPS, Model, ORDERS, rowsOf } from "./model.js";
import { unpacked } from "./packed.js";
import { tourCard, trainingCard, verdictCard, viewsCard } from "./panels.js";
import { projected } from "./project.js";
import { sharingCard } from "./sharing.js";
import { LANGUAGES, speaker } from "./strings.js";
import { Timeline } from "./timeline.js";
import { compiled } from "./wasm.js";
import { stepWords } from "./words.js";

const TOOLS = ["move", "plus", "minus", "third", "flip", "erase"];
const GRID = 1 / 64; // points that are placed by hand lie on this grid, as links have them,
const PLACES = 48; // or on a finer one where the board would have fewer places

/**
 * @param {HTMLElement} root
 * @param {{core: string, version: string, presets: string, table?: any, hash?: string, page?: boolean, language?: string, onchange?: (model: Model) => void}} given
 */
export async function mount(root, given) {
  const [core, presets] = await Promise.all([compiled(given.core), unpacked(given.presets).json()]), options = { ...given, presets };
  root.classList.add("rosenblatt-play");
  let redraw = () => {};
  const model = new Model(core, options.presets, () => {
    redraw();
    options.onchange?.(model);
  });
  open(model, options);
  options.onchange?.(model);
  const build = (/** @type {string} */ language) => {
    redraw = interior(root, model, options, language, build);
    redraw();
  };
  build(options.language && LANGUAGES[options.language] ? options.language : "en");
  return model;
}

/** What is shown first: the state of a link, a table, or the first example. @param {Model} model @param {any} options */
function open(model, { presets, table, hash }) {
  const linked = hash ? read(hash, { orders: ORDERS, keeps: KEEPS, kernels: KERNELS }) : null;
  if (linked?.data) {
    model.edited = true;
    model.use(linked.data, linked.settings, linked.step);
  } else if (linked?.preset && presets[linked.preset]) {
    model.usePreset(linked.preset);
    model.use(model.data, linked.settings, linked.step);
  } else if (table) {
    model.edited = true;
    model.use(rowsOf(table), table.settings ?? {}, undefined, table.record);
  } else {
    model.usePreset(Object.keys(presets)[0]);
    model.goTo(0);
  }
}

/** All elements in one language; returns what shows the model. @param {HTMLElement} root @param {Model} model @param {any} options @param {string} language @param {(language: string) => void} build */
function interior(root, model, options, language, build) {
  const say = speaker(language);
  const status = h("p", { role: "status", class: "unseen" });
  const onGrid = (/** @type {number} */ v, /** @type {"x" | "y"} */ axis) => {
    const { view } = board.screen, span = view[`${axis}1`] - view[`${axis}0`];
    const step = Math.min(GRID, 2 ** Math.floor(Math.log2(span / PLACES)));
    return Math.round(v / step) * step;
  };
  const board = new Board(say, {
    select: (/** @type {number} */ i) => {
      status.textContent = i >= 0 ? board.describe(i, model.data.classes) : "";
      draw(false);
    },
    move: (/** @type {number} */ i, /** @type {number} */ x, /** @type {number} */ y, /** @type {boolean} */ dragging) => model.move(i, onGrid(x, "x"), onGrid(y, "y"), dragging),
    add: (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ c) => model.add(onGrid(x, "x"), onGrid(y, "y"), c),
    flip: (/** @type {number} */ i) => model.flip(i),
    remove: (/** @type {number} */ i) => { board.selected = -1; model.remove(i); },
    released: () => model.released(),
  });
  const timeline = new Timeline(say, model);
  const says = h("p", { class: "says" }), apart = h("p", { class: "quiet" }), legend = h("ul", { class: "legend" }), fixed = h("p", { class: "quiet" });
  const verdict = verdictCard(say), training = trainingCard(say, model), views = viewsCard(say, model), tour = tourCard(say);
  const sharing = sharingCard(say, model, { page: options.page ?? false });
  const tools = toolbar(say, model, board);
  const example = h("select", { onchange: () => { board.selected = -1; fitted = null; model.usePreset(example.value); model.goTo(0); } },
    h("option", { value: "", hidden: true, disabled: true }, say("preset.own")), Object.keys(options.presets).map((id) => h("option", { value: id }, say(`preset.${id}`))));
  const languages = h("select", { "aria-label": say("language"), onchange: () => build(languages.value) },
    Object.entries(LANGUAGES).map(([id, { name }]) => h("option", { value: id, selected: id === language, lang: id }, name)));
  const about = h("p", { class: "quiet" });
  root.lang = language;
  root.replaceChildren(
    h("header", {}, h("h1", {}, say("title")), h("label", { class: "example" }, h("span", {}, say("example")), example),
      h("div", { class: "corner" }, presentation(say, root), ...(options.page ? [theme(say, () => draw(false))] : []), languages)),
    h("main", {},
      h("div", { class: "left" }, h("section", { class: "card stage" }, tools, board.element, legend, timeline.element, says, apart, fixed), tour.element, sharing.element),
      h("div", { class: "right" }, verdict.element, training.element, views.element)),
    h("footer", {}, h("details", {}, h("summary", {}, say("keys.title")), h("p", {}, say("keys.says"))), about),
    status);

  const ears = options.page ? document : root; // a notebook has keys of its own
  ears.onkeydown = (event) => keys(event, timeline, model);
  root.ondragover = (event) => event.preventDefault();
  root.ondrop = async (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) sharing.load(await file.text());
  };

  /** @type {any} */ let fitted = null; // the points that the view was fitted to
  function draw(all = true) {
    const { data, replay, step } = model, flat = data.d === 2;
    board.editable = flat;
    const scene = sceneOf(model);
    board.scene = scene;
    if (!model.dragging && (fitted === null || !flat || outside(board, scene) || fitted !== data.n && data.n > 60)) {
      board.fit();
      fitted = data.n;
    }
    board.draw(scene);
    says.textContent = stepWords(replay, step, say);
    timeline.show();
    if (!all) return;
    about.textContent = say(replay.curved ? "footer.kernel" : options.page ? "footer" : "footer.notebook", { core: say(`core.${model.core.name}`), version: options.version });
    apart.textContent = parting(model, say);
    fixed.textContent = flat ? "" : say(replay.many ? "board.fixed.many" : "board.fixed", { count: data.d });
    const entries = legendOf(model, scene, say);
    if (entries.map((entry) => entry.textContent).join("") !== legend.textContent) legend.replaceChildren(...entries);
    example.value = model.edited || !model.preset ? "" : model.preset;
    for (const tool of tools.querySelectorAll("input, button")) tool.disabled = !flat;
    for (const part of [verdict, training, views, tour, sharing]) part.show(model);
  }
  return draw;
}

/** Whether a point is at the edge, where it could not be moved further. @param {Board} board @param {any} scene */
function outside(board, { xs, ys, n }) {
  const { x0, x1, y0, y1 } = board.screen.view, [wide, tall] = [0.03 * (x1 - x0), 0.03 * (y1 - y0)];
  for (let i = 0; i < n; ++i)
    if (xs[i] < x0 + wide || xs[i] > x1 - wide || ys[i] < y0 + tall || ys[i] > y1 - tall) return true;
  return false;
}

/** What the board shows of the model. @param {Model} model */
function sceneOf({ data, run, replay, step, verdict, ghost, moving }) {
  const w = replay.at(step), end = step === replay.steps, flat = data.d === 2;
  const { shown } = run.rows, common = { y: data.y, k: data.classes.length, shown, n: data.n, ringed: replay.rowsOf(step), moving, curve: null };
  if (!flat) {
    const { xs, ys, line } = projected(data, w);
    return { ...common, xs, ys, line, star: null, band: 0, ghost: null, kept: null, conflict: null, names: ["", ""] };
  }
  const even = (/** @type {number} */ side) => Float64Array.from({ length: data.n }, (_, i) => data.x[2 * i + side]);
  if (replay.curved) {
    const curve = replay.edges[step] ? contour(scoresAnywhere(data, run.settings, w), w.length / (data.n + 1), shown) : null;
    return { ...common, xs: even(0), ys: even(1), line: null, star: null, band: 0, ghost: null, kept: null, conflict: null, names: data.names, curve };
  }
  const kept = run.kept ? replay.keptAt(step).w : end && run.settings.keep !== "last" ? run.returned : null;
  return {
    ...common, xs: even(0), ys: even(1), line: w, kept, names: data.names,
    star: verdict.geometric?.w ?? (replay.many ? verdict.homogeneous : null) ?? null, band: verdict.geometric?.margin ?? 0, conflict: verdict.conflict ?? null,
    ghost: ghost && !ghost.curved && ghost.one === 3 && end ? ghost.at(ghost.steps) : null,
  };
}

/** @param {Model} model @param {any} scene @param {import("./strings.js").Say} say */
function legendOf({ data }, { kept, star, ghost, conflict }, say) {
  const entry = (/** @type {string} */ kind, /** @type {string} */ words) => h("li", { class: kind }, h("i", { "aria-hidden": "true" }), words);
  return [
    ...data.classes.map((/** @type {string} */ label, /** @type {number} */ c) => entry(KINDS[c], `${SIGNS[c]} ${say("legend.class", { label })}`)),
    entry("line", say("legend.line")), ...(kept ? [entry("kept", say("legend.kept"))] : []),
    ...(star ? [entry("star", say("legend.star"))] : []), ...(ghost ? [entry("ghost", say("legend.ghost"))] : []),
    ...(conflict ? [entry("conflict", say("legend.conflict"))] : []),
  ];
}

/** Where this run leaves the former one. @param {Model} model @param {import("./strings.js").Say} say */
function parting({ ghost, replay }, say) {
  if (!ghost) return "";
  const same = replay.partsFrom(ghost), now = replay.run.row[same], then = ghost.run.row[same];
  if (same >= 0 && now === then) return say("ghost.rival", { same, now });
  if (same < 0) return say("ghost.same");
  if (now === undefined || then === undefined) return say("ghost.ends", { same, what: say(now === undefined ? "ghost.end.now" : "ghost.end.then") });
  return say(same ? "ghost.parts" : "ghost.other", { same, now, then });
}

/** @param {import("./strings.js").Say} say @param {Model} model @param {Board} board */
function toolbar(say, model, board) {
  const radios = TOOLS.map((tool) => h("label", { class: `tool ${tool}` },
    h("input", { type: "radio", name: "tool", checked: tool === "move", onchange: () => { board.tool = tool; } }), h("span", {}, say(`tool.${tool}`))));
  return h("div", { class: "toolbar" },
    h("fieldset", {}, h("legend", { class: "unseen" }, say("tool.legend")), radios),
    h("button", { type: "button", onclick: () => model.undo() }, say("undo")), h("button", { type: "button", onclick: () => { board.selected = -1; model.clear(); } }, say("clear")));
}

/** @param {import("./strings.js").Say} say @param {HTMLElement} root */
function presentation(say, root) {
  const name = () => say(root.classList.contains("present") ? "unpresent" : "present");
  const button = h("button", { type: "button", onclick: () => {
    root.classList.toggle("present");
    button.textContent = name();
  } }, name());
  return button;
}

/** Light or dark as the system has it, until the button says otherwise. @param {import("./strings.js").Say} say @param {() => void} redraw */
function theme(say, redraw) {
  const page = document.documentElement, system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (page.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const button = h("button", { type: "button", onclick: () => {
    page.dataset.theme = dark() ? "light" : "dark";
    shown();
  } });
  const shown = () => {
    button.textContent = say(dark() ? "light" : "dark");
    redraw();
  };
  system.onchange = shown;
  button.textContent = say(dark() ? "light" : "dark");
  return button;
}

/** Keys that work wherever nothing else takes them. @param {KeyboardEvent} event @param {Timeline} timeline @param {Model} model */
function keys(event, timeline, model) {
  const at = /** @type {HTMLElement} */ (event.target);
  if ((event.ctrlKey || event.metaKey) && event.key === "z" && at.tagName !== "TEXTAREA" && at.tagName !== "INPUT") {
    event.preventDefault();
    return model.undo();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || ["TEXTAREA", "INPUT", "SELECT"].includes(at.tagName)) return undefined;
  if (event.key === " " && at.tagName !== "BUTTON" && at.tagName !== "SUMMARY") timeline.toggle();
  else if (event.key === ",") timeline.jump(model.step - 1);
  else if (event.key === ".") timeline.jump(model.step + 1);
  else return undefined;
  return event.preventDefault();
}
