// The only file of the package that imports libmicrohttpd.
import CLocomotionMicroHTTPD
import CLocomotionStopRequest
import Foundation

/// An HTTP/1.1 server in the caller's thread, which serves while ``run()`` runs; long bodies are
/// parsed in another thread.
///
/// Parsing, limits of the head, TLS and the rest of the protocol are libmicrohttpd's. This class
/// adds the limits that it lacks: the time of a whole request, the memory of all bodies together
/// and of one owner's, and the refusal of ambiguous heads. A class, because the library holds its
/// address.
@safe final class HTTPServer {
  /// The port on which it listens.
  let port: Int

  private let service: any HTTPService
  private let limits: HTTPLimits
  private let isSecure: Bool
  private let clock = ContinuousClock()
  /// What reads bodies outside the loop.
  let readings: HTTPReadings
  private var library: Library?
  /// The open connections, by the library's own objects.
  private var connections: [UInt: Connection] = [:]
  private var bodyBytes = 0
  /// The bytes of the bodies of each owner.
  private var ownerBytes: [Int: Int] = [:]
  private var lastLook: ContinuousClock.Instant
  /// The time until which no connection is accepted, because no file descriptor was left.
  private var pause: ContinuousClock.Instant

  /// The running library.
  @safe private struct Library {
    let daemon: OpaquePointer
    let listener: Int32

    /// Serves for a while, and accepts up to `room` connections.
    func work(milliseconds: Int32, room: Int) -> Work {
      let result = unsafe locomotion_http_run(
        daemon, listener, Int32(clamping: room), milliseconds)
      return switch Int(result) {
      case LOCOMOTION_HTTP_WORKED: .done
      case LOCOMOTION_HTTP_NO_DESCRIPTOR: .noDescriptor
      default: .failed
      }
    }

    func stop() { unsafe MHD_stop_daemon(daemon) }
  }

  private enum Work {
    case done
    /// The process has no file descriptor left for a connection.
    case noDescriptor
    case failed
  }

  /// A connection and the request that is received on it.
  @safe private final class Connection {
    enum Phase {
      /// No request has been parsed yet.
      case new
      /// The head of a request has been received.
      case request
      /// A request was answered, and no other has followed.
      case idle
    }

    let handle: OpaquePointer
    let socket: Int32
    /// The sender of the last request with a valid token.
    var owner: Int?
    /// The request target: its address, its length, and whether it is free of `%00`.
    var target = (place: UInt(0), size: 0, isWhole: true)
    /// Whether the socket is shut down, so that the library will close it.
    var isEnding = false
    var phase = Phase.new
    var since: ContinuousClock.Instant
    var request: HTTPRequest?
    var refusal: HTTPResponse?
    var body: [UInt8] = []
    /// The parsing of the body, while it is not complete.
    var reading: HTTPReading?

    init(_ handle: OpaquePointer, since: ContinuousClock.Instant) {
      unsafe self.handle = unsafe handle
      unsafe socket = locomotion_http_socket(handle)
      self.since = since
    }

    static func key(_ handle: OpaquePointer) -> UInt { UInt(bitPattern: handle) }

    /// The head of the request that has just been received.
    func head(
      _ method: UnsafePointer<CChar>, _ path: UnsafePointer<CChar>,
      _ version: UnsafePointer<CChar>, for service: any HTTPService
    ) -> HTTPRequest {
      var request = unsafe HTTPRequest(
        method: String(cString: method), path: String(cString: path))
      let isExact = unsafe locomotion_http_head_is_exact(
        handle, method, target.place, target.size, version)
      request.isExact =
        isExact != 0 && target.isWhole
        && service.queryNames.allSatisfy { unsafe locomotion_http_query_count(handle, $0) <= 1 }
      for name in service.fieldNames {
        if let value = unsafe locomotion_http_field(handle, name) {
          request.fields[name] = unsafe String(cString: value)
        }
      }
      for name in service.queryNames {
        if let value = unsafe locomotion_http_query(handle, name) {
          request.query[name] = unsafe String(cString: value)
        }
      }
      return request
    }

    /// Queues a response; false when that fails.
    func send(_ answer: HTTPResponse) -> Bool {
      let made = unsafe answer.body.withUnsafeBytes {
        unsafe locomotion_http_response($0.baseAddress, $0.count)
      }
      guard let response = unsafe made else { return false }
      defer { unsafe MHD_destroy_response(response) }
      let fields = HTTPResponse.usualFields
      for (name, value) in fields.merging(answer.fields, uniquingKeysWith: { $1 }) {
        unsafe MHD_add_response_header(response, name, value)
      }
      return unsafe MHD_queue_response(handle, UInt32(answer.status), response)
        == locomotion_http_result(1)
    }

    /// Records the request target, before the library decodes it.
    func take(target: UnsafePointer<CChar>) {
      let text = unsafe String(cString: target)
      self.target = unsafe (UInt(bitPattern: target), strlen(target), !text.contains("%00"))
    }

    /// Sends a status without the library, and closes.
    func end(with status: String, isSecure: Bool) {
      // With TLS only the library can write to the connection.
      if !isSecure {
        let head = ["HTTP/1.1 \(status)", "Connection: close", "Content-Length: 0"]
        let bytes = Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(socket, $0.baseAddress, $0.count) }
      }
      end()
    }

    /// Whether it has a whole head that the library has not handed over.
    var hasHead: Bool { unsafe locomotion_http_has_head(handle) != 0 }

    /// Shuts the socket down, so that the library closes the connection.
    func end() {
      shutdown(socket, Int32(SHUT_RDWR))
      isEnding = true
    }
  }

  /// Starts to listen; no request is answered before ``run()``.
  ///
  /// From here on SIGTERM and SIGINT end ``run()``, not the program.
  ///
  /// - Parameters:
  ///   - address: A numeric address, or `localhost`.
  ///   - port: The port; 0 chooses a free one.
  ///   - limits: The limits for clients.
  ///   - credentials: With them the server uses TLS, without them plain HTTP.
  ///   - service: The application that answers requests.
  /// - Throws: `ServerError` when the address and port are not available, or the credentials
  ///   are not a certificate in PEM and its private key.
  init(
    address: String, port: Int, limits: HTTPLimits, credentials: HTTPCredentials?,
    service: any HTTPService
  ) throws(ServerError) {
    self.service = service
    self.limits = limits
    isSecure = credentials != nil
    readings = HTTPReadings(counts: limits.readers) { locomotion_http_processor_seconds() }
    lastLook = clock.now
    pause = clock.now
    locomotion_http_return_memory()
    guard credentials == nil || locomotion_http_has_tls() != 0 else {
      throw .unavailable("this libmicrohttpd was built without TLS")
    }
    var number = UInt16(clamping: port)
    let listener = unsafe locomotion_http_listen(
      address == "localhost" ? "127.0.0.1" : address, &number)
    guard listener >= 0 else {
      let reason = unsafe String(cString: strerror(errno))
      throw .unavailable("\(address), port \(port): \(reason)")
    }
    self.port = Int(number)
    guard let daemon = unsafe start(credentials) else {
      close(listener)
      guard credentials == nil else {
        throw .rejected("expected a certificate and its private key, both in PEM")
      }
      throw .unavailable("\(address), port \(port): the server cannot be started")
    }
    library = unsafe Library(daemon: daemon, listener: listener)
    locomotion_catch_stop()
  }

  deinit {
    guard let library else { return }
    close(library.listener)
    library.stop()
  }

  private func start(_ credentials: HTTPCredentials?) -> OpaquePointer? {
    // Null-terminated for C.
    let certificate = credentials.map { $0.certificate.map { CChar(bitPattern: $0) } + [0] }
    let key = credentials.map { $0.key.map { CChar(bitPattern: $0) } + [0] }
    return unsafe locomotion_http_start(
      certificate, key, limits.largestHead,
      // The library's timeout restarts with every byte that a client sends; this one is for a
      // client that does not read its response.
      UInt32(clamping: Int(2 * limits.secondsPerRequest) + 5),
      { context, _, _ in unsafe HTTPServer.of(context)?.refuseHead() },
      { context, handle, path, method, version, data, size, marker in
        guard let server = unsafe HTTPServer.of(context), let handle = unsafe handle,
          let path = unsafe path, let method = unsafe method, let version = unsafe version,
          let size = unsafe size, let marker = unsafe marker,
          let connection = unsafe server.connections[Connection.key(handle)]
        else { return locomotion_http_result(0) }
        let goesOn: Bool
        if unsafe marker.pointee == nil {
          unsafe marker.pointee = context
          goesOn = server.begin(
            unsafe connection.head(method, path, version, for: server.service), on: connection)
        } else if unsafe size.pointee > 0, let data = unsafe data {
          unsafe server.take(
            UnsafeRawBufferPointer(start: data, count: size.pointee), on: connection)
          unsafe size.pointee = 0
          goesOn = true
        } else {
          goesOn = server.finish(connection)
        }
        return locomotion_http_result(goesOn ? 1 : 0)
      },
      { context, target, handle in
        if let server = unsafe HTTPServer.of(context), let handle = unsafe handle,
          let target = unsafe target
        {
          unsafe server.connections[Connection.key(handle)]?.take(target: target)
        }
        return nil
      },
      { context, handle, _, _ in
        if let server = unsafe HTTPServer.of(context), let handle = unsafe handle {
          unsafe server.completed(Connection.key(handle))
        }
      },
      { context, handle, _, event in
        if let server = unsafe HTTPServer.of(context), let handle = unsafe handle {
          unsafe server.changed(handle, isNew: locomotion_http_is_new(event) != 0)
        }
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> HTTPServer? {
    unsafe context.map { unsafe Unmanaged<HTTPServer>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Serves until SIGTERM or SIGINT; then accepts no more connections, answers the requests that
  /// are being received, and stops.
  func run() throws(ServerError) {
    guard let library else { return }
    while locomotion_stop_came() == 0 {
      let isPausing = clock.now < pause
      let room = isPausing ? 0 : limits.connections - connections.count
      let wait: Int32 = isReading ? 5 : isPausing ? 20 : 200
      switch library.work(milliseconds: wait, room: room) {
      case .done: break
      case .noDescriptor: pause = clock.now + .milliseconds(100)
      case .failed: throw .unavailable("the server cannot wait for requests")
      }
      endSlowRequests()
    }
    close(library.listener)
    let end = clock.now + .seconds(5)
    while connections.values.contains(where: { $0.phase == .request }), clock.now < end {
      guard case .done = library.work(milliseconds: 5, room: 0) else { break }
    }
    library.stop()
    self.library = nil
  }

  // MARK: Requests

  private func begin(_ request: HTTPRequest, on connection: Connection) -> Bool {
    // The first byte of a request on a used connection has no recorded time.
    if connection.phase == .idle { connection.since = clock.now }
    connection.phase = .request
    connection.request = request
    switch service.admission(of: request) {
    case .granted(let owner):
      connection.owner = owner
      connection.request = request.granted(to: owner)
      return true
    case .refused(let refusal):
      connection.refusal = refusal
      // A body of moderate length is received and ignored: a client that is disconnected while it
      // sends may not see the response. Where a request with an ambiguous head ends is unknown.
      let length = request.isExact ? request.length : nil
      let isRead = length.map { 0...2 * limits.largestBody ~= $0 } ?? false
      return isRead || send(refusal.closing, on: connection)
    case .answered(let answer):
      // A body all the same is not read: where it ends is where the connection does.
      guard request.length ?? 0 == 0, request.fields["transfer-encoding"] == nil else {
        return send(answer.closing, on: connection)
      }
      connection.refusal = answer
      return true
    }
  }

  private func send(_ answer: HTTPResponse, on connection: Connection) -> Bool {
    if let request = connection.request { service.note(answer.status, to: request) }
    return connection.send(answer)
  }

  /// Adds a part of a body, as far as there is room.
  private func take(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
    guard connection.refusal == nil, let owner = connection.owner,
      let request = connection.request
    else { return }
    guard bodyBytes + bytes.count <= limits.largestBodies,
      ownerBytes[owner, default: 0] + bytes.count <= limits.largestBody
    else {
      release(connection)
      connection.refusal = service.answerWithoutRoom(to: request)
      return
    }
    bodyBytes += bytes.count
    ownerBytes[owner, default: 0] += bytes.count
    unsafe connection.body.append(contentsOf: bytes)
  }

  /// Releases the memory of a body.
  private func release(_ connection: Connection) {
    bodyBytes -= connection.body.count
    if let owner = connection.owner {
      let left = (ownerBytes[owner] ?? 0) - connection.body.count
      ownerBytes[owner] = left > 0 ? left : nil
    }
    connection.body = []
  }

  private func finish(_ connection: Connection) -> Bool {
    guard let request = connection.request else { return false }
    if let refusal = connection.refusal { return send(refusal, on: connection) }
    let start = locomotion_http_processor_seconds()
    let result: any Sendable
    if let reading = connection.reading {
      // Without a response the library calls again in each iteration. Its own function to suspend
      // a connection would close one whose client has finished sending.
      guard let outcome = reading.outcome else { return true }
      result = outcome.value
      service.charge(outcome.processorSeconds, for: request)
      connection.reading = nil
    } else {
      let read = service.reading(of: request, body: connection.body)
      let lane = service.lane(of: request)
      guard connection.body.count <= limits.shortBody, lane == nil else {
        guard
          let reading = readings.begin(lane ?? .changes, of: connection.owner ?? 0, read)
        else { return send(service.answerWithoutRoom(to: request), on: connection) }
        connection.reading = reading
        // The reading has the body; its memory still counts until the answer.
        return true
      }
      result = read()
    }
    let answer = service.answer(to: request, with: result)
    service.charge(locomotion_http_processor_seconds() - start, for: request)
    return send(answer, on: connection)
  }

  /// A connection was opened, or closed.
  private func changed(_ handle: OpaquePointer, isNew: Bool) {
    let key = unsafe Connection.key(handle)
    if isNew {
      connections[key] = unsafe Connection(handle, since: clock.now)
    } else {
      completed(key)
      connections[key] = nil
    }
  }

  private func completed(_ key: UInt) {
    guard let connection = connections[key] else { return }
    release(connection)
    if let reading = connection.reading { readings.cancel(reading) }
    connection.request = nil
    connection.refusal = nil
    connection.reading = nil
    connection.phase = .idle
    connection.since = clock.now
  }

  /// Ends requests that take too long: the library only notices clients that send nothing at all.
  private func endSlowRequests() {
    let now = clock.now
    guard now - lastLook > .milliseconds(100) else { return }
    lastLook = now
    for connection in connections.values
    where !connection.isEnding && connection.reading == nil
      && now - connection.since > .seconds(limits.secondsPerRequest)
    {
      // The library cannot answer before the end of a request.
      if connection.phase == .idle {
        connection.end()
      } else {
        connection.end(with: "408 Request Timeout", isSecure: isSecure)
      }
      if let request = connection.request { service.note(408, to: request) }
    }
  }

  /// Whether a body is being parsed outside the loop.
  private var isReading: Bool { connections.values.contains { $0.reading != nil } }

  /// Refuses the head that the library is about to refuse itself.
  ///
  /// Of such an answer the library (0.9.75) sends the head twice. It logs its reason before, and
  /// then finds the connection closed.
  private func refuseHead() {
    for connection in connections.values
    where connection.phase != .request && !connection.isEnding && connection.hasHead {
      connection.end(with: "400 Bad Request", isSecure: isSecure)
    }
  }
}
