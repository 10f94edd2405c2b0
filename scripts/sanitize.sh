#!/bin/sh
# The compiled core with the address and undefined-behaviour sanitizers, under the tests that use it
# most, then with the thread sanitizer, under those of its threads.
# Used by `make sanitize`: sh scripts/sanitize.sh PYTHON [TESTS...]
set -eu
python=$1
shift
test $# -gt 0 || set -- tests/attacks/test_svmlight.py tests/data/test_svmlight.py \
  tests/core/test_native_equals_reference.py tests/core/test_decimal.py \
  tests/validation/test_storage.py tests/training/test_whole_epochs.py tests/training/test_gram.py \
  tests/core/test_threads.py
# Not the interpreter of the environment: what is installed there for editing would come first.
base=$("$python" -c 'import sys; print(sys._base_executable)')
packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')

# build SANITIZERS: into build/SANITIZERS
build() {
  rm -rf "build/$1"
  ROSENBLATT_REQUIRE_NATIVE=1 "$python" -m pip install --quiet --no-deps --target "build/$1" \
    --config-settings=cmake.define.ROSENBLATT_SANITIZE="$1" \
    --config-settings=build-dir="build/with-$1" .
}
# run SANITIZERS LIBRARY TESTS...
run() {
  library=$(${CXX:-g++} -print-file-name="$2")
  PYTHONPATH="$PWD/build/$1:$packages" ROSENBLATT_SANITIZED=1
  export PYTHONPATH ROSENBLATT_SANITIZED
  shift 2
  LD_PRELOAD="$library" "$base" -m pytest -q -p no:cacheprovider -n 0 "$@"
}

export ASAN_OPTIONS=detect_leaks=0:halt_on_error=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
# Freed memory is kept for a while, so that its use is seen; where memory is measured, hardly.
memory=tests/data/test_svmlight.py::test_chunks_take_bounded_memory
build address,undefined
run address,undefined libasan.so --deselect "$memory" "$@"
ASAN_OPTIONS="$ASAN_OPTIONS:quarantine_size_mb=1" run address,undefined libasan.so "$memory"

# Python and NumPy are not watched; what they do by themselves is not ours.
export TSAN_OPTIONS=halt_on_error=1:ignore_noninstrumented_modules=1
build thread
run thread libtsan.so tests/core/test_threads.py -k "not fork"
