// What the package uses of Apple's CryptoKit, in outline.
public import Foundation

public enum SHA256 {
  public static func hash(data: some DataProtocol) -> [UInt8] { Array(data) }
}
