// @ts-check
// The page checks its own proof: on opening what it holds, and everything when the table is dropped.
import { judge } from "./check.js";
import { readPlain } from "./csv.js";
import { readEncoded } from "./encoded.js";
import { SCHEMA } from "./form.js";
import { parsed } from "./json.js";
import { checkSome } from "./some.js";

const HERE = "this page", LONG = 1e6; // characters of a table that takes seconds
const BINARY = /^(PK\x03\x04|PAR1|FEA1|ARROW1|BZh\d1A|\xfd7zXZ|\x28\xb5\x2f\xfd|\xd0\xcf\x11\xe0)/; // workbooks, columns, archives
const PAUSE = 30; // milliseconds, so that a person can see what is done

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {HTMLElement} place @param {string} tag @param {string} kind @param {string[]} lines */
function show(place, tag, kind, lines) {
  const stamp = document.createElement("span");
  stamp.className = `tag ${kind}`;
  stamp.textContent = tag;
  place.replaceChildren(...lines.map((line, k) => {
    const p = document.createElement("p");
    if (!k) p.append(stamp, " ");
    p.append(line);
    return p;
  }));
  if (place.id === "checked") seal(tag, kind);
}

/** What was found on opening, beside the heading of the fold. @param {string} tag @param {string} kind */
function seal(tag, kind) {
  const place = element("seal"), fold = /** @type {HTMLDetailsElement} */ (element("proved"));
  place.className = `tag ${kind}`;
  place.textContent = kind === "good" ? `✓ ${tag}` : tag === "undecided" ? "" : tag;
  place.hidden = !place.textContent;
  if (kind === "odd" && place.textContent) fold.open = true;
}

export function proving() {
  const certificate = element("certificate").textContent ?? "", held = JSON.parse(element("held").textContent ?? "");
  const checked = element("checked");
  const check = () => everything(checked, certificate, held.table);
  if (held.table?.length > LONG) {
    show(checked, "checking", "", ["Checking all claims of the certificate against all rows of the table."]);
    setTimeout(check, PAUSE);
  } else if (held.table !== null) check();
  else opening(checked, certificate, held.rows);
  dropping(certificate);
}

/** Without the word that the tag says already. @param {string} line */
const bare = (line) => line.replace(/^[A-Z]+: /, "");

/** @param {HTMLElement} place @param {string} certificate @param {string} text */
function everything(place, certificate, text) {
  const { status, lines } = judge(certificate, (claim) => readPlain(claim, { name: HERE, text }));
  if (status) return show(place, { 3: "undecided", 13: "up to chance" }[status] ?? "not proved", "odd", lines.map(bare));
  const [first, ...rest] = lines;
  show(place, "checked in your browser just now", "good", [`All claims of the certificate hold for all rows of the table, checked in exact arithmetic: ${bare(first)}`, ...rest]);
}

/** @param {HTMLElement} place @param {string} certificate @param {any[]} rows */
function opening(place, certificate, rows) {
  try {
    const found = checkSome(certificate, rows);
    if (!found) return place.replaceChildren(); // the page holds too few rows
    const rest = found.whole
      ? "Not checked yet: whether these are rows of the table. Drop it below."
      : "Not checked yet: what needs all rows of the table. Drop it below.";
    show(place, "checked in your browser just now", "good", [found.sentences.join(" "), rest]);
  } catch (error) {
    show(place, "not proved", "odd", [/** @type {Error} */ (error).message]);
  }
}

/** @param {string} own the certificate in the page */
function dropping(own) {
  const drop = element("drop"), input = /** @type {HTMLInputElement} */ (element("files")), judged = element("judged");
  const look = async (/** @type {FileList | null | undefined} */ given) => {
    if (!given?.length) return;
    show(judged, "checking", "", [[...given].map((file) => file.name).join(", ")]);
    await new Promise((done) => setTimeout(done, PAUSE));
    try {
      const { status, lines } = await judgment(own, [...given]);
      const words = { 0: "accepted", 1: "rejected", 2: "cannot be read", 3: "undecided", 13: "accepted up to chance" };
      show(judged, words[/** @type {keyof words} */ (status)], status ? "odd" : "good", lines.map(bare));
    } catch (error) {
      show(judged, "cannot be read", "odd", [/** @type {Error} */ (error).message]);
    }
    /** @type {HTMLDetailsElement} */ (element("proved")).open = true;
    judged.scrollIntoView({ block: "nearest" });
  };
  drop.hidden = false;
  input.addEventListener("change", () => look(input.files));
  for (const [type, over] of /** @type {[string, boolean][]} */ ([["dragover", true], ["dragleave", false], ["drop", false]]))
    document.addEventListener(type, (event) => { // wherever it falls: else the browser leaves the page for the file
      const { dataTransfer } = /** @type {DragEvent} */ (event);
      if (!dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      drop.classList.toggle("over", over);
      if (type === "drop") look(dataTransfer.files);
    });
}

/** What the verifier says of these files. @param {string} own @param {File[]} given */
async function judgment(own, given) {
  const certificates = given.filter((file) => /\.json$/i.test(file.name)), tables = given.filter((file) => !certificates.includes(file));
  const named = certificates[0]?.name ?? "certificate.json", reads = (/** @type {string} */ name) => elsewhere(name, named, name);
  const certificate = certificates.length ? decoded(await bytesOf(certificates[0]), null, () => elsewhere(named, named, tables[0]?.name)) : own;
  if (isOther(certificate)) throw elsewhere(named, named, tables[0]?.name);
  if (!tables.length) throw new Error("Give the table, too: without it, the certificate cannot be checked.");
  const sparse = tables.find((file) => /\.(svm|svmlight|libsvm)(\.\w+)?$/i.test(file.name));
  if (sparse) throw reads(sparse.name);
  const files = await Promise.all(inOrder(tables).map(async (file) => ({ name: file.name, bytes: await bytesOf(file) })));
  /** @type {Error | null} */ let unread = null; // says nothing about the certificate
  const found = judge(certificate, (claim) => {
    const encoding = claim.preprocessing?.reading?.encoding ?? null;
    const text = (/** @type {{ name: string, bytes: Uint8Array }} */ { name, bytes }) => decoded(bytes, encoding, () => (unread = reads(name)));
    return readEncoded(claim, files.map((file) => ({ name: file.name, text: text(file) })));
  });
  if (unread) throw unread;
  return found;
}

/** What this page does not read. @param {string} what @param {string} certificate @param {string} [table] */
const elsewhere = (what, certificate, table = "TABLE") => new Error(`${what} cannot be read here: rosenblatt verify ${certificate} ${table}`);

/** Whether it is a proof, but of another kind than this page checks. @param {string} text */
function isOther(text) {
  try {
    const schema = parsed(text)?.schema;
    return typeof schema === "string" && schema !== SCHEMA;
  } catch {
    return false; // the verifier says what is wrong with it
  }
}

/** As the report names them, or else by name. @param {File[]} tables */
function inOrder(tables) {
  const names = (parsed(element("report").textContent ?? "").data?.files ?? []).map((/** @type {string} */ path) => path.split(/[\\/]/).pop());
  const place = (/** @type {File} */ file) => (names.includes(file.name) ? names.indexOf(file.name) : names.length);
  return tables.sort((a, b) => place(a) - place(b) || (a.name < b.name ? -1 : 1));
}

/** @param {File} file */
async function bytesOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {Uint8Array} bytes @param {string | null} encoding @param {() => Error} refused */
function decoded(bytes, encoding, refused) {
  const wide = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  const used = encoding ?? wide, start = String.fromCharCode(...bytes.subarray(0, 6));
  if (BINARY.test(start) || (!/^utf-?(16|32)/i.test(used) && bytes.subarray(0, 4096).includes(0))) throw refused();
  try {
    return new TextDecoder(used, { fatal: true }).decode(bytes);
  } catch {
    throw refused();
  }
}
