/// What a request to the archive is about.
enum CollectRoute: Equatable, Sendable {
  /// A unit, by the 64 hexadecimal digits of its digest.
  case unit(digest: String)
  /// The list of days.
  case days
  /// The page about a day, `YYYY-MM-DD`.
  case report(date: String)
  /// The storyline of a day in JSON.
  case story(date: String)
  /// A message that a phone pushes while it records.
  case live

  /// The route of a path without its query; nil when there is none.
  init?(path: String) {
    if LiveIntake.paths[path] != nil {
      self = .live
      return
    }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard path.hasPrefix("/v1/") else { return nil }
    switch Array(parts.dropFirst()) {
    case ["days"]: self = .days
    case let parts where parts.count == 2 && parts[0] == "units":
      guard Self.isDigest(parts[1]) else { return nil }
      self = .unit(digest: String(parts[1]))
    case let parts where parts.count == 2 && parts[0] == "days":
      let isStory = parts[1].hasSuffix(".json")
      let date = isStory ? parts[1].dropLast(5) : parts[1]
      guard Self.isDate(date) else { return nil }
      self = isStory ? .story(date: String(date)) : .report(date: String(date))
    default: return nil
    }
  }

  /// The methods that it takes.
  var methods: [String] {
    switch self {
    case .unit: ["PUT", "HEAD", "DELETE"]
    case .days, .report, .story: ["GET", "HEAD"]
    case .live: ["POST"]
    }
  }

  private static func isDigest(_ text: Substring) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  private static func isDate(_ text: Substring) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.count == 10
      && bytes.enumerated().allSatisfy { place, byte in
        place == 4 || place == 7 ? byte == 0x2D : (0x30...0x39).contains(byte)
      }
  }
}
