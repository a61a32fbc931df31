#!/usr/bin/env bash
#
# Builds the documentation of every library module, in which a warning is an error, as one site of
# static HTML, finds dead links there and in all Markdown, and type-checks the Swift in the README
# and the articles.
#
# Usage: Tests/Checks/documentation.sh [FOLDER [BASE]]
#
# FOLDER, replaced if it is such a site, gets what a server of files can host below the path BASE ("/"
# by default): `python3 -m http.server -d FOLDER` shows it. Without FOLDER the site is only checked.

set -euo pipefail
case ${1:-} in -*) sed -n 's/^# Usage: /usage: /p' "$0" >&2; exit 2 ;; esac
site=${1:-}
case $site in '' | /*) ;; *) site=$PWD/$site ;; esac
base=${2:-}
base=/${base#/}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if [ -n "$site" ] && [ -e "$site" ] && [ ! -e "$site/metadata.json" ] \
  && [ -n "$(ls -A "$site")" ]; then
  echo "$0: $site holds something other than a site of this script" >&2
  exit 2
fi

docc=$(command -v docc || xcrun --find docc)
# Of the modules that the release build left, whose comments are those of the sources.
programs=$(bash Tests/Setup/build.sh --product locomotion)
scratch=.build/documentation
graphs=$scratch/symbolgraph
rm -rf "$graphs"
mkdir -p "$graphs"
maps=()
for map in Sources/*/*/module.modulemap "$programs"/*.build/module.modulemap; do
  maps+=(-Xcc -fmodule-map-file="$map")
done

# In the order in which the site lists them.
modules=(Sources/{Device,Recordings,Journal,Training,Bindings,Command}/Locomotion*/)
archives=()
for folder in "${modules[@]}"; do
  module=$(basename "$folder")
  # Neither the command nor its forms for other languages are libraries of Swift.
  case $module in
    LocomotionTool | LocomotionMain | LocomotionWeb | LocomotionPython) continue ;;
  esac
  swift symbolgraph-extract -module-name "$module" -I "$programs/Modules" "${maps[@]}" \
    -target "$(basename "$(dirname "$programs")")" -minimum-access-level public -output-dir "$graphs"
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
    --transform-for-static-hosting --hosting-base-path "$base" \
    --warnings-as-errors \
    --output-path "$work/$module.doccarchive" > /dev/null
  archives+=("$work/$module.doccarchive")
  echo "documentation of $module: no warnings"
done

merged=$scratch/site
rm -rf "$merged"
"$docc" merge "${archives[@]}" --synthesized-landing-page-name swift-locomotion \
  --output-path "$merged" > /dev/null
python3 -m doctest Tests/Checks/links.py
python3 Tests/Checks/links.py
python3 Tests/Checks/links.py "$merged" "$base"
if [ -n "$site" ]; then
  # A site's first page; of DocC's own at this address the script knows no content.
  echo '<!doctype html><meta charset="utf-8"><title>swift-locomotion</title>
<meta http-equiv="refresh" content="0; url=documentation/"><a href="documentation/">Documentation</a>' \
    > "$merged/index.html"
  rm -rf "$site"
  mkdir -p "$(dirname "$site")"
  cp -R "$merged" "$site"
  echo "the site: $site"
fi

bash Tests/Checks/snippets.sh "$programs/Modules"
