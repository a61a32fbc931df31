internal import Foundation
public import LocomotionJournal

/// What a request is about: the archive's own answer names it.
public enum SyncSubject: Hashable, Sendable {
  /// A unit of the token's user.
  case unit(SHA256Digest)
  /// All units that a device of the token's user has sent.
  case device(DeviceName)
  /// The days of the token's user.
  case days

  /// The path below the archive's address.
  public var path: String {
    switch self {
    case .unit(let digest): "v1/units/\(digest)"
    case .device(let name): "v1/devices/\(name)"
    case .days: "v1/days"
    }
  }
}

/// The name of a device in its units: 32 hexadecimal digits in lower case.
public struct DeviceName: Hashable, Sendable, CustomStringConvertible {
  /// The digits.
  public let description: String

  /// The name with these digits; nil for anything else.
  public init?(_ text: String) {
    guard Hexadecimal.bytes(text, count: 16) != nil else { return nil }
    description = text
  }
}

/// What an answer means for the unit or the device that a request was about.
public enum SyncAnswer: Hashable, Sendable {
  /// Why a request is refused, as far as it decides what is done next.
  public enum Refusal: String, Hashable, Sendable {
    /// For a reason that is told in words only.
    case other = ""
    /// The unit does not go on where the units end that the archive has of the device.
    case discontinued = "not-a-continuation"
  }

  /// The archive has the unit, or has no more what was to be deleted.
  case confirmed
  /// It never will: a unit is parked with these words.
  case refused(Refusal, reason: String)
  /// The token is not valid.
  case unauthorized
  /// The token is of another user.
  case forbidden
  /// Later: after the seconds for which the archive asked, if it did. So is every answer that is
  /// not the archive's, such as that of a portal or a proxy.
  case later(retryAfter: Double?, reason: String)

  /// Reads an answer.
  ///
  /// Portals and proxies answer in the archive's place, with any status. So a status counts
  /// only in the archive's own answer: a JSON object that names what the request was about, as
  /// `{"digest":"<64 hex>"}` or `{"device":"<32 hex>"}`. In it, what is refused has its reason, for
  /// people in `error` and, where a program can do something, as ``Refusal`` in `reason`.
  ///
  /// - A unit is stored by 200, 201 and 409, and deleted by 200, 404 and 410; the units of a device
  ///   are deleted by 200.
  /// - 401 and 403 concern the token. 407, 408, 425, 429, redirections and errors of a server mean
  ///   later; every other 4xx is final.
  public init(
    _ response: SyncResponse, to method: SyncRequest.Method, about subject: SyncSubject
  ) {
    let status = response.status
    guard let words = ArchiveWords(response.body), words.name(subject) else {
      self = .later(
        retryAfter: response.retryAfter, reason: "\(status): not the archive's answer")
      return
    }
    let reason = words.error.map { "\(status) \($0.inOneLine)" } ?? "\(status)"
    switch (status, method, subject) {
    case (200, _, _), (201, .put, _), (409, .put, _), (404, .delete, .unit), (410, .delete, .unit):
      self = .confirmed
    case (401, _, _): self = .unauthorized
    case (403, _, _): self = .forbidden
    case (407, _, _), (408, _, _), (425, _, _), (429, _, _):
      self = .later(retryAfter: response.retryAfter, reason: reason)
    case (400..<500, _, _):
      self = .refused(words.reason.flatMap(Refusal.init) ?? .other, reason: reason)
    default: self = .later(retryAfter: response.retryAfter, reason: reason)
    }
  }

  /// Why a synchronisation does not go on by itself after this answer; nil when it does.
  ///
  /// Only the refusal of a deletion is a problem; after that of a unit the others are still sent.
  var problem: SyncError? {
    switch self {
    case .confirmed: nil
    case .unauthorized: .unauthorized
    case .forbidden: .forbidden
    case .later(_, let reason): .unreachable(reason: reason)
    case .refused(_, let reason): .notDeleted(reason: reason)
    }
  }
}

/// The names in an answer of the archive that are read.
private struct ArchiveWords: Decodable {
  private let digest: String?
  private let device: String?
  let error: String?
  let reason: String?

  /// Nil unless the body is a JSON object in which these names, where they occur, have texts.
  init?(_ body: [UInt8]) {
    guard let words = try? JSONDecoder().decode(Self.self, from: Data(body)) else { return nil }
    self = words
  }

  /// Whether what a request was about is named.
  func name(_ subject: SyncSubject) -> Bool {
    switch subject {
    case .unit(let expected): digest == expected.hexadecimal
    case .device(let expected): device == expected.description
    case .days: error != nil
    }
  }
}

extension String {
  /// The beginning of the text without line breaks and NUL.
  fileprivate var inOneLine: String {
    String(prefix(300).map { $0.isNewline || $0 == "\0" ? " " : $0 })
  }
}

/// How requests reach the archive.
///
/// The library sends over what the app gives it, and over nothing else.
public protocol SyncTransport: Sendable {
  /// Sends one request and returns the answer, whatever its status; redirections are not followed.
  ///
  /// - Throws: ``SyncError/unreachable(reason:)`` when no answer came.
  func send(_ request: SyncRequest) async throws(SyncError) -> SyncResponse
}

/// A request to the archive.
public struct SyncRequest: Hashable, Sendable {
  /// What is asked for.
  public enum Method: String, Hashable, Sendable {
    /// To tell what is stored.
    case get = "GET"
    /// To store the body.
    case put = "PUT"
    /// To delete what was stored.
    case delete = "DELETE"
  }

  /// The media type of a unit.
  public static let contentType = "application/vnd.locomotion.unit"

  /// What is asked for.
  public let method: Method
  /// The path below the archive's address, such as `"v1/units/…"`.
  public let path: String
  /// The bearer token; not to be written anywhere.
  public let token: String
  /// The unit; empty when there is none.
  public let body: [UInt8]

  /// A request from its parts.
  public init(_ method: Method, _ path: String, token: String, body: [UInt8] = []) {
    self.method = method
    self.path = path
    self.token = token
    self.body = body
  }
}

/// An answer of the archive, or of whatever answered in its place.
public struct SyncResponse: Hashable, Sendable {
  /// The most bytes of a body that a transport reads.
  public static let largestBody = 65_536

  /// The HTTP status.
  public let status: Int
  /// The seconds of `Retry-After`, if it was there; a transport turns a date into seconds.
  public let retryAfter: Double?
  /// The body, or its beginning.
  public let body: [UInt8]

  /// An answer from its parts.
  public init(status: Int, retryAfter: Double? = nil, body: [UInt8] = []) {
    self.status = status
    self.retryAfter = retryAfter
    self.body = body
  }
}

/// Requests to an archive, with a token that is refreshed when it is refused.
struct ArchiveRequests: Sendable {
  let transport: any SyncTransport
  let authenticator: Authenticator

  /// Sends a request, and once more with a refreshed token when the first one is refused.
  func answer(
    to method: SyncRequest.Method, about subject: SyncSubject, body: [UInt8] = []
  ) async -> SyncAnswer {
    for kind in [TokenRequest.current, .refreshed] {
      let token: String
      do {
        token = try await authenticator(kind)
      } catch {
        return .unauthorized
      }
      // A line break in it could add headers.
      guard !token.isEmpty, token.utf8.allSatisfy({ 33...126 ~= $0 }) else { return .unauthorized }
      do throws(SyncError) {
        let response = try await transport.send(
          SyncRequest(method, subject.path, token: token, body: body))
        // Whoever says so: a server before the archive may know that the token has expired.
        if response.status == 401, kind == .current { continue }
        return SyncAnswer(response, to: method, about: subject)
      } catch .unreachable(let reason) {
        return .later(retryAfter: nil, reason: reason)
      } catch {
        return .later(retryAfter: nil, reason: error.description)
      }
    }
    return .unauthorized
  }
}

extension SyncSession {
  /// Asks an archive to delete all units that a device of the token's user has sent.
  ///
  /// For what no journal knows any more, because it was lost, damaged or cleared: a session asks by
  /// itself for the deletion of what was erased. A device that goes on sends what comes after.
  ///
  /// - Throws: ``SyncError``; then it can be asked again.
  public static func delete(
    unitsOf device: DeviceName, over transport: any SyncTransport,
    authenticator: @escaping Authenticator
  ) async throws(SyncError) {
    let archive = ArchiveRequests(transport: transport, authenticator: authenticator)
    if let problem = await archive.answer(to: .delete, about: .device(device)).problem {
      throw problem
    }
  }
}
