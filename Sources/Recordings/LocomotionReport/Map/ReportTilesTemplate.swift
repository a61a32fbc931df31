extension ReportTiles {
  /// Nil when `template` is no address over HTTP with a host and all three of `{z}`, `{x}`, `{y}`
  /// in its path.
  package init?(template: String, attribution: String = "") {
    let address = #/(https?:\/\/[A-Za-z0-9.\-]+(?::[0-9]{1,5})?)\/\S*/#
    guard let match = template.wholeMatch(of: address),
      ["{z}", "{x}", "{y}"].allSatisfy(match.0.dropFirst(match.1.count).contains),
      template.unicodeScalars.allSatisfy({ $0.isASCII && !"\"'<>;\\".unicodeScalars.contains($0) })
    else { return nil }
    self.template = template
    self.attribution = attribution
    origin = String(match.1)
  }
}
