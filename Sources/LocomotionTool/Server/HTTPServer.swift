// The package's only contact with libmicrohttpd.
#if Serve
  import CLocomotionMicroHTTPD
  import CLocomotionStopRequest
  import Foundation

  /// An HTTP/1.1 server in one thread, the caller's, which works while ``run()`` runs; long bodies
  /// are read in another.
  ///
  /// Parsing, limits of the head, TLS and everything else of the protocol are libmicrohttpd's. What
  /// is here are the limits that it doesn't have: the time of a whole request, the memory of all
  /// bodies together and of one owner's, which connection is closed when all are taken, and the
  /// refusal of heads that can be read in two ways. A class, because its address goes through the
  /// library.
  @safe final class HTTPServer {
    /// Where it listens.
    let port: Int

    private let service: any HTTPService
    private let limits: HTTPLimits
    private let isSecure: Bool
    private let clock = ContinuousClock()
    private let readings = DispatchQueue(label: "readings")
    private var library: Library?
    /// By the library's own objects.
    private var connections: [UInt: Connection] = [:]
    private var bodyBytes = 0
    /// Of the bodies of each owner.
    private var ownerBytes: [Int: Int] = [:]
    private var lastLook: ContinuousClock.Instant
    /// Until when no connection is taken, because there was no descriptor for one.
    private var pause: ContinuousClock.Instant
    /// So many are accepted beyond the limit, so that a client that waits is seen and another
    /// connection can be closed for it.
    private static let excess = 8

    /// The running library.
    @safe private struct Library {
      let daemon: OpaquePointer
      let listener: Int32

      /// Works for a while, and takes up to `room` connections.
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
      /// The process has no descriptor left for a connection.
      case noDescriptor
      case failed
    }

    /// A connection and the request that comes in on it.
    @safe private final class Connection {
      enum Phase {
        /// Nothing of the first request has been understood.
        case new
        /// The head is there.
        case request
        /// A request was answered, and none has followed.
        case idle
      }

      let handle: OpaquePointer
      let socket: Int32
      let address: UInt64
      /// Who sent the last request with a known token.
      var owner: Int?
      /// What came behind the method: where it is, how long it is, and whether `%00` is not in it.
      var target = (place: UInt(0), size: 0, isWhole: true)
      /// Whether the socket is shut down, so that the library will close it.
      var isEnding = false
      var phase = Phase.new
      var since: ContinuousClock.Instant
      var request: HTTPRequest?
      var refusal: HTTPAnswer?
      var body: [UInt8] = []
      /// The reading of the body that isn't done.
      var reading: HTTPReading?

      init(_ handle: OpaquePointer, since: ContinuousClock.Instant) {
        unsafe self.handle = unsafe handle
        unsafe socket = locomotion_http_socket(handle)
        unsafe address = locomotion_http_peer(handle)
        self.since = since
      }

      static func key(_ handle: OpaquePointer) -> UInt { UInt(bitPattern: handle) }

      /// The head of the request, which has just come.
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

      /// Has the library send an answer; false when it can't.
      func send(_ answer: HTTPAnswer) -> Bool {
        let bytes = Array(answer.body.utf8)
        let made = unsafe bytes.withUnsafeBytes {
          unsafe locomotion_http_response($0.baseAddress, $0.count)
        }
        guard let response = unsafe made else { return false }
        defer { unsafe MHD_destroy_response(response) }
        let fields = ["Content-Type": "application/json", "Cache-Control": "no-store"]
        for (name, value) in fields.merging(answer.fields, uniquingKeysWith: { $1 }) {
          unsafe MHD_add_response_header(response, name, value)
        }
        return unsafe MHD_queue_response(handle, UInt32(answer.status), response)
          == locomotion_http_result(1)
      }

      /// Takes what came behind the method, before the library resolves its percents.
      func take(target: UnsafePointer<CChar>) {
        let text = unsafe String(cString: target)
        self.target = unsafe (UInt(bitPattern: target), strlen(target), !text.contains("%00"))
      }

      /// Answers past the library, which can't before the end of a request, and ends.
      func giveUp(isSecure: Bool) {
        // Through TLS only the library can speak.
        if phase != .idle, !isSecure {
          let head = ["HTTP/1.1 408 Request Timeout", "Connection: close", "Content-Length: 0"]
          let bytes = Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8)
          _ = unsafe bytes.withUnsafeBytes { unsafe write(socket, $0.baseAddress, $0.count) }
        }
        end()
      }

      /// Whether bytes have come that the library hasn't read, because others were served.
      var hasUnread: Bool { locomotion_http_has_unread(socket) != 0 }

      /// Has the library close it.
      func end() {
        shutdown(socket, Int32(SHUT_RDWR))
        isEnding = true
      }

      /// What decides whether it is closed for another.
      func candidate(now: ContinuousClock.Instant) -> HTTPEviction.Candidate {
        let state: HTTPEviction.Candidate.State =
          owner.map { phase == .idle ? .idle(owner: $0) : .busy(owner: $0) }
          ?? .unauthenticated(address: address)
        return HTTPEviction.Candidate(state: state, age: (now - since) / .seconds(1))
      }
    }

    /// Starts to listen; nothing is answered before ``run()``.
    ///
    /// From here on SIGTERM and SIGINT end ``run()``, not the program.
    ///
    /// - Parameters:
    ///   - address: A numeric address, or `localhost`.
    ///   - port: The port; 0 takes a free one.
    ///   - limits: What clients are granted.
    ///   - credentials: With them TLS is spoken, without them plain HTTP.
    ///   - service: What answers them.
    /// - Throws: `HTTPServerError` when that address and port can't be had, or the credentials are
    ///   not a certificate in PEM and its private key.
    init(
      address: String, port: Int, limits: HTTPLimits, credentials: HTTPCredentials?,
      service: any HTTPService
    ) throws(HTTPServerError) {
      self.service = service
      self.limits = limits
      isSecure = credentials != nil
      lastLook = clock.now
      pause = clock.now
      guard credentials == nil || locomotion_http_has_tls() != 0 else {
        throw HTTPServerError(description: "this libmicrohttpd was built without TLS")
      }
      var number = UInt16(clamping: port)
      let listener = unsafe locomotion_http_listen(
        address == "localhost" ? "127.0.0.1" : address, &number)
      guard listener >= 0 else {
        let reason = unsafe String(cString: strerror(errno))
        throw HTTPServerError(description: "\(address), port \(port): \(reason)")
      }
      self.port = Int(number)
      guard let daemon = unsafe start(credentials) else {
        close(listener)
        guard credentials == nil else {
          throw HTTPServerError(
            description: "expected a certificate and its private key, both in PEM",
            isInputRejection: true)
        }
        throw HTTPServerError(description: "\(address), port \(port): the server cannot be started")
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
      // Ended by zero, as C wants it.
      let certificate = credentials.map { $0.certificate.map { CChar(bitPattern: $0) } + [0] }
      let key = credentials.map { $0.key.map { CChar(bitPattern: $0) } + [0] }
      return unsafe locomotion_http_start(
        certificate, key, limits.largestHead,
        // Of itself the library forgives a client that sends a byte now and then; this limit is for
        // one that doesn't take its answer.
        UInt32(clamping: Int(2 * limits.secondsPerRequest) + 5),
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
          guard let server = unsafe HTTPServer.of(context), let handle = unsafe handle else {
            return
          }
          unsafe server.completed(Connection.key(handle))
        },
        { context, handle, _, event in
          guard let server = unsafe HTTPServer.of(context), let handle = unsafe handle else {
            return
          }
          let key = unsafe Connection.key(handle)
          if locomotion_http_is_new(event) != 0 {
            server.connections[key] = unsafe Connection(handle, since: server.clock.now)
          } else {
            server.completed(key)
            server.connections[key] = nil
          }
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> HTTPServer? {
      unsafe context.map { unsafe Unmanaged<HTTPServer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Serves until SIGTERM or SIGINT; then takes no more connections, answers the requests that
    /// are coming in, and stops.
    func run() throws(HTTPServerError) {
      guard let library else { return }
      while locomotion_stop_came() == 0 {
        let isPausing = clock.now < pause
        let room = isPausing ? 0 : limits.connections + Self.excess - connections.count
        let wait: Int32 = isReading ? 5 : isFull || isPausing ? 20 : 200
        switch library.work(milliseconds: wait, room: room) {
        case .done: evict()
        case .noDescriptor:
          pause = clock.now + .milliseconds(100)
          evict(oneMore: true)
        case .failed: throw HTTPServerError(description: "the server cannot wait for requests")
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
      // When the first byte of a request came that follows another, nobody knows.
      if connection.phase == .idle { connection.since = clock.now }
      connection.phase = .request
      connection.request = request
      switch service.admission(of: request) {
      case .granted(let owner):
        connection.owner = owner
        return true
      case .refused(let refusal):
        connection.refusal = refusal
        // A body that isn't too long is let pass: a client that is cut off while it sends may not
        // see the answer. Where a request with an ambiguous head ends, nobody can say.
        let length = request.isExact ? request.length : nil
        let isRead = length.map { 0...2 * limits.largestBody ~= $0 } ?? false
        return isRead || connection.send(refusal.closing)
      }
    }

    /// Takes a piece of a body, as far as there is room.
    private func take(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
      guard connection.refusal == nil, let owner = connection.owner else { return }
      guard bodyBytes + bytes.count <= limits.largestBodies,
        ownerBytes[owner, default: 0] + bytes.count <= limits.largestBody
      else {
        release(connection)
        connection.refusal = service.answerWithoutRoom()
        return
      }
      bodyBytes += bytes.count
      ownerBytes[owner, default: 0] += bytes.count
      unsafe connection.body.append(contentsOf: bytes)
    }

    /// Gives a body's memory back.
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
      if let refusal = connection.refusal { return connection.send(refusal) }
      let result: any Sendable
      if let reading = connection.reading {
        // While nothing is answered the library asks again, each time it works. Its own way to
        // suspend a connection would end one whose client has said that nothing more will come.
        guard let value = reading.result else { return true }
        result = value
        connection.reading = nil
      } else {
        let read = service.reading(of: request, body: connection.body)
        guard connection.body.count <= limits.shortBody else {
          connection.reading = HTTPReading(on: readings, read)
          return true
        }
        result = read()
      }
      return connection.send(service.answer(to: request, with: result))
    }

    private func completed(_ key: UInt) {
      guard let connection = connections[key] else { return }
      release(connection)
      connection.request = nil
      connection.refusal = nil
      connection.reading = nil
      connection.phase = .idle
      connection.since = clock.now
    }

    /// Ends what takes too long: the library only sees clients that send nothing at all.
    private func endSlowRequests() {
      let now = clock.now
      guard now - lastLook > .milliseconds(100) else { return }
      lastLook = now
      for connection in connections.values
      where !connection.isEnding && connection.reading == nil
        && now - connection.since > .seconds(limits.secondsPerRequest)
      {
        connection.giveUp(isSecure: isSecure)
      }
    }

    /// Whether a body is being read beside the loop.
    private var isReading: Bool { connections.values.contains { $0.reading != nil } }

    /// Whether there are more connections than the limit.
    private var isFull: Bool { connections.count > limits.connections }

    /// Closes those connections that exceed the limit.
    private func evict(oneMore: Bool = false) {
      guard isFull || oneMore else { return }
      let now = clock.now
      var candidates = connections.values.filter { !$0.isEnding }
      var excess = oneMore ? 1 : candidates.count - limits.connections
      while excess > 0,
        let index = HTTPEviction.choose(
          among: candidates.map { $0.candidate(now: now) }, limit: limits.connections)
      {
        let chosen = candidates.remove(at: index)
        guard !chosen.hasUnread else { continue }
        chosen.end()
        excess -= 1
      }
    }
  }
#else
  /// What stands for the server in a build without libmicrohttpd.
  final class HTTPServer {
    let port = 0

    init(
      address: String, port: Int, limits: HTTPLimits, credentials: HTTPCredentials?,
      service: any HTTPService
    ) throws(HTTPServerError) {
      throw HTTPServerError(
        description: "this program was built without a server: 'swift build --traits Serve'")
    }

    func run() throws(HTTPServerError) {}
  }
#endif
