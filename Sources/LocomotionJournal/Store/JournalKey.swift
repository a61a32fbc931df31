/// The key by which a journal is encrypted on the disk: 32 bytes of chance.
///
/// A password is none: derive a key from it first, slowly, by a function that is made for that.
/// Whoever loses the key loses the journal.
public struct JournalKey: Hashable, Sendable {
  /// How many bytes a key has.
  public static let length = 32

  let bytes: [UInt8]

  /// Whether journals can be encrypted: the package was built with its trait `Encryption`.
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
  /// Says that it is a key, and nothing of it.
  public var description: String { "JournalKey" }

  /// Shows nothing: a key is not for logs.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
