import Foundation
import LocomotionActivityRecognition
import LocomotionGait
import LocomotionSensing
import LocomotionTraining
import TestSupport

extension PeerInputs {
  /// Writes the inputs of the peers, and the package's own results to validate theirs.
  static func write(to folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    func write(_ name: String, _ shape: [Int], _ values: [Float]) throws {
      try array(shape, type: "<f4", values.flatMap { littleEndian($0.bitPattern) })
        .write(to: folder.appendingPathComponent(name + ".npy"))
    }

    let windows = featureWindows()
    var extractor = FeatureExtractor()
    let features = windows.flatMap { window in
      var row = ContiguousArray<Float>(repeating: 0, count: FeatureExtractor.schema.count)
      var output = row.mutableSpan
      extractor.extract(from: window.slice.span, into: &output)
      return row
    }
    let shape = [windows.count, FeatureExtractor.windowLength, 3]
    try write("windows", shape, windows.flatMap { $0 }.flatMap { [$0.x, $0.y, $0.z] })
    try write("features", [windows.count, FeatureExtractor.schema.count], features)

    let walk = walk()
    var estimator = CadenceEstimator()
    let cadences = cadenceWindows(of: walk).map {
      estimator.update(window: $0.slice.span).cadence?.stepsPerMinute ?? .nan
    }
    try write("walk", [walk.count, 3], walk.flatMap { [$0.x, $0.y, $0.z] })
    try write("cadences", [cadences.count], cadences)

    let set = trainingSet(windows: Self.windows)
    try write("training_features", [set.count, set.featureCount], set.features)
    try write("training_labels", [set.count], set.activities.map { Float($0.rawValue) })

    let fixes = PositioningBenchmarks.planeFixes()
    try array([fixes.count / 6, 6], type: "<f8", fixes.flatMap { littleEndian($0.bitPattern) })
      .write(to: folder.appendingPathComponent("fixes.npy"))
    try Data("\(PositioningBenchmarks.denseSum())\n".utf8)
      .write(to: folder.appendingPathComponent("kalman_sum.txt"))
  }

  /// An array in the format of NumPy, version 1.0, with a header of 128 bytes.
  private static func array(_ shape: [Int], type: String, _ bytes: [UInt8]) -> Data {
    let shape = shape.map { "\($0)," }.joined()
    let header = "{'descr': '\(type)', 'fortran_order': False, 'shape': (\(shape)), }"
    let padding = String(repeating: " ", count: 128 - 10 - 1 - header.utf8.count)
    return Data([0x93]) + Data("NUMPY".utf8) + Data([1, 0, 118, 0])
      + Data((header + padding + "\n").utf8) + Data(bytes)
  }

  private static func littleEndian(_ bits: some FixedWidthInteger) -> [UInt8] {
    (0..<bits.bitWidth / 8).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
  }
}
