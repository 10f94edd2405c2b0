// The walk: its parts together.

// The first block decides, the others keep the weights of a slice each. All must run at the same time; there
// are far fewer of them than multiprocessors, and nothing else waits for them.
extern "C" __global__ void __launch_bounds__(KEEPERS, 1)
    walk(const VALUE* X, LABELS, const int* order, WALK, const VALUE* Z, const double* steps, const float* gram,
         double* weights, double* drifts, u64* messages, u64* products, u64* handed, int* rows,
         Walked* walked) {
  const Walk walk = THE_WALK;
  const Between between = {messages, products, handed, walked->told, walked->blocks};
  if (blockIdx.x == 0)
    decide_blocks(X, THE_LABELS, order, gram, walk, weights, between, rows, walked);
  else
    keep_weights(Z, steps, walk, int(blockIdx.x) - 1, weights, drifts, between);
}
