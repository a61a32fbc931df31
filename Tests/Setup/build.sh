#!/usr/bin/env bash
# Builds the package in release, and prints the folder of the programs.
#
# Usage: Tests/Setup/build.sh [--package FOLDER] [ARGUMENTS OF swift build, such as --product locomotion]
#
# --package builds a package that depends on this one, in the same folder: modules are compiled once.

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
package=$root
if [ "${1:-}" = --package ]; then
  package=$2
  shift 2
fi

options=(--package-path "$package" --scratch-path "$root/.build" -c release)
# One package at a time: the plan of an earlier build may be that of another one.
exec 9< "$root/Package.swift"
if command -v flock > /dev/null; then flock 9; fi
rm -f "$root"/.build/*.yaml
swift build "${options[@]}" "$@" >&2
swift build "${options[@]}" --show-bin-path
