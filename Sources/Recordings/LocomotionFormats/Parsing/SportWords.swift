internal import Foundation

/// The sport that a type or a name of an activity tells: "running", "Morning Ride", "晨跑".
///
/// A type is a word of a program; a name is what a person wrote, or a program in their language.
/// Words are whole ones, except in languages that are written without spaces. A name that tells two
/// sports of different classes tells none.
enum SportWords {
  /// The sport in lower case, as labels have it; nil when the text tells none, or two.
  static func sport(in text: String) -> String? {
    let words =
      " " + folded(text).split { !$0.isLetter && !$0.isNumber }.joined(separator: " ") + " "
    func has(_ term: String) -> Bool { words.contains(isUnspaced(term) ? term : " \(term) ") }
    let found = sports.filter { $0.terms.contains(where: has) }
    // What means something else is no sport.
    guard !found.contains(where: { $0.name == "none" }) else { return nil }
    let sure = found.filter { !$0.isVague }
    // A bus ride is one by bus, and a ride and a walk are two.
    let isOnFoot = sure.contains { ["walk", "run"].contains($0.group) }
    let telling = sure.isEmpty || isOnFoot ? found : sure
    guard let first = telling.first, telling.allSatisfy({ $0.group == first.group }) else {
      return nil
    }
    return first.name
  }

  /// Lower case without accents.
  private static func folded(_ text: String) -> String {
    text.lowercased().folding(options: .diacriticInsensitive, locale: nil)
      .map { ["ł": "l", "ø": "o", "æ": "ae"][$0] ?? String($0) }.joined()
  }

  /// The sport in the type of a track, where programs also write Strava's numbers.
  static func sport(ofType text: String) -> String? {
    switch text {
    case "1": "cycling"
    case "9": "running"
    default: sport(in: text)
    }
  }

  private struct Sport {
    var name: String
    /// Those of one group may stand together.
    var group: String
    /// Whether another sport beside it is meant: one rides a bus, and a randonnée may be by
    /// bicycle.
    var isVague = false
    var terms: [String]

    /// The sport of a line of `sports.txt`.
    init(_ line: WordList.Line) {
      let parts = line.key.split(separator: " ")
      name = String(parts[0])
      isVague = line.key.hasSuffix("?")
      group = String(parts[parts.count - 1].prefix { $0 != "?" })
      terms = line.words.split(separator: "|").map { SportWords.folded(String($0)) }
    }
  }

  /// The more specific ones of a group come first; phrases with a word of a sport that mean no
  /// one's sport are called "none".
  private static let sports = WordList.sports.map(Sport.init)

  /// Whether a term is of a language that has no spaces between words.
  private static func isUnspaced(_ term: String) -> Bool {
    (term.unicodeScalars.first?.value ?? 0) >= 0x2E80
  }
}
