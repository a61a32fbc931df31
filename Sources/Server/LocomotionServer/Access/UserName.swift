internal import Foundation

/// The names of users, as tokens and units give them.
enum UserName {
  /// The name in Unicode's form C, in which the archive stores it; nil for a text that is none.
  ///
  /// A journal takes two spellings of a letter for one name, a database does not. A name has 1 to
  /// 128 bytes of text without control characters and U+FFFD, as in a journal.
  static func canonical(_ text: String) -> String? {
    let name = text.precomposedStringWithCanonicalMapping
    let isFit = name.unicodeScalars.allSatisfy {
      $0.value >= 32 && $0 != "\u{7F}" && $0 != "\u{FFFD}"
    }
    return isFit && 1...128 ~= name.utf8.count && text.utf8.count <= 512 ? name : nil
  }
}
