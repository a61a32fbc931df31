#if Collect
  internal import Foundation

  /// The file with the keys of an issuer, read again when it changes.
  ///
  /// An issuer that changes its keys writes the new one beside the old one, and leaves the old one
  /// out when its last token has expired. A file that cannot be read or has a defect leaves the
  /// keys as they were, and ``lastDefect`` says so.
  public final class TokenKeyFile: Sendable {
    /// The path of the file.
    public let path: String
    private let state: Locked<State>

    private struct State {
      var keys: JSONWebKeySet
      var stamp: Stamp?
      var lastLook: Double
      var defect: String?
    }

    /// What changes with a file's content.
    private struct Stamp: Equatable {
      let changed: Date
      let size: Int
      let number: Int
    }

    /// The shortest time between two looks at the file, seconds.
    private static let interval = 1.0

    /// Reads the file.
    ///
    /// - Parameters:
    ///   - path: The path of a set of JSON Web Keys.
    ///   - now: The time, seconds since 1970.
    /// - Throws: ``JSONWebKeySet/Defect``.
    public init(path: String, now: Double) throws(JSONWebKeySet.Defect) {
      self.path = path
      let stamp = Self.stamp(path)
      state = Locked(
        State(keys: try Self.read(path), stamp: stamp, lastLook: now, defect: nil))
    }

    /// The keys, at most a second old.
    public func keys(now: Double) -> JSONWebKeySet {
      state.withLock { state in
        // A clock that was set back must not stop it from looking.
        guard abs(now - state.lastLook) >= Self.interval else { return state.keys }
        state.lastLook = now
        let stamp = Self.stamp(path)
        guard stamp != state.stamp else { return state.keys }
        do throws(JSONWebKeySet.Defect) {
          state.keys = try Self.read(path)
          state.defect = nil
        } catch {
          state.defect = error.description
        }
        state.stamp = stamp
        return state.keys
      }
    }

    /// What was wrong with the file when it was read last; nil when nothing was.
    public var lastDefect: String? { state.withLock { $0.defect } }

    private static func stamp(_ path: String) -> Stamp? {
      let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
      guard let found = try? FileManager.default.attributesOfItem(atPath: target) else {
        return nil
      }
      return Stamp(
        changed: found[.modificationDate] as? Date ?? .distantPast,
        size: (found[.size] as? NSNumber)?.intValue ?? 0,
        number: (found[.systemFileNumber] as? NSNumber)?.intValue ?? 0)
    }

    private static func read(_ path: String) throws(JSONWebKeySet.Defect) -> JSONWebKeySet {
      let bytes: Data?
      do {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        bytes = try handle.read(upToCount: JSONWebKeySet.largest + 1)
      } catch {
        throw JSONWebKeySet.Defect(description: "the file cannot be read")
      }
      return try JSONWebKeySet(Array(bytes ?? Data()))
    }
  }
#endif
