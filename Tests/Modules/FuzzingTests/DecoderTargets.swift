import Foundation
import LocomotionActivityRecognition
import LocomotionJournal
import LocomotionSensing
import TestSupport

extension FuzzTarget {
  /// The decoders of the package's own files.
  ///
  /// A checksum would reject nearly all inputs: they are sealed with the correct one, as an
  /// attacker would do.
  static let decoders: [FuzzTarget] = [
    FuzzTarget(name: "block") { bytes in
      decoded(sealedBlock(bytes, key: little(7, 8))) ?? decoded(bytes)
    },
    FuzzTarget(name: "model") { bytes in
      let (kind, rest) = bytes.headAndTail
      guard kind.isMultiple(of: 2) else { return loaded(rest) }
      return loaded(sealedModel(defaultModel, changes: rest))
    },
  ]

  private static let defaultModel = ActivityModel.default.file

  private static func sealedBlock(_ content: [UInt8], key: [UInt8]) -> [UInt8] {
    SampleBlock.sealed(
      Array("LJB1".utf8) + key + little(content.count + 4, 4) + content)
  }

  /// Checks that a block that can be decoded is encoded and decoded again bit by bit.
  private static func decoded(_ bytes: [UInt8]) -> String? {
    guard let block = try? SampleBlock.decoded(bytes, key: 7) else { return nil }
    guard let again = try? SampleBlock.decoded(SampleBlock.encoded(block, key: 7), key: 7) else {
      return "a block that was read is written as one that cannot be read"
    }
    return bits(again.accelerations) == bits(block.accelerations)
      && bits(again.rotationRates) == bits(block.rotationRates)
      ? nil : "a block that was read is written as another one"
  }

  private static func bits(_ series: SampleSeries) -> [UInt64] {
    series.timestamps.map { UInt64(bitPattern: $0.nanoseconds) }
      + [series.x, series.y, series.z].flatMap { $0.map(\.bitPattern) }
  }

  /// A model's file with four bytes replaced in several positions, a new length, and the correct
  /// checksum.
  ///
  /// Each change is two bytes for the position, counted from the start or, when the highest bit is
  /// set, from the end, and the four bytes to write there; the rest truncates or extends the file.
  private static func sealedModel(_ file: [UInt8], changes: [UInt8]) -> [UInt8] {
    var file = Array(file.dropLast(4))
    var start = 0
    while start + 6 <= changes.count {
      let place = Int(changes[start]) | Int(changes[start + 1] & 0x7F) << 8
      let offset = changes[start + 1] < 0x80 ? place : file.count - 4 - place
      if offset >= 0, offset + 4 <= file.count {
        file.replaceSubrange(offset..<offset + 4, with: changes[start + 2..<start + 6])
      }
      start += 6
    }
    let rest = changes[start...]
    if let first = rest.first {
      if first < 0x80 { file.removeLast(min(Int(first), file.count)) } else { file += rest }
      if file.count >= 24 { file.replaceSubrange(16..<24, with: little(file.count + 4, 8)) }
    }
    return file + little(Int(checksum(of: file)), 4)
  }

  /// Checks that a model that can be decoded is encoded unchanged, and gives probabilities.
  private static func loaded(_ bytes: [UInt8]) -> String? {
    guard let model = try? ActivityModel(file: bytes) else { return nil }
    guard model.file == bytes else { return "a model that was read is written as another one" }
    for value: Float in [0, -1, 1e30] {
      let features = [Float](repeating: value, count: FeatureExtractor.schema.count)
      let sum = Activity.allCases.reduce(Float(0)) {
        $0 + model.probabilities(of: features[0..<features.count].span)[$1]
      }
      guard abs(sum - 1) < 1e-3 else { return "probabilities that add up to \(sum)" }
    }
    return nil
  }
}
