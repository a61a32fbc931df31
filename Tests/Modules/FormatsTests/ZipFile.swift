import Foundation
import TestSupport

extension ScratchFolder {
  /// Every file below the folder.
  var files: [String] {
    ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).filter {
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\($0)")
      return attributes?[.type] as? FileAttributeType == .typeRegular
    }.sorted()
  }
}

/// A zip file written by hand, so that its headers can be wrong.
struct ZipFile {
  private(set) var bytes: [UInt8] = []
  private var directory: [UInt8] = []
  private var entries = 0

  /// Adds an entry; `deflated` are its compressed bytes, nil to store it uncompressed.
  mutating func add(
    _ name: String, _ content: [UInt8], deflated: [UInt8]? = nil, checksum: UInt32? = nil
  ) {
    let start = bytes.count
    let packed = deflated ?? content
    var fields: [UInt8] = Self.little(20, 2) + Self.little(0, 2)
    fields += Self.little(deflated == nil ? 0 : 8, 2) + Self.little(0, 4)
    fields += Self.little(Int(checksum ?? Self.checksum(content)), 4)
    fields += Self.little(packed.count, 4) + Self.little(content.count, 4)
    fields += Self.little(name.utf8.count, 2) + Self.little(0, 2)
    bytes += [0x50, 0x4B, 3, 4] + fields + Array(name.utf8) + packed
    directory += [0x50, 0x4B, 1, 2, 20, 0] + fields + [UInt8](repeating: 0, count: 10)
    directory += Self.little(start, 4) + Array(name.utf8)
    entries += 1
  }

  /// The whole file.
  var file: [UInt8] {
    bytes + directory + [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + Self.little(entries, 2)
      + Self.little(entries, 2) + Self.little(directory.count, 4) + Self.little(bytes.count, 4)
      + [0, 0]
  }

  private static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// CRC-32 (ISO 3309), bit by bit.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = .max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return ~sum
  }
}
