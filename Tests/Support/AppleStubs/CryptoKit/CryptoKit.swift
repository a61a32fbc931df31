// What the package uses of Apple's CryptoKit, in outline.
public import Foundation

/// Stands for the hash function.
public enum SHA256 {
  /// Stands for its digest, which is a sequence of bytes there, too.
  public static func hash(data: some DataProtocol) -> [UInt8] { Array(data) }
}
