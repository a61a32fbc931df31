internal import CLocomotionWords

/// The texts of words that C embeds, as their lines, each with what stands before the colon.
enum WordList {
  typealias Line = (key: Substring, words: Substring)

  static let columns = lines(unsafe String(cString: locomotion_column_words()))
  static let sports = lines(unsafe String(cString: locomotion_sport_words()))

  private static func lines(_ text: String) -> [Line] {
    text.split { $0.isNewline }.filter { !$0.hasPrefix("#") }.compactMap { line in
      line.firstIndex(of: ":").map { (line[..<$0], line[$0...].dropFirst(2)) }
    }
  }
}
