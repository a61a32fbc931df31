#!/usr/bin/env bash
#
# Holds the C library to its header and to the Swift modules: builds it, compiles the programs in
# Tests/Checks/CLibrary by gcc and clang without a warning, runs them under AddressSanitizer and Valgrind,
# and compares the structs of the C program with those of Swift byte for byte, for batches of several
# sizes and all forms; then it counts what a second, a fix and a saved state cost. Before that it holds
# what Sources/Bindings/schema.py makes of the header to compilers, and the copies in Python and
# JavaScript to it.
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
sources=$root/Tests/Checks/CLibrary
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Copies, so that a build meanwhile changes nothing.
bash "$root/Sources/Bindings/LocomotionC/build.sh" "$work/usual" > /dev/null
bash "$root/Sources/Bindings/LocomotionC/build.sh" --small "$work/small" > /dev/null
programs=$(bash "$root/Tests/Setup/build.sh" --product struct-reference)
cp "$programs/struct-reference" "$work/struct-reference"

# The copies of the header, and the offsets in them.
schema=$root/Sources/Bindings/schema.py
python3 "$schema" --check
python3 "$schema" --assertions > "$work/assertions.c"
for compiler in gcc clang; do
  "$compiler" -std=c11 -fsyntax-only "$work/assertions.c" -I "$work/usual/include"
done

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
  "$compiler" -std=c11 -Wall -Wextra -Werror -g "$@" "$sources/$name.c" \
    -o "$work/$name-$form-$compiler" -I "$work/$form/include" -L "$work/$form/lib" \
    -llocomotion-c -lm -lpthread -Wl,-rpath,"$work/$form/lib"
}
checked() {
  valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=definite \
    --errors-for-leak-kinds=definite "$@"
}

# The program of the article, as it is printed there, also from a folder that was moved.
awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' \
  "$root/Sources/Bindings/LocomotionC/Documentation.docc/LocomotionC.md" > "$work/program.c"
mv "$work/usual" "$work/moved"
export PKG_CONFIG_PATH=$work/moved/lib/pkgconfig
# shellcheck disable=SC2046
cc -Wall -Wextra -Werror "$work/program.c" $(pkg-config --cflags --libs locomotion) \
  -o "$work/program"
gzip -dc "$root/Tests/Support/ChangeIndicator/Recordings/walk-with-pauses.csv.gz" \
  | "$work/program" > "$work/program.txt"
if ! grep -q '^walking, 1[0-9][0-9] steps/min$' "$work/program.txt"; then
  echo "the program of the article does not walk:" >&2
  tail -n 5 "$work/program.txt" >&2
  exit 1
fi
mv "$work/moved" "$work/usual"

# The article on Android: its class and its native methods, on a virtual machine of Java.
command -v javac > /dev/null || "$root/Tests/setup.sh" --install openjdk-17-jdk-headless > /dev/null
java=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
for language in c java; do
  awk -v fence="\`\`\`$language" '$0 == fence { inside = 1; next } /^```$/ { inside = 0 } inside' \
    "$root/Sources/Bindings/LocomotionC/Documentation.docc/Android.md" > "$work/Locomotion.$language"
done
gcc -std=c11 -Wall -Wextra -Werror -O2 -shared -fPIC "$work/Locomotion.c" -o "$work/librecorder.so" \
  -I "$java/include" -I "$java/include/linux" -I "$work/usual/include" -L "$work/usual/lib" \
  -llocomotion-c -Wl,-rpath,"$work/usual/lib"
"$java/bin/javac" -Xlint:all -Werror -d "$work" "$work/Locomotion.java" "$sources/Walk.java"
gzip -dc "$root/Tests/Support/ChangeIndicator/Recordings/walk-with-pauses.csv.gz" \
  | "$java/bin/java" -Djava.library.path="$work" -cp "$work" recorder.Walk

# 1. Misuse, threads, saved states; each build goes on where the one before it saved.
for form in usual small; do
  for compiler in gcc clang; do
    sanitizers=(-O1 '-fsanitize=address,undefined' -fno-sanitize-recover=all)
    build "$form" "$compiler" answers "${sanitizers[@]}"
    mv "$work/answers-$form-$compiler" "$work/sanitized-$form-$compiler"
    build "$form" "$compiler" answers -O2
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

# 2. Answers.
differing=0
compared=0
reference() { # RECORDING, to $work/measurements and $work/answers
  rm -rf "$work/answers"
  "$work/struct-reference" "$1" "$work"
  recording=$1
}
compare() { # HOW MANY AT ONCE, PROGRAM
  local size=$1
  shift
  rm -rf "$work/found"
  mkdir "$work/found"
  compared=$((compared + $(cat "$work"/answers/* | wc -c)))
  if ! "$@" "$work/measurements" "$work/found" "$size" >&2 \
    || ! diff -rq "$work/answers" "$work/found" >&2; then
    differing=$((differing + 1))
    echo "differs: $recording, $size measurements at once, ${*##*/}" >&2
  fi
}

for recording in "$root"/Tests/Support/ChangeIndicator/Recordings/*.csv.gz; do
  case $recording in *.gps.csv.gz) continue ;; esac
  reference "$recording"
  for size in 1 7 1000 60000; do compare "$size" "$work/answers-usual-gcc"; done
  compare 100 "$work/answers-small-gcc"
  compare 500 "$work/sanitized-usual-clang"
  compare 4096 "$work/sanitized-small-clang"
done
gzip -dc "$root/Tests/Support/ChangeIndicator/Recordings/walk-with-pauses.csv.gz" \
  | head -n 3000 > "$work/short.csv" || true
reference "$work/short.csv"
for form in usual small; do compare 100 checked "$work/answers-$form-gcc"; done

# 3. What it costs, beside the last release.
gcc -std=gnu11 -O2 -Wall -Wextra -Werror "$root/Benchmarks/CLibrary/throughput.c" -o "$work/throughput" \
  -I "$work/usual/include" -L "$work/usual/lib" -llocomotion-c -lm -Wl,-rpath,"$work/usual/lib"
python3 "$root/Tests/Checks/cost.py" "$work/throughput"

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
      reference "$recording"
      compare 37 "$work/answers-usual-clang"
      compare 4096 "$work/answers-small-clang"
    done
    echo "$folder: $compared bytes so far, $differing comparisons differ" >&2
  done
fi
echo "the C program: $compared bytes of structs compared with Swift's, $differing comparisons differ"
[ "$differing" = 0 ]
