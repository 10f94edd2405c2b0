// @ts-check
// Where yes begins: the threshold is moved, costs are given, and all three pictures follow.

const TOPS = [1, 2, 3, 4, 5, 6, 8]; // as in charts.py

/** @typedef {{ probability: number, missed: number, false: number, predicted: number }} Point */
/** @template {Element} T @param {string} id @returns {T} */
const element = (id) => /** @type {any} */ (document.getElementById(id));

export function thresholds() {
  const cost = document.getElementById("cost");
  if (!cost) return;
  const { thresholds: found, reproduce } = JSON.parse(element("report").textContent ?? "");
  /** @type {Point[]} */
  const points = found.points.filter((/** @type {Point} */ p) => p.probability !== null);
  const saved = nearest(points, found.chosen.probability), given = found.costs;
  const slider = /** @type {HTMLInputElement} */ (element("threshold"));
  const missed = /** @type {HTMLInputElement} */ (element("cost-missed")), wrong = /** @type {HTMLInputElement} */ (element("cost-false"));
  const [label, other] = [found.label, found.other].map(named);
  let at = saved;
  const costs = () => [missed, wrong].map((input) => Math.max(0, Number(input.value) || 0));
  const total = (/** @type {Point} */ p) => p.missed * costs()[0] + p.false * costs()[1];
  const reset = () => [missed.value, wrong.value] = given.map((/** @type {number} */ v) => String(+v.toPrecision(4)));

  function show() {
    const p = points[at], all = points.map(total), least = Math.min(...all), plain = costs().every((v) => v === 1);
    const round = (/** @type {number} */ v) => String(+v.toPrecision(4));
    element("says").textContent = `${label} from ${(100 * p.probability).toFixed(1)}% on: ${p.false} ${other} predicted ${label}, ${p.missed} ${label} missed; `
      + (plain ? `${round(all[at])} errors` : `cost ${round(all[at])}`) + (all[at] > least ? `, the least is ${round(least)}` : ", the least there is") + ` (on these ${found.rows.toLocaleString("en")} rows)`;
    slider.value = String(Math.round(1000 * p.probability));
    slider.setAttribute("aria-valuetext", element("says").textContent ?? "");
    draw(cost, all, least);
    const [x, y] = plane(document.getElementById("roc-curve")), positives = p.predicted - p.false + p.missed;
    put("roc-curve", x(p.false / (points[0].false || 1)), y(1 - p.missed / (positives || 1)), false);
    const [across, , bottom] = plane(document.getElementById("calibrated"));
    put("calibrated", across(p.probability), bottom, true);
    element("costly").querySelector("code").textContent = command();
  }

  /** @param {Element} svg @param {number[]} all @param {number} least */
  function draw(svg, all, least) {
    const [x, y, low, high] = plane(svg), top = nice(Math.max(3 * least, 1.3 * all[at], 1)), scale = (/** @type {number} */ v) => Math.max(low - (v / top) * (low - high), high);
    const edge = (/** @type {(p: Point) => number} */ f) => points.map((p) => `${x(p.probability).toFixed(1)} ${scale(f(p)).toFixed(1)}`);
    const lower = edge((p) => p.false * costs()[1]), upper = edge(total), floor = [`${x(1)} ${low}`, `${x(0)} ${low}`];
    for (const [kind, places] of /** @type {[string, string[]][]} */ ([["false", [...lower, ...floor]], ["missed", [...upper, ...[...lower].reverse()]], ["cost", upper]]))
      svg.querySelector(`path.${kind}`)?.setAttribute("d", `M${places.join("L")}`);
    [0, top / 2, top].forEach((tick, k) => { const mark = svg.querySelectorAll("text")[k]; mark.textContent = tick.toLocaleString("en"); });
    svg.querySelector("circle.hollow")?.setAttribute("cy", String(scale(all[saved])));
    put("cost", x(points[at].probability), scale(all[at]), true);
  }

  function command() {
    const [m, f] = costs(), base = reproduce?.without_costs ?? "";
    if (m === given[0] && f === given[1]) return reproduce?.command ?? "";
    const pairs = [[`${found.label}:${found.other}`, m], [`${found.other}:${found.label}`, f]].filter(([, v]) => v !== 1 && v !== 0);
    if (!pairs.length) return base;
    if (base.startsWith("rosenblatt.study(")) return `${base.slice(0, -1)}, costs={${pairs.map(([pair, v]) => `${JSON.stringify(pair)}: ${v}`).join(", ")}})`;
    const quoted = (/** @type {string} */ word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\"'\"'")}'`);
    return [base, ...pairs.map(([pair, v]) => quoted(`--cost=${pair}=${v}`))].join(" ");
  }

  const go = (/** @type {number} */ k) => { at = Math.min(Math.max(k, 0), points.length - 1); show(); };
  slider.max = "1000";
  slider.hidden = element("deciding").hidden = false;
  slider.addEventListener("input", () => go(nearest(points, Number(slider.value) / 1000)));
  slider.addEventListener("keydown", (event) => { // from one threshold to the next
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    go(at + step);
  });
  missed.addEventListener("input", show);
  wrong.addEventListener("input", show);
  element("back").addEventListener("click", () => { reset(); go(saved); });
  element("cheapest").addEventListener("click", () => { const all = points.map(total); go(all.indexOf(Math.min(...all))); });
  for (const svg of [cost, document.getElementById("calibrated")]) {
    const move = (/** @type {PointerEvent} */ event) => {
      if (!svg || (event.type === "pointermove" && !event.buttons)) return;
      const box = svg.getBoundingClientRect(), [start, end] = places(svg), across = ((event.clientX - box.left) / box.width) * Number(svg.getAttribute("viewBox")?.split(" ")[2]);
      go(nearest(points, (across - start) / (end - start)));
    };
    for (const type of /** @type {("pointerdown" | "pointermove")[]} */ (["pointerdown", "pointermove"])) svg?.addEventListener(type, /** @type {any} */ (move));
  }
  reset();
  show();
}

/** @param {Point[]} points @param {number} probability */
function nearest(points, probability) {
  return points.reduce((best, p, k) => (Math.abs(p.probability - probability) < Math.abs(points[best].probability - probability) ? k : best), 0);
}

/** A number in quotes, lest it be taken for a count. @param {string} label */
const named = (label) => (label.trim() && !Number.isNaN(Number(label)) ? `"${label}"` : label);

/** @param {number} v */
function nice(v) {
  const power = 10 ** Math.floor(Math.log10(v));
  return power * (TOPS.find((top) => v <= top * power) ?? 10);
}

/** Left, right, bottom and top of a picture. @param {Element | null} svg */
const places = (svg) => (svg?.getAttribute("data-plane") ?? "0 1 1 0").split(" ").map(Number);

/** @param {Element | null} svg @returns {[(v: number) => number, (v: number) => number, number, number]} */
function plane(svg) {
  const [left, right, low, high] = places(svg);
  return [(v) => left + v * (right - left), (v) => low - v * (low - high), low, high];
}

/** What shows where the threshold is. @param {string} id @param {number} x @param {number} y @param {boolean} upright */
function put(id, x, y, upright) {
  const here = document.querySelector(`#${id} .here`), [, , low, high] = places(document.getElementById(id));
  if (!here) return;
  here.removeAttribute("hidden");
  const [line, dot] = here.children;
  for (const [name, value] of Object.entries(upright ? { x1: x, x2: x, y1: low, y2: high } : {})) line.setAttribute(name, String(value));
  dot.setAttribute("cx", String(x));
  dot.setAttribute("cy", String(y));
}
