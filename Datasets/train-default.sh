#!/usr/bin/env bash
#
# Trains the built-in model anew and writes its source text and its card.
#
# Usage: Datasets/train-default.sh [FOLDER]
#
# FOLDER holds the data sets; without it LOCOMOTION_DATASETS names it, or ../shared/datasets beside
# the package is taken. The same data give the same model, byte for byte.

set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
data=$(CDPATH='' cd -- "${1:-${LOCOMOTION_DATASETS:-$root/../shared/datasets}}" && pwd)
"$root/Tests/setup.sh"
cd -- "$root"

sets=(
  comma2k19_ex1 difronzo geotec_spsw ml4qs_andras ml4qs_mika ml4qs_puck mobgap_lab oxford_steps
)
module=Sources/LocomotionActivityRecognition
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
swift build -c release --product locomotion >&2
"$(swift build -c release --show-bin-path)/locomotion" train \
  --dataset "${sets[@]/#/$data/}" --out "$scratch/default.model" \
  --source "$module/DefaultModelFile.swift" > "$scratch/report.txt"
{
  sed '/^<!-- figures -->$/q' "$module/Documentation.docc/ModelCard.md"
  printf '\n```\n'
  cat "$scratch/report.txt"
  printf '```\n'
} > "$scratch/card.md"
mv "$scratch/card.md" "$module/Documentation.docc/ModelCard.md"
