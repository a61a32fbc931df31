internal import Foundation

/// What stands in SQLite's write-ahead log when nobody has the journal open.
///
/// SQLite takes a log up to the first frame that fails its checksum and forgets the rest: a flipped
/// bit there would silently undo acknowledged transactions. So the log is looked at before SQLite
/// sees it. Behind the bad frame there can be at most one transaction that was being written when
/// the power failed, because each one is on the disk before the next begins; if there are more,
/// something else happened.
///
/// Source: the description of the format in SQLite's documentation, "WAL-mode File Format".
enum WriteAheadLog: Equatable {
  /// There is no log, or all of it is sound.
  case sound
  /// The last transaction is incomplete: power failed, or its end is damaged.
  case unfinished
  /// Acknowledged transactions lie behind a damaged place.
  case damaged

  private static let headerLength = 32
  private static let frameHeaderLength = 24

  /// Looks at the log beside the journal at `path`.
  static func inspect(journal path: String) -> WriteAheadLog {
    guard let file = FileHandle(forReadingAtPath: path + "-wal") else { return .sound }
    defer { try? file.close() }
    // Twice, in case another process begins the log anew in between.
    for _ in 0..<5 {
      guard (try? file.seek(toOffset: 0)) != nil, let data = try? file.readToEnd() else {
        return .sound
      }
      let bytes = [UInt8](data)
      let result = inspect(bytes)
      try? file.seek(toOffset: 0)
      let again = (try? file.read(upToCount: headerLength)) ?? Data()
      if again.elementsEqual(bytes.prefix(headerLength)) { return result }
    }
    return .sound
  }

  static func inspect(_ bytes: [UInt8]) -> WriteAheadLog {
    // Shorter than a header and one frame: nothing was ever committed to it.
    guard bytes.count > headerLength else { return .sound }
    let magic = word(bytes, 0)
    let pageSize = Int(word(bytes, 8))
    guard magic | 1 == 0x377f_0683, (512...65_536).contains(pageSize),
      pageSize & (pageSize - 1) == 0
    else { return hasContent(bytes[...]) ? .damaged : .sound }
    let isBigEndian = magic & 1 == 1
    var sum = Sum()
    sum.add(bytes, 0..<24, isBigEndian: isBigEndian)
    guard sum.first == word(bytes, 24), sum.second == word(bytes, 28) else { return .damaged }

    let frameLength = frameHeaderLength + pageSize
    var start = headerLength
    while start + frameLength <= bytes.count {
      guard saltDistance(bytes, start) == 0 else {
        let next = start + frameLength
        let isRelic =
          !isOwn(bytes, start) && (next + frameLength > bytes.count || !isOwn(bytes, next))
        if isRelic { return .sound }
        return isDamage(bytes, from: start, frameLength) ? .damaged : .unfinished
      }
      sum.add(bytes, start..<start + 8, isBigEndian: isBigEndian)
      sum.add(bytes, start + 24..<start + frameLength, isBigEndian: isBigEndian)
      guard sum.first == word(bytes, start + 16), sum.second == word(bytes, start + 20) else {
        return isDamage(bytes, from: start, frameLength) ? .damaged : .unfinished
      }
      start += frameLength
    }
    return .sound
  }

  /// Whether more than one transaction of this log begins at the bad frame or behind it.
  ///
  /// One transaction ends in a frame that tells the size of the database.
  private static func isDamage(_ bytes: [UInt8], from bad: Int, _ frameLength: Int) -> Bool {
    var hasEnded = false
    for start in stride(from: bad, to: bytes.count - frameLength + 1, by: frameLength) {
      // The bad frame itself may have lost its salts by the damage.
      guard start == bad || isOwn(bytes, start) else { return false }
      if hasEnded { return true }
      hasEnded = word(bytes, start + 4) != 0
    }
    return false
  }

  /// Whether a frame carries the log's two random numbers, or did before two bits of them flipped:
  /// else it is a relic of an older log.
  private static func isOwn(_ bytes: [UInt8], _ frame: Int) -> Bool {
    saltDistance(bytes, frame) <= 2
  }

  private static func saltDistance(_ bytes: [UInt8], _ frame: Int) -> Int {
    [0, 4].reduce(0) { sum, part in
      sum + (word(bytes, frame + 8 + part) ^ word(bytes, 16 + part)).nonzeroBitCount
    }
  }

  private static func hasContent(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.contains { $0 != 0 }
  }

  /// The big-endian word at `offset`.
  private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    UInt32(bytes[offset]) << 24 | UInt32(bytes[offset + 1]) << 16
      | UInt32(bytes[offset + 2]) << 8 | UInt32(bytes[offset + 3])
  }

  /// The log's checksum, which runs through all frames.
  private struct Sum {
    var first: UInt32 = 0
    var second: UInt32 = 0

    mutating func add(_ bytes: [UInt8], _ range: Range<Int>, isBigEndian: Bool) {
      var offset = range.lowerBound
      while offset < range.upperBound {
        let one = word(bytes, offset)
        let two = word(bytes, offset + 4)
        first &+= (isBigEndian ? one : one.byteSwapped) &+ second
        second &+= (isBigEndian ? two : two.byteSwapped) &+ first
        offset += 8
      }
    }
  }
}
