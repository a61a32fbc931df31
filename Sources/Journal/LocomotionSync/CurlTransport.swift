#if os(Linux)
  internal import CLocomotionCurl
  public import Foundation
  internal import Synchronization

  /// Requests over HTTP by libcurl, on Linux.
  ///
  /// Foundation's `URLSession` ends the whole program there when an answer ends within its head,
  /// and takes a processor for a minute when a connection ends before an answer: any network can do
  /// both. Redirections are not followed, so that the token goes to the archive only; cookies and
  /// caches are not used.
  public final class CurlTransport: SyncTransport {
    /// The seconds to connect, of silence, and of a whole request.
    private static let seconds = (connecting: 30, silence: 60, whole: 600)
    private static let library: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    private let base: String
    private let queue = DispatchQueue(label: "LocomotionSync.CurlTransport")
    private let connection: Connection

    /// A transport to the archive at this address, under which `v1/units` is.
    public init(to base: URL) {
      let text = base.absoluteString
      self.base = text.hasSuffix("/") ? text : text + "/"
      connection = Connection()
    }

    /// Sends one request; several are sent one after the other.
    public func send(_ request: SyncRequest) async throws(SyncTransportError) -> SyncResponse {
      let (base, connection) = (base, connection)
      let exchange = Exchange()
      let result: Result<SyncResponse, SyncTransportError> = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          queue.async {
            do throws(SyncTransportError) {
              let answer = try connection.perform(request, base + request.path, exchange)
              continuation.resume(returning: .success(answer))
            } catch {
              continuation.resume(returning: .failure(error))
            }
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
      ) throws(SyncTransportError) -> SyncResponse {
        guard CurlTransport.library == CURLE_OK else {
          throw SyncTransportError(reason: "libcurl does not start")
        }
        if unsafe handle == nil { unsafe handle = unsafe curl_easy_init() }
        guard let handle = unsafe handle else {
          throw SyncTransportError(reason: "no memory for a connection")
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
          throw SyncTransportError(reason: unsafe String(cString: curl_easy_strerror(result)))
        }
        let wait = unsafe locomotion_curl_retry_after(handle)
        let answer = SyncResponse(
          status: unsafe locomotion_curl_status(handle), retryAfter: wait > 0 ? Double(wait) : nil,
          body: exchange.body)
        guard answer.status > 0 else { throw SyncTransportError(reason: "no HTTP status") }
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

  /// The transport over HTTP that is right on this system.
  public typealias HTTPTransport = CurlTransport
#else
  /// The transport over HTTP that is right on this system.
  public typealias HTTPTransport = URLSessionTransport
#endif
