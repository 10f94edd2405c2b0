# What `make` needs before it can install the rest: says the one line that mends what is missing.
python="$1"

fail() {
  echo "rosenblatt: $1" >&2
  echo "  to mend it: $2" >&2
  exit 1
}

command -v "$python" >/dev/null 2>&1 ||
  fail "no $python found" "install Python 3.11 or newer, or: make PYTHON=/path/to/python3"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  fail "$("$python" --version) is too old, 3.11 or newer is needed" "make PYTHON=/path/to/python3.11"
"$python" -c 'import venv, ensurepip' 2>/dev/null ||
  fail "this Python has no venv module" "apt-get install python3-venv (or your system's package)"
"$python" -c 'import os, sysconfig as s, sys; sys.exit(not os.path.exists(os.path.join(s.get_path("include"), "Python.h")))' ||
  fail "this Python has no headers (Python.h)" "apt-get install python3-dev (or your system's package)"
${CXX:-c++} --version >/dev/null 2>&1 || g++ --version >/dev/null 2>&1 || clang++ --version >/dev/null 2>&1 ||
  fail "no C++ compiler found" "apt-get install g++ (or your system's package)"
