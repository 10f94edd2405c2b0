// @ts-check
// Can a line do it? The verdict is hidden until a guess, the end, or a change; then it is live, and exact.
import { SIGNS } from "./classes.js";
import { button, h } from "./dom.js";
import { signOf } from "./drawing.js";
import { tag, tags } from "./words.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./strings.js").Say} Say */

export class Question {
  /** @param {Say} say @param {Model} model @param {() => void} tour opens the questions of the example */
  constructor(say, model, tour) {
    this.say = say;
    this.model = model;
    this.tour = button(say("ask.tour"), tour, { class: "link" });
    this.again = button(say("ask.again"), () => model.reveal(false), { class: "link" });
    this.yes = button(say("ask.yes"), () => model.reveal(true, "yes"));
    this.no = button(say("ask.no"), () => model.reveal(true, "no"));
    this.element = h("section", { class: "ask", "aria-live": "polite" });
    this.shown = "";
  }

  show() {
    const { model, say } = this, { data, revealed, verdict, run, replay, guess } = model;
    const key = [model.edited, model.preset, revealed, guess, data.n, run.settings.order, replay.curved, verdict.status, JSON.stringify([verdict.conflict?.rows, verdict.conflict?.meetings, verdict.geometric?.margin]), verdict.bound, run.updates].join();
    if (key === this.shown) return;
    this.shown = key;
    const of = replay.many ? "many" : run.rows.d > 2 ? "plane" : "line", head = say(`ask.${of}`);
    if (!data.n || !revealed) {
      this.element.className = "ask open";
      this.element.replaceChildren(h("h2", {}, h("span", {}, head), " ", this.tour), h("p", { class: "quiet" }, say(data.n ? "ask.guess" : "ask.none")), ...(data.n ? [h("div", { class: "guess" }, this.yes, this.no)] : []));
      return;
    }
    const { status } = verdict, yes = status === "separable", curve = !yes && replay.curved && !run.errors && !replay.many;
    const apart = replay.many && status === "quasi" && run.settings.intercept ? classesApart(verdict.separated, run.rows) : [];
    const answer = curve ? say("verdict.curve") : say(`verdict.${status}.${apart.length === 1 ? "apart" : of}`);
    const said = guess && status !== "unknown" ? `${say((guess === "yes") === yes ? "ask.right" : "ask.wrong")} ` : "";
    this.element.className = `ask ${status === "unknown" ? "" : yes ? "good" : curve || (status === "quasi" && !apart.length) ? "odd" : "bad"}`;
    this.element.replaceChildren(h("h2", {}, h("span", { class: "verdict" }, said, said ? answer : answer[0].toLocaleUpperCase(say.language) + answer.slice(1)), " ", this.again, " ", this.tour), h("p", { title: status === "unknown" ? null : say("verdict.exact") }, yes ? this.bound() : status === "unknown" ? say("verdict.unknown.says") : this.why(apart)));
  }

  /** How wide the gap is, and how long it can take at most. */
  bound() {
    const { say, model: { verdict, run, replay } } = this, made = run.updates, { geometric, bound } = verdict;
    const gap = replay.many ? [] : geometric ? say.parts("verdict.gap", { margin: say.number(geometric.margin) }) : say.parts("verdict.one");
    const how = replay.curved ? ".curve" : run.settings.order === "batch" ? ".batch" : gap.length ? "" : ".many";
    return [...gap, " ", ...say.parts(`verdict.bound${how}`, { bound, made: say.count(made), radius: say.number(verdict.radius), gamma: say.number(verdict.gamma) })];
  }

  /** The rows that no rule can satisfy. @param {string[]} apart */
  why(apart) {
    const { say, model } = this, { verdict, run, replay } = model, { conflict } = verdict, rows = /** @type {number[]} */ ([...new Set(conflict.rows)].sort((a, b) => a - b));
    const found = [];
    if (replay.many) {
      const { rows: { shown } } = run, pairs = conflict.rows.map((/** @type {number} */ i, /** @type {number} */ a) => say.parts("verdict.rival", { point: tag(model, i), rival: signOf(shown[conflict.rivals[a]]) }));
      const others = SIGNS.filter((sign) => sign !== apart[0]);
      if (apart.length === 1) found.push(...say.parts("verdict.apart", { apart: apart[0], one: others[0], other: others[1] }), " ");
      if (verdict.status === "quasi") found.push(...say.parts("verdict.compared", { all: verdict.compared, right: verdict.right }), " ");
      return [...found, ...say.parts("verdict.rivals", { points: pairs.flatMap((/** @type {any[]} */ pair, /** @type {number} */ a) => (a ? [", ", ...pair] : pair)) })];
    }
    if (verdict.status === "quasi") found.push(...say.parts("verdict.right", { count: verdict.separated.length }), " ");
    const marked = run.rows.d > 2 || replay.curved ? say.vector(conflict.meetings[0]) : "×";
    return [...say.parts(run.settings.intercept ? "verdict.meet" : "verdict.origin", { points: tags(model, rows), place: marked, minus: signOf(run.rows.shown[0]) }), " ", ...found, ...(run.rows.n > 26 ? [say("verdict.counted")] : [])];
  }
}

/** The signs of the classes of which every row is separated from all its rivals. @param {number[]} separated @param {any} rows */
function classesApart(separated, { y, shown }) {
  const known = new Set(separated), tied = new Set([...y].filter((_, i) => !known.has(i)));
  return shown.filter((/** @type {number} */ _, /** @type {number} */ c) => !tied.has(c)).map((/** @type {number} */ c) => SIGNS[c]);
}
