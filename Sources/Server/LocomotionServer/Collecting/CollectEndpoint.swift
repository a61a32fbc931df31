/// Takes units into the archive, and shows each user their days.
///
/// What talks to the store and the database runs outside the server's loop; see
/// ``ArchiveAnswers``.
final class CollectEndpoint: HTTPService {
  let fieldNames = RequestGate.fieldNames + ["content-type", "if-none-match"]
  let queryNames = RequestGate.queryNames + ["device"]

  private let gate: RequestGate
  private let answers: ArchiveAnswers
  private let page: PageFiles?
  private let metrics: CollectMetrics
  /// What `/metrics` answers; nil without.
  var report: MetricsReport?

  /// An endpoint.
  ///
  /// - Parameters:
  ///   - answers: The archive.
  ///   - gate: Who may send.
  ///   - page: What a browser gets at other addresses; nil without a page.
  ///   - metrics: Where requests and units are counted.
  init(
    _ answers: ArchiveAnswers, gate: RequestGate, page: PageFiles?, metrics: CollectMetrics
  ) {
    (self.answers, self.gate, self.page, self.metrics) = (answers, gate, page, metrics)
  }

  /// The requests that were refused since the start.
  var refused: Int { gate.refused }

  func admission(of request: HTTPRequest) -> HTTPAdmission {
    let admission = decision(on: request)
    guard case .refused(let refusal) = admission else { return admission }
    gate.noteRefusal(of: request, refusal)
    return .refused(Self.named(refusal, request))
  }

  /// An answer about a unit or a device, which names it.
  ///
  /// A client accepts no other: what stands in between may answer anything.
  private static func named(_ response: HTTPResponse, _ request: HTTPRequest) -> HTTPResponse {
    // The path of an ambiguous head is not reliable.
    guard request.isExact, let subject = CollectRoute(path: request.path)?.subject else {
      return response
    }
    return response.naming(subject.name, subject.text)
  }

  private func decision(on request: HTTPRequest) -> HTTPAdmission {
    guard request.isExact else {
      return .refused(.error(400, "expected a head that can be read in one way only"))
    }
    let route = CollectRoute(path: request.path)
    if let page, ["GET", "HEAD"].contains(request.method), route == nil {
      return .answered(page.answer(to: request))
    }
    guard let route, route != .metrics || report != nil else {
      return .refused(.error(404, "expected /v1/units/DIGEST, /v1/devices/DEVICE or /v1/days"))
    }
    guard route.methods.contains(request.method) else {
      let allowed = route.methods.joined(separator: ", ")
      return .refused(.error(405, "expected \(allowed)", ["Allow": allowed]))
    }
    let admission = gate.admission(of: request) { request in
      switch (route, request.method) {
      case (.unit, "PUT"): gate.defectOfBody(request) ?? Self.defectOfType(request)
      default: Self.defectOfNoBody(request)
      }
    }
    if case .granted(let owner) = admission, route == .metrics,
      gate.name(of: owner) != report?.reader
    {
      return .refused(.error(403, "expected the token of the user of '--metrics'"))
    }
    return admission
  }

  private static func defectOfType(_ request: HTTPRequest) -> HTTPResponse? {
    let type = request.fields["content-type"]?.lowercased().prefix { $0 != ";" && $0 != " " }
    guard type.map(String.init) == ArchiveAnswers.unitType else {
      return .error(415, "expected the Content-Type \(ArchiveAnswers.unitType)")
    }
    return nil
  }

  private static func defectOfNoBody(_ request: HTTPRequest) -> HTTPResponse? {
    guard request.length ?? 0 == 0, request.fields["transfer-encoding"] == nil else {
      return .error(400, "expected no body")
    }
    return nil
  }

  /// Days are told while units wait for the disk or the database, and the metrics at once.
  func lane(of request: HTTPRequest) -> HTTPLane? {
    if CollectRoute(path: request.path) == .metrics { return nil }
    return ["GET", "HEAD"].contains(request.method) ? .questions : .changes
  }

  func charge(_ seconds: Double, for request: HTTPRequest) { gate.charge(seconds, for: request) }

  func note(_ status: Int, to request: HTTPRequest) { metrics.noteAnswer(status, to: request) }

  func reading(of request: HTTPRequest, body: [UInt8]) -> @Sendable () -> any Sendable {
    guard let route = CollectRoute(path: request.path), let user = gate.name(of: request.owner)
    else { return { ArchiveAnswers.Answer(response: .error(401, "expected a token")) } }
    if route == .metrics, let report {
      let response = HTTPResponse(
        status: 200, body: report.text, fields: ["Content-Type": MetricsText.type])
      return { ArchiveAnswers.Answer(response: response) }
    }
    let (answers, method, device) = (answers, request.method, request.query["device"])
    return { answers.answer(route, method, device: device, body: body, of: user) }
  }

  func answer(to request: HTTPRequest, with result: any Sendable) -> HTTPResponse {
    guard let answer = result as? ArchiveAnswers.Answer else {
      return .error(500, "the archive has failed")
    }
    if let note = answer.note { gate.writeLog("\(request.path.prefix(40)): \(note)") }
    let status = answer.response.status
    if request.method == "PUT", let error = answer.error { metrics.noteRefusal(error) }
    if request.method == "PUT", status == 201 || status == 409 {
      metrics.noteUnit(isNew: status == 201, bytes: request.length ?? 0)
    } else if status >= 400, status != 404 {
      gate.noteRefusal(of: request, answer.response)
    }
    return Self.named(answer.response, request)
  }

  func answerWithoutRoom(to request: HTTPRequest) -> HTTPResponse {
    gate.refused += 1
    return Self.named(.withoutRoom, request)
  }
}
