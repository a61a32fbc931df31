import Foundation
package import LocomotionJournal
import LocomotionRecordings

extension Option {
  /// The key of an encrypted journal.
  package static let keyFile = Option(
    name: "key-file", value: "FILE",
    help: "the key of an encrypted journal: 64 hexadecimal digits, or 32 bytes")
}

extension Arguments {
  /// The settings for opening a journal: with the key in the file of `--key-file`, if any.
  package func journalSettings() throws -> Journal.Settings {
    var settings = Journal.Settings()
    settings.key = try journalKey("key-file")
    return settings
  }

  /// The key in the file given by an option; nil without the option.
  func journalKey(_ option: String) throws -> JournalKey? {
    guard let path = value(option) else { return nil }
    let file = try SecretFile(path: path, option: option)
    if file.isOpenToAll {
      StandardError.write("locomotion: '--\(option) \(path)': every user can read it\n")
    }
    let digits = file.bytes.filter { !" \t\r\n".utf8.contains($0) }
    let isText = file.bytes.count != JournalKey.length
    let bytes = isText ? Self.bytes(hexadecimal: digits) : file.bytes
    guard let bytes, bytes.count == JournalKey.length else {
      throw RecordingError.refused(
        path: path,
        reason: "expected a key of \(2 * JournalKey.length) hexadecimal digits or "
          + "\(JournalKey.length) bytes; 'openssl rand -hex 32' makes one")
    }
    return try JournalKey(bytes)
  }

  private static func bytes(hexadecimal digits: [UInt8]) -> [UInt8]? {
    let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard values.count == digits.count, values.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }
}

extension Command {
  /// `journal rekey`: encrypts, decrypts, or changes the key.
  static func runRekey(_ store: String, _ arguments: Arguments) throws {
    let key = try arguments.journalKey("new-key-file")
    guard (key == nil) == arguments.has("decrypt") else {
      throw UsageError("'journal rekey' takes either '--new-key-file FILE' or '--decrypt'")
    }
    try Journal.rekey(path: store, to: key, settings: arguments.journalSettings())
    StandardError.write(
      "\(store): \(key == nil ? "decrypted" : "encrypted with the new key")\n")
  }
}
