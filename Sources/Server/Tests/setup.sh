#!/usr/bin/env bash
#
# Makes sure that this package can be built here: what Tests/setup.sh of the package around it sees to,
# and the development files of libmicrohttpd (HTTP), libpq (PostgreSQL), cjose and jansson (tokens),
# OpenSSL, which makes the tests a certificate, and rsync for backups. The server is a matter of Setup/server.sh.
#
# On Debian and its relatives, what is missing is installed with apt-get.
#
# Usage: Sources/Server/Tests/setup.sh

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd)
"$root/Tests/setup.sh" --build

missing=()
command -v pkg-config > /dev/null || missing+=(pkg-config)
pkg-config --exists libmicrohttpd || missing+=(libmicrohttpd-dev)
pkg-config --exists libpq || missing+=(libpq-dev)
# Its description wants that of jansson.
pkg-config --exists cjose || missing+=(libcjose-dev libjansson-dev)
command -v openssl > /dev/null || missing+=(openssl)
command -v rsync > /dev/null || missing+=(rsync)
if [ "${#missing[@]}" -gt 0 ]; then "$root/Tests/setup.sh" --install "${missing[@]}"; fi
