#!/bin/sh
# The compiled core with the address and undefined-behaviour sanitizers, under the tests that use it
# most. Used by `make sanitize`: sh scripts/sanitize.sh PYTHON [TESTS...]
set -eu
python=$1
shift
test $# -gt 0 || set -- tests/attacks/test_svmlight.py tests/data/test_svmlight.py \
  tests/compute/test_native_equals_reference.py tests/compute/test_decimal.py \
  tests/inputs/test_storage.py tests/learning/test_whole_epochs.py tests/rules/test_gram.py
place=build/sanitize
rm -rf "$place"
ROSENBLATT_REQUIRE_NATIVE=1 "$python" -m pip install --quiet --no-deps --target "$place" \
  --config-settings=cmake.define.ROSENBLATT_SANITIZE=ON --config-settings=build-dir=build/sanitizing .
# Not the interpreter of the environment: what is installed there for editing would come first.
base=$("$python" -c 'import sys; print(sys._base_executable)')
packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
asan=$(${CXX:-g++} -print-file-name=libasan.so)
export PYTHONPATH="$PWD/$place:$packages" LD_PRELOAD="$asan" ROSENBLATT_SANITIZED=1
export ASAN_OPTIONS=detect_leaks=0:halt_on_error=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
# Freed memory is kept for a while, so that its use is seen; where memory is measured, hardly.
memory=tests/data/test_svmlight.py::test_chunks_take_bounded_memory
"$base" -m pytest -q -p no:cacheprovider -n 0 --deselect "$memory" "$@"
ASAN_OPTIONS="$ASAN_OPTIONS:quarantine_size_mb=1" exec "$base" -m pytest -q -p no:cacheprovider -n 0 "$memory"
