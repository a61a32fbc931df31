// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What Apple's Foundation has and that of Linux keeps in a module of its own, in outline. It is
// checked as a part of the module that uses it.
public import Foundation

public final class URLSessionConfiguration: NSObject {
  public static var ephemeral: URLSessionConfiguration { URLSessionConfiguration() }
  public static func background(withIdentifier identifier: String) -> URLSessionConfiguration {
    URLSessionConfiguration()
  }
  public var timeoutIntervalForRequest = 0.0
  public var timeoutIntervalForResource = 0.0
  public var httpCookieStorage: NSObject?
  public var urlCache: NSObject?
  public var isDiscretionary = true
}

public struct URLRequest: Sendable {
  public init(url: URL) {}
  public var httpMethod: String?
  public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {}
}

open class URLResponse: NSObject, @unchecked Sendable {}

public final class HTTPURLResponse: URLResponse, @unchecked Sendable {
  public var statusCode: Int { 0 }
  public func value(forHTTPHeaderField field: String) -> String? { nil }
}

open class URLSessionTask: NSObject, @unchecked Sendable {
  public var taskIdentifier: Int { 0 }
  public var response: URLResponse? { nil }
  public func resume() {}
  public func cancel() {}
}

public final class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
public final class URLSessionUploadTask: URLSessionTask, @unchecked Sendable {}

public final class URLSession: NSObject, Sendable {
  public init(
    configuration: URLSessionConfiguration, delegate: (any URLSessionDataDelegate)?,
    delegateQueue: OperationQueue?
  ) {}
  public func invalidateAndCancel() {}
  public func dataTask(with request: URLRequest) -> URLSessionDataTask { URLSessionDataTask() }
  public func uploadTask(with request: URLRequest, from data: Data) -> URLSessionUploadTask {
    URLSessionUploadTask()
  }
  public func uploadTask(with request: URLRequest, fromFile file: URL) -> URLSessionUploadTask {
    URLSessionUploadTask()
  }
}

/// All methods are optional on Apple's systems.
public protocol URLSessionDataDelegate: NSObjectProtocol, Sendable {
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void)
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}
