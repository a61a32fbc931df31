package import LocomotionSensing

/// A value of the document that a page's script draws, as in JSON.
///
/// What is nil is left out of an object: to the script what is missing is unknown.
package enum PageValue: Sendable, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  case text(String)
  /// A number rounded to so many decimals.
  case number(Double, Int)
  case list([PageValue])
  case object([(String, PageValue?)])
  /// A value that is written already.
  case json(String)

  package init(stringLiteral text: String) { self = .text(text) }

  package init(arrayLiteral values: PageValue...) { self = .list(values) }

  package init(dictionaryLiteral fields: (String, PageValue?)...) { self = .object(fields) }

  /// A whole number.
  package static func number(_ value: Int) -> PageValue { .number(Double(value), 0) }

  /// An instant as seconds, exactly.
  package static func time(_ instant: Timestamp) -> PageValue {
    let nanoseconds = instant.nanoseconds
    let (whole, part) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    let digits = String(part)
    let fraction = part == 0 ? "" : "." + String(repeating: "0", count: 9 - digits.count) + digits
    return .text("\(nanoseconds < 0 ? "-" : "")\(whole)\(fraction)")
  }

  /// The fields of this object and of another one.
  func with(_ more: PageValue) -> PageValue {
    guard case .object(let fields) = self, case .object(let others) = more else { return self }
    return .object(fields + others)
  }

  /// A list of texts.
  package static func texts(_ texts: [String]) -> PageValue { .list(texts.map { .text($0) }) }

  /// The value of a key of an object.
  package subscript(key: String) -> PageValue? {
    guard case .object(let fields) = self else { return nil }
    return fields.first { $0.0 == key }?.1
  }

  /// The text, or that of the first of a list; empty for what is neither.
  package var firstText: String {
    switch self {
    case .text(let text): text
    case .list(let values): values.first?.firstText ?? ""
    default: ""
    }
  }

  /// The number; nil for what is none.
  package var asNumber: Double? { if case .number(let value, _) = self { value } else { nil } }

  /// The values of a list; none of what is no list.
  package var values: [PageValue] { if case .list(let values) = self { values } else { [] } }

  /// The value as JSON that may stand in an element of a page: without `<`, `>` and `&`.
  package var json: String {
    var json = ""
    write(to: &json)
    return json
  }

  private func write(to json: inout String) {
    switch self {
    case .text(let text):
      json += "\""
      Self.write(text, to: &json)
      json += "\""
    case .number(let value, let decimals):
      json += value.isFinite ? Self.text(of: value, decimals) : "null"
    case .list(let values):
      json += "["
      for (index, value) in values.enumerated() {
        if index > 0 { json += "," }
        value.write(to: &json)
      }
      json += "]"
    case .object(let fields):
      var separator = "{"
      for (key, value) in fields {
        guard let value else { continue }
        json += "\(separator)\"\(key)\":"
        value.write(to: &json)
        separator = ","
      }
      json += separator == "{" ? "{}" : "}"
    case .json(let text): json += text
    }
  }

  /// A number without zeros at the end of its decimals.
  private static func text(of value: Double, _ decimals: Int) -> String {
    var text = ReportFormatting.fixed(value, decimals)
    guard decimals > 0 else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text == "-0" ? "0" : text
  }

  private static func write(_ text: String, to json: inout String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        json += "\\"
        json.unicodeScalars.append(scalar)
      case "\n": json += "\\n"
      case "\t": json += "\\t"
      case "<": json += "\\u003c"
      case ">": json += "\\u003e"
      case "&": json += "\\u0026"
      default: json.unicodeScalars.append(scalar.isHarmless ? scalar : "\u{FFFD}")
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether it is none of the control characters, which HTML forbids, of those that change the
  /// direction of text, or of those that end a line of a script.
  fileprivate var isHarmless: Bool {
    switch self {
    case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{2028}", "\u{2029}": false
    case "\n", "\t": true
    default: properties.generalCategory != .control
    }
  }
}

extension String {
  /// The text escaped for elements and attributes of HTML; characters that could change the
  /// direction of text, and control characters, become U+FFFD.
  var escapedForHTML: String {
    var result = ""
    result.reserveCapacity(utf8.count)
    for scalar in unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar.isHarmless ? scalar : "\u{FFFD}")
      }
    }
    return result
  }
}
