#!/bin/sh
# The svmlight reader under libFuzzer, which looks for bytes that reach new code.
# Used by `make fuzz`: sh scripts/fuzz.sh [SECONDS]
set -eu
seconds=${1:-60}
if ! command -v clang++ > /dev/null; then
  echo "No clang++ here: the coverage-guided attack on the svmlight reader is left out. It is in the package clang."
  exit 0
fi
place=build/fuzz
mkdir -p "$place/found"
clang++ -std=c++17 -O1 -g -ffp-contract=off -fsanitize=fuzzer,address,undefined \
  -fno-sanitize-recover=all -Inative tests/attacks/fuzz_svmlight.cpp -o "$place/svmlight"
# What it finds stays in build/fuzz/found for the next time; the corpus that is kept is only read.
exec "$place/svmlight" -max_total_time="$seconds" -max_len=4200 -timeout=10 -rss_limit_mb=1024 \
  -dict=tests/attacks/svmlight.dict -artifact_prefix="$place/" -print_final_stats=1 -verbosity=0 \
  "$place/found" tests/attacks/corpus
