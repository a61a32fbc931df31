internal import Foundation
internal import Synchronization

/// Objects as files in a folder.
///
/// An object is written under a temporary name, synchronized, and linked to its own name, which
/// replaces nothing, or renamed to it where damaged bytes are; then its folders are synchronized.
/// So an object is there as a whole or not at all, and stays after a power failure once
/// ``put(_:at:)`` has returned. Folders go with the last object in them. Links and anything but
/// folders and regular files are refused, wherever they stand in the way.
final class DirectoryObjectStore: ObjectStore {
  /// The folder of the store.
  let path: String
  private let root: Descriptor
  private let state = Mutex(State())

  private struct State {
    /// The folders whose entries in the folder above are known to be durable.
    var synchronized: Set<String> = []
    var temporaries = 0
  }

  private static let mostSynchronized = 10_000
  private static let portion = 500
  private static let temporaryEnding = ".part"
  /// Attempts to store into folders that others delete, and to delete folders that others fill.
  private static let mostAttempts = 100
  /// The age, seconds, from which a temporary file is of a put that was killed.
  private static let longestPut = 3_600.0

  /// The store in the folder at `path`, which is made when there is none.
  ///
  /// - Throws: ``ObjectStoreError/refused(place:reason:)`` when it cannot be used.
  init(path: String) throws(ObjectStoreError) {
    self.path = path
    if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw Descriptor.failure(path) }
    // The folder itself may be a link: whoever starts the program says which folder it is.
    guard let root = Descriptor(unsafe Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    else {
      throw Descriptor.failure(path)
    }
    self.root = root
  }

  /// Stores an object unless it is there; when this returns, it is durable.
  func put(_ bytes: [UInt8], at key: ObjectKey) throws(ObjectStoreError) -> Bool {
    for _ in 0..<Self.mostAttempts {
      guard let folder = try folder(of: key, isMade: true),
        let isWritten = try put(bytes, at: key, in: folder)
      else { continue }
      return isWritten
    }
    throw .busy(place: key.text, reason: "its folder is being deleted")
  }

  /// Stores an object in its folder; nil when the folder was deleted meanwhile.
  private func put(
    _ bytes: [UInt8], at key: ObjectKey, in folder: Descriptor
  ) throws(ObjectStoreError) -> Bool? {
    if try folder.read(key.file, key.text) == bytes {
      // Whoever linked it may have been killed before this.
      guard fsync(folder.number) == 0 else { throw Descriptor.failure(key.text) }
      return false
    }
    let number = state.withLock { state in
      state.temporaries += 1
      return state.temporaries
    }
    let temporary = ".\(key.digest).\(getpid()).\(number)\(Self.temporaryEnding)"
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    guard let file = Descriptor(unsafe openat(folder.number, temporary, flags, 0o600)) else {
      if errno == ENOENT { return nil }
      throw Descriptor.failure(key.text)
    }
    defer { unsafe unlinkat(folder.number, temporary, 0) }
    try file.write(bytes, key.text)
    guard fsync(file.number) == 0 else { throw Descriptor.failure(key.text) }
    var isWritten = unsafe linkat(folder.number, temporary, folder.number, key.file, 0) == 0
    if !isWritten {
      // The folder's deletion takes the temporary file first.
      if errno == ENOENT { return nil }
      guard errno == EEXIST else { throw Descriptor.failure(key.text) }
      if try folder.read(key.file, key.text) != bytes {
        guard unsafe renameat(folder.number, temporary, folder.number, key.file) == 0 else {
          if errno == ENOENT { return nil }
          throw Descriptor.failure(key.text)
        }
        isWritten = true
      }
    }
    guard fsync(folder.number) == 0 else { throw Descriptor.failure(key.text) }
    return isWritten
  }

  /// The bytes of an object; nil when there is none.
  func get(_ key: ObjectKey) throws(ObjectStoreError) -> [UInt8]? {
    guard let folder = try folder(of: key, isMade: false) else { return nil }
    return try folder.read(key.file, key.text)
  }

  /// The size of an object; nil when there is none.
  func size(of key: ObjectKey) throws(ObjectStoreError) -> Int? {
    guard let folder = try folder(of: key, isMade: false) else { return nil }
    var status = stat()
    guard unsafe fstatat(folder.number, key.file, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      if errno == ENOENT { return nil }
      throw Descriptor.failure(key.text)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .refused(place: key.text, reason: "expected a regular file")
    }
    return Int(status.st_size)
  }

  /// Deletes an object, if there is one, and its folders when they are empty then.
  func delete(_ key: ObjectKey) throws(ObjectStoreError) {
    guard let folder = try folder(of: key, isMade: false) else { return }
    try folder.remove(key.file, key.text)
    guard fsync(folder.number) == 0 else { throw Descriptor.failure(key.text) }
    // The name of a person is in that of a folder. One that is not empty stays.
    guard let user = try open(key.folders[0], in: root, isMade: false) else { return }
    if unsafe unlinkat(user.number, key.folders[1], AT_REMOVEDIR) == 0 {
      unsafe unlinkat(root.number, key.folders[0], AT_REMOVEDIR)
    }
  }

  /// Deletes a person's folder with all that is in it.
  func deleteAll(of owner: ObjectKey.Owner) throws(ObjectStoreError) -> Int {
    let name = "user=\(owner.text)"
    var count = 0
    for _ in 0..<Self.mostAttempts {
      // Others may store something into a folder between its emptying and its deletion.
      if try deleteOnce(name, &count) { return count }
    }
    throw .busy(place: name, reason: "others are storing into the folder")
  }

  /// The number of folders and files of a person.
  func nameCount(of owner: ObjectKey.Owner) throws(ObjectStoreError) -> Int {
    let name = "user=\(owner.text)"
    guard let folder = try open(name, in: root, isMade: false) else { return 0 }
    var count = 1
    for day in try folder.entries(name) {
      count += 1
      guard let inside = try open(day, in: folder, isMade: false) else { continue }
      count += try inside.entries("\(name)/\(day)").count
    }
    return count
  }

  /// Deletes a person's folder with all that is in it; false when it was not empty in the end.
  private func deleteOnce(_ name: String, _ count: inout Int) throws(ObjectStoreError) -> Bool {
    guard let folder = try open(name, in: root, isMade: false) else { return true }
    for day in try folder.entries(name) {
      guard let inside = try open(day, in: folder, isMade: false) else { continue }
      for file in try inside.entries("\(name)/\(day)") {
        try inside.remove(file, name)
        if ObjectKey("\(name)/\(day)/\(file)") != nil { count += 1 }
      }
      guard try removeFolder(day, from: folder, name) else { return false }
    }
    guard try removeFolder(name, from: root, name) else { return false }
    guard fsync(root.number) == 0 else { throw Descriptor.failure(name) }
    return true
  }

  /// Deletes a folder, if there is one; false when it is not empty.
  private func removeFolder(
    _ name: String, from folder: Descriptor, _ place: String
  ) throws(ObjectStoreError) -> Bool {
    if unsafe unlinkat(folder.number, name, AT_REMOVEDIR) == 0 || errno == ENOENT { return true }
    guard errno == ENOTEMPTY || errno == EEXIST else { throw Descriptor.failure(place) }
    return false
  }

  /// Deletes the temporary files of puts that were killed.
  func removeRemains() throws(ObjectStoreError) -> Int {
    var count = 0
    // Another process may be writing a younger one.
    let limit = Date(timeIntervalSinceNow: -Self.longestPut)
    for user in try root.entries(path) where user.hasPrefix("user=") {
      guard let folder = try open(user, in: root, isMade: false) else { continue }
      for day in try folder.entries(user) where day.hasPrefix("day=") {
        guard let inside = try open(day, in: folder, isMade: false) else { continue }
        for file in try inside.entries(user) where file.hasSuffix(Self.temporaryEnding) {
          let place = "\(path)/\(user)/\(day)/\(file)"
          let attributes = try? FileManager.default.attributesOfItem(atPath: place)
          guard let date = attributes?[.modificationDate] as? Date, date < limit else { continue }
          try inside.remove(file, place)
          count += 1
        }
      }
    }
    return count
  }

  /// Lists the keys of one person, or of all, a folder at a time.
  func list(
    of owner: ObjectKey.Owner?, _ body: ([ObjectKey]) -> Bool
  ) throws(ObjectStoreError) {
    let users =
      if let owner { ["user=\(owner.text)"] } else { try root.entries(path).sorted() }
    for user in users where user.hasPrefix("user=") {
      guard let folder = try open(user, in: root, isMade: false) else { continue }
      for day in try folder.entries(user).sorted() where day.hasPrefix("day=") {
        guard let inside = try open(day, in: folder, isMade: false) else { continue }
        var keys = try inside.entries(user).sorted().compactMap {
          ObjectKey("\(user)/\(day)/\($0)")
        }[...]
        while !keys.isEmpty {
          guard body(Array(keys.prefix(Self.portion))) else { return }
          keys = keys.dropFirst(Self.portion)
        }
      }
    }
  }

  // MARK: Files

  /// The folder of an object; nil when there is none, and none is to be made or others delete it.
  private func folder(
    of key: ObjectKey, isMade: Bool
  ) throws(ObjectStoreError) -> Descriptor? {
    var folder = root
    var place = ""
    for name in key.folders {
      var next = try open(name, in: folder, isMade: false)
      place += name + "/"
      if next == nil, isMade {
        // One of this name may have been synchronized before it was deleted, by whomever.
        _ = state.withLock { $0.synchronized.remove(place) }
        next = try open(name, in: folder, isMade: true)
      }
      guard let next else { return nil }
      if isMade, !state.withLock({ $0.synchronized.contains(place) }) {
        guard fsync(folder.number) == 0 else { throw Descriptor.failure(key.text) }
        state.withLock { state in
          if state.synchronized.count >= Self.mostSynchronized { state.synchronized = [] }
          state.synchronized.insert(place)
        }
      }
      folder = next
    }
    return folder
  }

  private func open(
    _ name: String, in folder: Descriptor, isMade: Bool
  ) throws(ObjectStoreError) -> Descriptor? {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    for attempt in 0..<2 {
      if let found = Descriptor(unsafe openat(folder.number, name, flags)) { return found }
      guard errno == ENOENT else { throw Descriptor.failure(name) }
      guard isMade, attempt == 0 else { return nil }
      guard unsafe mkdirat(folder.number, name, 0o700) == 0 || errno == EEXIST else {
        // The folder above was deleted.
        if errno == ENOENT { return nil }
        throw Descriptor.failure(name)
      }
    }
    return nil
  }
}
