#!/usr/bin/env bash
#
# Makes sure that the package can be built here: a Swift toolchain, and on Linux the development
# files of OpenBLAS (for training), zlib (for compressed recordings), SQLite and nettle (for the
# journal), libarchive (for other programs' zip files), curl (for `locomotion sync`); and for the
# tests Python, Chromium, which shows the reports, gcc and Valgrind, by which the C library is tested,
# and what the library of the Python package has inside. With --web also Node, Binaryen and the C library for
# WebAssembly, by which Sources/Bindings/LocomotionWeb is built. The server is a package of its own,
# with Sources/Server/Tests/setup.sh.
#
# On Debian and its relatives, what is missing is installed with apt-get. On macOS the libraries
# come with the system. Nothing else is installed, and nothing happens when nothing is missing.
#
# --build installs only what compiling needs, and none of the tests' programs. --install installs
# packages of Debian, for other scripts: one at a time, as apt-get fails while another one runs.
#
# Usage: Tests/setup.sh [--build | --web | --install PACKAGE...]

set -euo pipefail

fail() {
  echo "setup: $1" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo > /dev/null; then
    sudo "$@"
  else
    fail "missing the right to run: $*"
  fi
}

install() {
  command -v apt-get > /dev/null || fail "please install these, by their names in Debian: $*"
  echo "setup: installing $*" >&2
  exec 9< "${BASH_SOURCE[0]}"
  if command -v flock > /dev/null; then flock 9; fi
  as_root apt-get update >&2
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends "$@" >&2
}

if [ "${1:-}" = --install ]; then
  shift
  install "$@"
  exit
fi

# has MODULE HEADER: whether pkg-config knows the library, or its header is in a usual place.
has() {
  local header
  if command -v pkg-config > /dev/null && pkg-config --exists "$1"; then
    return 0
  fi
  for header in {/usr/include,/usr/local/include}/{,*/}"$2"; do
    if [ -e "$header" ]; then
      return 0
    fi
  done
  return 1
}

command -v swift > /dev/null || fail "swift is not in the PATH; see https://www.swift.org/install"

if [ "$(uname -s)" = Linux ]; then
  missing=()
  has openblas openblas_config.h || missing+=(libopenblas-dev)
  has zlib zlib.h || missing+=(zlib1g-dev)
  has sqlite3 sqlite3.h || missing+=(libsqlite3-dev)
  has libarchive archive.h || missing+=(libarchive-dev)
  has nettle sha2.h || missing+=(nettle-dev)
  has libcurl curl.h || missing+=(libcurl4-gnutls-dev)
  command -v gcc > /dev/null || missing+=(gcc)
  if [ "${1:-}" != --build ]; then
    command -v python3 > /dev/null || missing+=(python3)
    command -v chromium > /dev/null || command -v chromium-browser > /dev/null ||
      command -v google-chrome > /dev/null || missing+=(chromium)
    command -v pkg-config > /dev/null || missing+=(pkg-config)
    command -v valgrind > /dev/null || missing+=(valgrind)
    [ -f "$(gcc -print-file-name=libgfortran.a)" ] ||
      missing+=("libgfortran-$(gcc -dumpversion 2> /dev/null || echo 12)-dev")
    has libzstd zstd.h || missing+=(libzstd-dev)
    python3 -c 'import ensurepip, venv' 2> /dev/null || missing+=(python3-venv)
  fi
  if [ "${1:-}" = --web ]; then
    command -v node > /dev/null || missing+=(nodejs)
    command -v wasm-opt > /dev/null || missing+=(binaryen)
    [ -e /usr/lib/wasm32-wasi/libc.a ] || missing+=(wasi-libc)
    [ -e /usr/lib/llvm-14/lib/clang/14.0.6/lib/wasi/libclang_rt.builtins-wasm32.a ] ||
      missing+=(libclang-rt-14-dev-wasm32)
  fi
  if [ "${#missing[@]}" -gt 0 ]; then install "${missing[@]}"; fi
fi
