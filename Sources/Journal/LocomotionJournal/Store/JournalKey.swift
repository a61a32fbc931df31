/// The key of an encrypted journal: 32 random bytes.
///
/// A password is not a key: derive one from it first with a slow function that is made for that.
/// Without the key the journal cannot be read.
public struct JournalKey: Hashable, Sendable {
  /// How many bytes a key has.
  public static let length = 32

  let bytes: [UInt8]

  /// Whether journals can be encrypted, which requires the package's trait `Encryption`.
  public static var isSupported: Bool { EncryptedFileSystem.isAvailable }

  /// A key of these bytes.
  ///
  /// - Throws: ``JournalError/invalidKey`` unless there are ``length`` of them.
  public init(_ bytes: some Sequence<UInt8>) throws(JournalError) {
    self.bytes = Array(bytes)
    guard self.bytes.count == Self.length else { throw .invalidKey }
  }

  /// A new key from the system's source of randomness.
  public static func random() -> JournalKey {
    var generator = SystemRandomNumberGenerator()
    return JournalKey(
      unchecked: (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  private init(unchecked bytes: [UInt8]) {
    self.bytes = bytes
  }
}

extension JournalKey: CustomStringConvertible, CustomReflectable {
  /// A constant text, which reveals nothing of the key.
  public var description: String { "JournalKey" }

  /// An empty mirror: a key does not belong in logs.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
