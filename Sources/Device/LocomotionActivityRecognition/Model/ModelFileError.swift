/// Why a model file was refused.
///
/// Every case has the value found, its offset (bytes from the start), and the value expected.
public enum ModelFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file has fewer bytes than any model, or another length than it states; `expected` is the
  /// least number by what was read.
  case wrongLength(found: Int, expected: Int, offset: Int)
  /// The file doesn't start as a model file does.
  case notAModel(found: UInt32, expected: UInt32, offset: Int)
  /// The file has another format version.
  case unsupportedVersion(found: UInt32, expected: UInt32, offset: Int)
  /// The file was damaged: the bytes don't have the stated checksum.
  case checksumMismatch(found: UInt32, expected: UInt32, offset: Int)
  /// The model was trained on other features than this program computes.
  case schemaMismatch(found: UInt32, expected: UInt32, offset: Int)
  /// A count lies outside what a model can have.
  case invalidCount(field: String, found: UInt32, expected: ClosedRange<UInt32>, offset: Int)
  /// A number is invalid, though the checksum is right.
  case invalidNumber(ActivityModel.Defect, offset: Int)
  /// A class is none of ``Activity``.
  case unknownClass(found: UInt32, offset: Int)
  /// The manifest isn't UTF-8, or a name isn't valid for a ``CustomActivity``.
  case invalidText(offset: Int)

  /// A one-line description.
  public var description: String {
    switch self {
    case .wrongLength(let found, let expected, let offset):
      "\(found) bytes, expected \(expected) (stated at byte \(offset))"
    case .notAModel(let found, let expected, let offset):
      "not a model file: \(hex(found)) at byte \(offset), expected \(hex(expected))"
    case .unsupportedVersion(let found, let expected, let offset):
      "format version \(found) at byte \(offset), expected \(expected)"
    case .checksumMismatch(let found, let expected, let offset):
      "damaged: checksum \(hex(found)) at byte \(offset), expected \(hex(expected))"
    case .schemaMismatch(let found, let expected, let offset):
      "features \(hex(found)) at byte \(offset), this program computes \(hex(expected))"
    case .invalidCount(let field, let found, let expected, let offset):
      "\(found) \(field) at byte \(offset), expected "
        + "\(expected.lowerBound) to \(expected.upperBound)"
    case .invalidNumber(let defect, let offset):
      "\(defect), at byte \(offset)"
    case .unknownClass(let found, let offset):
      "class \(found) at byte \(offset), expected less than \(Activity.allCases.count)"
    case .invalidText(let offset):
      "the text at byte \(offset) is neither a manifest in UTF-8 nor the name of an activity"
    }
  }

  private func hex(_ value: UInt32) -> String { "0x" + String(value, radix: 16) }
}
