#!/usr/bin/env bash
#
# Builds the same small program with and without the package, to see what an import adds to it.
#
# Usage: dependent.sh PACKAGE FOLDER [BUILD]
#
# BUILD is where it is built, by default FOLDER/.build.

set -euo pipefail

package=$1
folder=$2
build=${3:-$folder/.build}

mkdir -p "$folder/Sources/with" "$folder/Sources/without"
cat > "$folder/Package.swift" << END
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Dependent",
  dependencies: [.package(path: "$package")],
  targets: [
    .executableTarget(
      name: "with",
      dependencies: [.product(name: "Locomotion", package: "$(basename "$package")")]),
    .executableTarget(name: "without"),
  ])
END
cat > "$folder/Sources/with/main.swift" << END
import Locomotion

var pipeline = LocomotionPipeline()
var batch = SensorBatch()
batch.append(Acceleration(x: 0, y: 0, z: 9.81), at: Timestamp(nanoseconds: 0))
print(pipeline.ingest(batch).samples.count)
END
echo 'print(0)' > "$folder/Sources/without/main.swift"
# The plan of an earlier build may be that of another package.
rm -f "$build"/*.yaml
swift build --package-path "$folder" --scratch-path "$build" -c release
