import LocomotionJournal
import LocomotionSync

/// What a request to the archive is about.
enum CollectRoute: Equatable, Sendable {
  /// A unit, by the 64 hexadecimal digits of its digest.
  case unit(digest: String)
  /// All units of a device, by its 32 hexadecimal digits.
  case device(name: String)
  /// The list of days.
  case days
  /// The page about a day, `YYYY-MM-DD`.
  case report(date: String)
  /// The storyline of a day in JSON.
  case story(date: String)
  /// What the operator watches.
  case metrics

  /// The route of a path without its query; nil when there is none.
  init?(path: String) {
    if path == "/metrics" {
      self = .metrics
      return
    }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard path.hasPrefix("/v1/") else { return nil }
    switch Array(parts.dropFirst()) {
    case ["days"]: self = .days
    case let parts where parts.count == 2 && parts[0] == "units":
      guard SHA256Digest(hexadecimal: String(parts[1])) != nil else { return nil }
      self = .unit(digest: String(parts[1]))
    case let parts where parts.count == 2 && parts[0] == "devices":
      guard DeviceName(String(parts[1])) != nil else { return nil }
      self = .device(name: String(parts[1]))
    case let parts where parts.count == 2 && parts[0] == "days":
      let isStory = parts[1].hasSuffix(".json")
      let date = isStory ? parts[1].dropLast(5) : parts[1]
      guard Self.isDate(date) else { return nil }
      self = isStory ? .story(date: String(date)) : .report(date: String(date))
    default: return nil
    }
  }

  /// The name and the text by which an answer says that it is about this; nil where it need not.
  var subject: (name: String, text: String)? {
    switch self {
    case .unit(let digest): ("digest", digest)
    case .device(let name): ("device", name)
    default: nil
    }
  }

  /// The methods that it takes.
  var methods: [String] {
    switch self {
    case .unit: ["PUT", "HEAD", "DELETE"]
    case .device: ["DELETE"]
    case .days, .report, .story, .metrics: ["GET", "HEAD"]
    }
  }

  private static func isDate(_ text: Substring) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.count == 10
      && bytes.enumerated().allSatisfy { place, byte in
        place == 4 || place == 7 ? byte == 0x2D : (0x30...0x39).contains(byte)
      }
  }
}
