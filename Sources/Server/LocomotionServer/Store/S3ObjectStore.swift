// With the transport of LocomotionSync the only file of the package that imports libcurl.
internal import CLocomotionCurl
internal import Foundation
internal import LocomotionJournal

/// Objects in a bucket of a service that speaks S3.
///
/// libcurl signs the requests (AWS Signature Version 4), over the digest of the body. An object
/// is put on condition that there is none (`If-None-Match: *`), so that a repetition changes
/// nothing; where the service knows no conditions (501), it is looked for before. Damaged bytes
/// under its name are replaced. In a bucket with versions a deletion leaves the versions:
/// ``deleteAll(of:)`` is only an erasure in one without.
///
/// Unchecked, because one request at a time uses the handle, under the lock.
@safe final class S3ObjectStore: ObjectStore, @unchecked Sendable {
  /// The address of the bucket, without a slash at the end.
  private let address: String
  /// What every object's name begins with: nothing, or an ending with a slash.
  private let start: String
  private let sessionToken: String?
  private let handle: UnsafeMutableRawPointer
  private let lock = NSLock()
  /// The largest body that is read: a unit, or a page of a list.
  private static let largestBody = 1 << 26

  /// The store in a bucket that is there; nothing is sent before the first call.
  ///
  /// `prefix` is what every object's name begins with, without a slash at either end, or nothing;
  /// `sessionToken` is that of a temporary session, if it is one.
  ///
  /// - Throws: ``ObjectStoreError/refused(place:reason:)`` for what cannot be sent.
  init(
    endpoint: String, bucket: String, prefix: String, region: String, accessKey: String,
    secretKey: String, sessionToken: String?
  ) throws(ObjectStoreError) {
    let isPlain = [endpoint, bucket, region, accessKey, secretKey, sessionToken ?? "x"].allSatisfy {
      !$0.isEmpty && $0.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }
    guard isPlain, endpoint.hasPrefix("https://") || endpoint.hasPrefix("http://"),
      !(endpoint + bucket).contains(where: { "?#@".contains($0) }), !bucket.contains("/"),
      !region.contains(":")
    else {
      throw .refused(
        place: "s3://\(bucket)",
        reason: "expected an endpoint such as https://s3.example.org, a bucket and credentials")
    }
    address = endpoint + (endpoint.hasSuffix("/") ? "" : "/") + bucket
    start = prefix.isEmpty ? "" : prefix + "/"
    self.sessionToken = sessionToken
    let handle = unsafe curl_easy_init()
    // At most 5 seconds for a connection, and 30 for a whole request.
    let result = unsafe locomotion_curl_prepare(
      handle, "aws:amz:\(region):s3", accessKey, secretKey, 5, 30
    ) { data, size, count, context in
      guard let data = unsafe data, let context = unsafe context else { return 0 }
      let answer = unsafe Unmanaged<Answer>.fromOpaque(context).takeUnretainedValue()
      guard answer.body.count + size * count <= S3ObjectStore.largestBody else { return 0 }
      unsafe answer.body.append(
        contentsOf: UnsafeRawBufferPointer(start: data, count: size * count))
      return size * count
    }
    guard result == CURLE_OK, let handle = unsafe handle else {
      throw .refused(place: bucket, reason: "this libcurl does not sign for S3")
    }
    unsafe self.handle = unsafe handle
  }

  deinit { unsafe curl_easy_cleanup(handle) }

  /// Stores an object unless it is there; when this returns, the service has confirmed it.
  func put(_ bytes: [UInt8], at key: ObjectKey) throws(ObjectStoreError) -> Bool {
    let type = "Content-Type: application/octet-stream"
    var answer = try send("PUT", name(of: key), bytes, ["If-None-Match: *", type])
    if answer.status == 412 || answer.status == 501 {
      // Nobody is told that it is stored before it was read. Of two that replace damaged bytes at
      // once the second one replaces the first with the same bytes, whose digest is in the name.
      if try get(key) == bytes { return false }
      answer = try send("PUT", name(of: key), bytes, [type])
    }
    switch answer.status {
    case 200, 201: return true
    // Two conditional requests at once: one has won, and the next attempt finds it.
    case 409: throw .busy(place: key.text, reason: "the same object is being stored")
    default: throw failure(answer, key.text)
    }
  }

  /// The bytes of an object; nil when there is none.
  func get(_ key: ObjectKey) throws(ObjectStoreError) -> [UInt8]? {
    let answer = try send("GET", name(of: key))
    return try isFound(answer, key.text) ? answer.body : nil
  }

  /// The size of an object; nil when there is none.
  func size(of key: ObjectKey) throws(ObjectStoreError) -> Int? {
    // Without a body a 404 does not say whether there is a bucket; then the next put tells.
    let answer = try send("HEAD", name(of: key))
    return try isFound(answer, key.text) ? answer.length : nil
  }

  /// Deletes an object, if there is one.
  func delete(_ key: ObjectKey) throws(ObjectStoreError) {
    _ = try isFound(send("DELETE", name(of: key)), key.text)
  }

  /// Deletes all that is below a person's name, one by one.
  func deleteAll(of owner: ObjectKey.Owner) throws(ObjectStoreError) -> Int {
    let names = try names(of: owner)
    for name in names { _ = try isFound(send("DELETE", name), name) }
    return names.count { key(named: $0) != nil }
  }

  /// The number of objects below a person's name, also of others than units.
  func nameCount(of owner: ObjectKey.Owner) throws(ObjectStoreError) -> Int {
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
  func list(
    of owner: ObjectKey.Owner?, _ body: ([ObjectKey]) -> Bool
  ) throws(ObjectStoreError) {
    try listNames(of: owner) { names in
      let keys = names.compactMap(key(named:))
      return keys.isEmpty || body(keys)
    }
  }

  /// Lists whatever has a name of one person, or of anyone.
  private func listNames(
    of owner: ObjectKey.Owner?, _ body: ([String]) -> Bool
  ) throws(ObjectStoreError) {
    let prefix = start + (owner.map { "user=\($0.text)/" } ?? "user=")
    var next: String?
    repeat {
      // In the order of the names, which the signature wants and the library does not make.
      var query = [("list-type", "2"), ("max-keys", "500"), ("prefix", prefix)]
      if let next { query.insert(("continuation-token", next), at: 0) }
      let text = query.map { "\($0.0)=\(Self.escaped($0.1))" }.joined(separator: "&")
      let answer = try send("GET", prefix, query: text)
      guard answer.status == 200 else { throw failure(answer, prefix) }
      let page = String(decoding: answer.body, as: UTF8.self)
      let tokens = Self.texts("NextContinuationToken", in: page)
      let isCut = Self.texts("IsTruncated", in: page) == ["true"]
      guard page.contains("</ListBucketResult>"), !isCut || tokens.count == 1 && tokens[0] != next
      else {
        throw .busy(place: prefix, reason: "expected a list of objects, found another answer")
      }
      guard body(Self.texts("Key", in: page).filter { $0.hasPrefix(prefix) }) else { return }
      next = isCut ? tokens[0] : nil
    } while next != nil
  }

  /// The texts of all elements of a name, which have no attributes in the answer to a list.
  private static func texts(_ element: String, in page: String) -> [String] {
    page.components(separatedBy: "<\(element)>").dropFirst().map { part in
      var text = part.components(separatedBy: "</\(element)>")[0]
      for (escape, letter) in [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&"),
      ] { text = text.replacing(escape, with: letter) }
      return text
    }
  }

  // MARK: Requests

  private final class Answer {
    var status = 0
    var body: [UInt8] = []
    /// The length that the service says the body has, also when it sends none.
    var length: Int?
    /// The name of an error.
    var code: String? { texts("Code", in: String(decoding: body, as: UTF8.self)).first }
  }

  private func name(of key: ObjectKey) -> String { start + key.text }

  /// The key of an object of this name; nil for a name of something else.
  private func key(named name: String) -> ObjectKey? {
    name.hasPrefix(start) ? ObjectKey(String(name.dropFirst(start.count))) : nil
  }

  /// Escapes as the signature wants it: all but letters, digits, `-`, `.`, `_` and `~`.
  private static func escaped(_ text: String, keeping kept: String = "-._~") -> String {
    let letters = CharacterSet(
      charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" + kept)
    return text.addingPercentEncoding(withAllowedCharacters: letters) ?? ""
  }

  /// Sends a request about an object, or with a query about all.
  private func send(
    _ method: String, _ name: String, _ body: [UInt8]? = nil, _ fields: [String] = [],
    query: String? = nil
  ) throws(ObjectStoreError) -> Answer {
    let rest = query.map { "?" + $0 } ?? "/" + Self.escaped(name, keeping: "-._~/")
    var fields = fields + ["x-amz-content-sha256: \(SHA256Digest(of: body ?? []).hexadecimal)"]
    if let sessionToken { fields.append("x-amz-security-token: \(sessionToken)") }
    var list: UnsafeMutablePointer<curl_slist>?
    for field in fields { unsafe list = unsafe curl_slist_append(list, field) }
    defer { unsafe curl_slist_free_all(list) }
    let answer = Answer()
    lock.lock()
    defer { lock.unlock() }
    let result = unsafe (body ?? []).withUnsafeBufferPointer { buffer in
      var upload = unsafe locomotion_curl_upload(
        bytes: buffer.baseAddress, count: buffer.count, taken: 0)
      return unsafe withUnsafeMutablePointer(to: &upload) { upload in
        unsafe locomotion_curl_perform(
          handle, method, address + rest, list, body == nil ? nil : upload,
          Unmanaged.passUnretained(answer).toOpaque(), &answer.status)
      }
    }
    guard result == CURLE_OK else {
      // The library's words name the host at most.
      throw .busy(place: name, reason: unsafe String(cString: curl_easy_strerror(result)))
    }
    let length = Int(unsafe locomotion_curl_length(handle))
    answer.length = length < 0 ? nil : length
    return answer
  }

  /// Whether there is an object, by an answer about it.
  private func isFound(_ answer: Answer, _ place: String) throws(ObjectStoreError) -> Bool {
    switch answer.status {
    case 200, 204: return true
    case 404 where answer.code != "NoSuchBucket": return false
    default: throw failure(answer, place)
    }
  }

  private func failure(_ answer: Answer, _ place: String) -> ObjectStoreError {
    let reason =
      "HTTP \(answer.status)" + (answer.code.map { " \($0.filter(\.isLetter).prefix(64))" } ?? "")
    return switch answer.status {
    case 408, 425, 429, 500...: .busy(place: place, reason: reason)
    default: .refused(place: place, reason: reason)
    }
  }
}
