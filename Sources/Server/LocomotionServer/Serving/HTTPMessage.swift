/// The head of a request: everything before its body.
struct HTTPRequest: Sendable {
  var method: String
  /// The path without the query.
  var path: String
  /// Whether the head is unambiguous; if not, its other properties are not reliable.
  var isExact = true
  /// The values of the service's header fields, by their names in lower case.
  var fields: [String: String] = [:]
  /// The values of the service's query parameters.
  var query: [String: String] = [:]
  /// The owner to whom the service has granted the request.
  var owner: Int?

  /// A head with neither fields nor query.
  init(method: String, path: String) {
    self.method = method
    self.path = path
  }

  /// The length of the body according to `Content-Length`.
  var length: Int? { fields["content-length"].flatMap { Int($0) } }

  /// The same request, granted to an owner.
  func granted(to owner: Int) -> HTTPRequest {
    var request = self
    request.owner = owner
    return request
  }
}

/// The response to a request.
struct HTTPResponse: Sendable {
  var status: Int
  var body: [UInt8]
  var fields: [String: String] = [:]
  /// The fields of every response that does not have them itself: what it says is somebody's own,
  /// and no page that a browser may run anything of, or show within another.
  static let usualFields = [
    "Content-Type": "application/json", "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  ]

  init(status: Int, body: [UInt8], fields: [String: String] = [:]) {
    (self.status, self.body, self.fields) = (status, body, fields)
  }

  /// A response of JSON, unless `fields` say otherwise.
  init(status: Int, body: String, fields: [String: String] = [:]) {
    self.init(status: status, body: Array(body.utf8), fields: fields)
  }

  /// The same response with one more text in its JSON object; neither part needs an escape.
  func naming(_ name: String, _ text: String) -> HTTPResponse {
    precondition(body.first == 0x7B, "the body is no JSON object")
    let rest = body.dropFirst()
    var answer = self
    answer.body =
      Array("{\"\(name)\":\"\(text)\"".utf8) + (rest.first == 0x7D ? [] : [0x2C]) + rest
    return answer
  }

  /// The same response, after which the connection is closed.
  var closing: HTTPResponse {
    var answer = self
    answer.fields["Connection"] = "close"
    return answer
  }
}

/// The kinds of requests that have readers of their own, so that neither waits for the other.
enum HTTPLane: String, CaseIterable, Sendable {
  /// Those that store or delete something.
  case changes
  /// Those that only ask.
  case questions
}

/// A service's decision on the head of a request.
enum HTTPAdmission: Sendable {
  /// The body is accepted; `owner` is the index of the user who sends it.
  case granted(owner: Int)
  /// The request is refused without its body.
  case refused(HTTPResponse)
  /// The request has no body, and this is the answer.
  case answered(HTTPResponse)
}

/// The application behind a server; all but the reading of bodies runs in the server's own loop.
protocol HTTPService: AnyObject {
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
  func lane(of request: HTTPRequest) -> HTTPLane? { nil }
  func charge(_ seconds: Double, for request: HTTPRequest) {}
  func note(_ status: Int, to request: HTTPRequest) {}
}

/// A certificate with its chain, and its private key, both in PEM.
struct HTTPCredentials: Sendable {
  var certificate: [UInt8]
  var key: [UInt8]

  /// A certificate from its parts.
  init(certificate: [UInt8], key: [UInt8]) {
    self.certificate = certificate
    self.key = key
  }
}

/// The limits of a server for its clients.
struct HTTPLimits: Sendable {
  /// The largest request line with header fields, bytes.
  var largestHead = 1 << 14
  /// The largest body, and the limit for all bodies that one owner sends at a time, bytes.
  var largestBody = 1 << 23
  /// Up to this length a body is parsed in the loop, bytes.
  var shortBody = 1 << 16
  /// The limit for all bodies that are being received, bytes.
  var largestBodies = 1 << 25
  /// The largest number of connections; beyond it a new client waits.
  var connections = 512
  /// The time limit for receiving a request, seconds.
  var secondsPerRequest = 30.0
  /// How many requests of each lane are read at a time outside the loop.
  var readers: [HTTPLane: Int] = [:]
  /// The processor time that the requests of one owner may cost per minute, seconds.
  var processorSecondsPerMinute = 10.0

  /// The defaults.
  init() {}
}
