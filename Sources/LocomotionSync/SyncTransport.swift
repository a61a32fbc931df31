/// How requests reach the archive.
///
/// The library sends over what the app gives it, and over nothing else.
public protocol SyncTransport: Sendable {
  /// Sends one request and returns the answer, whatever its status; redirections are not followed.
  ///
  /// - Throws: ``SyncTransportError`` when no answer came.
  func send(_ request: SyncRequest) async throws(SyncTransportError) -> SyncResponse
}

/// A request to the archive.
public struct SyncRequest: Hashable, Sendable {
  /// What is asked for.
  public enum Method: String, Hashable, Sendable {
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

/// Why no answer came.
public struct SyncTransportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason in one line, without the token and without any data.
  public let reason: String
  /// ``reason``.
  public var description: String { reason }

  /// An error with this reason.
  public init(reason: String) {
    self.reason = reason
  }
}

/// What an answer means for the unit that was sent.
public enum SyncAnswer: Hashable, Sendable {
  /// The archive has the unit: it says so with its digest.
  case confirmed
  /// It will never take the unit, which is parked with this reason.
  case refused(reason: String)
  /// The token is not valid.
  case unauthorized
  /// The token is of another user.
  case forbidden
  /// Later: after the seconds for which the archive asked, if it did. Also an answer that cannot be
  /// the archive's, such as that of a portal.
  case later(retryAfter: Double?, reason: String)

  /// Reads an answer to a unit with this digest.
  ///
  /// - 200, 201 and 409 are a success with the digest in the body, as `{"digest":"<64 hex>"}`, and
  ///   else nothing: portals and proxies answer 200 to everything.
  /// - 401 and 403 concern the token. 407, 408, 425, 429, redirections and errors of a server mean
  ///   later; every other 4xx is final.
  public init(_ response: SyncResponse, digest: SHA256Digest) {
    switch response.status {
    case 200, 201, 409:
      self =
        response.names(digest)
        ? .confirmed
        : .later(
          retryAfter: response.retryAfter,
          reason: "\(response.status) without the digest: not the archive's answer")
    case 401: self = .unauthorized
    case 403: self = .forbidden
    case 407, 408, 425, 429:
      self = .later(retryAfter: response.retryAfter, reason: "\(response.status)")
    case 400..<500:
      self = .refused(reason: "\(response.status) \(response.text)")
    default: self = .later(retryAfter: response.retryAfter, reason: "\(response.status)")
    }
  }
}

extension SyncResponse {
  /// Whether the body is an object with this digest, in whatever spacing.
  fileprivate func names(_ digest: SHA256Digest) -> Bool {
    let spaces: [UInt8] = [9, 10, 13, 32]
    let packed = body.filter { !spaces.contains($0) }
    return String(decoding: packed, as: UTF8.self)
      .contains("\"digest\":\"\(digest.hexadecimal)\"")
  }

  /// The beginning of the body as one line of text.
  var text: String {
    let text = String(decoding: body.prefix(300), as: UTF8.self)
    return String(text.map { $0.isNewline || $0 == "\0" ? " " : $0 })
  }
}
