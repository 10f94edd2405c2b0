// Many mistakes: one multiprocessor decides block after block of W rows, others keep the weights.
//
// An update by row i moves the margins m_k = y_k (w.x_k + b) of the others by
//
//     G_ik = c_i y_i y_k (x_i.x_k + 1)        (without the 1 through the origin),
//
// and these were computed before (prepare.cu), since they do not depend on the weights. So the walk through
// a block is: the first row whose margin is not above the one asked for is a mistake; add its row of G to
// the margins; go on behind it. That is all the first multiprocessor does (the decider). Each of the others
// (keepers) has a slice of the columns: it adds the updates of a block to its weights, every column by
// itself and in the order of the visits, in float64 as defined; then it multiplies the rows of the block
// after the next with them. In the meantime the next block is decided: its margins lack the updates of the
// block before, which G knows, too.
//
//   decider   block b: margins of the keepers + G of the updates in b-1 ──► mistakes of b ──┐ message
//   keepers   w += updates of b ──► products of w with the rows of b+2 ──► words            ◄┘

constexpr int RING = 8;        // messages that may be under way
constexpr int AHEAD = 4;       // blocks whose rows a keeper holds
constexpr u64 DONE = 1, EXACT = 2;
constexpr int WORDS = W + 1;   // of a keeper and block: products of W rows, and |w|^2
constexpr int KEEPERS = 384;   // threads of a block

struct Walked {
  i64 updates, exact;  // of this call
  i64 told, blocks;    // messages and blocks of all calls: no number comes twice
};

// 16 bytes from memory into shared memory, without waiting for them.
__device__ __forceinline__ void send(void* to, const void* from) {
#if __CUDA_ARCH__ >= 800
  const u32 place = u32(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(from));
#else
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
#endif
}
__device__ __forceinline__ void wait_for_all() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// What the multiprocessors tell each other; all in memory that every one of them reads past its own cache.
// Words carry the number of what they are about in their high bits, so that a word is its own signal.
struct Between {
  u64* messages;  // [RING][3]: 16 bits of the number, 48 bits: rows 0 to 47, rows 48 to 95, what is wanted
  u64* products;  // [AHEAD][slices][WORDS]: 32 bits of the block's number, a float
  u64* handed;    // [slices]: the number of the message for which the weights were handed over
  i64 told, blocks;  // before this call
  __device__ __forceinline__ u64 number(i64 b) const { return u64(blocks + b + 1) & 0xffffffffu; }
};
