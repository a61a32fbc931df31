import Foundation

/// Files and folders that hold somebody's data, for their owner alone.
enum PrivateFile {
  /// Writes a file whole or not at all, in place of what is there.
  static func write(_ content: Data, to path: String) throws(ServerError) {
    let usual = umask(0o077)
    defer { umask(usual) }
    do {
      try content.write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw .unavailable("\(path): cannot be written")
    }
  }

  /// Makes a folder, unless it is there.
  static func makeFolder(_ path: String) throws(ServerError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .unavailable("\(path): cannot be made")
    }
  }
}
