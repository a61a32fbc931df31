import Foundation

/// A file that is written as a whole, after work that may take long.
///
/// A place that can't be written is refused before that work.
struct OutputFile {
  private let path: String
  /// Whether the path names no file yet, or an ordinary one: what else stands there (a device, a
  /// pipe, a link) is written into, and not replaced.
  private let isReplaceable: Bool

  init(path: String) throws {
    self.path = path
    let files = FileManager.default
    // The attributes are those of a link itself, not of what it leads to.
    let type = (try? files.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    isReplaceable = type == nil || type == .typeRegular
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    if type == .typeDirectory {
      throw OutputError(path: path, code: EISDIR)
    } else if type == nil, !files.fileExists(atPath: folder) {
      throw OutputError(path: path, code: ENOENT)
    } else if isReplaceable, !files.isWritableFile(atPath: type == nil ? folder : path) {
      throw OutputError(path: path, code: EACCES)
    }
  }

  /// Writes the file, or leaves an old one of that name as it was.
  func write(_ bytes: some Sequence<UInt8>) throws {
    do {
      try Data(bytes).write(
        to: URL(fileURLWithPath: path), options: isReplaceable ? .atomic : [])
    } catch {
      throw OutputError(path: path, error)
    }
  }
}
