# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts: paths, and functions that install missing packages.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export COREDATA_SHARED=${COREDATA_SHARED:-$root/../shared}

# The traits of the library, separated by commas; Package.swift makes them the default. Everything in one build folder is
# built with the same traits, so that nothing is compiled twice.
export COREDATA_TRAITS=${COREDATA_TRAITS:-Command,OpenCombine}

# SwiftPM gives the traits to the compiler in the random order of a set. The same order in all builds keeps them from
# compiling everything again.
swift() {
  if [ "${1:-}" = build ]; then SWIFT_DETERMINISTIC_HASHING=1 command swift "$@"; else command swift "$@"; fi
}
export -f swift

say() { printf '==> [%d:%02d] %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else fail "this command needs root, and sudo is not installed: $*"
  fi
}

has_apt() { command -v apt-get >/dev/null; }

apt_install() {
  say "Installing $*"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

has_header() {
  [ -f "/usr/include/$1" ] || printf '#include <%s>\n' "$1" | clang -E -x c - >/dev/null 2>&1
}

# Checks for the Swift toolchain, and installs SQLite and zlib if their headers are missing.
install_for_build() {
  type -P swift >/dev/null || fail "swift is not on the PATH; install Swift 6.1 or later: https://www.swift.org/install"
  local missing=()
  has_header sqlite3.h || missing+=(libsqlite3-dev)
  has_header zlib.h || missing+=(zlib1g-dev)
  [ ${#missing[@]} -eq 0 ] && return
  has_apt || fail "the development files of SQLite 3 and zlib are missing; install them with your
  package manager, e.g. dnf install sqlite-devel zlib-devel, or apk add sqlite-dev zlib-dev"
  apt_install "${missing[@]}"
}

# Installs libpq and a PostgreSQL server for the tests; fails if they are missing and cannot be installed.
install_postgres() {
  local missing=()
  has_header libpq-fe.h || has_header postgresql/libpq-fe.h || missing+=(libpq-dev)
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null || missing+=(postgresql)
  [ ${#missing[@]} -eq 0 ] && return
  has_apt || fail "libpq or the PostgreSQL server is missing; install them with your package manager"
  # The package creates a server that runs all the time, unless it is told not to; the tests start their own.
  if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
    as_root mkdir -p /etc/postgresql-common
    echo 'create_main_cluster = false' | as_root tee /etc/postgresql-common/createcluster.conf >/dev/null
  fi
  apt_install "${missing[@]}"
}

# Installs Python 3, which runs the tests of the examples; fails if it is missing and cannot be installed.
install_python() {
  command -v python3 >/dev/null && return
  has_apt && apt_install python3
}

has_chromium() {
  local name
  for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
    [ -n "$name" ] && command -v "$name" >/dev/null && return
  done
  return 1
}

# Installs Chromium for the test of the web page; fails if it is missing and cannot be installed. Only on Debian:
# on other systems the package `chromium` does not contain the browser.
install_chromium() {
  has_chromium && return
  has_apt && grep -qs '^ID=debian' /etc/os-release || return
  apt_install chromium
  has_chromium
}
