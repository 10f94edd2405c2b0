// @ts-check
// The run as Python, as a link, as a page, as a picture and as a film.
import { button, h } from "./dom.js";
import { fingerprint } from "./fingerprint.js";
import { written } from "./link.js";
import { python } from "./python.js";

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "paint-order", "font-family", "font-size", "font-style", "font-weight", "text-anchor", "stop-color", "stop-opacity", "display"];
const WORDS = 56, REST = 1500, FRAMES = 30; // pixels above the film, ms at its end, frames a second

/** @param {string} name @param {Blob} content */
function download(name, content) {
  const link = h("a", { download: name, href: URL.createObjectURL(content) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** The board as a file of SVG that needs nothing else. @param {import("./board.js").Board} board */
export function pictureOf({ svg, canvas, painted, element }) {
  const copy = /** @type {any} */ (svg.cloneNode(true)), all = [...svg.querySelectorAll("*")], { clientWidth: width, clientHeight: height } = element;
  [...copy.querySelectorAll("*")].forEach((one, a) => {
    const style = getComputedStyle(all[a]);
    one.setAttribute("style", STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
  });
  for (const [name, value] of Object.entries({ xmlns: "http://www.w3.org/2000/svg", width, height })) copy.setAttribute(name, value);
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ width, height, fill: getComputedStyle(element).backgroundColor })) ground.setAttribute(name, value);
  copy.prepend(ground);
  if (painted.length) {
    const points = document.createElementNS("http://www.w3.org/2000/svg", "image");
    for (const [name, value] of Object.entries({ width, height, href: canvas.toDataURL() })) points.setAttribute(name, value);
    copy.append(points);
  }
  return new XMLSerializer().serializeToString(copy);
}

/** @param {string} svg */
async function imageOf(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  return image;
}

/** @param {import("./strings.js").Say} say @param {import("./model.js").Model} model @param {import("./board.js").Board} board @param {{page: boolean, words: () => string}} home */
export function sharing(say, model, board, home) {
  const message = h("p", { role: "status", class: "message" }), out = h("textarea", { rows: 8, readonly: true, hidden: true, "aria-label": say("share.select") });

  /** @param {string} content @param {string} [done] */
  async function copy(content, done = "share.copied") {
    out.hidden = false;
    out.value = content;
    try {
      await navigator.clipboard.writeText(content);
      message.textContent = say(done);
    } catch {
      message.textContent = say("share.select");
      out.select();
    }
  }

  function copyLink() {
    const hash = written(model), local = location.protocol === "file:" || ["localhost", "127.0.0.1"].includes(location.hostname);
    if (hash) return copy(`${location.href.split("#")[0]}#${hash}`, local ? "share.local" : "share.copied");
    message.textContent = say("share.long");
    return undefined;
  }

  function savePage() {
    const { names, classes, x, y } = model.data, content = JSON.stringify({ names, classes, x: Array.from(x), y: Array.from(y), settings: model.settings });
    const page = /** @type {any} */ (document.documentElement.cloneNode(true));
    page.querySelector("#play").replaceChildren();
    page.querySelector("#play").removeAttribute("class");
    page.removeAttribute("data-theme");
    page.querySelector("#play-table").textContent = content.replace(/</g, "\\u003c");
    download("playground.html", new Blob(["<!doctype html>\n", page.outerHTML], { type: "text/html" }));
  }

  /** The board, with the sentence above it where a film needs it. @param {number} scale @param {number} above @param {HTMLCanvasElement} [canvas] */
  async function painted(scale, above, canvas = h("canvas")) {
    const { clientWidth: width, clientHeight: height } = board.element, image = await imageOf(pictureOf(board));
    if (!canvas.width || canvas.width !== scale * width) [canvas.width, canvas.height] = [scale * width, scale * (height + above)];
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")), style = getComputedStyle(board.element);
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.fillStyle = style.backgroundColor;
    pen.fillRect(0, 0, width, height + above);
    pen.fillStyle = style.color;
    pen.font = `600 20px ${style.fontFamily}`;
    if (above) pen.fillText(home.words(), 16, 36, width - 32);
    pen.drawImage(image, 0, above);
    return canvas;
  }

  const savePng = async () => (await painted(2, 0)).toBlob((made) => made && download("perceptron.png", made));

  /** The run from its start to its end, while it is played. */
  async function saveFilm() {
    if (!("MediaRecorder" in window)) {
      message.textContent = say("share.unable");
      return;
    }
    const { time } = model;
    message.textContent = say("share.filming");
    time.seek(0);
    const canvas = await painted(1, WORDS), recorder = new MediaRecorder(canvas.captureStream(FRAMES)), chunks = /** @type {Blob[]} */ ([]);
    recorder.ondataavailable = ({ data }) => chunks.push(data);
    const stopped = new Promise((done) => { recorder.onstop = done; });
    recorder.start();
    const begin = performance.now();
    for (let now = begin; now < begin + time.film.length / time.speed + REST; now = performance.now()) {
      time.seek((now - begin) * time.speed);
      await painted(1, WORDS, canvas);
      await new Promise((done) => setTimeout(done, 1000 / FRAMES));
    }
    recorder.stop();
    await stopped;
    message.textContent = "";
    download("perceptron.webm", new Blob(chunks, { type: "video/webm" }));
  }

  const one = (/** @type {string} */ key, /** @type {() => any} */ act) => button(say(key), act);
  const element = h("div", { class: "sharing" }, h("div", { class: "row" },
    one("share.python", () => copy(python(model.run.rows, { ...model.run.settings, seed: model.settings.seed }, fingerprint(model.run)))),
    home.page ? [one("share.link", copyLink), one("share.page", savePage)] : [],
    one("share.svg", () => download("perceptron.svg", new Blob([pictureOf(board)], { type: "image/svg+xml" }))), one("share.png", savePng), one("share.film", saveFilm)), message, out);
  return { element };
}
