import Foundation
import LocomotionRecordings
import LocomotionServer
import LocomotionServing
import LocomotionTool

/// Answers `GET /metrics` in a thread of its own, at an address of its own, which those who send
/// units need not reach.
///
/// Unchecked, because the server belongs to the thread once that was started.
final class MetricsServer: @unchecked Sendable {
  private let server: HTTPServer
  private let place: MetricsPlace

  init(_ place: MetricsPlace, _ report: MetricsReport) throws(HTTPServerError) {
    self.place = place
    var limits = HTTPLimits()
    limits.connections = 16
    limits.secondsPerRequest = 5
    server = try HTTPServer(
      address: place.address, port: place.port, limits: limits, credentials: nil,
      service: MetricsEndpoint(report))
  }

  /// Starts the thread, which ends with the program.
  func start() {
    let host = place.address.contains(":") ? "[\(place.address)]" : place.address
    StandardError.write("locomotion: metrics at http://\(host):\(server.port)/metrics\n")
    let thread = Thread { [self] in
      do throws(HTTPServerError) {
        try server.run()
      } catch {
        StandardError.write("locomotion: metrics: \(error)\n")
      }
    }
    thread.name = "metrics"
    thread.start()
  }
}

/// The address and the port of the metrics.
struct MetricsPlace {
  let address: String
  let port: Int

  /// The place that `[ADDRESS:]PORT` names.
  init(_ text: String) throws(UsageError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    var address = parts.dropLast().joined(separator: ":")
    if address.hasPrefix("["), address.hasSuffix("]") {
      address = String(address.dropFirst().dropLast())
    }
    guard let port = parts.last.flatMap({ UInt16($0) }), parts.count == 1 || !address.isEmpty
    else {
      throw UsageError("'--metrics \(text)': expected a port, or an address, ':' and a port")
    }
    self.address = parts.count == 1 ? "127.0.0.1" : address
    self.port = Int(port)
  }
}

/// The one page of the metrics' address.
private final class MetricsEndpoint: HTTPService {
  let fieldNames = ["content-length", "transfer-encoding"]
  let queryNames: [String] = []
  private let report: MetricsReport

  init(_ report: MetricsReport) { self.report = report }

  func admission(of request: HTTPRequest) -> HTTPAdmission {
    guard request.isExact, request.path == "/metrics" else {
      return .refused(.error(404, "expected /metrics"))
    }
    guard ["GET", "HEAD"].contains(request.method) else {
      return .refused(.error(405, "expected GET, HEAD", ["Allow": "GET, HEAD"]))
    }
    return .answered(
      HTTPResponse(status: 200, body: report.text, fields: ["Content-Type": MetricsText.type]))
  }

  func reading(of request: HTTPRequest, body: [UInt8]) -> @Sendable () -> any Sendable { { 0 } }

  func answer(to request: HTTPRequest, with result: any Sendable) -> HTTPResponse {
    .error(400, "expected no body")
  }

  func answerWithoutRoom(to request: HTTPRequest) -> HTTPResponse { .withoutRoom }
}
