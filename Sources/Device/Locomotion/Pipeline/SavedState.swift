internal import LocomotionActivityRecognition

// A saved state. All numbers are little-endian, integers unsigned.
//
//      0  magic "LACS"            4  version                8  digest of the layout
//     12  checksum of the model's file, 0 when the state knows no model
//     16  bytes in the state     24  the fields, in the order of `pass(through:)`
//      …  last 4: CRC-32 of all bytes before
//
// The digest changes by itself when a field is added, removed or has another type. The version is
// raised when the fields stay and their meaning changes.

/// Why bytes aren't a saved state that can be restored.
public enum SavedStateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes don't begin as a saved state does, or are fewer than any has.
  case notASavedState
  /// It was saved by another version of the package, with another layout.
  case otherVersion(found: UInt32, expected: UInt32)
  /// It was saved with another model.
  case otherModel(found: UInt32, expected: UInt32)
  /// The bytes don't have the stated length or checksum, or hold an impossible value.
  case damaged

  /// A one-line description.
  public var description: String {
    switch self {
    case .notASavedState: "not a saved state"
    case .otherVersion(let found, let expected):
      "saved by another version: layout \(hexadecimal(found)), expected \(hexadecimal(expected))"
    case .otherModel(let found, let expected):
      "saved with another model: \(hexadecimal(found)), expected \(hexadecimal(expected))"
    case .damaged: "damaged"
    }
  }

  private func hexadecimal(_ value: UInt32) -> String { "0x" + String(value, radix: 16) }
}

/// The form in which a state is saved: its fields between a header and a checksum.
package enum SavedState {
  private static let magic: UInt32 = 0x5343_414C
  private static let version: UInt32 = 1
  private static let headerSize = 24
  private static let checksumSize = 4

  /// The bytes of `state`, which depends on the model whose file has the checksum `model`.
  ///
  /// `state` is the same afterwards; it isn't copied.
  package static func bytes(of state: inout some StateArchivable, model: UInt32) -> [UInt8] {
    var header: [UInt8] = []
    for value in [magic, version, layout(of: &state), model, 0, 0] {
      header.append(littleEndian: value)
    }
    var archive = StateArchive.writing(after: header)
    archive.pass(&state)
    var bytes = archive.bytes
    let size = UInt64(bytes.count + checksumSize)
    for place in 0..<8 { bytes[16 + place] = UInt8(truncatingIfNeeded: size >> UInt64(8 * place)) }
    bytes.append(littleEndian: CyclicRedundancyCheck(of: bytes[0..<bytes.count].span).value)
    return bytes
  }

  /// Replaces `state` by the one that was saved as `bytes`; of no use when that fails.
  package static func restore(
    _ state: inout some StateArchivable, from bytes: [UInt8], model: UInt32
  ) throws(SavedStateError) {
    guard bytes.count >= headerSize + checksumSize, bytes.littleEndian(at: 0) == magic else {
      throw .notASavedState
    }
    let size = UInt64(bytes.littleEndian(at: 16)) | UInt64(bytes.littleEndian(at: 20)) << 32
    let end = bytes.count - checksumSize
    guard size == UInt64(bytes.count),
      CyclicRedundancyCheck(of: bytes[0..<end].span).value == bytes.littleEndian(at: end)
    else { throw .damaged }
    let found = (version: bytes.littleEndian(at: 4), layout: bytes.littleEndian(at: 8))
    let expected = layout(of: &state)
    guard found.version == version, found.layout == expected else {
      throw .otherVersion(found: found.layout, expected: expected)
    }
    guard bytes.littleEndian(at: 12) == model else {
      throw .otherModel(found: bytes.littleEndian(at: 12), expected: model)
    }
    var archive = StateArchive.reading(bytes, from: headerSize)
    archive.pass(&state)
    guard !archive.isDamaged, archive.offset == end else { throw .damaged }
  }

  /// The digest of the layout of `state`.
  package static func layout(of state: inout some StateArchivable) -> UInt32 {
    var archive = StateArchive.describing()
    archive.pass(&state)
    return archive.layout
  }
}

extension LocomotionPipeline {
  /// What the pipeline has seen, as bytes: some 40 kB, without model and settings.
  ///
  /// ``init(savedState:model:settings:)`` goes on with the same answers, in any build of the same
  /// version of the package, on any system.
  public var savedState: [UInt8] {
    var pipeline = self
    return SavedState.bytes(of: &pipeline, model: modelChecksum)
  }

  /// A pipeline that goes on where another one was saved.
  ///
  /// - Parameters:
  ///   - bytes: The ``savedState`` of a pipeline with the same model and settings.
  ///   - model: The model, whose checksum is compared.
  ///   - settings: The settings of all stages, which aren't compared.
  /// - Throws: ``SavedStateError``. Damaged bytes never trap.
  public init(
    savedState bytes: [UInt8], model: ActivityModel = .default, settings: Settings = Settings()
  ) throws(SavedStateError) {
    self.init(model: model, settings: settings)
    try SavedState.restore(&self, from: bytes, model: modelChecksum)
  }

  /// The checksum of the file of the model, without the one that it ends with: with it the checksum
  /// of every file would be the same.
  package var modelChecksum: UInt32 {
    let file = windowStages.model.file
    return CyclicRedundancyCheck(of: file[0..<file.count - 4].span).value
  }
}
