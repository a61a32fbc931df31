/// The head of a request: everything before its body.
package struct HTTPRequest: Sendable {
  package var method: String
  /// The path without the query.
  package var path: String
  /// Whether the head is unambiguous; if not, its other properties are not reliable.
  package var isExact = true
  /// The values of the service's header fields, by their names in lower case.
  package var fields: [String: String] = [:]
  /// The values of the service's query parameters.
  package var query: [String: String] = [:]
  /// The owner to whom the service has granted the request.
  package var owner: Int?

  /// A head with neither fields nor query.
  package init(method: String, path: String) {
    self.method = method
    self.path = path
  }

  /// The length of the body according to `Content-Length`.
  package var length: Int? { fields["content-length"].flatMap { Int($0) } }

  /// The same request, granted to an owner.
  package func granted(to owner: Int) -> HTTPRequest {
    var request = self
    request.owner = owner
    return request
  }
}

/// The response to a request.
package struct HTTPResponse: Sendable {
  package var status: Int
  package var body: [UInt8]
  package var fields: [String: String] = [:]
  /// The fields of every response that does not have them itself: what it says is somebody's own,
  /// and no page that a browser may run anything of, or show within another.
  package static let usualFields = [
    "Content-Type": "application/json", "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  ]

  package init(status: Int, body: [UInt8], fields: [String: String] = [:]) {
    (self.status, self.body, self.fields) = (status, body, fields)
  }

  /// A response of JSON, unless `fields` say otherwise.
  package init(status: Int, body: String, fields: [String: String] = [:]) {
    self.init(status: status, body: Array(body.utf8), fields: fields)
  }

  /// The same response with one more text in its JSON object; neither part needs an escape.
  package func naming(_ name: String, _ text: String) -> HTTPResponse {
    precondition(body.first == 0x7B, "the body is no JSON object")
    let rest = body.dropFirst()
    var answer = self
    answer.body =
      Array("{\"\(name)\":\"\(text)\"".utf8) + (rest.first == 0x7D ? [] : [0x2C]) + rest
    return answer
  }

  /// The same response, after which the connection is closed.
  package var closing: HTTPResponse {
    var answer = self
    answer.fields["Connection"] = "close"
    return answer
  }
}

/// The kinds of requests that have readers of their own, so that neither waits for the other.
package enum HTTPLane: String, CaseIterable, Sendable {
  /// Those that store or delete something.
  case changes
  /// Those that only ask.
  case questions
}

/// A service's decision on the head of a request.
package enum HTTPAdmission: Sendable {
  /// The body is accepted; `owner` is the index of the user who sends it.
  case granted(owner: Int)
  /// The request is refused without its body.
  case refused(HTTPResponse)
  /// The request has no body, and this is the answer.
  case answered(HTTPResponse)
}

/// The application behind a server; all but the reading of bodies runs in the server's own loop.
package protocol HTTPService: AnyObject {
  /// The header fields that it reads, in lower case.
  var fieldNames: [String] { get }
  /// The query parameters that it reads.
  var queryNames: [String] { get }

  /// The decision on a request by its head.
  func admission(of request: HTTPRequest) -> HTTPAdmission
  /// A function that parses a body, which may take long and then runs outside the loop.
  func reading(of request: HTTPRequest, body: [UInt8]) -> @Sendable () -> any Sendable
  /// Whose readers call ``reading(of:body:)``'s function; nil when that takes long with a long
  /// body only.
  func lane(of request: HTTPRequest) -> HTTPLane?
  /// Takes note of the processor time that a request has cost, which may come in parts.
  func charge(_ seconds: Double, for request: HTTPRequest)
  /// Takes note of the status of a response.
  func note(_ status: Int, to request: HTTPRequest)
  /// The response to a request, with the result of parsing its body.
  func answer(to request: HTTPRequest, with result: any Sendable) -> HTTPResponse
  /// The response to a request when the bodies that are being received leave no memory for another.
  func answerWithoutRoom(to request: HTTPRequest) -> HTTPResponse
}

extension HTTPService {
  package func lane(of request: HTTPRequest) -> HTTPLane? { nil }
  package func charge(_ seconds: Double, for request: HTTPRequest) {}
  package func note(_ status: Int, to request: HTTPRequest) {}
}

/// A certificate with its chain, and its private key, both in PEM.
package struct HTTPCredentials: Sendable {
  package var certificate: [UInt8]
  package var key: [UInt8]

  /// A certificate from its parts.
  package init(certificate: [UInt8], key: [UInt8]) {
    self.certificate = certificate
    self.key = key
  }
}

/// The limits of a server for its clients.
package struct HTTPLimits: Sendable {
  /// The largest request line with header fields, bytes.
  package var largestHead = 1 << 14
  /// The largest body, and the limit for all bodies that one owner sends at a time, bytes.
  package var largestBody = 1 << 23
  /// Up to this length a body is parsed in the loop, bytes.
  package var shortBody = 1 << 16
  /// The limit for all bodies that are being received, bytes.
  package var largestBodies = 1 << 25
  /// The largest number of connections; beyond it a new client waits.
  package var connections = 512
  /// The time limit for receiving a request, seconds.
  package var secondsPerRequest = 30.0
  /// How many requests of each lane are read at a time outside the loop.
  package var readers: [HTTPLane: Int] = [:]
  /// The processor time that the requests of one owner may cost per minute, seconds.
  package var processorSecondsPerMinute = 10.0

  /// The defaults.
  package init() {}
}
