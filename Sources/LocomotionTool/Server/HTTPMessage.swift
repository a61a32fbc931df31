/// The head of a request: all that is known before its body comes.
struct HTTPRequest: Sendable {
  var method: String
  /// Without the query.
  var path: String
  /// Whether the head can be read in one way only; if not, the rest of it means nothing.
  var isExact = true
  /// The header fields that the service asks for, by their names in lower case.
  var fields: [String: String] = [:]
  /// The parts of the query that the service asks for.
  var query: [String: String] = [:]

  /// The length of the body that the client announces.
  var length: Int? { fields["content-length"].flatMap { Int($0) } }
}

/// What is answered to a request.
struct HTTPAnswer: Sendable {
  var status: Int
  /// JSON.
  var body: String
  var fields: [String: String] = [:]

  /// Has the connection ended behind the answer.
  var closing: HTTPAnswer {
    var answer = self
    answer.fields["Connection"] = "close"
    return answer
  }
}

/// What a service says to the head of a request.
enum HTTPAdmission: Sendable {
  /// The body is wanted; the number names who sends it.
  case granted(owner: Int)
  /// The body need not be looked at.
  case refused(HTTPAnswer)
}

/// What a server does with requests; all but a reading happens in the server's own loop.
protocol HTTPService: AnyObject {
  /// The header fields that it wants to see, in lower case.
  var fieldNames: [String] { get }
  /// The parts of the query that it wants to see.
  var queryNames: [String] { get }

  /// What becomes of a request, by its head.
  func admission(of request: HTTPRequest) -> HTTPAdmission
  /// The reading of a body, which may take long and then happens beside the loop.
  func reading(of request: HTTPRequest, body: [UInt8]) -> @Sendable () -> any Sendable
  /// The answer to a request, with what the reading of its body has given.
  func answer(to request: HTTPRequest, with result: any Sendable) -> HTTPAnswer
  /// The answer when so much is being sent at once that there is no room for another body.
  func answerWithoutRoom() -> HTTPAnswer
}

/// Why a server cannot be started.
struct HTTPServerError: Error, CustomStringConvertible {
  let description: String
  /// Whether a file was read and refused, rather than an address not to be had.
  var isInputRejection = false
}

/// A certificate with its chain, and its private key, both in PEM.
struct HTTPCredentials: Sendable {
  var certificate: [UInt8]
  var key: [UInt8]
}

/// What a server grants its clients.
struct HTTPLimits: Sendable {
  /// The longest request line with header fields, bytes.
  var largestHead = 1 << 14
  /// The longest body, and all that one owner sends at a time, bytes.
  var largestBody = 1 << 23
  /// Up to this length a body is read in the loop, bytes.
  var shortBody = 1 << 16
  /// All bodies that are being sent together, bytes.
  var largestBodies = 1 << 25
  /// Connections at a time; then one is closed for another, or the other waits.
  var connections = 512
  /// How long a request may take to come in, seconds.
  var secondsPerRequest = 30.0
}
