#!/usr/bin/env bash
#
# Measures the package beside its peers, in turns and on the same inputs, prints a table and writes
# the ratios. Benchmarks/README.md says what they mean.
#
# Usage: Benchmarks/peers.sh [--json FILE] [--only TEXT] [--rounds N]
#
#   --json FILE   also write {"machine": {...}, "ratios": {...}, ...}
#   --only TEXT   only the ratios with TEXT in their names; those of fft4 and eigen need no Python package
#   --rounds N    so many rounds instead of what each comparison needs: 1 shows that it all runs
#
# Last comes a table of the stays and trips that they find (days), where the set `days` of
# Datasets/README.md is: in LOCOMOTION_DATASETS, or else in ../shared/datasets.
#
# Sets itself up on Debian 12: compilers and libraries with apt-get, Python packages into an
# environment of their own below .build, every version pinned. What can't be installed is said and
# left out. The first run takes a quarter of an hour, most of it downloads and two slow peers.

set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
peers="$root/Benchmarks/peers"
folder="$root/.build/peers"

only=
arguments=()
while [ "$#" -gt 0 ]; do
  case $1 in
    --json | --only | --rounds)
      if [ "$#" -lt 2 ]; then
        echo "${0##*/}: $1 needs a value" >&2
        exit 2
      fi
      value=$2
      if [ "$1" = --json ]; then value=$(realpath -m -- "$value"); fi
      if [ "$1" = --only ]; then only=$value; fi
      arguments+=("$1" "$value")
      shift 2
      ;;
    *)
      sed -n '3,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
      [ "$1" = --help ] || [ "$1" = -h ] && exit
      exit 2
      ;;
  esac
done

note() { echo "peers: $1" >&2; }

# debian PACKAGE VERSION: installs what is missing, in another version when Debian has moved on.
debian() {
  if dpkg-query --show --showformat '${Status}' "$1" 2> /dev/null | grep -q 'ok installed'; then
    return
  fi
  "$root/Tests/setup.sh" --install "$1=$2" || "$root/Tests/setup.sh" --install "$1" ||
    note "$1 can't be installed"
}

# compile COMPILER SOURCE [FLAGS]: an optimised program at the baseline instruction set.
compile() {
  local compiler=$1 source=$2 program
  shift 2
  program="$folder/$(basename "${source%.*}")"
  rm -f "$program"
  "$compiler" -O3 -DNDEBUG "$peers/$source" -o "$program" "$@" || note "$source can't be compiled"
}

# flags LIBRARY: what compilers need for it; nothing where it is missing.
flags() { pkg-config --cflags --libs "$1" 2> /dev/null || true; }

"$root/Tests/setup.sh"
mkdir -p "$folder"
debian g++ 4:12.2.0-3
debian pkg-config 1.8.1-1
python3 -c "import ensurepip, venv" 2> /dev/null || debian python3-venv 3.11.2-1+b1
debian libeigen3-dev 3.4.0-4
debian libfftw3-dev 3.3.10-1
debian libkissfft-dev 131.1.0-4.1~deb12u1

wanted=(
  numpy scipy scikit-learn scikit-digital-health tsfel tsfresh filterpy ssqueezepy mobgap lightgbm
  trackintel movingpandas
)
pip() { "$python" -m pip --disable-pip-version-check --quiet "$@"; }
install_packages() {
  python="$folder/environment/bin/python"
  if [ ! -x "$python" ]; then python3 -m venv "$folder/environment"; fi
  cmp -s "$peers/requirements.txt" "$folder/installed.txt" && return
  note "installing Python packages"
  # All at once, or else one by one, so that a missing package does not prevent the others.
  if pip install --requirement "$peers/requirements.txt" >&2; then
    cp "$peers/requirements.txt" "$folder/installed.txt"
  else
    for package in "${wanted[@]}"; do
      pip install --constraint "$peers/requirements.txt" "$package" >&2 ||
        note "$package can't be installed"
    done
  fi
}
python=python3
case $only in
  fft4* | eigen*) ;;
  *) install_packages ;;
esac

# The optimization of expressions is left to the C++ compiler; the instruction set is the same for
# all.
# shellcheck disable=SC2046
{
  compile g++ kalman_eigen.cpp $(flags eigen3)
  compile gcc fourier_fftw.c $(flags fftw3f) -lm
  compile gcc fourier_kiss.c $(flags kissfft-float) -lm
}

cd -- "$root"
build() { programs=$(bash "$root/Tests/Setup/build.sh" --product "$1"); }
build benchmark
"$programs/benchmark" --write-inputs "$folder/inputs"
case analyze_over_zcat in
  *"$only"*)
    build locomotion
    if [ ! -e "$folder/day/complete" ]; then
      build demo-recording
      "$programs/demo-recording" --out "$folder/day" --rate 100
      touch "$folder/day/complete"
    fi
    ;;
esac
case added_binary_bytes in
  *"$only"*) bash "$peers/dependent.sh" "$folder/dependent" >&2 ;;
esac

{
  echo "swift $(swift --version 2> /dev/null | head -n 1)"
  echo "compiler $(g++ --version | head -n 1)"
  for package in libeigen3-dev libfftw3-dev libkissfft-dev libopenblas-dev; do
    dpkg-query --show --showformat '${Package} ${Version}\n' "$package" 2> /dev/null || true
  done
  "$python" --version
  pip freeze | sed -n 's/==/ /p' | grep -E "^($(IFS='|' && echo "${wanted[*]}")) " || true
} > "$folder/versions.txt"

# One thread each: libraries read these when they are loaded.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=1
"$python" "$peers/compare.py" "$programs" "$folder" ${arguments[@]+"${arguments[@]}"}

# What others make of the days, scored as the package's own timelines are.
compare_days() {
  local days thinned="$folder/thinned" old="$folder/environment-skmob"
  days="${LOCOMOTION_DATASETS:-$root/../shared/datasets}/days"
  if [ ! -d "$days" ]; then
    note "no recordings at $days, days are left out"
    return
  fi
  if ! cmp -s "$peers/requirements-skmob.txt" "$old/installed.txt"; then
    python3 -m venv "$old"
    if "$old/bin/pip" --disable-pip-version-check --quiet install --no-deps \
      --requirement "$peers/requirements-skmob.txt" >&2; then
      cp "$peers/requirements-skmob.txt" "$old/installed.txt"
    else
      note "scikit-mobility can't be installed"
    fi
  fi
  rm -rf "$thinned"
  "$programs/benchmark" score days --dataset "$days" --write "$thinned" > /dev/null
  local program
  for program in trackintel movingpandas; do
    "$python" "$peers/days.py" "$thinned" "$program" || note "$program is left out"
  done
  if [ -e "$old/installed.txt" ]; then
    "$old/bin/python" "$peers/days.py" "$thinned" scikit-mobility
  fi
  "$programs/benchmark" score days --dataset "$days" --beside "$thinned"
}
case days in
  *"$only"*) compare_days ;;
esac
