// The only Swift file of the package that imports the encrypting file system.
internal import CLocomotionEncryption
internal import Foundation

/// A virtual file system of SQLite that encrypts with one key, registered while the object lives.
///
/// A class, because it registers itself with SQLite and is removed with its last reference.
package final class EncryptedFileSystem: Sendable {
  /// The state of a file.
  package enum State {
    case nothing, plain, encrypted
    /// Encrypted with another key, or no key was given.
    case locked
  }

  /// The name under which it is registered with SQLite.
  package let name: String
  private static let prefix = "locomotion-encrypted-"

  /// Whether the cipher was built in.
  package static var isAvailable: Bool { locomotion_encryption_is_available() != 0 }

  /// Registers a file system over `base`, or over SQLite's default when that is nil; nil without a
  /// key.
  ///
  /// - Throws: ``JournalError/encryptionUnavailable`` in a build without the trait `Encryption`, or
  ///   when the registration fails.
  package init?(_ key: JournalKey?, over base: String?) throws(JournalError) {
    guard let key else { return nil }
    guard Self.isAvailable else { throw .encryptionUnavailable }
    name = Self.prefix + UUID().uuidString
    let code =
      if let base {
        unsafe locomotion_encryption_register(name, base, key.bytes)
      } else {
        unsafe locomotion_encryption_register(name, nil, key.bytes)
      }
    guard code == 0 else { throw .encryptionUnavailable }
  }

  deinit { unsafe locomotion_encryption_unregister(name) }

  /// Whether a file system of this name encrypts.
  package static func isNamed(_ name: String) -> Bool { name.hasPrefix(prefix) }

  /// Inspects the start of a file, which need not exist.
  ///
  /// - Throws: ``JournalError/inputOutput(path:reason:)`` when it cannot be read.
  package static func state(of path: String, key: JournalKey?) throws(JournalError) -> State {
    let state =
      if let key {
        unsafe locomotion_encryption_inspect(path, key.bytes)
      } else {
        unsafe locomotion_encryption_inspect(path, nil)
      }
    switch state {
    case locomotion_encryption_nothing: return .nothing
    case locomotion_encryption_plain: return .plain
    case locomotion_encryption_open: return .encrypted
    case locomotion_encryption_locked: return .locked
    default: throw .inputOutput(path: path, reason: "the file cannot be read")
    }
  }

  /// Checks that a file is encrypted with the key, or is not encrypted when there is no key.
  ///
  /// - Returns: Whether the file is missing or empty.
  /// - Throws: ``JournalError/encrypted(path:)``, ``JournalError/wrongKey(path:)``,
  ///   ``JournalError/notEncrypted(path:)``, ``JournalError/inputOutput(path:reason:)``.
  package static func requireFit(_ path: String, _ key: JournalKey?) throws(JournalError) -> Bool {
    switch (try state(of: path, key: key), key) {
    case (.nothing, _): return true
    case (.plain, nil), (.encrypted, _): return false
    case (.plain, _): throw .notEncrypted(path: path)
    case (.locked, nil): throw .encrypted(path: path)
    case (.locked, _): throw .wrongKey(path: path)
    }
  }

  /// The first bytes of a database or its log as SQLite sees them; nil when there is no file.
  package static func read(
    _ database: String, isLog: Bool, upTo limit: Int, by name: String
  ) throws(JournalError) -> [UInt8]? {
    var bytes: UnsafeMutablePointer<UInt8>?
    var count: Int64 = 0
    let code = unsafe locomotion_encryption_read(
      name, database, isLog ? 1 : 0, Int64(limit), &bytes, &count)
    guard code == 0 else {
      let path = database + (isLog ? "-wal" : "")
      guard try FileEntry(path: path) != nil else { return nil }
      throw .inputOutput(path: path, reason: "the file cannot be read (\(code))")
    }
    defer { unsafe free(bytes) }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }

  /// Copies a database whose log is empty into an empty file.
  package static func copy(
    _ source: String, by old: EncryptedFileSystem?, to target: String, by new: EncryptedFileSystem?
  ) throws(JournalError) {
    // NULL stands for SQLite's default file system.
    let code =
      switch (old?.name, new?.name) {
      case (let old?, let new?): unsafe locomotion_encryption_copy(old, source, new, target)
      case (let old?, nil): unsafe locomotion_encryption_copy(old, source, nil, target)
      case (nil, let new?): unsafe locomotion_encryption_copy(nil, source, new, target)
      case (nil, nil): unsafe locomotion_encryption_copy(nil, source, nil, target)
      }
    switch code & 0xff {
    case 0: return
    case 11: throw .damaged(path: source, what: "a page")
    case 13: throw .full(path: target)
    default: throw .inputOutput(path: target, reason: "the copy failed (\(code))")
    }
  }
}
