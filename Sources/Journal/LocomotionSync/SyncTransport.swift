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
