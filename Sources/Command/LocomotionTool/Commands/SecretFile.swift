import Foundation
public import LocomotionRecordings

/// A file that only its owner should be able to read, such as a private key.
@_spi(Server) public struct SecretFile {
  /// The content.
  public let bytes: [UInt8]
  /// Whether every user of the machine can read it.
  public let isOpenToAll: Bool

  private static let largest = 1 << 20

  /// Reads a whole file, or a pipe; `option` names it in messages.
  public init(path: String, option: String) throws(RecordingError) {
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? handle.close() }
      bytes = Array(try handle.read(upToCount: Self.largest + 1) ?? Data())
    } catch {
      throw .unreadable(path: path, reason: "not a readable file, for '--\(option)'")
    }
    guard bytes.count <= Self.largest else {
      throw .refused(
        path: path, reason: "expected at most \(Self.largest) bytes for '--\(option)', found more")
    }
    // The permissions of a link itself are irrelevant.
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let attributes = try? FileManager.default.attributesOfItem(atPath: target)
    let permissions = (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0
    isOpenToAll =
      attributes?[.type] as? FileAttributeType == .typeRegular && permissions & 0o004 != 0
  }
}
