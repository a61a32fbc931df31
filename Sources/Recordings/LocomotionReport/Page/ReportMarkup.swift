/// A piece of HTML or SVG in which every interpolated string is escaped.
///
///     let cell: Markup = "<td>\(name)</td>"   // `name` can't break out
///
/// Interpolated markup is inserted unchanged; numbers are rounded to 0.1, which is a tenth of a
/// pixel in a drawing.
package struct Markup: Sendable, ExpressibleByStringInterpolation {
  package private(set) var text: String

  package init(stringLiteral value: String) {
    text = value
  }

  package init(stringInterpolation: Interpolation) {
    text = stringInterpolation.text
  }

  package struct Interpolation: StringInterpolationProtocol {
    var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 8 * interpolationCount)
    }

    package mutating func appendLiteral(_ literal: String) { text += literal }

    package mutating func appendInterpolation(_ string: String) {
      text += Markup.escaped(string)
    }

    package mutating func appendInterpolation(_ markup: Markup) { text += markup.text }

    package mutating func appendInterpolation(_ pieces: [Markup]) {
      for piece in pieces { text += piece.text }
    }

    package mutating func appendInterpolation(_ number: Int) { text += String(number) }

    package mutating func appendInterpolation(_ number: Double) {
      text += Markup.number(number)
    }
  }

  static func += (left: inout Markup, right: Markup) { left.text += right.text }

  /// A coordinate of a drawing, with one decimal unless that is 0.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let text = ReportFormatting.fixed(value, 1)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// `string` escaped for text and attribute values.
  ///
  /// The five special characters become character references. Control characters, which HTML
  /// forbids, and those that change the direction of text become U+FFFD.
  package static func escaped(_ string: String) -> String {
    var result = ""
    result.reserveCapacity(string.utf8.count)
    for scalar in string.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": result += "\u{FFFD}"
      case _ where scalar.properties.generalCategory == .control: result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

/// A drawing with a title and a description for screen readers.
struct Drawing {
  let width: Double
  let height: Double
  let title: String
  let description: String
  private var body: Markup = ""

  init(width: Double, height: Double, title: String, description: String) {
    self.width = width
    self.height = height
    self.title = title
    self.description = description
  }

  mutating func add(_ markup: Markup) { body += markup }

  mutating func text(
    _ string: String, x: Double, y: Double, _ style: String = "", anchor: String = "start"
  ) {
    add("<text class=\"\(style)\" x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\">\(string)</text>")
  }

  mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String) {
    add("<path class=\"\(style)\" d=\"M\(x1) \(y1)L\(x2) \(y2)\"/>")
  }

  /// A rectangle with a tooltip.
  mutating func box(
    x: Double, y: Double, width: Double, height: Double, _ style: String, tip: String
  ) {
    add(
      "<rect class=\"\(style)\" x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\">\(Self.tip(tip))</rect>"
    )
  }

  /// Makes lighter what was not observed.
  mutating func veil(from left: Double, to right: Double, y: Double, height: Double) {
    add(
      """
      <rect class="silent" x="\(left)" y="\(y)" width="\(max(right - left, 0))" height="\(height)"/>
      """)
  }

  static func tip(_ text: String) -> Markup { "<title>\(text)</title>" }

  /// A polyline as SVG path data.
  static func path(_ points: some Sequence<SIMD2<Double>>) -> Markup {
    var data: Markup = ""
    for (index, point) in points.enumerated() {
      data += index == 0 ? "M\(point.x) \(point.y)" : "L\(point.x) \(point.y)"
    }
    return data
  }

  /// The drawing; `attributes` are further ones of its element.
  func markup(class style: String, _ attributes: Markup = "") -> Markup {
    """
    <svg class="\(style)" viewBox="0 0 \(width) \(height)" role="img"\
    \(attributes.text.isEmpty ? "" : " ")\(attributes)>\
    <title>\(title)</title><desc>\(description)</desc>\(body)</svg>
    """
  }
}

/// The widths in which every drawing is made; the style sheet selects the one that fits.
enum DrawingWidth: CaseIterable {
  case wide, narrow

  var points: Double { self == .wide ? 880 : 340 }
  var name: String { self == .wide ? "wide" : "narrow" }
}
