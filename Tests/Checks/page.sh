#!/usr/bin/env bash
#
# Looks at the pages of reports in Chromium, on a phone and on a desk: first screens, what axe-core
# finds, keys alone, print; and at their script by ESLint. Installs Chromium and ESLint by apt-get,
# Playwright and axe-core by pip into .build, where they are missing.
#
# Usage: Tests/Checks/page.sh [--short] [--pictures DIRECTORY]
#
# --short looks at fewer pages, in light colours alone. --pictures writes pictures of the first
# screens; those of the README, day-report and hike-report, belong in .github, and without the option
# they are compared with the pages by their words.

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$root/Tests/setup.sh"
command -v eslint > /dev/null || "$root/Tests/setup.sh" --install eslint
(cd "$root/Sources/Recordings/CLocomotionPage" \
  && NODE_PATH=/usr/share/nodejs eslint --format unix --no-eslintrc --no-ignore --env browser,es6 \
    --parser-options ecmaVersion:2021 --rule 'no-undef: 2, no-unused-vars: 2, no-redeclare: 2' \
    --rule 'no-unreachable: 2, eqeqeq: 2, prefer-const: 2, no-var: 2, no-eval: 2' page.js)

libraries=$root/.build/page-check
[ -d "$libraries/playwright" ] || python3 -m pip install --quiet --disable-pip-version-check \
  --root-user-action ignore --target "$libraries" playwright axe-playwright-python
programs=$(bash "$root/Tests/Setup/build.sh" --product locomotion)
bash "$root/Tests/Setup/build.sh" --product demo-recording > /dev/null
"$programs/demo-recording" --out "$work/demo" --people 1 --days 1 --rate 20
PYTHONPATH=$libraries python3 "$root/Tests/Checks/page.py" "$programs/locomotion" "$work" "$@"
