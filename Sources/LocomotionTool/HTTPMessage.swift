/// The head of a request: all that is known before its body comes.
struct HTTPRequest: Sendable {
  var method: String
  /// Without the query.
  var path: String
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
}

/// What a server does with requests; it's called from the server's own loop only.
protocol HTTPService: AnyObject {
  /// The header fields that it wants to see, in lower case.
  var fieldNames: [String] { get }
  /// The parts of the query that it wants to see.
  var queryNames: [String] { get }

  /// The answer to a request whose body need not be looked at; nil to have the body.
  func refusal(of request: HTTPRequest) -> HTTPAnswer?
  /// The answer to a request with its body.
  func answer(to request: HTTPRequest, body: [UInt8]) -> HTTPAnswer
  /// The answer when so much is being sent at once that there is no room for another body.
  func answerWithoutRoom() -> HTTPAnswer
}

/// Why a server cannot be started.
struct HTTPServerError: Error, CustomStringConvertible {
  let description: String
}

/// What a server grants its clients.
struct HTTPLimits: Sendable {
  /// The longest request line with header fields, bytes.
  var largestHead = 1 << 14
  /// The longest body, bytes.
  var largestBody = 1 << 23
  /// All bodies that are being sent together, bytes.
  var largestBodies = 1 << 26
  /// Connections at a time; others wait.
  var connections = 64
  /// How long a request may take to come in, seconds.
  var secondsPerRequest = 30.0
}
