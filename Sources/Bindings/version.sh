#!/usr/bin/env bash
# Prints the version of the package, which stands in the command's sources.
set -euo pipefail
sed -nE 's/.*number = "(.*)"/\1/p' \
  "$(dirname -- "${BASH_SOURCE[0]}")/../Command/LocomotionTool/Commands/LocomotionVersion.swift"
