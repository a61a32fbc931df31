#!/usr/bin/env bash
#
# Trains the built-in model anew and writes its file and its card.
#
# Usage: Datasets/train-default.sh [--out OUTPUT] [FOLDER]
#
# FOLDER holds the data sets; without it LOCOMOTION_DATASETS names it, or ../shared/datasets beside
# the package is taken. With --out, both files go into the folder OUTPUT and the package stays as it
# is; check-default.sh compares them.
#
# The same data give the same model, byte for byte, on every x86-64 processor with one version of
# OpenBLAS: which of its kernels adds is set below, because each rounds in its own way.

set -euo pipefail

output=
if [ "${1:-}" = --out ]; then
  mkdir -p -- "$2"
  output=$(CDPATH='' cd -- "$2" && pwd)
  shift 2
fi
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
data=$(CDPATH='' cd -- "${1:-${LOCOMOTION_DATASETS:-$root/../shared/datasets}}" && pwd)
"$root/Tests/setup.sh"
cd -- "$root"

# Without adept_running, whose pauses and walks are labelled running.
sets=(
  bratislava_mhd byke car_helbert chores_short clips_short comma2k19_ex1 difronzo driver_jair
  escooter_byu geotec_spsw har_mcservenka lowrate_andpuc ml4qs_andras ml4qs_babur ml4qs_g67 ml4qs_lars
  ml4qs_liatoutou ml4qs_mika ml4qs_puck ml4qs_sarissa ml4qs_siberia ml4qs_toetsie ml4qs_valentijn
  ml4qs_vehicle mobgap_lab mobifall motionsense other_climbing other_pocket other_rowing
  oxford_steps paris_metro steps_stepapp steps_technion stride_wq
)
# Those with labelled fixes.
fixes=(
  byke comma2k19_ex1 gsdc_chipset lowrate_bluntkatana ml4qs_andras ml4qs_babur ml4qs_lars
  ml4qs_liatoutou ml4qs_mika ml4qs_puck ml4qs_siberia ml4qs_vehicle mobilitynet_gps sport_tracks
)
model=Sources/Device/CLocomotionModel/default.model
card=Sources/Device/LocomotionActivityRecognition/Documentation.docc/ModelCard.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
swift build -c release --product locomotion >&2
# The plainest kernel, which runs everywhere.
if [ "$(uname -m)" = x86_64 ]; then export OPENBLAS_CORETYPE=Nehalem; fi
"$(swift build -c release --show-bin-path)/locomotion" train \
  --dataset "${sets[@]/#/$data/}" --fixes "${fixes[@]/#/$data/}" --class other=none \
  --out "$scratch/default.model" \
  > "$scratch/report.txt"
{
  sed '/^<!-- figures -->$/q' "$card"
  printf '\n```\n'
  cat "$scratch/report.txt"
  printf '```\n'
} > "$scratch/ModelCard.md"
mv "$scratch/default.model" "${output:-$(dirname "$model")}/"
mv "$scratch/ModelCard.md" "${output:-$(dirname "$card")}/"
