/// Why a model file was refused.
public enum ModelFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file doesn't start as a model file does, or has fewer bytes than any model.
  case notAModel
  /// The file has another format version, or the program another layout of the same one.
  case unsupportedVersion(found: UInt32, expected: UInt32)
  /// The model was trained on other features than this program computes.
  case schemaMismatch(found: UInt32, expected: UInt32)
  /// The file was damaged: the bytes don't have the stated length or checksum, or hold an
  /// impossible value.
  case damaged
  /// A number is invalid, though the checksum is right.
  case invalidNumber(ActivityModel.Defect)

  /// A one-line description.
  public var description: String {
    switch self {
    case .notAModel: "not a model file"
    case .unsupportedVersion(let found, let expected):
      found < expected
        ? "format version \(found), expected \(expected): Datasets/convert-model.py converts 3 to 6"
        : "format version or layout \(found), expected \(expected)"
    case .schemaMismatch(let found, let expected):
      "features \(hex(found)), this program computes \(hex(expected))"
    case .damaged: "damaged: its length, its checksum or a value is wrong"
    case .invalidNumber(let defect): "\(defect)"
    }
  }

  private func hex(_ value: UInt32) -> String { "0x" + String(value, radix: 16) }

  init(_ failure: SavedStateError) {
    self =
      switch failure {
      case .notASavedState: .notAModel
      case .otherVersion(let found, let expected):
        .unsupportedVersion(found: found, expected: expected)
      case .otherModel(let found, let expected): .schemaMismatch(found: found, expected: expected)
      case .damaged: .damaged
      }
  }
}
