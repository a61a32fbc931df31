/// Why opening a journal rolled back its last transaction.
///
/// The last frame of a transaction commits it, and a batch is acknowledged when that frame is on
/// the disk. In both cases no acknowledged batch is known to be lost.
public enum RolledBackTransaction: Hashable, Sendable {
  /// It has complete frames, but no commit frame: the process ended while it was written.
  ///
  /// A log that was truncated after one of its frames looks the same.
  case neverCommitted
  /// The log ends inside a frame or fails a checksum at its end, as after a power failure.
  ///
  /// Damage of more than one bit to the frames of the last transaction looks the same. One flipped
  /// bit is recognized, and the journal is then refused as damaged.
  case incomplete
}

/// SQLite's write-ahead log, read and verified without SQLite.
///
/// SQLite applies a log up to the first frame that fails its checksum and ignores the rest: a
/// flipped bit there would silently roll back acknowledged transactions. So the log is inspected
/// before SQLite opens it. After the bad frame there can be at most one transaction that was being
/// written when the power failed, because each one is synchronized before the next begins. More
/// than one means damage.
///
/// A frame is the image of a page. Its checksum continues that of the frame before, so that a frame
/// after a bad one can still be verified: from the checksum stored in the bad one.
///
/// Source: the description of the format in SQLite's documentation, "WAL-mode File Format".
package struct WriteAheadLog {
  /// What opening the journal would do with the log.
  package enum State: Equatable {
    /// There is no log, or it is intact.
    case sound
    /// The last transaction is rolled back.
    case undone(RolledBackTransaction)
    /// Acknowledged transactions are at or after a damaged frame.
    case damaged
  }

  /// A frame of this log; remains of older logs are not included.
  package struct Frame: Equatable {
    /// Its offset in the log, bytes.
    package let start: Int
    /// Whether its page is as written, as its checksum or that of the next frame proves.
    package var isSound = false
    /// Whether a bit of it was found changed.
    package var isDamaged = false
    /// Whether its page is as written but for one bit, whose position is unknown.
    package var isOneBitOff = false
    /// The other number that the page has if that bit is one of the number's.
    package var otherPage: Int?

    /// Whether the page is worth reading: rows have checksums of their own.
    package var isUsable: Bool { isSound || isOneBitOff }
  }

  package static let headerLength = 32
  package static let frameHeaderLength = 24

  private(set) var bytes: [UInt8]
  package private(set) var frames: [Frame] = []
  /// Whether the header failed its checksum.
  package private(set) var hasDamagedHeader = false
  /// Whether the log ends inside a frame.
  package private(set) var endsInsideFrame = false
  package private(set) var pageSize = StoreFormat.pageSize
  private(set) var isBigEndian = false

  package var frameLength: Int { Self.frameHeaderLength + pageSize }

  /// Reads a log; `databasePage` gives a page of the database, counted from 1, which may already
  /// hold the content of a damaged frame.
  package init(_ bytes: [UInt8], databasePage: (Int) -> ArraySlice<UInt8>? = { _ in nil }) {
    self.bytes = bytes
    // With no more than a header, nothing was ever committed.
    guard bytes.count > Self.headerLength else {
      endsInsideFrame = !bytes.isEmpty && bytes.count < Self.headerLength
      return
    }
    guard bytes.contains(where: { $0 != 0 }) else { return }
    if !readHeader() {
      hasDamagedHeader = true
      repairHeader()
      _ = readHeader()
    }
    findFrames()
    verify(databasePage)
  }

  package var state: State {
    guard !hasDamagedHeader else { return .damaged }
    // A transaction was complete, and a bit of it has changed since.
    if let first = frames.firstIndex(where: { $0.isUsable && $0.isDamaged }) {
      let usable = frames[first...].prefix { $0.isUsable }
      if usable.contains(where: { commits($0) }) { return .damaged }
    }
    if let bad = frames.firstIndex(where: { !$0.isSound }) {
      let end = frames[bad...].firstIndex { commits($0) } ?? frames.endIndex
      let begin = (frames[..<bad].lastIndex { commits($0) } ?? -1) + 1
      return end + 1 < frames.endIndex || repeatsPage(in: frames[begin...])
        ? .damaged : .undone(.incomplete)
    }
    if endsInsideFrame { return .undone(.incomplete) }
    return frames.last.map { commits($0) } ?? true ? .sound : .undone(.neverCommitted)
  }

  /// The page number, from 1, of the image in a frame.
  package func page(_ frame: Frame) -> Int { Int(word(frame.start)) }

  /// Whether a frame commits a transaction: only then it states the size of the database.
  package func commits(_ frame: Frame) -> Bool { word(frame.start + 4) != 0 }

  /// The size of the database after the transaction that a frame commits, pages.
  package func pageCount(_ frame: Frame) -> Int { Int(word(frame.start + 4)) }

  /// The page image in a frame.
  package func image(_ frame: Frame) -> ArraySlice<UInt8> {
    bytes[frame.start + Self.frameHeaderLength..<frame.start + frameLength]
  }

  /// Whether the frames belong to several transactions, a commit frame being lost: within one,
  /// SQLite overwrites the frame of a page that it writes again.
  private func repeatsPage(in frames: ArraySlice<Frame>) -> Bool {
    var seen: Set<Int> = []
    return frames.contains { $0.isUsable && !seen.insert(page($0)).inserted }
  }

  /// The newest usable image of a page among the first `count` frames.
  package func newestImage(ofPage page: Int, among count: Int) -> ArraySlice<UInt8>? {
    frames.prefix(count).last { $0.isUsable && self.page($0) == page }.map { image($0) }
  }

  /// The number of frames up to the last one that commits a transaction.
  ///
  /// The last frame of the log must be usable for that; an earlier transaction was complete when
  /// the next one began.
  package var committedCount: Int {
    (frames.lastIndex { commits($0) && ($0.isUsable || $0 != frames.last) } ?? -1) + 1
  }

  // MARK: Reading

  /// Reads the header; returns whether it matches its checksum.
  private mutating func readHeader() -> Bool {
    let size = Int(word(8))
    guard word(0) | 1 == 0x377f_0683, (512...65_536).contains(size), size & (size - 1) == 0 else {
      return false
    }
    isBigEndian = word(0) & 1 == 1
    pageSize = size
    var sum = Sum()
    add(0..<24, to: &sum)
    return sum == statedSum(24)
  }

  /// Corrects one flipped bit of the header, if that is the damage.
  private mutating func repairHeader() {
    for bit in 0..<8 * Self.headerLength {
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      if readHeader() { return }
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    }
  }

  private mutating func findFrames() {
    var start = Self.headerLength
    while start + frameLength <= bytes.count {
      let next = start + frameLength
      if !isOwn(start), next + frameLength > bytes.count || !isOwn(next) { return }
      frames.append(Frame(start: start))
      start = next
    }
    endsInsideFrame = start < bytes.count
  }

  /// Whether a frame has the log's two salts, but for at most two flipped bits: else it remains
  /// from an older log.
  private func isOwn(_ frame: Int) -> Bool { saltDistance(frame) <= 2 }

  private func saltDistance(_ frame: Int) -> Int {
    [0, 4].reduce(0) { sum, part in
      sum + (word(frame + 8 + part) ^ word(16 + part)).nonzeroBitCount
    }
  }

  /// Finds out which frames are intact, and corrects single flipped bits.
  private mutating func verify(_ databasePage: (Int) -> ArraySlice<UInt8>?) {
    // The sums from which the next frame may continue; a match with any but the first verifies the
    // frame before.
    var seeds = [statedSum(24)]
    // The candidates for the flipped bit of the frame before, unless a bit of its checksum has
    // flipped.
    var flips: [FrameBit] = []
    for index in frames.indices {
      let start = frames[index].start
      let stated = statedSum(start + 16)
      let sums = seeds.map { sum(ofFrame: start, following: $0) }
      frames[index].isDamaged = saltDistance(start) != 0
      if let match = sums.firstIndex(of: stated) {
        frames[index].isSound = true
        if match > 0 {
          frames[index - 1].isSound = true
        } else if flips.count == 1 {
          flip(flips[0])
          frames[index - 1].isSound = true
        }
        (seeds, flips) = ([stated], [])
        continue
      }
      frames[index].isDamaged = true
      flips = []
      switch repairFrame(start, following: seeds[0], databasePage) {
      case .done(let sum):
        frames[index].isSound = true
        seeds = [sum]
      case .oneOf(let bits):
        frames[index].isOneBitOff = true
        frames[index].otherPage = bits.first { $0.offset < start + 4 }.map { bit in
          page(frames[index]) ^ 1 << (8 * (start + 3 - bit.offset) + bit.bit)
        }
        flips = bits
        seeds = [stated, sums[0]]
      case .impossible: seeds = [stated] + sums.prefix(2)
      }
    }
  }

  // MARK: Checksums

  /// The big-endian 32-bit word at `offset`.
  package func word(_ offset: Int) -> UInt32 {
    UInt32(bytes[offset]) << 24 | UInt32(bytes[offset + 1]) << 16
      | UInt32(bytes[offset + 2]) << 8 | UInt32(bytes[offset + 3])
  }

  package func statedSum(_ offset: Int) -> Sum {
    Sum(first: word(offset), second: word(offset + 4))
  }

  package func sum(ofFrame start: Int, following seed: Sum) -> Sum {
    var sum = seed
    add(start..<start + 8, to: &sum)
    add(start + Self.frameHeaderLength..<start + frameLength, to: &sum)
    return sum
  }

  private func add(_ range: Range<Int>, to sum: inout Sum) {
    for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
      let one = word(offset)
      let two = word(offset + 4)
      sum.first &+= (isBigEndian ? one : one.byteSwapped) &+ sum.second
      sum.second &+= (isBigEndian ? two : two.byteSwapped) &+ sum.first
    }
  }

  package mutating func replace(_ range: Range<Int>, by new: some Collection<UInt8>) {
    bytes.replaceSubrange(range, with: new)
  }

  package mutating func flip(_ place: FrameBit) { bytes[place.offset] ^= 1 << UInt8(place.bit) }

  /// The log's checksum, which is cumulative over all frames.
  package struct Sum: Equatable {
    package var first: UInt32 = 0
    package var second: UInt32 = 0
  }
}
