#!/usr/bin/env bash
#
# The demonstration of a fleet: simulates 30 people with three short days each, and analyzes their
# recordings on Spark.
#
# Usage: Datasets/fleet.sh [--check] [FOLDER]
#
# Leaves the tables in FOLDER/tables; without a FOLDER in .build/fleet. Sets up what is missing: Java
# 17 (as root), and Spark with the Python package in an environment of its own, which takes some
# minutes at first. PYTHON names an interpreter that has swift-locomotion[fleet]. SPARK_MASTER is
# another cluster than one of two executors on this machine.
#
# --check analyzes the same recordings by processes without Spark as well, and the recordings of
# three people as one recording each; it exits 0 when all files, and all rows, are the same.

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
check=
if [ "${1:-}" = --check ]; then
  check=1
  shift
fi
folder=${1:-$root/.build/fleet}
mkdir -p "$folder"
folder=$(CDPATH='' cd -- "$folder" && pwd)
quietly() { "$@" > "$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }; }

if ! command -v java > /dev/null; then
  echo "installing Java 17" >&2
  quietly "$root/Tests/setup.sh" --install openjdk-17-jre-headless
fi
python=${PYTHON:-}
if [ -z "$python" ]; then
  "$root/Tests/setup.sh"
  python=$root/.build/fleet-environment/bin/python
  if [ ! -x "$python" ]; then python3 -m venv "$root/.build/fleet-environment"; fi
  echo "installing the Python package and Spark" >&2
  quietly "$python" -m pip wheel --no-deps --wheel-dir "$folder/wheel" \
    "$root/Sources/Bindings/LocomotionPython"
  quietly "$python" -m pip install --force-reinstall --no-deps "$folder"/wheel/*.whl
  quietly "$python" -m pip install "$(echo "$folder"/wheel/*.whl)[fleet]"
fi

if [ ! -d "$folder/people" ]; then
  echo "simulating 30 people" >&2
  simulate=$(bash "$root/Tests/Setup/build.sh" --product demo-recording)/demo-recording
  rm -rf "$folder/unfinished"
  "$simulate" --out "$folder/unfinished" --people 30 --days 3 --rate 25
  mv "$folder/unfinished" "$folder/people"
fi

master=${SPARK_MASTER:-local-cluster[2,1,1024]}
echo "analyzing them on $master" >&2
"$python" -m locomotion.fleet analyze "$folder/people" "$folder/tables" --master "$master"

[ -n "$check" ] || exit 0
rm -rf "$folder/without-spark"
"$python" -m locomotion.fleet analyze "$folder/people" "$folder/without-spark"
diff -r "$folder/tables" "$folder/without-spark"
echo "the same files with Spark and without: $(find "$folder/tables" -name '*.parquet' | wc -l)"
"$python" "$root/Tests/Checks/PythonTests/fleet/whole.py" "$folder" person-001 person-015 person-030
