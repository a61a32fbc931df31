internal import LocomotionJournal
internal import LocomotionSensing

// Blocks of samples have a checksum of their own: they are found and known without their rows.

extension SalvagedRows {
  /// Adds a block that matches its own checksum or can be repaired; returns whether it could.
  mutating func consider(_ bytes: [UInt8], _ key: Int64) -> Bool {
    if let block = try? SampleBlock(bytes, key: key) {
      consider(block, key)
      return true
    }
    // The checksum of its frame has shown that one bit of it is wrong.
    guard flippedBits > 0, blocks[key] == nil,
      let block = SampleBlock(restoring: bytes, key: key)
    else { return false }
    consider(block, key)
    if blocks[key] != nil { flippedBits -= 1 }
    return true
  }

  /// Adds a block, unless there is a better one.
  private mutating func consider(_ block: SampleBlock, _ key: Int64) {
    if let batch = batches[key] {
      if batch.blockChecksum == block.checksum { blocks[key] = block }
    } else if block.sampleCount > blocks[key]?.sampleCount ?? -1 {
      // A small block was merged with later samples into a larger one with the same key.
      blocks[key] = block
    }
  }

  /// Searches bytes for blocks; overflow pages are read from `database`.
  mutating func scan(_ bytes: [UInt8], overflowingInto database: [UInt8]) {
    let letters = SampleBlock.letters
    var start = 0
    while start + SampleBlock.headerLength < bytes.count {
      guard bytes[start] == letters[0], bytes[start + 1] == letters[1],
        bytes[start + 2] == letters[2], bytes[start + 3] == letters[3]
      else {
        start += 1
        continue
      }
      var header = ByteReader(Array(bytes[start + 4..<start + SampleBlock.headerLength]))
      let key = (try? header.littleEndian(byteCount: 8)).map { Int64(bitPattern: $0) } ?? -1
      let length = (try? header.littleEndian(byteCount: 4)).map { Int($0) } ?? 0
      let isKnown = batches[key].map { $0.blockChecksum == blocks[key]?.checksum } ?? false
      // Limited to the available bytes: damage may lead in a circle from page to page.
      let isPossible = length <= min(SampleBlock.longestContent, bytes.count + database.count)
      if key > 0, !isKnown, isPossible {
        let whole = Self.payload(
          bytes, from: start, count: SampleBlock.headerLength + length, overflowingInto: database)
        _ = consider(whole, key)
      }
      start += 4
    }
  }

  /// The bytes of a row from `start` on, gathered from the pages on which they are stored.
  ///
  /// A row too long for its page has a part there and the rest on a linked list of overflow pages,
  /// each of which begins with the number of the next. (SQLite's documentation, "Database File
  /// Format", 1.6, Cell Payload Overflow Pages.)
  private static func payload(
    _ bytes: [UInt8], from start: Int, count: Int, overflowingInto database: [UInt8]
  ) -> [UInt8] {
    let size = StoreFormat.pageSize
    // The header of the row: its own length, a NULL for the key, the type of the bytes.
    let type = 2 * count + 12
    let header = 2 + (type < 1 << 14 ? 2 : 3)
    let total = header + count
    var local = total
    if total > size - 35 {
      let least = (size - 12) * 32 / 255 - 23
      let fraction = least + (total - least) % (size - 4)
      local = fraction <= size - 35 ? fraction : least
    }
    guard start + local - header <= bytes.count else { return [] }
    var result = Array(bytes[start..<min(start + local - header, start + count)])
    var link = bytes.dropFirst(start + local - header).prefix(4)
    while result.count < count, link.count == 4 {
      let page = link.reduce(0) { $0 << 8 | Int($1) }
      guard page > 0, page * size <= database.count else { break }
      let place = (page - 1) * size
      result += database[(place + 4)..<(place + 4 + min(size - 4, count - result.count))]
      link = database[place..<place + 4]
    }
    return result
  }
}

extension SampleBlock {
  fileprivate var sampleCount: Int { accelerations.count + rotationRates.count + pressures.count }

  /// Whether this block contains all of `other`, contiguously.
  func contains(_ other: SampleBlock) -> Bool {
    accelerations.contains(other.accelerations) && rotationRates.contains(other.rotationRates)
      && pressures.contains(other.pressures)
  }
}

extension SensorBatch.PressureSeries {
  fileprivate func contains(_ other: Self) -> Bool {
    guard other.count > 0 else { return true }
    guard count >= other.count else { return false }
    return (0...count - other.count).contains { self[$0..<$0 + other.count].isIdentical(to: other) }
  }

  private func isIdentical(to other: Self) -> Bool {
    timestamps == other.timestamps
      && zip(hectopascals, other.hectopascals).allSatisfy { $0.bitPattern == $1.bitPattern }
  }
}

extension SampleSeries {
  fileprivate func contains(_ other: SampleSeries) -> Bool {
    guard let first = other.timestamps.first else { return true }
    guard count >= other.count else { return false }
    return (0...count - other.count).contains { start in
      timestamps[start] == first && self[start..<start + other.count].isIdentical(to: other)
    }
  }

  /// Compares bit by bit: NaN equals itself.
  private func isIdentical(to other: SampleSeries) -> Bool {
    timestamps == other.timestamps
      && zip([x, y, z], [other.x, other.y, other.z]).allSatisfy { own, others in
        own.elementsEqual(others) { $0.bitPattern == $1.bitPattern }
      }
  }
}
