/// Where the archive keeps raw units: objects that never change once they are there.
///
/// Safe to use from several threads at once.
protocol ObjectStore: Sendable {
  /// Stores an object unless it is there; when this returns, it is durable.
  ///
  /// Other bytes under its name, which damage must have changed, are replaced, at once and as a
  /// whole: whoever reads meanwhile gets the one or the other.
  ///
  /// - Parameters:
  ///   - bytes: What has the digest of the key.
  ///   - key: The name.
  /// - Returns: Whether it was written; false when the same bytes were there already.
  /// - Throws: ``ObjectStoreError``; then it may be there or not, and the call may be repeated.
  func put(_ bytes: [UInt8], at key: ObjectKey) throws(ObjectStoreError) -> Bool

  /// The bytes of an object; nil when there is none.
  func get(_ key: ObjectKey) throws(ObjectStoreError) -> [UInt8]?

  /// The size of an object, bytes, without reading it; nil when there is none.
  func size(of key: ObjectKey) throws(ObjectStoreError) -> Int?

  /// Deletes an object, if there is one.
  func delete(_ key: ObjectKey) throws(ObjectStoreError)

  /// Deletes whatever the store holds of a person, also what an interrupted ``put(_:at:)`` left.
  ///
  /// What others store of the same person meanwhile is deleted or stays, as a whole.
  ///
  /// - Returns: The number of objects deleted.
  func deleteAll(of owner: ObjectKey.Owner) throws(ObjectStoreError) -> Int

  /// The number of names under which the store holds anything of a person, objects or not.
  func nameCount(of owner: ObjectKey.Owner) throws(ObjectStoreError) -> Int

  /// Deletes what interrupted calls of ``put(_:at:)`` left more than an hour ago.
  ///
  /// - Returns: The number of remains deleted.
  func removeRemains() throws(ObjectStoreError) -> Int

  /// Lists the keys of one person, or of all, in portions of some hundred, in no promised order.
  ///
  /// Other things beside the objects are passed over.
  ///
  /// - Parameters:
  ///   - owner: Whose objects; nil for everyone's.
  ///   - body: Called with each portion until it returns false.
  /// - Throws: ``ObjectStoreError``.
  func list(
    of owner: ObjectKey.Owner?, _ body: ([ObjectKey]) -> Bool
  ) throws(ObjectStoreError)
}

extension ObjectStore {
  /// Nothing, in a store in which a put leaves an object or nothing.
  func removeRemains() throws(ObjectStoreError) -> Int { 0 }
}

/// An error of an object store.
enum ObjectStoreError: Error, Hashable, Sendable {
  /// The store cannot be reached, has no room or asks to wait: the same call may succeed later.
  case busy(place: String, reason: String)
  /// The store refuses: without a change of its settings the call will fail again.
  case refused(place: String, reason: String)

  /// Whether the same call may succeed later.
  var isBusy: Bool { if case .busy = self { true } else { false } }
}

extension ObjectStoreError: CustomStringConvertible {
  /// The error in one line.
  var description: String {
    switch self {
    case .busy(let place, let reason): "\(place): not available now: \(reason)"
    case .refused(let place, let reason): "\(place): refused: \(reason)"
    }
  }
}
