// @ts-check
// Words in buckets, as scikit-learn's HashingVectorizer has them: MurmurHash3 of 32 bits, without its sign.

/** @param {number} x @param {number} by */
const turned = (x, by) => (x << by) | (x >>> (32 - by));

/** @param {number} k */
const mixed = (k) => Math.imul(turned(Math.imul(k, 0xcc9e2d51), 15), 0x1b873593);

/** @param {string} word @param {number} into how many buckets */
export function bucket(word, into) {
  const bytes = new TextEncoder().encode(word), whole = bytes.length & ~3;
  let hash = 0, rest = 0;
  for (let i = 0; i < whole; i += 4) {
    hash ^= mixed(bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24));
    hash = (Math.imul(turned(hash, 13), 5) + 0xe6546b64) | 0;
  }
  for (let i = bytes.length - 1; i >= whole; --i) rest = (rest << 8) | bytes[i];
  if (whole < bytes.length) hash ^= mixed(rest);
  hash ^= bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return Math.abs(hash ^ (hash >>> 16)) % into;
}
