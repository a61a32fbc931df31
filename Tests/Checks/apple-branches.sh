#!/usr/bin/env bash
#
# Type-checks the package for macOS, iOS and watchOS on Linux: the branches of `#if` that only
# Apple's systems take, and whether everything exists in the versions that Package.swift names.
#
# Usage: Tests/Checks/apple-branches.sh [BUILD]
#
# BUILD is a folder (by default .build) in which `swift build -c release` has put the modules.
#
# The compiler evaluates conditions and availability for a target of Apple's. What the target lacks
# here stands in: the modules of Linux's own Swift library and of this package, relabelled, and the
# outlines in Tests/Support/AppleStubs for Apple's C library, Accelerate, Core Motion, Core Location,
# SwiftUI and Foundation's XML parser. Nothing of Swift is generated or linked: only types are
# checked, and only against what the outlines claim.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if [ "$(uname)" != Linux ]; then
  echo "$0: nothing to do, 'swift build' compiles these branches here"
  exit
fi

build=$(realpath "${1:-.build}")
out=$PWD/.build/apple
stubs=$PWD/Tests/Support/AppleStubs
information=$(swiftc -print-target-info)
resources=$(sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p' <<< "$information")
linux=$(sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p' <<< "$information" | head -n 1)
# The plan may be that of the server's package, which has this one's modules too. A build that goes
# on beside this has none yet.
exec 9< Package.swift
flock 9
package=$(grep '"-module-name","LocomotionSensing"' "$build/release.yaml" |
  grep -o '"-package-name","[^"]*"' | head -n 1 | cut -d '"' -f 4)
exec 9<&-

settings=(
  -swift-version 6 -strict-memory-safety -warnings-as-errors -disable-objc-interop
  -enable-upcoming-feature InternalImportsByDefault
  -enable-upcoming-feature MemberImportVisibility
  -enable-upcoming-feature ExistentialAny
)
# What Package.swift defines for Apple's headers.
while read -r name; do settings+=(-Xcc "-D$name"); done < <(
  sed -n 's/.*\.define("\(ACCELERATE_[A-Z0-9_]*\)".*/\1/p' Package.swift)

rm -rf "$out"
mkdir -p "$out"/headers/{netinet,sys}

# The real headers of the libraries, over an outline of Apple's C library.
printf '#include <%s.h>\n' zlib sqlite3 | clang -M -x c - | tr ' ' '\n' |
  grep -E '/(zlib|zconf|sqlite3)\.h$' |
  while read -r header; do ln -s "$header" "$out/headers"; done
for header in errno fcntl netdb string strings time unistd netinet/in sys/{select,socket,time,types}; do
  echo '#include <CDarwin.h>' > "$out/headers/$header.h"
done
# What the modules of Linux are built on and nothing here needs to see.
for module in CDispatch CoreFoundation Dispatch _FoundationCShims _FoundationICU; do
  echo "module $module {}"
done > "$out/module.modulemap"
for folder in Sources/*/CLocomotion*/include; do
  module=$(basename "$(dirname "$folder")")
  if [ -f "$folder/$module.h" ]; then
    echo "module $module { umbrella header \"$PWD/$folder/$module.h\" export * }"
  else
    # The name of the header is that which programs in C include.
    printf 'module %s {' "$module"
    for header in "$folder"/*.h; do printf ' header "%s"' "$PWD/$header"; done
    echo ' export * }'
  fi
done >> "$out/module.modulemap"
c=(
  -Xcc -nostdlibinc -Xcc -ffreestanding -Xcc "-fmodule-map-file=$out/module.modulemap"
  -Xcc "-I$out/headers" -Xcc "-I$stubs/Darwin" -I "$stubs/Darwin" -I "$stubs/Accelerate"
  -I Sources/System/CLocomotionSQLite -I Sources/System/CLocomotionZlib
)

# Writes a module of Linux as if it were one of the target: the name in it keeps its length.
relabel() {
  sed "s/$linux/$label/" "$1" > "$2"
}

# The version of a system, by its name in Package.swift, that is declared there.
declared() {
  sed -n "s/.*\.$1(\.v\([0-9]*\)).*/\1/p" Package.swift
}

# Makes what stands for the SDK of a system: its name in targets, in Package.swift, and as a folder.
make_system() {
  local system=$1 name=$2 folder=$3 version module place
  version=$(declared "$name")
  target=arm64-apple-$system$version.0
  label=arm64-apple-$system$version.
  while [ ${#label} -lt ${#linux} ]; do label+=0; done
  library=$out/$system/library
  modules=$out/$system/modules
  mkdir -p "$library/$folder" "$modules"
  ln -s "$resources"/{apinotes,clang,shims} "$library"
  for module in "$resources"/linux/*.swiftmodule/"$linux".swiftmodule; do
    place=$library/$folder/$(basename "$(dirname "$module")")
    case $(basename "$place") in
      # Apple's systems have none, or another one.
      Foundation[NX]* | Glibc.* | *Test*) continue ;;
    esac
    mkdir -p "$place"
    relabel "$module" "$place/arm64-apple-${system/macosx/macos}.swiftmodule"
  done
  for module in "$build"/release/Modules/Locomotion*.swiftmodule; do
    relabel "$module" "$modules/$(basename "$module")"
  done
  # Foundation re-exports the C library.
  echo '@_exported public import Darwin' > "$out/Glibc.swift"
  emit Darwin "$stubs/Darwin/Darwin.swift"
  emit Glibc "$out/Glibc.swift"
  emit CryptoKit "$stubs/CryptoKit/CryptoKit.swift"
  emit CoreMotion "$stubs/CoreMotion/CoreMotion.swift"
  emit CoreLocation "$stubs/CoreLocation/CoreLocation.swift"
}

# Runs the compiler for the current system.
compile() {
  swiftc -frontend -target "$target" -resource-dir "$library" \
    -module-cache-path "$out/cache" -parse-as-library -I "$modules" "${settings[@]}" "${c[@]}" "$@"
}

emit() {
  local module=$1
  shift
  compile -emit-module -module-name "$module" -o "$modules/$module.swiftmodule" "$@"
}

# Checks modules of this package for the current system.
check() {
  local module folder files status=0
  for module in "$@"; do
    folder=(Sources/*/"$module")
    mapfile -t files < <(find "${folder[@]}" -name '*.swift')
    case $module in
      LocomotionJournal | LocomotionTraining)
        # The modules of Linux name Nettle and OpenBLAS, so that those who import them need others:
        # without the bodies of functions, which Foundation of Linux can't lend its own.
        compile -typecheck -module-name "$module" -package-name "$package" "${files[@]}" ||
          status=1
        emit "$module" -package-name "$package" -experimental-skip-all-function-bodies \
          "${files[@]}" || status=1
        ;;
      LocomotionFormats)
        # Likewise libarchive.
        emit "$module" -package-name "$package" "${files[@]}" || status=1
        ;;
      LocomotionSync)
        # Likewise libcurl and FoundationNetworking.
        emit "$module" -package-name "$package" "${files[@]}" "$stubs/Foundation/URLSession.swift" ||
          status=1
        ;;
      *)
        compile -typecheck -module-name "$module" -package-name "$package" "${files[@]}" ||
          status=1
        ;;
    esac
  done
  [ $status = 0 ] && echo "$target: $# modules checked"
  return $status
}

# The C that needs no header of a system is compiled whole: 64 bits, and the 32 of older watches.
compile_c() {
  local architecture source
  for architecture in "arm64-apple-macosx$(declared macOS).0" \
    "arm64_32-apple-watchos$(declared watchOS).0"; do
    for source in Sources/{Device,Recordings}/CLocomotion*/*.c; do
      clang -target "$architecture" -ffreestanding -nostdlibinc -O2 -Wall -Werror \
        -I "$(dirname "$source")/include" -c -o "$out/$(basename "$source").o" "$source"
    done
  done
}

# Those with branches; the rest of the package is the same for all three systems, but for the page's
# module, which is for browsers, and the server, which is a package of its own.
branching=(
  LocomotionSensing LocomotionTraining LocomotionFormats LocomotionJournal LocomotionSync)
mapfile -t others < <(
  cd Sources &&
    printf '%s\n' */Locomotion*/*.swift */Locomotion*/*/*.swift | grep -v ^Server/ \
    | cut -d/ -f2 | sort -u | grep -vxF "$(printf '%s\n' "${branching[@]}" LocomotionWeb)")

# Checks the recorder of the article "Build a recorder" with the phone's sensors, and the app around
# it, for iOS.
check_recorder() {
  local settings=("${settings[@]}")
  # With the adapters, which the module of Linux lacks.
  emit LocomotionSensing -package-name "$package" \
    Sources/Device/LocomotionSensing/{*,Apple/*}.swift || return 1
  bash Examples/RecorderApp/article-files.sh "$out/recorder"
  [ -s "$out/recorder/Sources/Recorder/PhoneSensors.swift" ] || return 1
  # As a package and an app of others are: without this package's settings.
  settings=(-swift-version 6 -warnings-as-errors -disable-objc-interop)
  emit Recorder "$out"/recorder/Sources/Recorder/*.swift || return 1
  emit Combine "$stubs/Combine/Combine.swift" || return 1
  emit SwiftUI "$stubs/SwiftUI/SwiftUI.swift" || return 1
  compile -typecheck -module-name RecorderApp Examples/RecorderApp/*.swift || return 1
  echo "$target: the recorder, its sensors and its app checked"
}

check_macos() {
  make_system macosx macOS macosx
  check "${branching[@]}" "${others[@]}"
}
check_devices() {
  local status=0
  compile_c
  make_system ios iOS iphoneos
  check "${branching[@]}" || status=1
  check_recorder || status=1
  make_system watchos watchOS watchos
  check "${branching[@]}" || status=1
  return $status
}
check_macos > "$out/macos.log" 2>&1 & macos=$!
check_devices > "$out/devices.log" 2>&1 & devices=$!
failed=0
wait $macos || failed=1
wait $devices || failed=1
cat "$out"/{macos,devices}.log
exit $failed
