internal import Foundation

extension Journal {
  /// Has Apple's systems encrypt a journal's files until the first unlock after a restart.
  ///
  /// A recorder can continue while the phone is locked again. On other systems, and where the file
  /// system has no protection classes, this does nothing.
  static func protectFiles(of path: String) {
    #if os(iOS) || os(watchOS)
      for ending in [""] + StoreLocation.companions {
        try? FileManager.default.setAttributes(
          [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
          ofItemAtPath: path + ending)
      }
    #endif
  }
}
