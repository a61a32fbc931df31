internal import Foundation

/// An open file or folder, closed with the last reference.
final class Descriptor: Sendable {
  let number: Int32
  /// No unit is larger.
  private static let largestObject = 1 << 26

  init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit { close(number) }

  /// Writes bytes to the file; `place` names it in errors, here and below.
  func write(_ bytes: [UInt8], _ place: String) throws(ObjectStoreError) {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Foundation.write(
          number, buffer.baseAddress?.advanced(by: done), buffer.count - done)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure(place) }
      done += count
    }
  }

  /// The bytes of a file in the folder; nil when there is none.
  func read(_ name: String, _ place: String) throws(ObjectStoreError) -> [UInt8]? {
    // Not blocking, because a pipe in the place of a file would wait for a writer.
    let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    guard let file = Descriptor(unsafe openat(number, name, flags)) else {
      if errno == ENOENT { return nil }
      throw Self.failure(place)
    }
    var status = stat()
    guard unsafe fstat(file.number, &status) == 0 else { throw Self.failure(place) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.largestObject else {
      throw .refused(place: place, reason: "expected a regular file of at most 64 MiB")
    }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var done = 0
    while done < bytes.count {
      let size = bytes.count
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Foundation.read(file.number, buffer.baseAddress?.advanced(by: done), size - done)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure(place) }
      done += count
    }
    return bytes
  }

  /// Deletes a file of the folder, if there is one.
  func remove(_ name: String, _ place: String) throws(ObjectStoreError) {
    guard unsafe unlinkat(number, name, 0) == 0 || errno == ENOENT else {
      throw Self.failure(place)
    }
  }

  /// The names in a folder.
  func entries(_ place: String) throws(ObjectStoreError) -> [String] {
    // `closedir` closes this one; with `openat` it has a position of its own.
    let copy = unsafe openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { throw Self.failure(place) }
    guard let stream = unsafe fdopendir(copy) else {
      close(copy)
      throw Self.failure(place)
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else { break }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(
          to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)
        ) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw Self.failure(place) }
    return names
  }

  /// What the system's last error means for the caller.
  static func failure(_ place: String) -> ObjectStoreError {
    let number = errno
    let reason = unsafe String(cString: strerror(number))
    switch number {
    case EACCES, EPERM, EROFS, ELOOP, ENOTDIR, EISDIR, EMLINK, ENAMETOOLONG, ENOENT, EINVAL:
      return .refused(place: place, reason: reason)
    default: return .busy(place: place, reason: reason)
    }
  }
}
