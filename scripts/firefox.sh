# A second engine for the long runs: Debian's Firefox where that needs no password. Without one its
# tests are skipped, and say so.
command -v firefox || command -v firefox-esr && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y -q firefox-esr || { apt-get update -q && apt-get install -y -q firefox-esr; }
fi
exit 0
