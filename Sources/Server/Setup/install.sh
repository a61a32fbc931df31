#!/usr/bin/env bash
#
# Builds `locomotion-server` and `locomotion`, and puts them into a folder with what they need of
# Swift. The other libraries are Debian's: those of the package's Dockerfile.
#
# Usage: Sources/Server/Setup/install.sh FOLDER        such as /opt/locomotion

set -euo pipefail
here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
folder=${1:?usage: install.sh FOLDER}
programs=$(bash "$here/../Tests/Setup/build.sh" --product locomotion-server)
install -D --strip --target-directory="$folder" "$programs"/locomotion{,-server}
# Programs look for libraries beside themselves.
ldd "$programs"/locomotion{,-server} | awk '$3 ~ "/swift/linux/" { print $3 }' | sort -u |
  xargs install --mode=644 --target-directory="$folder"
install --mode=644 --target-directory="$folder" "$here/../LocomotionServer/Database/Schema/roles.sql"
install --target-directory="$folder" "$here"/{backup,restore}.sh
"$folder/locomotion-server" --version
