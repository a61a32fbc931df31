#!/usr/bin/env bash
#
# Holds the C library to its header and to the command: builds it, compiles the programs in
# Tests/Checks/CLibrary by gcc and clang without a warning, runs them under AddressSanitizer and Valgrind,
# and compares the rows of the C program with the command's byte for byte, for batches of several
# sizes and all forms.
#
# Usage: Tests/Checks/c.sh [--all [FOLDER]...]
#
# Both forms of the library are held to it, and read each other's saved states.
#
# The short form takes the simulated recordings of Tests/Support/ChangeIndicator. --all compares every
# recording of each FOLDER as well: by default of the data sets ml4qs_mika and ml4qs_siberia where
# LOCOMOTION_DATASETS points, or else in ../shared/datasets beside the package.

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
programs=$root/Tests/Checks/CLibrary
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Copies, so that a build meanwhile changes nothing.
bash "$root/Sources/Bindings/LocomotionC/build.sh" "$work/usual" > /dev/null
bash "$root/Sources/Bindings/LocomotionC/build.sh" --small "$work/small" > /dev/null
swift build --package-path "$root" -c release --enable-all-traits --product locomotion >&2
cp "$root/.build/release/locomotion" "$work/locomotion"
command=$work/locomotion

# The header stands alone, in C99 and in C++.
for language in 'c -std=c99' 'c++ -std=c++11'; do
  # shellcheck disable=SC2086
  gcc -x $language -Wall -Wextra -Wpedantic -Werror -fsyntax-only "$work/usual/include/locomotion.h"
done
build() { # FORM COMPILER NAME FLAGS…, to $work/NAME-FORM-COMPILER
  local form=$1 compiler=$2 name=$3
  shift 3
  # With the linker of LLVM: gold warns of symbols of clang's sanitizer.
  if [ "$compiler" = clang ]; then set -- -fuse-ld=lld "$@"; fi
  "$compiler" -std=c11 -Wall -Wextra -Werror -g "$@" "$programs/$name.c" \
    -o "$work/$name-$form-$compiler" -I "$work/$form/include" -L "$work/$form/lib" \
    -llocomotion-c -lm -lpthread -Wl,-rpath,"$work/$form/lib"
}
checked() {
  valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=definite \
    --errors-for-leak-kinds=definite "$@"
}

# 1. Misuse, threads, saved states; each build goes on where the one before it saved.
for form in usual small; do
  for compiler in gcc clang; do
    sanitizers=(-O1 '-fsanitize=address,undefined' -fno-sanitize-recover=all)
    build "$form" "$compiler" rows "${sanitizers[@]}"
    mv "$work/rows-$form-$compiler" "$work/sanitized-$form-$compiler"
    build "$form" "$compiler" rows -O2
    build "$form" "$compiler" interface "${sanitizers[@]}"
    "$work/interface-$form-$compiler" 101 "$work/state"
  done
  rm -f "$work/state"
  "$work/interface-$form-clang" 9001 "$work/state"
  build "$form" gcc interface -O2
  checked "$work/interface-$form-gcc" 9001
  # Any calls with any values.
  build "$form" clang hostile "${sanitizers[@]}"
  "$work/hostile-$form-clang" 20000 1
  build "$form" gcc hostile -O2
  checked "$work/hostile-$form-gcc" 3000 2
done
# The small form's state to the usual one; the other way round was above.
"$work/interface-usual-clang" 9001 "$work/state"

# 2. Rows.
differing=0
compared=0
plain() { case $1 in *.gz) gzip -dc -- "$1" ;; *) cat -- "$1" ;; esac; }
expand() { # RECORDING, to $work/x.csv and $work/x.gps.csv
  rm -f "$work"/x.csv "$work"/x.gps.csv
  plain "$1" > "$work/x.csv"
  local fixes=${1%.csv*}.gps.csv
  for file in "$fixes" "$fixes.gz"; do
    if [ -f "$file" ]; then plain "$file" > "$work/x.gps.csv"; fi
  done
}
compare() { # PROGRAM WHAT ROWS MODE; the command's rows are in $work/expected
  compared=$((compared + $(wc -l < "$work/expected") - 1))
  if ! "$@" > "$work/found" 2> "$work/errors" || ! cmp -s "$work/expected" "$work/found"; then
    differing=$((differing + 1))
    echo "differs: ${*} of $recording" >&2
    head -n 3 "$work/errors" >&2
  fi
}

for recording in "$root"/Tests/Support/ChangeIndicator/Recordings/*.csv.gz; do
  case $recording in *.gps.csv.gz) continue ;; esac
  expand "$recording"
  for what in 'classify live' 'classify settled' 'classify smoothed' 'locate live' \
    'locate smoothed' 'locate lagged' 'cadence lagged'; do
    read -r name mode <<< "$what"
    "$command" "$name" "$work/x.csv" --mode "$mode" > "$work/expected"
    form=${mode/lagged/settled}
    for rows in 1 7 1000 60000; do
      compare "$work/rows-usual-gcc" "$name" "$work/x.csv" "$rows" "$form"
    done
    compare "$work/rows-small-gcc" "$name" "$work/x.csv" 100 "$form"
    compare "$work/sanitized-usual-clang" "$name" "$work/x.csv" 500 "$form"
    compare "$work/sanitized-small-clang" "$name" "$work/x.csv" 4096 "$form"
  done
done
head -n 3000 "$work/x.csv" > "$work/short.csv"
"$command" classify "$work/short.csv" > "$work/expected"
for form in usual small; do
  compare checked "$work/rows-$form-gcc" classify "$work/short.csv" 100
done

if [ "${1:-}" = --all ]; then
  shift
  datasets=${LOCOMOTION_DATASETS:-$root/../shared/datasets}
  [ $# -gt 0 ] || set -- "$datasets/ml4qs_mika" "$datasets/ml4qs_siberia"
  for folder in "$@"; do
    [ -d "$folder" ] || { echo "$folder: no such folder" >&2; exit 1; }
    for recording in "$folder"/*.csv.gz "$folder"/*.csv; do
      case $recording in
        *.gps.csv* | *.truth.csv* | *'*'*) continue ;;
        */labels.csv | */meta.csv | */steps.csv | */strides.csv | *.sources.csv) continue ;;
      esac
      expand "$recording"
      for name in classify locate cadence; do
        "$command" "$name" "$work/x.csv" > "$work/expected"
        form=$([ "$name" = cadence ] && echo settled || echo live)
        compare "$work/rows-usual-clang" "$name" "$work/x.csv" 37 "$form"
        compare "$work/rows-small-clang" "$name" "$work/x.csv" 4096 "$form"
      done
    done
    echo "$folder: $compared rows so far, $differing comparisons differ" >&2
  done
fi
echo "the C program: $compared rows compared with the command's, $differing comparisons differ"
[ "$differing" = 0 ]
