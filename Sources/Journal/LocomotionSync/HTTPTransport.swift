public import Foundation

#if os(Linux)
  // With the archive's store the only file of the package that imports libcurl.
  internal import CLocomotionCurl
  internal import Synchronization

  /// Requests over HTTP: on Linux by libcurl, on Apple's systems by `URLSession`.
  ///
  /// Foundation's `URLSession` ends the whole program on Linux when an answer ends within its head,
  /// and takes a processor for a minute when a connection ends before an answer: any network can do
  /// both. Redirections are not followed, so that the token goes to the archive only; cookies and
  /// caches are not used.
  public final class HTTPTransport: SyncTransport {
    /// The seconds to connect, of silence, and of a whole request.
    private static let seconds = (connecting: 30, silence: 60, whole: 600)
    private static let library: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    private let base: String
    private let queue = DispatchQueue(label: "LocomotionSync.HTTPTransport")
    private let connection: Connection

    /// A transport to the archive at this address, under which `v1/units` is.
    public init(to base: URL) {
      let text = base.absoluteString
      self.base = text.hasSuffix("/") ? text : text + "/"
      connection = Connection()
    }

    /// Sends one request; several are sent one after the other.
    public func send(_ request: SyncRequest) async throws(SyncError) -> SyncResponse {
      let (base, connection) = (base, connection)
      let exchange = Exchange()
      let result: Result<SyncResponse, SyncError> = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          queue.async {
            let result = Result { () throws(SyncError) in
              try connection.perform(request, base + request.path, exchange)
            }
            continuation.resume(returning: result)
          }
        }
      } onCancel: {
        exchange.isCancelled.store(true, ordering: .relaxed)
      }
      return try result.get()
    }

    /// What one request has received.
    ///
    /// Unchecked, because the body belongs to the queue's thread alone.
    private final class Exchange: @unchecked Sendable {
      let isCancelled = Atomic(false)
      var body: [UInt8] = []
    }

    /// The library's connection, which is kept for the next request.
    ///
    /// Unchecked, because the transport's queue uses it, one request at a time.
    @safe private final class Connection: @unchecked Sendable {
      private var handle: UnsafeMutableRawPointer?

      deinit { unsafe curl_easy_cleanup(handle) }

      func perform(
        _ request: SyncRequest, _ address: String, _ exchange: Exchange
      ) throws(SyncError) -> SyncResponse {
        guard HTTPTransport.library == CURLE_OK else {
          throw .unreachable(reason: "libcurl does not start")
        }
        if unsafe handle == nil { unsafe handle = unsafe curl_easy_init() }
        guard let handle = unsafe handle else {
          throw .unreachable(reason: "no memory for a connection")
        }
        // Without the last one it waits a second for a `100 Continue` that not every server sends.
        let fields = [
          "Authorization: Bearer \(request.token)", "Content-Type: \(SyncRequest.contentType)",
          "Expect:",
        ]
        var list: UnsafeMutablePointer<curl_slist>?
        for field in fields { unsafe list = unsafe curl_slist_append(list, field) }
        defer { unsafe curl_slist_free_all(list) }
        let result = unsafe Self.perform(request, address, exchange, handle, list)
        let isFull = exchange.body.count >= SyncResponse.largestBody
        guard result == CURLE_OK || isFull else {
          throw .unreachable(reason: unsafe String(cString: curl_easy_strerror(result)))
        }
        let wait = unsafe locomotion_curl_retry_after(handle)
        let answer = SyncResponse(
          status: unsafe locomotion_curl_status(handle), retryAfter: wait > 0 ? Double(wait) : nil,
          body: exchange.body)
        guard answer.status > 0 else { throw .unreachable(reason: "no HTTP status") }
        return answer
      }

      private static func perform(
        _ request: SyncRequest, _ address: String, _ exchange: Exchange,
        _ handle: UnsafeMutableRawPointer, _ fields: UnsafeMutablePointer<curl_slist>?
      ) -> CURLcode {
        let context = unsafe Unmanaged.passUnretained(exchange).toOpaque()
        var status = 0
        return withExtendedLifetime(exchange) {
          let prepared = unsafe locomotion_curl_prepare_cancellable(
            handle, seconds.connecting, seconds.silence, seconds.whole, received, progress, context)
          guard prepared == CURLE_OK else { return prepared }
          let method = request.method.rawValue
          guard !request.body.isEmpty else {
            return unsafe locomotion_curl_perform(
              handle, method, address, fields, nil, context, &status)
          }
          return unsafe request.body.withUnsafeBufferPointer { buffer in
            var upload = unsafe locomotion_curl_upload(
              bytes: buffer.baseAddress, count: buffer.count, taken: 0)
            return unsafe locomotion_curl_perform(
              handle, method, address, fields, &upload, context, &status)
          }
        }
      }

      /// Takes a part of the body; ends the transfer when there is more than is read.
      private static let received:
        @convention(c) (
          UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?
        ) -> Int = { data, size, count, context in
          guard let data = unsafe data, let context = unsafe context else { return 0 }
          let exchange = unsafe Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
          let part = min(size * count, SyncResponse.largestBody - exchange.body.count)
          unsafe exchange.body.append(
            contentsOf: UnsafeRawBufferPointer(start: data, count: part))
          return exchange.body.count < SyncResponse.largestBody ? size * count : 0
        }

      /// Ends the transfer when the task is cancelled.
      private static let progress:
        @convention(c) (
          UnsafeMutableRawPointer?, curl_off_t, curl_off_t, curl_off_t, curl_off_t
        ) -> Int32 = { context, _, _, _, _ in
          guard let context = unsafe context else { return 1 }
          let exchange = unsafe Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
          return exchange.isCancelled.load(ordering: .relaxed) ? 1 : 0
        }
    }
  }
#else
  /// Requests over HTTP: on Linux by libcurl, on Apple's systems by `URLSession`.
  ///
  /// Redirections are not followed, so that the token goes to the archive only; cookies and caches
  /// are not used.
  public final class HTTPTransport: SyncTransport {
    private let base: URL
    private let session: URLSession
    private let answers: Answers
    private let isBackground: Bool

    /// A transport to the archive at this address.
    ///
    /// - Parameters:
    ///   - base: The address of the archive, under which `v1/units` is.
    ///   - configuration: The rules of the connections; by default ephemeral ones, with a minute
    ///     for silence and ten for a request.
    public init(to base: URL, configuration: URLSessionConfiguration? = nil) {
      self.base = base
      let answers = Answers()
      self.answers = answers
      let usual = URLSessionConfiguration.ephemeral
      usual.timeoutIntervalForRequest = 60
      usual.timeoutIntervalForResource = 600
      usual.httpCookieStorage = nil
      usual.urlCache = nil
      session = URLSession(
        configuration: configuration ?? usual, delegate: answers, delegateQueue: nil)
      isBackground = false
    }

    /// A transport whose uploads go on while the app is suspended.
    ///
    /// A unit is written to a file first, which the system reads. When the app is ended in between,
    /// the next session sends the unit again, and the archive answers that it has it.
    ///
    /// - Parameters:
    ///   - base: The address of the archive.
    ///   - identifier: The name of the background session, one for each user.
    public init(to base: URL, backgroundIdentifier identifier: String) {
      self.base = base
      let answers = Answers()
      self.answers = answers
      let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
      configuration.isDiscretionary = false
      configuration.httpCookieStorage = nil
      session = URLSession(configuration: configuration, delegate: answers, delegateQueue: nil)
      isBackground = true
    }

    deinit {
      session.invalidateAndCancel()
    }

    /// Sends one request.
    public func send(_ request: SyncRequest) async throws(SyncError) -> SyncResponse {
      var message = URLRequest(url: base.appendingPathComponent(request.path))
      message.httpMethod = request.method.rawValue
      message.setValue("Bearer \(request.token)", forHTTPHeaderField: "Authorization")
      if !request.body.isEmpty {
        message.setValue(SyncRequest.contentType, forHTTPHeaderField: "Content-Type")
      }
      let file = isBackground && !request.body.isEmpty ? try Self.write(request.body) : nil
      defer { if let file { try? FileManager.default.removeItem(at: file) } }
      let task: URLSessionTask =
        if let file {
          session.uploadTask(with: message, fromFile: file)
        } else if !request.body.isEmpty {
          session.uploadTask(with: message, from: Data(request.body))
        } else {
          session.dataTask(with: message)
        }
      let result = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          answers.expect(task.taskIdentifier, continuation)
          task.resume()
        }
      } onCancel: {
        task.cancel()
      }
      return try result.get()
    }

    private static func write(_ body: [UInt8]) throws(SyncError) -> URL {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      do {
        try Data(body).write(to: file, options: .atomic)
      } catch {
        throw .unreachable(reason: "a temporary file cannot be written")
      }
      return file
    }
  }

  /// Gathers the answers of a session's tasks.
  private final class Answers: NSObject, URLSessionDataDelegate {
    typealias Waiting = CheckedContinuation<Result<SyncResponse, SyncError>, Never>

    private struct Answer {
      var waiting: Waiting
      var body: [UInt8] = []
    }

    private let answers = Locked<[Int: Answer]>([:])

    func expect(_ task: Int, _ waiting: Waiting) {
      answers.withLock { $0[task] = Answer(waiting: waiting) }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
      completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      let isFull = answers.withLock { answers in
        guard var answer = answers.removeValue(forKey: dataTask.taskIdentifier) else { return true }
        answer.body += data.prefix(SyncResponse.largestBody - answer.body.count)
        let isFull = answer.body.count >= SyncResponse.largestBody
        answers[dataTask.taskIdentifier] = answer
        return isFull
      }
      if isFull { dataTask.cancel() }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      guard let answer = answers.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else {
        return
      }
      guard let response = task.response as? HTTPURLResponse,
        error == nil || answer.body.count >= SyncResponse.largestBody
      else {
        // Not the error's own words, which may hold the address with its path.
        let code = (error as? URLError)?.code.rawValue ?? 0
        answer.waiting.resume(
          returning: .failure(.unreachable(reason: "no answer (\(code))")))
        return
      }
      answer.waiting.resume(
        returning: .success(
          SyncResponse(
            status: response.statusCode,
            retryAfter: Self.seconds(response.value(forHTTPHeaderField: "Retry-After")),
            body: answer.body)))
    }

    /// The seconds of a `Retry-After`, which is a number or a date (RFC 9110, 10.2.3).
    private static func seconds(_ text: String?) -> Double? {
      guard let text else { return nil }
      if let seconds = Double(text) { return seconds.isFinite ? max(0, seconds) : nil }
      let format = DateFormatter()
      format.locale = Locale(identifier: "en_US_POSIX")
      format.timeZone = TimeZone(identifier: "GMT")
      format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
      return format.date(from: text).map { max(0, $0.timeIntervalSinceNow) }
    }
  }
#endif
