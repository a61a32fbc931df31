#!/usr/bin/env bash
#
# Writes the package of the article "Build a recorder" as files: the recorder that the app of this
# folder shows, and a program that replays a recording with it.
#
# Usage: Examples/RecorderApp/article-files.sh FOLDER
#
# The package expects swift-locomotion beside FOLDER.

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
article=$root/Sources/Journal/LocomotionJournal/Documentation.docc/BuildARecorder.md
folder=${1:?the folder of the package}
mkdir -p "$folder"
# A line with only `FILE`: before a block of Swift names the file.
awk -v folder="$folder" '
  inside && /^```/ { inside = 0; close(file); file = ""; next }
  inside { print > file; next }
  /^`[^`]+`:$/ { file = folder "/" substr($0, 2, length($0) - 3); next }
  /^```swift$/ && file != "" {
    inside = 1
    folder_of_file = file
    sub("/[^/]*$", "", folder_of_file)
    system("mkdir -p \"" folder_of_file "\"")
  }
' "$article"
