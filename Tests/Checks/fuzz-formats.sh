#!/usr/bin/env bash
#
# Fuzzes all that takes bytes from strangers, guided by coverage: libFuzzer, which comes with Swift,
# on the importers, the messages that apps push, and the decoders of models and journals.
#
# Usage: Tests/Checks/fuzz-formats.sh [--short | --keep] [RUNS [TARGET...]]
#
# RUNS of each target, 5000 by default. --short compiles without optimisation and runs each target 500
# times: that the fuzzer builds, and finds nothing near the corpus.
# Starts from the inputs in Tests/Modules/FuzzingTests/Corpus and from what earlier runs found. --keep then
# replaces those of the corpus by the smallest ones that reach the same code, 6 kB for each target.
# An input that traps is left in .build/fuzz/found, and the status is 1.

set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
cd -- "$root"
keep=
build=.build/fuzz
flags=(-Xswiftc -sanitize=fuzzer)
runs=5000
case ${1:-} in
  --keep)
    keep=1
    shift
    ;;
  --short)
    build=.build/fuzz-short
    flags+=(-Xswiftc -Onone)
    runs=500
    shift
    ;;
esac
runs=${1:-$runs}
shift || true
if [[ ! $runs =~ ^[0-9]+$ ]]; then
  echo "fuzz-formats: expected a number of runs, got '$runs'" >&2
  exit 2
fi

export LOCOMOTION_FUZZING=1
# The older linker that Swift prefers on Linux fails over the fuzzer's own library.
if [ "$(uname)" = Linux ]; then flags+=(-Xswiftc -use-ld=lld); fi
swift build -c release --scratch-path "$build" --product fuzz "${flags[@]}"
program=$(swift build -c release --scratch-path "$build" --show-bin-path)/fuzz
# shellcheck disable=SC2207  # a name in each line, without blanks
if [ $# -gt 0 ]; then targets=("$@"); else targets=($("$program" --list)); fi

# Some targets write a file for each run: in memory, where there is such a place.
scratch=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf -- "$scratch"' EXIT
export TMPDIR=$scratch
# Swift's own report of a trap would end the program before libFuzzer writes the input down.
export SWIFT_BACKTRACE=enable=no
longest=4096
found=$build/found
mkdir -p "$found"

# Writes the kept inputs of target $1 into the folder $2, each under its digest.
expand() {
  mkdir -p "$2"
  while read -r line; do
    printf %s "$line" | base64 -d >"$scratch/input"
    mv -- "$scratch/input" "$2/$(sha1sum <"$scratch/input" | cut -c 1-40)"
  done <"Tests/Modules/FuzzingTests/Corpus/$1.txt"
}

# Replaces the kept inputs of target $1 by the smallest that reach what those in the folder $2 do.
keep() {
  rm -rf -- "$scratch/merged"
  mkdir -- "$scratch/merged"
  "$program" -merge=1 -max_len="$longest" "$scratch/merged" "$2" >>"$log" 2>&1
  local bytes=0 file size
  while read -r size file; do
    [ "$size" -gt 0 ] || continue
    bytes=$((bytes + size))
    [ "$bytes" -le 6144 ] || break
    base64 -w 0 "$file"
    echo
  done < <(find "$scratch/merged" -type f -printf '%s %p\n' | sort -n) >"$scratch/kept"
  [ -s "$scratch/kept" ] || return 1
  sort -- "$scratch/kept" >"Tests/Modules/FuzzingTests/Corpus/$1.txt"
}

status=0
for target in "${targets[@]}"; do
  corpus=$build/corpus/$target
  log=$build/$target.log
  expand "$target" "$corpus"
  export LOCOMOTION_FUZZ_TARGET=$target
  if "$program" -runs="$runs" -max_len="$longest" -timeout=30 -rss_limit_mb=4096 \
    -artifact_prefix="$found/$target-" -print_final_stats=1 "$corpus" >"$log" 2>&1
  then
    summary=$(sed -n 's/^Done \([0-9]*\) runs in \([0-9]*\) second.*/\1 executions in \2 s/p' "$log")
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    echo "$target: $summary, $edges edges reached, $(find "$corpus" -type f | wc -l) inputs"
    if [ -n "$keep" ]; then keep "$target" "$corpus"; fi
  else
    echo "$target: failed, see $log; the input is in $found" >&2
    status=1
  fi
done
exit $status
