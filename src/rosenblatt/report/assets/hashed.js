// @ts-check
// The fingerprint of the rows: the same for dense and sparse storage.
import { sha256 } from "./sha256.js";
import { demand } from "./json.js";

/** @typedef {import("./data.js").Data} Data */

const BLOCK = 65536, STRIP = 1024; // rows

/** SHA-256 of the shape and of the SHA-256 of each 65,536 rows: their signs (0: left out), then for each
 * 1,024 rows their numbers as `strip` has them. Before each part stand the size of an item in bytes and
 * how many there are: no table can read as another. @param {any} claim @param {Data} data */
export function sha256Of(claim, data) {
  demand(data.numbers.length === data.n * data.d, "rows have more numbers, or fewer");
  const { n, d } = data, digests = [pair(n, d)];
  for (let begin = 0; begin < n; begin += BLOCK) {
    const end = Math.min(begin + BLOCK, n), Form = claim.labels.length === 2 ? Int8Array : Int32Array;
    const signs = Form.from({ length: end - begin }, (_, i) => (data.has(begin + i) ? data.y(begin + i) : 0));
    const parts = [pair(Form.BYTES_PER_ELEMENT, signs.length), bytes(signs)];
    for (let i = begin; i < end; i += STRIP) parts.push(strip(data.numbers.subarray(i * d, Math.min(i + STRIP, end) * d)));
    const digest = sha256(joined(parts));
    digests.push(Uint8Array.from({ length: 32 }, (_, k) => parseInt(digest.slice(2 * k, 2 * k + 2), 16)));
  }
  return sha256(joined(digests));
}

/** All numbers; where more than half are zero, the places of the others and these. No -0. @param {Float64Array} numbers */
function strip(numbers) {
  const there = numbers.reduce((count, v) => count + Number(v !== 0), 0);
  if (2 * there < numbers.length) return joined([pair(16, there), ...sparse(numbers, there)]);
  return joined([pair(8, numbers.length), bytes(numbers.map((v) => v + 0))]);
}

/** Places and numbers that are not zero. @param {Float64Array} numbers @param {number} count */
function sparse(numbers, count) {
  const places = new BigUint64Array(count), values = new Float64Array(count);
  let at = 0;
  numbers.forEach((v, k) => {
    if (v === 0) return;
    places[at] = BigInt(k);
    values[at++] = v;
  });
  return [bytes(places), bytes(values)];
}

/** @param {number} first @param {number} second */
const pair = (first, second) => bytes(BigUint64Array.of(BigInt(first), BigInt(second)));

/** @param {ArrayBufferView} view */
const bytes = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

/** @param {Uint8Array[]} parts */
function joined(parts) {
  const found = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    found.set(part, at);
    at += part.length;
  }
  return found;
}
