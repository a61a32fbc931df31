// The only file of this module that renames what was written.
internal import Foundation

/// A file that is written under a temporary name and renamed into place as a whole.
///
/// A regular file is written under a hidden name in the same folder and renamed by
/// ``OutputFiles/commit()``: until then an existing file of that name is unchanged and nobody else
/// may read the new one, and afterwards it is the new one; after a power failure it is either, as a
/// whole. The permissions and the owner of an existing file stay. A symbolic link is followed. What
/// cannot be replaced (a device, a pipe, the descriptors under `/dev` and `/proc`) is written to
/// directly.
///
/// The bytes are compressed by gzip when the name ends in `.gz`.
package final class OutputFile {
  /// The path that was asked for.
  let path: String
  private let staged: StagedName?
  private let descriptor: Int32
  private var output: CompressedOutput?

  /// The temporary name of the file, and its final one.
  private struct StagedName {
    let temporary: String
    let final: String
    let permissions: mode_t
  }

  /// The final path; nil for a file that is written to directly.
  fileprivate var finalPath: String? { staged?.final }

  fileprivate init(_ place: OutputPlace, path: String) throws(RecordingError) {
    self.path = path
    if place.isStream {
      staged = nil
      descriptor = try Self.open(place.path, O_WRONLY | O_APPEND, of: path)
    } else {
      let temporary = "\(place.folder)/.locomotion-\(UUID().uuidString).partial"
      TemporaryPaths.shared.insert(temporary)
      do {
        descriptor = try Self.open(temporary, O_WRONLY | O_CREAT | O_EXCL, of: path)
      } catch {
        TemporaryPaths.shared.remove(temporary)
        throw error
      }
      if let old = place.status {
        _ = fchown(descriptor, old.owner, old.group)
      }
      staged = StagedName(
        temporary: temporary, final: place.path,
        permissions: place.status?.permissions ?? 0o666 & ~Self.mask)
    }
    output = try CompressedOutput(
      descriptor: dup(descriptor), path: path, isCompressed: path.hasSuffix(".gz"))
  }

  /// The permissions that new files of this process don't have.
  private static let mask: mode_t = {
    let mask = umask(0o077)
    umask(mask)
    return mask
  }()

  private static func open(
    _ name: String, _ flags: Int32, of path: String
  ) throws(RecordingError) -> Int32 {
    let descriptor = unsafe Foundation.open(name, flags | O_CLOEXEC | O_NOCTTY, 0o600)
    guard descriptor >= 0 else { throw .unwritable(path: path, reason: systemErrorText()) }
    return descriptor
  }

  /// Appends bytes.
  package func write(_ bytes: [UInt8]) throws(RecordingError) {
    precondition(output != nil, "\(path): write after the end")
    try output?.write(bytes)
  }

  /// Appends text.
  package func write(_ text: String) throws(RecordingError) {
    try write(Array(text.utf8))
  }

  /// Flushes, synchronizes and closes the file, without renaming it yet.
  ///
  /// Nothing may be written after this. It is closed so that a command can have any number of
  /// files.
  func finish() throws(RecordingError) {
    guard let open = output else { return }
    output = nil
    defer { close(descriptor) }
    try open.close()
    // A pipe or a terminal cannot be synchronized.
    guard staged == nil || fsync(descriptor) == 0 else {
      throw .unwritable(path: path, reason: systemErrorText())
    }
  }

  /// Renames the file to its final path.
  fileprivate func rename() throws(RecordingError) {
    guard let staged else { return }
    unsafe _ = chmod(staged.temporary, staged.permissions)
    guard unsafe Foundation.rename(staged.temporary, staged.final) == 0 else {
      throw .unwritable(path: path, reason: systemErrorText())
    }
    TemporaryPaths.shared.remove(staged.temporary)
  }

  /// Removes the temporary file, unless it has been renamed already.
  fileprivate func discard() {
    if let open = output {
      output = nil
      try? open.close()
      close(descriptor)
    }
    if let staged { TemporaryPaths.shared.delete(staged.temporary) }
  }
}

/// The files that one command writes: all of them are renamed into place at the end, or none is.
///
/// ```swift
/// let outputs = OutputFiles(inputs: [recording])
/// let table = try outputs.open("table.csv")
/// try table.write(text)
/// try outputs.commit()
/// ```
///
/// Files that were not committed are removed with the last reference.
package final class OutputFiles {
  private let inputs: Set<FileStatus.Identity>
  private var files: [OutputFile] = []
  /// The final paths of the files.
  private var places: Set<String> = []
  private var folders: [String] = []

  /// Starts without files.
  ///
  /// - Parameter inputs: Paths of files that must not be overwritten, under whatever name.
  package init(inputs: [String] = []) {
    self.inputs = Set(inputs.compactMap { FileStatus(path: $0)?.identity })
  }

  deinit { discard() }

  /// Creates a file that ``commit()`` renames to `path`.
  ///
  /// - Throws: `RecordingError.unwritable` when `path` is a folder or cannot be written to;
  ///   `RecordingError.refused` when it is an input or another output.
  package func open(_ path: String) throws(RecordingError) -> OutputFile {
    let place = try OutputPlace(path)
    if let status = place.status, status.kind == .regular { try refuseInput(status, path) }
    guard !places.contains(place.path) else {
      throw .refused(path: path, reason: "two outputs of the same command have this path")
    }
    let file = try OutputFile(place, path: path)
    files.append(file)
    if let place = file.finalPath { places.insert(place) }
    return file
  }

  /// Creates a folder and its parents where they are missing.
  ///
  /// - Throws: `RecordingError.unwritable` when it cannot be created; `RecordingError.refused` when
  ///   it is an input.
  package func openFolder(_ path: String) throws(RecordingError) {
    var missing: [String] = []
    var parent = path
    while !parent.isEmpty, FileStatus(path: parent) == nil, missing.last != parent {
      missing.append(parent)
      parent = OutputPlace.folder(of: parent)
    }
    for folder in missing.reversed() {
      guard unsafe mkdir(folder, 0o777) == 0 || errno == EEXIST else {
        throw .unwritable(path: path, reason: systemErrorText())
      }
      folders.append(folder)
      TemporaryPaths.shared.insert(folder, isFolder: true)
    }
    guard let status = FileStatus(path: path), status.kind == .folder else {
      throw .unwritable(path: path, reason: "a file is in the way of the folder")
    }
    try refuseInput(status, path)
  }

  private func refuseInput(_ status: FileStatus, _ path: String) throws(RecordingError) {
    guard !inputs.contains(status.identity) else {
      throw .refused(path: path, reason: "the output is an input of the same command")
    }
  }

  /// Removes a file that is not needed after all.
  func discard(_ file: OutputFile) {
    file.discard()
    if let place = file.finalPath { places.remove(place) }
    files.removeAll { $0 === file }
  }

  /// Synchronizes all files, and then renames them into place.
  ///
  /// - Throws: `RecordingError.unwritable`; then no existing file has changed, unless the renaming
  ///   itself failed.
  package func commit() throws(RecordingError) {
    for file in files { try file.finish() }
    try TemporaryPaths.shared.undisturbed { () throws(RecordingError) in
      for file in files { try file.rename() }
    }
    files = []
    places = []
    for folder in folders { TemporaryPaths.shared.remove(folder) }
    folders = []
  }

  /// Removes the temporary files and the folders that were created for them.
  private func discard() {
    for file in files { file.discard() }
    files = []
    places = []
    // A folder that has other content by now stays.
    for folder in folders.reversed() { TemporaryPaths.shared.delete(folder) }
    folders = []
  }
}

private struct OutputPlace {
  /// Whether it is written to directly, and not under a temporary name and renamed.
  let isStream: Bool
  /// The path with all links resolved.
  let path: String
  let status: FileStatus?

  var folder: String { Self.folder(of: path) }

  /// The folder of a path's last component.
  ///
  /// Not by Foundation: on Linux `NSString.deletingLastPathComponent` traps on a path of one
  /// character.
  static func folder(of path: String) -> String {
    let slash = UInt8(ascii: "/")
    var bytes = Array(path.utf8)
    while bytes.count > 1, bytes.last == slash { bytes.removeLast() }
    guard let end = bytes.lastIndex(of: slash) else { return "." }
    return end == 0 ? "/" : String(decoding: bytes[..<end], as: UTF8.self)
  }

  init(_ asked: String) throws(RecordingError) {
    status = FileStatus(path: asked)
    path = try Self.target(of: asked)
    let isDescriptor = ["/dev/", "/proc/"].contains(where: path.hasPrefix)
    switch status?.kind {
    case .folder: throw .unwritable(path: asked, reason: systemErrorText(EISDIR))
    case .other: isStream = true
    case .regular:
      isStream = isDescriptor
      guard unsafe access(path, W_OK) == 0 else {
        throw .unwritable(path: asked, reason: systemErrorText())
      }
    case nil:
      isStream = false
      guard !asked.isEmpty, !path.hasSuffix("/") else {
        throw .unwritable(path: asked, reason: systemErrorText(ENOENT))
      }
    }
  }

  /// The target of symbolic links, whether or not it exists.
  private static func target(of asked: String) throws(RecordingError) -> String {
    var path = asked
    // The limit of Linux.
    for _ in 0..<40 {
      // The links in there lead to descriptors, which are not always files.
      if ["/dev/", "/proc/"].contains(where: path.hasPrefix) { return path }
      guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
        return path
      }
      path = next.hasPrefix("/") ? next : folder(of: path) + "/" + next
    }
    throw .unwritable(path: asked, reason: systemErrorText(ELOOP))
  }
}
