// @ts-check
// Play, pause, step, back, scrub.
import { h, s } from "./dom.js";

const RATE = { slow: 1, normal: 5, fast: 40 }; // steps a second
const LONGEST = 15; // seconds, at normal speed

const SHAPES = { // drawn: not every font has such signs
  first: "M4 4h2v12H4zM16 4v12l-9-6z", back: "M14 4v12l-9-6z", play: "M5 3v14l12-7z", pause: "M5 3h4v14H5zM11 3h4v14h-4z",
  next: "M5 4v12l7-6zM13 4h2v12h-2z", last: "M14 4h2v12h-2zM4 4v12l9-6z",
};

/** @param {string} name */
const icon = (name) => s("svg", { viewBox: "0 0 20 20", width: 18, height: 18, "aria-hidden": "true", class: "icon" },
  s("path", { d: SHAPES[/** @type {keyof SHAPES} */ (name)] }));

export class Timeline {
  /** @param {import("./strings.js").Say} say @param {import("./model.js").Model} model */
  constructor(say, model) {
    this.say = say;
    this.model = model;
    this.playing = false;
    this.speed = "normal";
    const button = (/** @type {string} */ name, /** @type {() => void} */ act) =>
      h("button", { type: "button", class: "round", "aria-label": say(`time.${name}`), title: say(`time.${name}`), onclick: act }, icon(name));
    this.button = button("play", () => this.toggle());
    this.button.classList.add("main");
    this.slider = h("input", { type: "range", min: 0, step: 1, "aria-label": say("time.slider"), oninput: () => this.jump(Number(this.slider.value)) });
    this.place = h("output", { class: "place" });
    const rates = h("select", { "aria-label": say("time.speed"), onchange: () => { this.speed = rates.value; } },
      Object.keys(RATE).map((name) => h("option", { value: name, selected: name === "normal" }, say(`time.${name}`))));
    this.element = h("div", { class: "timeline", role: "group", "aria-label": say("time.legend") },
      this.slider, button("first", () => this.jump(0)), button("back", () => this.jump(model.step - 1)), this.button,
      button("next", () => this.jump(model.step + 1)), button("last", () => this.jump(model.replay.steps)),
      rates, this.place);
  }

  /** @param {number} step */
  jump(step) {
    this.stop();
    this.model.goTo(step);
  }

  toggle() {
    if (this.playing) return this.stop();
    if (this.model.step >= this.model.replay.steps) this.model.goTo(0);
    this.playing = true;
    this.show();
    let last = performance.now(), owed = 0;
    const frame = (/** @type {number} */ now) => {
      if (!this.playing) return;
      const { steps } = this.model.replay;
      const rate = Math.max(RATE[/** @type {keyof RATE} */ (this.speed)], this.speed === "slow" ? 0 : (steps / LONGEST) * (this.speed === "fast" ? 4 : 1));
      owed += ((now - last) / 1000) * rate;
      last = now;
      const whole = Math.floor(owed);
      owed -= whole;
      if (whole) this.model.goTo(this.model.step + whole);
      if (this.model.step >= steps) return this.stop();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    return undefined;
  }

  stop() {
    this.playing = false;
    this.show();
  }

  show() {
    const { say, model } = this, name = this.playing ? "pause" : "play", steps = model.replay.steps;
    if (this.button.title !== say(`time.${name}`) || !this.button.firstChild) this.button.replaceChildren(icon(name));
    this.button.setAttribute("aria-label", say(`time.${name}`));
    this.button.title = say(`time.${name}`);
    this.slider.max = String(steps);
    this.slider.value = String(model.step);
    this.slider.disabled = !steps;
    const words = steps ? say("time.at", { t: model.step, steps, epoch: model.replay.epochOf(model.step) }) : say("time.none");
    this.slider.setAttribute("aria-valuetext", words);
    this.place.textContent = words;
  }
}
