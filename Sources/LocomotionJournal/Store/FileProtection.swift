internal import Foundation

extension Journal {
  /// Has Apple's systems keep the files of a journal encrypted until the phone is unlocked for the
  /// first time after it was started: a recorder goes on while it is locked again.
  ///
  /// Elsewhere, and where the file system knows no classes, nothing happens.
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
