#!/usr/bin/env bash
#
# Type-checks every block of Swift in the README and in the articles against the built modules.
#
# Usage: Tests/Checks/snippets.sh [MODULES]
#
# MODULES is the folder of the built modules; default: that of the release build. A block that
# imports something is a file of its own. Any other block is the body of a function, after
# Tests/Checks/DocumentationTests/<name of the article>.swift if there is one: what the block takes for
# granted. An error names the article and its line. The exit status is 1 if a block doesn't compile,
# 2 if there is nothing to check.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

modules=${1:-.build/release/Modules}
if [ ! -e "$modules/Locomotion.swiftmodule" ]; then
  echo "${0##*/}: no modules in $modules: swift build -c release" >&2
  exit 2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
articles=(README.md Sources/*/*/Documentation.docc/*.md)

# One file per block, which begins with the line of the article on which the block begins.
for article in "${articles[@]}"; do
  awk -v article="$article" -v prefix="$work/$(tr '/.' '__' <<< "$article")" '
    inside && /^ *```/ { inside = 0; close(file); next }
    inside { print > file; next }
    /^ *```swift *$/ {
      inside = 1
      file = prefix "_" ++count ".block"
      printf "%s:%d\n", article, NR + 1 > file
    }
    END { if (inside) { print article ": a block that does not end" > "/dev/stderr"; exit 1 } }
  ' "$article"
done

shopt -s nullglob
blocks=("$work"/*.block)
if [ "${#blocks[@]}" -eq 0 ]; then
  echo "${0##*/}: there is no block of Swift in ${#articles[@]} articles" >&2
  exit 2
fi

number=0
for block in "${blocks[@]}"; do
  # Files of a package of their own: Tests/Checks/recorder.sh builds them.
  grep -qE '^import (PackageDescription|Recorder)$' "$block" && continue
  number=$((number + 1))
  place=$(head -n 1 "$block")
  article=${place%:*}
  line=${place##*:}
  {
    if tail -n +2 "$block" | grep -qE '^ *(public |internal )?import '; then
      printf '#sourceLocation(file: "%s", line: %d)\n' "$article" "$line"
      tail -n +2 "$block"
    else
      preamble="Tests/Checks/DocumentationTests/$(basename "$article" .md).swift"
      if [ -e "$preamble" ]; then
        printf '#sourceLocation(file: "%s", line: 1)\n' "$preamble"
        cat "$preamble"
      else
        echo "import $(cut -d/ -f3 <<< "$article")"
      fi
      echo "private func block$number() async throws {"
      printf '#sourceLocation(file: "%s", line: %d)\n' "$article" "$line"
      tail -n +2 "$block"
      echo '#sourceLocation()'
      echo '}'
    fi
  } > "$work/block$number.swift"
done

# The maps of the C modules: written by hand in Sources, or by the build beside the modules.
flags=()
for map in Sources/*/*/module.modulemap "$modules"/../*.build/module.modulemap; do
  flags+=(-Xcc -fmodule-map-file="$map")
done

if swiftc -typecheck -swift-version 6 -suppress-warnings -parse-as-library \
  -module-name Snippets -I "$modules" "${flags[@]}" "$work"/block*.swift; then
  echo "snippets: $number blocks of Swift compile"
else
  echo "${0##*/}: a block of Swift does not compile, see above" >&2
  exit 1
fi
