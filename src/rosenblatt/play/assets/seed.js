// @ts-check
// From random_state=k to the 64 bits that permutations are made from, as NumPy draws them: the first
// number below 2^63 - 1 of its Mersenne Twister (Matsumoto, Nishimura 1998).

const N = 624, M = 397;

/** The first two outputs of MT19937 after a seed. @param {number} seed @param {number} skip */
function twoOutputs(seed, skip) {
  const state = new Uint32Array(N);
  state[0] = seed;
  for (let i = 1; i < N; ++i) {
    const before = state[i - 1] ^ (state[i - 1] >>> 30);
    state[i] = Math.imul(before, 1812433253) + i;
  }
  for (let i = 0; i < N; ++i) {
    const y = (state[i] & 0x80000000) | (state[(i + 1) % N] & 0x7fffffff);
    state[i] = state[(i + M) % N] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
  }
  return [tempered(state[skip]), tempered(state[skip + 1])];
}

/** @param {number} y */
function tempered(y) {
  y ^= y >>> 11;
  y ^= (y << 7) & 0x9d2c5680;
  y ^= (y << 15) & 0xefc60000;
  return (y ^ (y >>> 18)) >>> 0;
}

/** The seed of an estimator with this random_state. @param {number} randomState 0 … 2^32 - 1 */
export function seedOf(randomState) {
  for (let skip = 0; ; skip += 2) {
    const [high, low] = twoOutputs(randomState, skip);
    const drawn = (BigInt(high & 0x7fffffff) << 32n) | BigInt(low);
    if (drawn < (1n << 63n) - 1n) return drawn;
  }
}
