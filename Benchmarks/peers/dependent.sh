#!/usr/bin/env bash
#
# Builds the same small program with and without the package, to see what an import adds to it, and
# prints the folder of the programs `with` and `without`.
#
# Usage: dependent.sh FOLDER     what depends on the package is written into FOLDER

set -euo pipefail

package=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$1

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
bash "$package/Tests/Setup/build.sh" --package "$folder"
