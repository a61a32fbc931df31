public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Requests over HTTP by `URLSession`.
///
/// For Apple's systems: on Linux an answer that ends within its head ends the program, in
/// Foundation; ``HTTPTransport`` is the one for the system.
///
/// Redirections are not followed, so that the token goes to the archive only; cookies and caches
/// are not used.
public final class URLSessionTransport: SyncTransport {
  private let base: URL
  private let session: URLSession
  private let answers: Answers
  private let isBackground: Bool

  /// A transport to the archive at this address.
  ///
  /// - Parameters:
  ///   - base: The address of the archive, under which `v1/units` is.
  ///   - configuration: The rules of the connections; by default ephemeral ones, with a minute for
  ///     silence and ten for a request.
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

  #if !canImport(FoundationNetworking)
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
  #endif

  deinit {
    session.invalidateAndCancel()
  }

  /// Sends one request.
  public func send(_ request: SyncRequest) async throws(SyncTransportError) -> SyncResponse {
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

  private static func write(_ body: [UInt8]) throws(SyncTransportError) -> URL {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    do {
      try Data(body).write(to: file, options: .atomic)
    } catch {
      throw SyncTransportError(reason: "a temporary file cannot be written")
    }
    return file
  }
}

/// Gathers the answers of a session's tasks.
private final class Answers: NSObject, URLSessionDataDelegate {
  typealias Waiting = CheckedContinuation<Result<SyncResponse, SyncTransportError>, Never>

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
        returning: .failure(SyncTransportError(reason: "no answer (\(code))")))
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
