internal import Foundation

/// What stands at a path, links followed.
package struct FileStatus {
  /// Which file a path leads to, whatever its name.
  package struct Identity: Hashable, Sendable {
    let device: UInt64
    let number: UInt64
  }

  /// What sort of a file it is.
  package enum Kind: Sendable {
    case regular, folder
    /// A device, a pipe or a socket.
    case other
  }

  /// What sort of a file it is.
  package let kind: Kind
  /// Which file it is.
  package let identity: Identity
  let permissions: mode_t
  let owner: uid_t
  let group: gid_t

  /// Looks at the file at `path`; nil when there is none.
  package init?(path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .regular
    case S_IFDIR: kind = .folder
    default: kind = .other
    }
    identity = Identity(
      device: UInt64(truncatingIfNeeded: status.st_dev),
      number: UInt64(truncatingIfNeeded: status.st_ino))
    permissions = status.st_mode & 0o7777
    owner = status.st_uid
    group = status.st_gid
  }
}
