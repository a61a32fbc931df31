internal import Foundation
internal import LocomotionSync

/// The file with the keys of an issuer, read again each second.
///
/// An issuer that changes its keys writes the new one beside the old one, and leaves the old one
/// out when its last token has expired. While the file cannot be read or has a defect, nobody
/// knows which keys were taken out of it: those read before are good for a while, so that half a
/// file stops nobody, and then there are none.
package final class TokenKeyFile: Sendable {
  /// The path of the file.
  package let path: String
  /// How long keys are usually good after a defect of the file was found, seconds.
  package static let usualGrace = 600.0

  /// What is wrong with the file.
  package struct Defect: Hashable, Sendable {
    /// What is wrong, and what was expected.
    package let text: String
    /// When the file was first found so, seconds since 1970.
    package internal(set) var since: Double
  }

  private let grace: Double
  private let state: Locked<State>
  private let report: @Sendable (String) -> Void
  /// The shortest time between two looks at the file, seconds.
  private static let interval = 1.0
  /// Between two reports of the same defect, seconds.
  private static let reportInterval = 60.0

  private struct State {
    var keys: JSONWebKeySet
    /// What was read last, with or without a defect; nil when it could not be read.
    var content: Data?
    var lastLook: Double
    var defect: Defect?
    /// When the defect was reported last, and whether the keys were good then.
    var report: (time: Double, allowsKeys: Bool)?
    var failures = 0
  }

  /// Reads the file.
  ///
  /// - Parameters:
  ///   - path: The path of a set of JSON Web Keys.
  ///   - now: The time, seconds since 1970.
  ///   - grace: How long keys are good after a defect of the file was found, seconds.
  ///   - report: Called when a defect is found, again and again while there is one, and when it
  ///     is mended.
  /// - Throws: ``JSONWebKeySet/Defect``.
  package init(
    path: String, now: Double, grace: Double = usualGrace,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(JSONWebKeySet.Defect) {
    (self.path, self.grace, self.report) = (path, grace, report)
    let content = try Self.read(path)
    let keys = try JSONWebKeySet(Array(content))
    state = Locked(State(keys: keys, content: content, lastLook: now))
  }

  /// The keys, at most a second old; nil when the file has had a defect for too long.
  package func keys(now: Double) -> JSONWebKeySet? {
    let (keys, news) = state.withLock { state in
      // A clock that was set back must not stop it from looking.
      let isTime = abs(now - state.lastLook) >= Self.interval
      let news = isTime ? look(&state, now) : nil
      return (allowsKeys(state.defect, now) ? state.keys : nil, news)
    }
    if let news { report("\(path): \(news)") }
    return keys
  }

  /// What is wrong with the file; nil when nothing is.
  package var defect: Defect? { state.withLock { $0.defect } }

  /// How often the file was looked at and found to have a defect.
  package var failureCount: Int { state.withLock { $0.failures } }

  /// Looks at the file; what there is to report of it.
  private func look(_ state: inout State, _ now: Double) -> String? {
    state.lastLook = now
    let before = state.defect
    do throws(JSONWebKeySet.Defect) {
      let content = try Self.read(path)
      if content != state.content {
        state.content = content
        state.keys = try JSONWebKeySet(Array(content))
        state.defect = nil
      }
    } catch {
      if error == Self.unreadable { state.content = nil }
      state.defect = Defect(text: error.description, since: before?.since ?? now)
    }
    // A clock that was set back must not leave the keys good for longer.
    if let since = state.defect?.since, since > now { state.defect?.since = now }
    guard let defect = state.defect else {
      return before == nil ? nil : "the keys were read again"
    }
    state.failures += 1
    let isAllowed = allowsKeys(defect, now)
    if let last = state.report, defect.text == before?.text, last.allowsKeys == isAllowed,
      abs(now - last.time) < Self.reportInterval
    {
      return nil
    }
    state.report = (now, isAllowed)
    let left = Int((defect.since + grace - now).rounded(.up))
    return "the keys were not read again: \(defect.text); "
      + (isAllowed
        ? "those that were taken out of it are still good, and in \(left) s none is"
        : "no token is accepted")
  }

  /// Whether keys that were read before are still good.
  private func allowsKeys(_ defect: Defect?, _ now: Double) -> Bool {
    defect.map { now - $0.since < grace } ?? true
  }

  private static let unreadable = JSONWebKeySet.Defect(description: "the file cannot be read")

  private static func read(_ path: String) throws(JSONWebKeySet.Defect) -> Data {
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? handle.close() }
      return try handle.read(upToCount: JSONWebKeySet.largest + 1) ?? Data()
    } catch {
      throw unreadable
    }
  }
}
