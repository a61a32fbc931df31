internal import Synchronization

/// An object store that counts how often another one fails.
final class CountedObjectStore: ObjectStore {
  private let store: any ObjectStore
  private let failures = Mutex(0)

  /// The same objects as those of another store.
  init(_ store: any ObjectStore) { self.store = store }

  /// The calls that have failed.
  var failureCount: Int { failures.withLock { $0 } }

  /// Stores an object as the other store does.
  func put(_ bytes: [UInt8], at key: ObjectKey) throws(ObjectStoreError) -> Bool {
    try counted { () throws(ObjectStoreError) in try store.put(bytes, at: key) }
  }

  /// Gets an object as the other store does.
  func get(_ key: ObjectKey) throws(ObjectStoreError) -> [UInt8]? {
    try counted { () throws(ObjectStoreError) in try store.get(key) }
  }

  /// The size of an object as the other store tells it.
  func size(of key: ObjectKey) throws(ObjectStoreError) -> Int? {
    try counted { () throws(ObjectStoreError) in try store.size(of: key) }
  }

  /// The number of names as the other store tells it.
  func nameCount(of owner: ObjectKey.Owner) throws(ObjectStoreError) -> Int {
    try counted { () throws(ObjectStoreError) in try store.nameCount(of: owner) }
  }

  /// Deletes an object as the other store does.
  func delete(_ key: ObjectKey) throws(ObjectStoreError) {
    try counted { () throws(ObjectStoreError) in try store.delete(key) }
  }

  /// Deletes a person's objects as the other store does.
  func deleteAll(of owner: ObjectKey.Owner) throws(ObjectStoreError) -> Int {
    try counted { () throws(ObjectStoreError) in try store.deleteAll(of: owner) }
  }

  /// Deletes remains as the other store does.
  func removeRemains() throws(ObjectStoreError) -> Int {
    try counted { () throws(ObjectStoreError) in try store.removeRemains() }
  }

  /// Lists keys as the other store does.
  func list(
    of owner: ObjectKey.Owner?, _ body: ([ObjectKey]) -> Bool
  ) throws(ObjectStoreError) {
    try counted { () throws(ObjectStoreError) in try store.list(of: owner, body) }
  }

  private func counted<Result>(
    _ call: () throws(ObjectStoreError) -> Result
  ) throws(ObjectStoreError) -> Result {
    do throws(ObjectStoreError) {
      return try call()
    } catch {
      failures.withLock { $0 += 1 }
      throw error
    }
  }
}
