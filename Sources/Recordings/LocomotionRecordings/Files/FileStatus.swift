internal import Foundation

/// The status of the file at a path; symbolic links are followed.
package struct FileStatus {
  /// The identity of a file, whatever its name: its device and inode.
  struct Identity: Hashable, Sendable {
    let device: UInt64
    let number: UInt64
  }

  /// The type of a file.
  package enum Kind: Sendable {
    case regular, folder
    /// A device, a pipe or a socket.
    case other
  }

  /// The type of the file.
  package let kind: Kind
  let identity: Identity
  let permissions: mode_t
  let owner: uid_t
  let group: gid_t

  /// Reads the status of the file at `path`; nil when there is none.
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
