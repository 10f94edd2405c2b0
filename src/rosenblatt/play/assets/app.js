// @ts-check
// The playground, put together: in a page, or in the cell of a notebook.
import { Board } from "./board.js";
import { chips, examples, tools, transport } from "./controls.js";
import { button, h } from "./dom.js";
import { Hands } from "./hands.js";
import { KERNELS } from "./kernel.js";
import { read, written } from "./link.js";
import { KEEPS, Model, ORDERS, rowsOf } from "./model.js";
import { unpacked } from "./packed.js";
import { Pictures } from "./pictures.js";
import { Question } from "./question.js";
import { sceneOf } from "./scene.js";
import { sharing } from "./sharing.js";
import { sheet } from "./sheet.js";
import { speaker } from "./strings.js";
import { Strip } from "./strip.js";
import { compiled } from "./wasm.js";
import { wordsOf } from "./words.js";

const STILL = 1600, SETTLED = 400; // ms: before the first example shows itself, and before the address is written
const BESIDE = 3; // moves of a point

/**
 * @param {HTMLElement} root
 * @param {{core: string, version: string, presets: string, texts: string, table?: any, hash?: string, page?: boolean, language?: string, onchange?: (model: Model) => void}} given
 */
export async function mount(root, given) {
  const [core, presets, texts] = await Promise.all([compiled(given.core), unpacked(given.presets).json(), unpacked(given.texts).json()]), framed = window.self !== window.top;
  root.classList.add("rosenblatt-play");
  root.classList.toggle("embedded", Boolean(given.page && framed));
  let draw = () => {};
  const model = new Model(core, presets, (run) => {
    draw();
    if (run) given.onchange?.(model);
  });
  const linked = open(model, given);
  const chosen = { view: "space" };
  const build = (/** @type {string} */ language) => {
    draw = interior(root, model, { ...given, texts, language, chosen, speak: build });
    draw();
  };
  build(given.language && texts[given.language] ? given.language : "en");
  if (given.page && !linked && !framed && !model.time.still) setTimeout(() => model.time.t === 0 && !model.edited && !model.revealed && !root.querySelector("dialog[open]") && model.time.play(0), STILL);
  return model;
}

/** What is shown first: the state of a link, a table, or the first example. @param {Model} model @param {any} given */
function open(model, { table, hash }) {
  const linked = hash ? read(hash, { orders: ORDERS, keeps: KEEPS, kernels: KERNELS }) : null, preset = linked?.preset && model.presets[linked.preset];
  if (!linked?.data && !preset) {
    if (!table) model.usePreset(Object.keys(model.presets)[0]);
    else {
      model.edited = true;
      model.use(rowsOf(table), table.settings ?? {}, table.record);
    }
    return Boolean(table);
  }
  if (preset) model.usePreset(/** @type {string} */ (linked.preset));
  model.edited = !preset;
  model.use(linked.data ?? model.data, linked.settings);
  if (linked.centred) model.centre(true);
  if (linked.step) model.time.goTo(linked.step);
  return true;
}

/** All elements in one language; returns what shows the model. @param {HTMLElement} root @param {Model} model @param {any} home */
function interior(root, model, home) {
  const say = speaker(home.texts[home.language], home.language), { time } = model;
  const live = h("p", { class: "unseen", role: "status" }), says = h("p", { class: "say" }), sum = h("p", { class: "sum" });
  const board = new Board(say), hands = new Hands(board, model, (words) => { live.textContent = words || spoken(); });
  const strip = new Strip(say, model, board), pictures = new Pictures(say, model, home.chosen), keys = transport(say, model), choices = chips(say, model), thumbs = examples(say, model), tray = tools(say, model, hands);
  const spoken = () => `${says.textContent} ${sum.textContent}`.trim();
  const more = sheet(say, model, { page: Boolean(home.page), version: home.version, language: home.language, texts: home.texts, speak: home.speak, sharing: sharing(say, model, board, { page: Boolean(home.page), words: () => says.textContent }) });
  const question = new Question(say, model, more.openTour), presenting = presentation(say, root, () => draw());
  const app = h("div", { class: "app" },
    h("header", {}, h("h1", {}, say("title")), thumbs.elements, h("span", { class: "corner" }, presenting.button, home.page ? theme(say, () => draw()) : [], button("⋯", more.open, { class: "more", "aria-label": say("more"), title: say("more") }))),
    presenting.leave, h("div", { class: "words" }, says, sum), h("div", { class: "board" }, tray.element, board.element),
    h("div", { class: "time" }, keys.element, strip.element), h("aside", { class: "side" }, question.element, pictures.element, choices.element));
  root.lang = home.language;
  root.replaceChildren(app, more.element, live);
  listen(root, home, { model, hands, thumbs, more, presenting });
  app.addEventListener("pointerover", (/** @type {any} */ { target }) => board.point(target.closest(".tag")?.dataset.row));
  new ResizeObserver(() => board.element.isConnected && draw()).observe(board.element);

  let told = "", address = 0, moves = 0;
  function draw() {
    for (const part of [board, strip, pictures]) part.measure(); // all that is read of the page, before anything is written
    const { moment } = time, scene = sceneOf(model, moment), { says: sentence, then, sum: sums } = wordsOf(model, moment, say);
    const early = Boolean(moment.rows.length && !moment.carry);
    says.replaceChildren(...sentence, ...(then ? [" ", h("span", { class: "then" }, then)] : []));
    sum.replaceChildren(...sums.flatMap((part, a) => [h("span", { class: a || sums.length === 1 ? "then" : "" }, part), " "]));
    app.classList.toggle("early", early && then !== undefined);
    if (model.moving < 0) for (const [line, least] of [[says, 0.6], [sum, 0.8]]) fit(line, least);
    board.draw(scene, model);
    const words = spoken();
    if (model.moving < 0 || ++moves % BESIDE === 0) { // what is beside a hand follows less often
      strip.show(words);
      pictures.show(moment);
    }
    for (const part of [question, keys, choices, thumbs, tray, more]) part.show();
    invite(board, model, moment);
    if (!time.playing && model.moving < 0 && words !== told) {
      live.textContent = told = words;
      clearTimeout(address);
      if (home.page && window.self === window.top) address = window.setTimeout(() => carry(model), SETTLED);
    }
  }
  return draw;
}

/** A sentence that is too long for its line is written smaller. @param {HTMLElement} line @param {number} least */
function fit(line, least) {
  const { clientWidth: width } = line, key = `${line.textContent} ${width}`;
  if (line.dataset.fitted === key) return;
  line.dataset.fitted = key;
  line.style.setProperty("--fit", "1");
  line.style.setProperty("--fit", String(Math.max(Math.min(1, width / line.scrollWidth), least)));
}

/** The address carries the state, where it can. @param {Model} model */
function carry(model) {
  const hash = written(model);
  if (hash && (model.edited || model.time.t || location.hash)) history.replaceState(null, "", `#${hash}`);
}

/** At the end: to take a point, of those that are near to the line. @param {Board} board @param {Model} model @param {any} moment */
function invite(board, { data, edited, time, run, replay }, { over }) {
  const { call, scene, screen } = board, on = over && !edited && !time.playing && data.d === 2 && data.n > 1 && data.n <= 26 && !replay.curved && !replay.many && ["clean", "cycle"].includes(run.stop);
  call.hidden = !on;
  if (!on) return;
  const far = Array.from(scene.xs, (x, i) => Math.abs(scene.w[0] * x + scene.w[1] * scene.ys[i] + scene.w[2])), i = far.indexOf(Math.min(...far)), [x, y] = board.at(i);
  call.style.left = `${Math.min(Math.max(x, 90), screen.width - 90)}px`;
  call.style.top = `${y}px`;
}

/** For a lecture: a large board, large words, and the choices. @param {import("./strings.js").Say} say @param {HTMLElement} root @param {() => void} redraw */
function presentation(say, root, redraw) {
  const turn = (/** @type {boolean} */ on) => {
    root.classList.toggle("present", on);
    if (on) root.requestFullscreen?.().catch(() => {});
    else if (document.fullscreenElement) document.exitFullscreen();
    redraw();
  };
  root.onfullscreenchange = () => !document.fullscreenElement && root.classList.contains("present") && turn(false);
  const start = button(say("present"), () => turn(true), { class: "present-button", title: "P" });
  return { button: start, leave: button("×", () => turn(false), { class: "leave", "aria-label": say("unpresent"), title: "Esc" }), turn, get on() { return root.classList.contains("present"); } };
}

/** Light or dark as the system has it, until the button says otherwise. @param {import("./strings.js").Say} say @param {() => void} redraw */
function theme(say, redraw) {
  const page = document.documentElement, system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (page.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const other = button("", () => {
    page.dataset.theme = dark() ? "light" : "dark";
    shown();
    redraw();
  }, { class: "theme" });
  const shown = () => { other.textContent = say(dark() ? "light" : "dark"); };
  system.onchange = () => { shown(); redraw(); };
  shown();
  return other;
}

/** Keys and files that come wherever nothing else takes them; a notebook has keys of its own. @param {HTMLElement} root @param {any} home @param {any} parts */
function listen(root, home, { model, hands, thumbs, more, presenting }) {
  const ears = /** @type {HTMLElement} */ (home.page ? document : root), { time } = model;
  ears.onkeydown = (event) => {
    const at = /** @type {HTMLElement} */ (event.target), writes = ["TEXTAREA", "INPUT", "SELECT"].includes(at.tagName), { key } = event;
    if ((event.ctrlKey || event.metaKey) && key === "z" && !writes) {
      hands.done(() => model.undo());
      return event.preventDefault();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || writes || root.querySelector("dialog[open]")) return undefined;
    if (key === " " && at.tagName !== "BUTTON" && at.tagName !== "SUMMARY") time.toggle();
    else if (key === ",") time.back();
    else if (key === ".") time.next();
    else if (key === "p" || key === "P") presenting.turn(!presenting.on);
    else if (key === "Escape" && presenting.on) presenting.turn(false);
    else if (/^[1-9]$/.test(key)) thumbs.choose(Number(key) - 1);
    else return undefined;
    return event.preventDefault();
  };
  ears.ondragover = (event) => event.preventDefault();
  ears.ondrop = async (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) more.load(await file.text());
  };
}
