// With the transport of LocomotionSync the only file of the package that imports libcurl.
internal import CLocomotionCurl
internal import Foundation
internal import LocomotionSync

/// Objects in a bucket of a service that speaks S3.
///
/// libcurl signs the requests (AWS Signature Version 4), over the digest of the body. An object
/// is put on condition that there is none (`If-None-Match: *`), so that a repetition changes
/// nothing; where the service knows no conditions (501), it is looked for before. Damaged bytes
/// under its name are replaced. In a bucket with versions a deletion leaves the versions:
/// ``deleteAll(of:)`` is only an erasure in one without.
package final class S3ObjectStore: ObjectStore {
  /// Where a bucket is and who uses it.
  package struct Settings: Sendable {
    /// The address of the service, such as `https://s3.eu-central-1.amazonaws.com`.
    package var endpoint: String
    /// The bucket, which must be there.
    package var bucket: String
    /// What every object's name begins with, without a slash at either end; empty for nothing.
    package var prefix: String
    /// The region, which is part of the signature.
    package var region: String
    /// The public part of the credentials.
    package var accessKey: String
    /// The secret part of the credentials.
    package var secretKey: String
    /// A temporary session's token; nil for credentials that last.
    package var sessionToken: String?
    /// The limit for making a connection, seconds.
    package var secondsToConnect = 5
    /// The limit for a whole request, seconds.
    package var secondsPerRequest = 30

    /// Settings with the usual limits of time.
    package init(
      endpoint: String, bucket: String, prefix: String = "", region: String, accessKey: String,
      secretKey: String, sessionToken: String? = nil
    ) {
      (self.endpoint, self.bucket, self.prefix) = (endpoint, bucket, prefix)
      (self.region, self.accessKey, self.secretKey) = (region, accessKey, secretKey)
      self.sessionToken = sessionToken
    }
  }

  private let settings: Settings
  /// The address of the bucket, without a slash at the end.
  private let address: String
  private let idle = Locked<[Handle]>([])
  /// The largest body that is read: a unit, or a page of a list.
  private static let largestBody = 1 << 26

  /// The store in a bucket; nothing is sent before the first call.
  ///
  /// - Throws: ``ObjectStoreError/refused(place:reason:)`` for settings that cannot be sent.
  package init(_ settings: Settings) throws(ObjectStoreError) {
    func fail(_ reason: String) -> ObjectStoreError {
      .refused(place: "s3://\(settings.bucket)", reason: reason)
    }
    var endpoint = settings.endpoint
    while endpoint.hasSuffix("/") { endpoint.removeLast() }
    let isPlain = endpoint.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    guard isPlain, endpoint.hasPrefix("https://") || endpoint.hasPrefix("http://"),
      !endpoint.contains(where: { "?#@".contains($0) })
    else { throw fail("expected an endpoint such as https://s3.example.org") }
    let letters = settings.bucket.utf8.allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E
    }
    guard letters, 3...63 ~= settings.bucket.utf8.count, !settings.bucket.hasPrefix(".") else {
      throw fail("expected a bucket's name of 3 to 63 small letters, digits, '-' and '.'")
    }
    let parts = settings.prefix.split(separator: "/", omittingEmptySubsequences: false)
    guard settings.prefix.isEmpty || parts.allSatisfy({ !["", ".", ".."].contains($0) }),
      settings.prefix.utf8.count <= 256
    else {
      throw fail("expected a prefix of at most 256 bytes without empty parts, '.' and '..'")
    }
    let secrets = [settings.accessKey, settings.secretKey, settings.region]
    let isSendable = (secrets + [settings.sessionToken ?? "x"]).allSatisfy {
      !$0.isEmpty && $0.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }
    guard isSendable, !settings.region.contains(":") else {
      throw fail("expected an access key, a secret key and a region")
    }
    self.settings = settings
    address = endpoint + "/" + settings.bucket
    _ = Self.library
  }

  /// Stores an object unless it is there; when this returns, the service has confirmed it.
  package func put(_ bytes: [UInt8], at key: ObjectKey) throws(ObjectStoreError) -> Bool {
    let condition = ["If-None-Match: *", "Content-Type: application/octet-stream"]
    let answer = try send("PUT", object(key), bytes, condition, key.text)
    switch answer.status {
    case 200, 201: return true
    case 412:
      // Nobody is told that it is stored before it was read.
      guard let found = try get(key) else {
        throw .busy(place: key.text, reason: "deleted while it was being stored")
      }
      if found == bytes { return false }
      // Of two that replace it at once, the second one replaces the first with the same bytes.
      return try putUnconditionally(bytes, at: key)
    case 501: return try get(key) == bytes ? false : putUnconditionally(bytes, at: key)
    // Two conditional requests at once: one has won, and the next attempt finds it.
    case 409: throw .busy(place: key.text, reason: "the same object is being stored")
    default: throw failure(answer, key.text)
    }
  }

  /// Stores an object in place of damaged bytes, or with a service that knows no conditions, such
  /// as OpenStack Swift.
  ///
  /// Of two at once the second one replaces the first with the same bytes, because the name has
  /// their digest.
  private func putUnconditionally(
    _ bytes: [UInt8], at key: ObjectKey
  ) throws(ObjectStoreError) -> Bool {
    let type = ["Content-Type: application/octet-stream"]
    let answer = try send("PUT", object(key), bytes, type, key.text)
    guard answer.status == 200 || answer.status == 201 else { throw failure(answer, key.text) }
    return true
  }

  /// The bytes of an object; nil when there is none.
  package func get(_ key: ObjectKey) throws(ObjectStoreError) -> [UInt8]? {
    let answer = try send("GET", object(key), nil, [], key.text)
    switch answer.status {
    case 200: return answer.body
    case 404 where !answer.text.contains("NoSuchBucket"): return nil
    default: throw failure(answer, key.text)
    }
  }

  /// The size of an object; nil when there is none.
  package func size(of key: ObjectKey) throws(ObjectStoreError) -> Int? {
    let answer = try send("HEAD", object(key), nil, [], key.text)
    switch answer.status {
    case 200: return answer.length
    // Without a body it does not say whether there is a bucket; then the next put tells.
    case 404: return nil
    default: throw failure(answer, key.text)
    }
  }

  /// Deletes an object, if there is one.
  package func delete(_ key: ObjectKey) throws(ObjectStoreError) {
    try delete(name(of: key), key.text)
  }

  private func delete(_ name: String, _ place: String) throws(ObjectStoreError) {
    let answer = try send("DELETE", address(of: name), nil, [], place)
    switch answer.status {
    case 200, 204: return
    case 404 where !answer.text.contains("NoSuchBucket"): return
    default: throw failure(answer, place)
    }
  }

  /// Deletes all that is below a person's name, one by one.
  package func deleteAll(of owner: ObjectKey.Owner) throws(ObjectStoreError) -> Int {
    let names = try names(of: owner)
    for name in names { try delete(name, name) }
    return names.count { objectKey(named: $0) != nil }
  }

  /// The number of objects below a person's name, also of others than units.
  package func nameCount(of owner: ObjectKey.Owner) throws(ObjectStoreError) -> Int {
    try names(of: owner).count
  }

  private func names(of owner: ObjectKey.Owner) throws(ObjectStoreError) -> [String] {
    var names: [String] = []
    try listNames(of: owner) { portion in
      names += portion
      return true
    }
    return names
  }

  /// Lists the keys of one person, or of all, a page of the service at a time.
  package func list(
    of owner: ObjectKey.Owner?, _ body: ([ObjectKey]) -> Bool
  ) throws(ObjectStoreError) {
    try listNames(of: owner) { names in
      let keys = names.compactMap(objectKey(named:))
      return keys.isEmpty || body(keys)
    }
  }

  /// Lists whatever has a name of one person, or of anyone.
  private func listNames(
    of owner: ObjectKey.Owner?, _ body: ([String]) -> Bool
  ) throws(ObjectStoreError) {
    let prefix = start + (owner.map { "user=\($0.text)/" } ?? "user=")
    var continuation: String?
    repeat {
      // In the order of the names, which the signature wants and the library does not make.
      var query = [("list-type", "2"), ("max-keys", "500"), ("prefix", prefix)]
      if let continuation { query.insert(("continuation-token", continuation), at: 0) }
      let text = query.map { "\($0.0)=\(Self.escaped($0.1))" }.joined(separator: "&")
      let answer = try send("GET", address + "?" + text, nil, [], prefix)
      guard answer.status == 200 else { throw failure(answer, prefix) }
      guard let page = S3ListPage(answer.body) else {
        throw .busy(place: prefix, reason: "expected a list of objects, found something else")
      }
      guard body(page.keys.filter { $0.hasPrefix(prefix) }) else { return }
      guard page.next == nil || page.next != continuation else {
        throw .busy(place: prefix, reason: "the list of objects does not end")
      }
      continuation = page.next
    } while continuation != nil
  }

  // MARK: Requests

  private struct Answer {
    var status = 0
    var body: [UInt8] = []
    /// The length that the service says the body has, also when it sends none.
    var length: Int?
    var text: String { String(decoding: body.prefix(1_000), as: UTF8.self) }
  }

  /// What every object's name begins with.
  private var start: String { settings.prefix.isEmpty ? "" : settings.prefix + "/" }

  private func name(of key: ObjectKey) -> String { start + key.text }

  /// The key of an object of this name; nil for a name of something else.
  private func objectKey(named name: String) -> ObjectKey? {
    name.hasPrefix(start) ? ObjectKey(String(name.dropFirst(start.count))) : nil
  }

  private func object(_ key: ObjectKey) -> String { address(of: name(of: key)) }

  private func address(of name: String) -> String {
    address + "/" + Self.escaped(name, keeping: UInt8(ascii: "/"))
  }

  /// Escapes as the signature wants it: all but letters, digits, `-`, `.`, `_` and `~`.
  private static func escaped(_ text: String, keeping kept: UInt8 = 0x2D) -> String {
    text.utf8.map { byte in
      let isKept =
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E, kept: true
        default: false
        }
      if isKept { return String(Unicode.Scalar(byte)) }
      let digits = String(byte, radix: 16, uppercase: true)
      return digits.utf8.count == 1 ? "%0" + digits : "%" + digits
    }.joined()
  }

  private func send(
    _ method: String, _ url: String, _ body: [UInt8]?, _ fields: [String], _ place: String
  ) throws(ObjectStoreError) -> Answer {
    let kept = idle.withLock { $0.popLast() }
    let handle = if let kept { kept } else { try Handle(settings, place) }
    var fields = fields + ["x-amz-content-sha256: \(SHA256Digest(of: body ?? []).hexadecimal)"]
    if let token = settings.sessionToken { fields.append("x-amz-security-token: \(token)") }
    let answer = try handle.perform(method, url, fields, body, place)
    // After an error the handle is not used again.
    idle.withLock { $0.append(handle) }
    return answer
  }

  private func failure(_ answer: Answer, _ place: String) -> ObjectStoreError {
    let code = answer.text.firstMatch(of: #/<Code>([A-Za-z]{1,64})</Code>/#)?.1
    let reason = "HTTP \(answer.status)" + (code.map { " \($0)" } ?? "")
    return switch answer.status {
    case 408, 425, 429, 500...: .busy(place: place, reason: reason)
    default: .refused(place: place, reason: reason)
    }
  }

  private static let library: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  /// A connection of the library's that one request uses at a time.
  ///
  /// Unchecked, because it is handed from one thread to the next under a lock.
  @safe private final class Handle: @unchecked Sendable {
    private let handle: UnsafeMutableRawPointer

    init(_ settings: Settings, _ place: String) throws(ObjectStoreError) {
      guard let handle = unsafe curl_easy_init() else {
        throw .busy(place: place, reason: "no memory for a connection")
      }
      unsafe self.handle = unsafe handle
      let result = unsafe locomotion_curl_prepare(
        handle, "aws:amz:\(settings.region):s3",
        settings.accessKey, settings.secretKey, settings.secondsToConnect,
        settings.secondsPerRequest
      ) { data, size, count, context in
        guard let data = unsafe data, let context = unsafe context else { return 0 }
        let body = unsafe Unmanaged<Received>.fromOpaque(context).takeUnretainedValue()
        guard body.bytes.count + size * count <= S3ObjectStore.largestBody else { return 0 }
        unsafe body.bytes.append(
          contentsOf: UnsafeRawBufferPointer(start: data, count: size * count))
        return size * count
      }
      guard result == CURLE_OK else {
        throw .refused(place: place, reason: "this libcurl does not sign for S3")
      }
    }

    deinit { unsafe curl_easy_cleanup(handle) }

    func perform(
      _ method: String, _ url: String, _ fields: [String], _ body: [UInt8]?, _ place: String
    ) throws(ObjectStoreError) -> Answer {
      var list: UnsafeMutablePointer<curl_slist>?
      for field in fields { unsafe list = unsafe curl_slist_append(list, field) }
      defer { unsafe curl_slist_free_all(list) }
      let received = Received()
      var status = 0
      let context = unsafe Unmanaged.passUnretained(received).toOpaque()
      let result = withExtendedLifetime(received) {
        guard let body else {
          return unsafe locomotion_curl_perform(
            handle, method, url, list, nil, context, &status)
        }
        return unsafe body.withUnsafeBufferPointer { buffer in
          var upload = unsafe locomotion_curl_upload(
            bytes: buffer.baseAddress, count: buffer.count, taken: 0)
          return unsafe locomotion_curl_perform(
            handle, method, url, list, &upload, context, &status)
        }
      }
      guard result == CURLE_OK else {
        // The library's words name the host at most.
        throw .busy(
          place: place, reason: unsafe String(cString: curl_easy_strerror(result)))
      }
      let length = unsafe locomotion_curl_length(handle)
      return Answer(
        status: status, body: received.bytes, length: length < 0 ? nil : Int(length))
    }
  }

  private final class Received {
    var bytes: [UInt8] = []
  }
}
