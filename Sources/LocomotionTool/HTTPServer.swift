// The package's only contact with libmicrohttpd.
#if Serve
  import CLocomotionMicroHTTPD
  import CLocomotionStopRequest
  import Foundation

  /// An HTTP/1.1 server in one thread, the caller's, which works while ``run()`` runs.
  ///
  /// Parsing, limits of the head and everything else of the protocol are libmicrohttpd's. What is
  /// here are the limits that it doesn't have: the time of a whole request, and the memory of all
  /// bodies together. A class, because its address goes through the library.
  @safe final class HTTPServer {
    /// Where it listens.
    let port: Int

    private let service: any HTTPService
    private let limits: HTTPLimits
    private let clock = ContinuousClock()
    private var library: Library?
    /// By the library's own objects.
    private var connections: [UInt: Connection] = [:]
    private var bodyBytes = 0

    /// The running library.
    @safe private struct Library {
      let daemon: OpaquePointer

      /// Works for a while; false when it can't any more.
      func work(milliseconds: Int32) -> Bool {
        unsafe locomotion_http_run(daemon, milliseconds) != 0
      }

      func stopListening() {
        let listener = unsafe MHD_quiesce_daemon(daemon)
        if listener >= 0 { close(listener) }
      }

      func stop() { unsafe MHD_stop_daemon(daemon) }
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
      var phase = Phase.new
      var since: ContinuousClock.Instant
      var request: HTTPRequest?
      var refusal: HTTPAnswer?
      var body: [UInt8] = []
      /// What of the memory for all bodies is reserved for this one.
      var reserved = 0

      init(_ handle: OpaquePointer, since: ContinuousClock.Instant) {
        unsafe self.handle = unsafe handle
        unsafe socket = locomotion_http_socket(handle)
        self.since = since
      }

      static func key(_ handle: OpaquePointer) -> UInt { UInt(bitPattern: handle) }

      /// The head of the request, which has just come.
      func head(
        _ method: UnsafePointer<CChar>, _ path: UnsafePointer<CChar>, for service: any HTTPService
      ) -> HTTPRequest {
        var request = unsafe HTTPRequest(
          method: String(cString: method), path: String(cString: path))
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

      /// Answers past the library, which can't before the end of a request, and ends.
      func giveUp() {
        if phase != .idle {
          let head = ["HTTP/1.1 408 Request Timeout", "Connection: close", "Content-Length: 0"]
          let bytes = Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8)
          _ = unsafe bytes.withUnsafeBytes { unsafe write(socket, $0.baseAddress, $0.count) }
        }
        shutdown(socket, Int32(SHUT_RDWR))
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
    ///   - service: What answers them.
    /// - Throws: `HTTPServerError` when that address and port can't be had.
    init(
      address: String, port: Int, limits: HTTPLimits, service: any HTTPService
    ) throws(HTTPServerError) {
      self.service = service
      self.limits = limits
      var number = UInt16(clamping: port)
      let listener = unsafe locomotion_http_listen(
        address == "localhost" ? "127.0.0.1" : address, &number)
      guard listener >= 0 else {
        let reason = unsafe String(cString: strerror(errno))
        throw HTTPServerError(description: "\(address), port \(port): \(reason)")
      }
      self.port = Int(number)
      let own = unsafe Unmanaged.passUnretained(self).toOpaque()
      let daemon = unsafe locomotion_http_start(
        listener, limits.largestHead, UInt32(clamping: limits.connections),
        // Of itself the library forgives a client that sends a byte now and then; this limit is for
        // one that doesn't take its answer.
        UInt32(clamping: Int(2 * limits.secondsPerRequest) + 5),
        { context, handle, path, method, _, data, size, marker in
          guard let context = unsafe context, let handle = unsafe handle, let path = unsafe path,
            let method = unsafe method, let size = unsafe size, let marker = unsafe marker
          else { return locomotion_http_result(0) }
          let server = unsafe Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
          guard let connection = unsafe server.connections[Connection.key(handle)] else {
            return locomotion_http_result(0)
          }
          let goesOn: Bool
          if unsafe marker.pointee == nil {
            unsafe marker.pointee = context
            goesOn = server.begin(
              unsafe connection.head(method, path, for: server.service), on: connection)
          } else if unsafe size.pointee > 0, let data = unsafe data {
            if connection.refusal == nil {
              unsafe connection.body.append(
                contentsOf: UnsafeRawBufferPointer(start: data, count: size.pointee))
            }
            unsafe size.pointee = 0
            goesOn = true
          } else {
            goesOn = server.finish(connection)
          }
          return locomotion_http_result(goesOn ? 1 : 0)
        },
        { context, handle, _, _ in
          guard let context = unsafe context, let handle = unsafe handle else { return }
          let server = unsafe Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
          unsafe server.completed(Connection.key(handle))
        },
        { context, handle, _, event in
          guard let context = unsafe context, let handle = unsafe handle else { return }
          let server = unsafe Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
          let key = unsafe Connection.key(handle)
          if locomotion_http_is_new(event) != 0 {
            server.connections[key] = unsafe Connection(handle, since: server.clock.now)
          } else {
            server.completed(key)
            server.connections[key] = nil
          }
        }, own)
      guard let daemon = unsafe daemon else {
        close(listener)
        throw HTTPServerError(description: "\(address), port \(port): the server cannot be started")
      }
      library = unsafe Library(daemon: daemon)
      locomotion_catch_stop()
    }

    deinit {
      library?.stop()
    }

    /// Serves until SIGTERM or SIGINT; then takes no more connections, answers the requests that
    /// are coming in, and stops.
    func run() throws(HTTPServerError) {
      guard let library else { return }
      while locomotion_stop_came() == 0 {
        guard library.work(milliseconds: 200) else {
          throw HTTPServerError(description: "the server cannot wait for requests")
        }
        endSlowRequests()
      }
      library.stopListening()
      let end = clock.now + .seconds(5)
      while connections.values.contains(where: { $0.phase == .request }), clock.now < end {
        guard library.work(milliseconds: 50) else { break }
      }
      library.stop()
      self.library = nil
    }

    // MARK: Requests

    private func begin(_ request: HTTPRequest, on connection: Connection) -> Bool {
      let length = request.length ?? 0
      connection.phase = .request
      connection.request = request
      connection.refusal = service.refusal(of: request)
      if connection.refusal == nil, bodyBytes + length > limits.largestBodies {
        connection.refusal = service.answerWithoutRoom()
      }
      if let refusal = connection.refusal {
        // A body that isn't too long is let pass: a client that is cut off while it sends may not
        // see the answer.
        let isRead = request.length != nil && length <= 2 * limits.largestBody
        return isRead || connection.send(refusal)
      }
      connection.reserved = length
      bodyBytes += length
      return true
    }

    private func finish(_ connection: Connection) -> Bool {
      guard let request = connection.request else { return false }
      return connection.send(
        connection.refusal ?? service.answer(to: request, body: connection.body))
    }

    private func completed(_ key: UInt) {
      guard let connection = connections[key] else { return }
      bodyBytes -= connection.reserved
      connection.reserved = 0
      connection.body = []
      connection.request = nil
      connection.refusal = nil
      connection.phase = .idle
      connection.since = clock.now
    }

    /// Ends what takes too long: the library only sees clients that send nothing at all.
    private func endSlowRequests() {
      let now = clock.now
      for connection in connections.values
      where now - connection.since > .seconds(limits.secondsPerRequest) {
        connection.giveUp()
        // Once is enough: the library closes it now.
        connection.since = now
      }
    }
  }
#else
  /// What stands for the server in a build without libmicrohttpd.
  final class HTTPServer {
    let port = 0

    init(
      address: String, port: Int, limits: HTTPLimits, service: any HTTPService
    ) throws(HTTPServerError) {
      throw HTTPServerError(
        description: "this program was built without a server: 'swift build --traits Serve'")
    }

    func run() throws(HTTPServerError) {}
  }
#endif
