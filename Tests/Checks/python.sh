#!/usr/bin/env bash
#
# Holds the Python package to the command: installs it by pip into an environment of its own, runs
# its tests with the notebooks, and checks the types of its source and which systems the wheel is for.
# The answers of `Pipeline` are compared with those of the Swift modules byte for byte.
#
# Usage: Tests/Checks/python.sh [--fleet] [--all [FOLDER]... | --notebooks]
#
# --fleet also runs the tests of `python -m locomotion.fleet` on a cluster of two executors and in
# processes. Java 17 is installed where there is none, as root.
#
# --notebooks stores the outputs of the package's notebooks anew, and tests nothing.
#
# --all compares every recording of each FOLDER as well: by default of the data sets ml4qs_mika and
# ml4qs_siberia where LOCOMOTION_DATASETS points, or else in ../shared/datasets beside the package.

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
package=$root/Sources/Bindings/LocomotionPython
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

quietly() { "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }; }
extras=tests
options=()
if [ "${1:-}" = --fleet ]; then
  extras+=,fleet
  options=(-m 'fleet or not fleet')
  shift
  command -v java > /dev/null || quietly "$root/Tests/setup.sh" --install openjdk-17-jre-headless
fi
"$root/Tests/setup.sh"
python3 -m venv "$work/environment"
python=$work/environment/bin/python
quietly "$python" -m pip wheel --no-deps --wheel-dir "$work/wheel" "$package"
wheel=$(echo "$work"/wheel/*.whl)
quietly "$python" -m pip install "$wheel[$extras]" auditwheel

# Without the toolchain and the development files: every library is in the wheel, or on each system.
installed=$("$python" -c 'import locomotion, os; print(os.path.dirname(locomotion.__file__))')
ldd "$installed/liblocomotion-python.so" | awk -v own="$installed/" '
  $2 == "=>" && index($3, own) != 1 && $1 !~ /^lib(c|m|resolv|stdc\+\+|gcc_s|z)\.so/ { print $1; bad = 1 }
  END { exit bad }' || { echo "the libraries above are not in the wheel" >&2; exit 1; }
quietly "$python" -m auditwheel show "$wheel"
if ! tr '\n' ' ' < "$work/log" | grep '"manylinux_2_[0-9]*_x86_64"' > /dev/null \
  || [ "$(grep -o 'manylinux_2_[0-9]*_x86_64"' "$work/log" | tail -n 1)" != 'manylinux_2_34_x86_64"' ]
then
  cat "$work/log" >&2
  exit 1
fi

programs=$(bash "$root/Tests/Setup/build.sh" --product locomotion)
cp "$programs/locomotion" "$work/locomotion"
programs=$(bash "$root/Tests/Setup/build.sh" --product struct-reference)
cp "$programs/struct-reference" "$work/struct-reference"
export LOCOMOTION_REFERENCE=$work/struct-reference
cd "$root/Tests/Checks/PythonTests"
unset LOCOMOTION_COMMAND LOCOMOTION_LIBRARY PYTHONPATH
if [ "${1:-}" = --notebooks ]; then
  "$python" test_notebooks.py
  exit
fi
LOCOMOTION=$work/locomotion SCIPY_ARRAY_API=1 PYTHONDONTWRITEBYTECODE=1 \
  "$python" -m pytest -q -rs --no-header -p no:cacheprovider ${options[@]+"${options[@]}"} .
(cd "$package" && "$python" -m mypy --no-incremental --cache-dir=/dev/null src hatch_build.py)
echo "the wheel: $(stat -c %s "$wheel") bytes, manylinux_2_34"

[ "${1:-}" = --all ] || exit 0
shift
datasets=${LOCOMOTION_DATASETS:-$root/../shared/datasets}
[ $# -gt 0 ] || set -- "$datasets/ml4qs_mika" "$datasets/ml4qs_siberia"
LOCOMOTION=$work/locomotion "$python" - "$@" <<'PYTHON'
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from test_answers import compare

OTHERS = ("labels.", "meta.", "steps.", "strides.")
PARTS = (".gps.csv", ".truth.csv", ".sources.csv")
command = os.environ["LOCOMOTION"]
compared = differing = 0


def rows(program, *words):
    return subprocess.run([*program, *words], check=True, capture_output=True).stdout


for folder in map(Path, sys.argv[1:]):
    for path in sorted(folder.glob("*.csv*")):
        if path.name.startswith(OTHERS) or any(part in path.name for part in PARTS):
            continue
        for name in ("locate", "cadence", "classify", "timeline"):
            own = rows([sys.executable, "-m", "locomotion"], name, str(path))
            if own != rows([command], name, str(path)):
                differing += 1
                print("differs:", name, path, file=sys.stderr)
        with tempfile.TemporaryDirectory() as work:
            try:
                compared += compare(path, Path(work), 1)
            except AssertionError as error:
                differing += 1
                print("differs:", path, error, file=sys.stderr)
    print(f"{folder}: {compared} bytes so far, {differing} comparisons differ", file=sys.stderr)
print(f"Python: {compared} bytes of structs compared with Swift's, {differing} comparisons differ")
sys.exit(differing > 0)
PYTHON
