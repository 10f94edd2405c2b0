# Which Chromium shows the pages in the tests: prints its path, or says the one line that mends it.
# $ROSENBLATT_BROWSER, then what is on the PATH, then Debian's package where that needs no password.
if [ -n "$ROSENBLATT_BROWSER" ]; then
  command -v "$ROSENBLATT_BROWSER" && exit 0
  echo "rosenblatt: ROSENBLATT_BROWSER is $ROSENBLATT_BROWSER, and that is no program" >&2
  echo "  to mend it: set it to the path of a Chromium or Chrome, or unset it" >&2
  exit 1
fi

on_the_path() {
  for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do
    command -v "$name" && return 0
  done
  return 1
}

on_the_path && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  export DEBIAN_FRONTEND=noninteractive
  { apt-get install -y -q chromium || { apt-get update -q && apt-get install -y -q chromium; }; } >&2
  on_the_path && exit 0
fi
echo "rosenblatt: no Chromium or Chrome found, and the tests of the report look at it in one" >&2
echo "  to mend it: apt-get install chromium (or your system's package)," >&2
echo "  or: make test ROSENBLATT_BROWSER=/path/to/chrome, or without them: make test BROWSER=no" >&2
exit 1
