#!/usr/bin/env bash
# Builds the documentation of every library module, in which a warning is an error, and type-checks
# the Swift in the README and the articles.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

docc=$(command -v docc || xcrun --find docc)
scratch=.build/documentation
rm -rf "$scratch"/*/symbolgraph
# The command also tries the test bundles, whose modules have no graph, and then says that it failed:
# what counts is that every library's graph is there, which the copies below check.
mkdir -p "$scratch"
SWIFT_DETERMINISTIC_HASHING=1 swift package --scratch-path "$scratch" --enable-all-traits dump-symbol-graph \
  --minimum-access-level public \
  > "$scratch.log" 2>&1 || true
graphs=$(dirname "$(find "$scratch" -path '*symbolgraph*' -name Locomotion.symbols.json | head -n 1)")

modules=(Sources/*/Locomotion*/)
for folder in "${modules[@]}"; do
  module=$(basename "$folder")
  # Neither the command nor its forms for other languages are libraries of Swift.
  case $module in
    LocomotionTool | LocomotionServer | LocomotionProgram | LocomotionMain | LocomotionWeb \
      | LocomotionPython | LocomotionArchiveCommands) continue ;;
  esac
  work="$scratch/$module"
  rm -rf "$work"
  mkdir -p "$work/graphs"
  cp "$graphs/$module".symbols.json "$work/graphs/"
  catalog=()
  [ -d "$folder/Documentation.docc" ] && catalog=("$folder/Documentation.docc")
  "$docc" convert ${catalog[@]+"${catalog[@]}"} \
    --additional-symbol-graph-dir "$work/graphs" \
    --fallback-display-name "$module" \
    --fallback-bundle-identifier "swift-locomotion.$module" \
    --transform-for-static-hosting \
    --warnings-as-errors \
    --output-path "$work/$module.doccarchive" > /dev/null
  echo "documentation of $module: no warnings"
done

# The same build's modules, of which the graphs were made.
modules=$(find "$scratch" -path '*/Modules/*' -name Locomotion.swiftmodule | head -n 1)
bash Tests/Checks/snippets.sh "$(dirname "$modules")"
