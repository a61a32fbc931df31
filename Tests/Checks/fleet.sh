#!/usr/bin/env bash
#
# Holds analyses of many people to the command: installs the Python package with Spark into an
# environment of its own, and runs the tests of `python -m locomotion.fleet` on a cluster of two
# executors and in processes.
#
# Usage: Tests/Checks/fleet.sh
#
# PYTHON names an interpreter in which swift-locomotion[fleet,tests] is installed; without it an
# environment is made for the run. Java 17 is installed where there is none, as root.

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
quietly() { "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }; }

command -v java > /dev/null || quietly "$root/Tests/setup.sh" --install openjdk-17-jre-headless
python=${PYTHON:-}
if [ -z "$python" ]; then
  "$root/Tests/setup.sh"
  python3 -m venv "$work/environment"
  python=$work/environment/bin/python
  quietly "$python" -m pip wheel --no-deps --wheel-dir "$work/wheel" \
    "$root/Sources/Bindings/LocomotionPython"
  quietly "$python" -m pip install "$(echo "$work"/wheel/*.whl)[fleet,tests]"
fi
cd "$root/Tests/Checks/PythonTests"
PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -rs --no-header -p no:cacheprovider \
  -m fleet --durations 5 fleet
