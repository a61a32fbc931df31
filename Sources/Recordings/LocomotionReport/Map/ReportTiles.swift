/// Raster tiles under the map, in the scheme of OpenStreetMap: Web Mercator, `z/x/y` from the north
/// west, 256 points wide.
package struct ReportTiles: Hashable, Sendable {
  /// The address of a tile, with `{z}`, `{x}` and `{y}`.
  let template: String
  /// The scheme and host, as a content security policy names them.
  let origin: String
  /// What the server's owner wants to be named as; empty for nothing.
  let attribution: String

  /// Nil when `template` is no address over HTTP with a host and all three of `{z}`, `{x}`, `{y}`
  /// in its path.
  package init?(template: String, attribution: String = "") {
    let scalars = template.unicodeScalars
    let parts = template.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    let marks = (parts.last ?? "").split(separator: "{", omittingEmptySubsequences: false)
      .dropFirst().map { $0.prefix(2) }
    guard parts.count == 4, ["http:", "https:"].contains(parts[0]), parts[1].isEmpty,
      Self.isHost(parts[2]),
      ["z}", "x}", "y}"].allSatisfy({ marks.contains($0) }),
      scalars.allSatisfy({ 0x21...0x7E ~= $0.value && !"\"'<>;\\".unicodeScalars.contains($0) })
    else { return nil }
    self.template = template
    self.attribution = attribution
    origin = "\(parts[0])//\(parts[2])"
  }

  /// Whether this is the name of a host, and perhaps a port.
  private static func isHost(_ text: Substring) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let letters = parts[0].unicodeScalars.allSatisfy { scalar in
      scalar.isASCII
        && (scalar.properties.isAlphabetic || "0123456789.-".unicodeScalars.contains(scalar))
    }
    return !parts[0].isEmpty && letters
      && (parts.count == 1
        || parts.count == 2 && 1...5 ~= parts[1].count
          && parts[1].allSatisfy("0123456789".contains))
  }
}
