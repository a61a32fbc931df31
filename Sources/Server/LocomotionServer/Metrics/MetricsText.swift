/// Figures in the text form of Prometheus, version 0.0.4.
struct MetricsText {
  /// What a figure is.
  enum Kind: String {
    /// It only grows while the program runs.
    case counter
    /// It is what it is now.
    case gauge
  }

  /// The media type.
  static let type = "text/plain; version=0.0.4; charset=utf-8"

  private(set) var text = ""

  /// Adds a figure without labels.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
    add(name, kind, help, [("", value)])
  }

  /// Adds a figure for each of some labels, such as `lane="changes"`, which need no escaping.
  mutating func add(
    _ name: String, _ kind: Kind, _ help: String, _ rows: [(labels: String, value: Double)]
  ) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for row in rows {
      let labels = row.labels.isEmpty ? "" : "{\(row.labels)}"
      text += "\(name)\(labels) \(Self.number(row.value))\n"
    }
  }

  private static func number(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? "\(value)"
  }
}
