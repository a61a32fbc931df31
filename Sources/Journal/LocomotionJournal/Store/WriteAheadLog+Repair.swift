extension WriteAheadLog {
  /// A bit of the log.
  package struct FrameBit {
    /// The offset of the byte in the log.
    package let offset: Int
    /// The position in the byte, 0 for the lowest bit.
    package let bit: Int
  }

  /// The result of repairing a frame that fails its checksum.
  package enum Repair {
    /// The frame is as written; the next one continues from this sum.
    case done(Sum)
    /// One bit has flipped: in the checksum, or one of these.
    case oneOf([FrameBit])
    /// More than one bit is wrong.
    case impossible
  }

  /// Repairs a frame, as far as its checksum of 64 bits determines how.
  ///
  /// The checksum always detects one flipped bit, and for three of four bits it locates it. The
  /// highest bits of a word affect little of the checksum, and some of them have the same effect.
  package mutating func repairFrame(
    _ start: Int, following seed: Sum, _ databasePage: (Int) -> ArraySlice<UInt8>?
  ) -> Repair {
    let stated = statedSum(start + 16)
    let found = sum(ofFrame: start, following: seed)
    // A checkpoint may have copied the page to the database before the frame was damaged.
    let content = start + Self.frameHeaderLength..<start + frameLength
    if let copy = databasePage(Int(word(start))), copy.count == pageSize {
      let damaged = Array(bytes[content])
      replace(content, by: copy)
      if sum(ofFrame: start, following: seed) == stated { return .done(stated) }
      replace(content, by: damaged)
    }
    let distance =
      (stated.first ^ found.first).nonzeroBitCount + (stated.second ^ found.second).nonzeroBitCount
    let flips = flippedBits(inFrame: start, from: found, to: stated)
    switch (flips.count, distance) {
    case (0, 1): return .done(found)
    case (0, _): return .impossible
    case (1, 2...):
      flip(flips[0])
      return .done(stated)
    default: return .oneOf(flips)
    }
  }

  /// The bits of a frame each of which, when flipped, turns one checksum into the other.
  ///
  /// The checksum is linear in the words of the frame, modulo 2³²: adding d to a word adds to the
  /// two sums d times two factors that depend only on the word's position.
  private func flippedBits(
    inFrame start: Int, from found: Sum, to stated: Sum
  ) -> [FrameBit] {
    var result: [FrameBit] = []
    let difference = (stated.first &- found.first, stated.second &- found.second)
    // The factors of the two words of the last pair.
    var factors: [(UInt32, UInt32)] = [(1, 1), (0, 1)]
    for pair in (0..<(8 + pageSize) / 8).reversed() {
      let place = pair == 0 ? start : start + Self.frameHeaderLength + 8 * (pair - 1)
      for (half, factor) in factors.enumerated() {
        let offset = place + 4 * half
        for place in 0..<32 {
          let isSet = bytes[offset + place / 8] >> UInt8(place % 8) & 1 == 1
          let power = UInt32(1) << UInt32(isBigEndian ? 8 * (3 - place / 8) + place % 8 : place)
          let change = isSet ? 0 &- power : power
          if change &* factor.0 == difference.0, change &* factor.1 == difference.1 {
            result.append(FrameBit(offset: offset + place / 8, bit: place % 8))
          }
        }
      }
      factors = factors.map { ($0.0 &+ $0.1, $0.0 &+ 2 &* $0.1) }
    }
    return result
  }
}
