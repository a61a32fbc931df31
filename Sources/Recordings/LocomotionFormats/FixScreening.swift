internal import Foundation
internal import LocomotionPositioning
internal import LocomotionSensing

/// Finds fixes that are no measurements of their time: by a clock that was wrong, or of a position
/// that the recorder holds while the receiver moves.
struct FixScreening {
  /// The fixes of a recording.
  let fixes: ArraySlice<LocationFix>
  /// The pauses that the file itself marks.
  var pauses: [ClosedRange<Timestamp>] = []

  /// A jump of the time between two rows that is looked at, seconds: no one pauses so long and then
  /// goes on as if nothing were.
  static let longestJump = 43_200.0
  /// A leap from a position that stood still, metres, beyond what receivers correct at rest.
  static let shortestLeap = 50.0

  // MARK: Clocks

  /// 1 January 2001 UTC: earlier dates beside later ones are zeros of clocks (1970, 1980, 2000).
  private static let earliest = Timestamp(nanoseconds: 978_307_200_000_000_000)
  /// The least part of all fixes that is no mistake of the clock.
  private static let minority = 0.05
  /// The dates of a jump over which a clock was wrong whatever the motion, seconds.
  private static let halfYear = 15_768_000.0

  /// The fixes, in the order of rows, whose clock was wrong, in ranges that follow each other: few
  /// that are far off in time and whose places go on where they end.
  ///
  /// Blocks of rows between which the time jumps are compared: one with a date before 2001 beside
  /// later ones is wrong, and one with few fixes, as dense as those of a larger neighbour, if both
  /// move and the places go on as in the next row. What rests on both sides may be a real pause of
  /// days, unless it is half a year; so may a row or two, unless the time comes back after them. A
  /// jump that the file itself marks as a pause is one.
  var wrongClocks: [Range<Int>] {
    var blocks: [Range<Int>] = []
    var begin = fixes.startIndex
    for index in fixes.indices.dropFirst() {
      let jump = fixes[index].timestamp.seconds(since: fixes[index - 1].timestamp)
      guard abs(jump) >= Self.longestJump else { continue }
      blocks.append(begin..<index)
      begin = index
    }
    blocks.append(begin..<fixes.endIndex)
    guard blocks.count > 1 else { return [] }
    /// Whether the time goes on behind a block as if it were not there.
    func comesBack(_ number: Int) -> Bool {
      guard number > 0, number + 1 < blocks.count else { return false }
      let (before, after) = (blocks[number - 1], blocks[number + 1])
      let jump = fixes[after.lowerBound].timestamp.seconds(
        since: fixes[before.upperBound - 1].timestamp)
      return abs(jump) < Self.longestJump
    }
    let early = fixes.count { $0.timestamp < Self.earliest }
    let hasZeros = 0 < early && 2 * early < fixes.count
    return blocks.indices.filter { number in
      let block = blocks[number]
      if hasZeros, fixes[block.lowerBound].timestamp < Self.earliest { return true }
      guard Double(block.count) <= Self.minority * Double(fixes.count) else { return false }
      return [number - 1, number + 1].contains { other in
        guard blocks.indices.contains(other), blocks[other].count > 10 * block.count else {
          return false
        }
        return goesOn(block, blocks[other], comesBack(number))
      }
    }.map { blocks[$0] }
  }

  /// Whether the rows of a block and a larger one beside it are one motion; of a row or two the
  /// neighbour's pace is asked.
  private func goesOn(_ block: Range<Int>, _ other: Range<Int>, _ comesBack: Bool) -> Bool {
    let isBefore = block.lowerBound < other.lowerBound
    let (end, next) =
      isBefore
      ? (fixes[block.upperBound - 1], fixes[other.lowerBound])
      : (fixes[block.lowerBound], fixes[other.upperBound - 1])
    let span = min(end.timestamp, next.timestamp)...max(end.timestamp, next.timestamp)
    guard !pauses.contains(where: { $0.contains(span.lowerBound) && $0.contains(span.upperBound) }),
      let neighbour = pace(other, atEnd: !isBefore),
      let own = block.count < 3 ? neighbour : pace(block, atEnd: isBefore),
      max(own.interval, neighbour.interval) <= min(60, 5 * min(own.interval, neighbour.interval))
    else { return false }
    let distance = end.distance(to: next)
    if span.upperBound.seconds(since: span.lowerBound) >= Self.halfYear { return distance <= 1_000 }
    return (comesBack || block.count > 2) && min(own.speed, neighbour.speed) >= 0.5
      && distance <= 20 + 3 * max(own.speed, neighbour.speed)
        * max(own.interval, neighbour.interval)
  }

  /// The median seconds between the fixes next to an end, and the speed over half a minute of them;
  /// nil of fewer than three.
  private func pace(_ part: Range<Int>, atEnd: Bool) -> (interval: Double, speed: Double)? {
    let near = atEnd ? Array(fixes[part].suffix(60).reversed()) : Array(fixes[part].prefix(60))
    guard near.count >= 3 else { return nil }
    func seconds(_ a: LocationFix, _ b: LocationFix) -> Double {
      abs(b.timestamp.seconds(since: a.timestamp))
    }
    let interval = zip(near, near.dropFirst()).map(seconds).median ?? 0
    let far = near.dropFirst().first { seconds(near[0], $0) >= 30 } ?? near[near.count - 1]
    let time = seconds(near[0], far)
    guard interval > 0, time > 0 else { return nil }
    return (interval, near[0].distance(to: far) / time)
  }

  // MARK: Held positions

  /// The fixes, in the order of time, that repeat a position which the receiver had left, by their
  /// indices.
  ///
  /// Two kinds: a recorder that writes its last position at each row until there is a new one,
  /// which tells by the same time between new ones throughout (then the position is one of each
  /// such time, also at rest); and a position that is frozen, as in a tunnel, before a leap which
  /// makes no sense in the time of a row and does since it was measured. A phone at rest that
  /// repeats its position is neither.
  func heldPositions(decimals: Int?) -> [Int] {
    var holds: [Range<Int>] = []
    var begin = 0
    for index in fixes.indices.dropFirst() where !fixes[index].isAt(fixes[index - 1]) {
      holds.append(begin..<index)
      begin = index
    }
    guard !fixes.isEmpty, holds.count > 2 else { return [] }
    holds.append(begin..<fixes.count)
    let period = period(of: holds, decimals)
    return holds.indices.flatMap { number -> [Int] in
      let hold = holds[number]
      guard hold.count > 1 else { return [] }
      let rest = hold.dropFirst()
      if isFrozen(number, of: holds) { return Array(rest) }
      guard let period else { return [] }
      var last = fixes[hold.lowerBound].timestamp
      return rest.filter { index in
        let isNew = fixes[index].timestamp.seconds(since: last) >= 0.95 * period
        if isNew { last = fixes[index].timestamp }
        return !isNew
      }
    }
  }

  /// The time from one new position to the next, where a recorder holds each for as long, seconds.
  private func period(of holds: [Range<Int>], _ decimals: Int?) -> Double? {
    let pairs = zip(holds, holds.dropFirst()).filter { $0.0.count > 1 }
    guard pairs.count >= 10 else { return nil }
    let lengths = pairs.map {
      fixes[$1.lowerBound].timestamp.seconds(since: fixes[$0.lowerBound].timestamp)
    }
    let rows = pairs.map { Double($0.0.count) }.reduce(0, +)
    let row = lengths.sorted().reduce(0, +) / rows
    let length = lengths.median ?? 0
    let equal = lengths.count { abs($0 - length) <= max(1.5 * row, 0.1 * length) }
    guard length >= 2.5 * row, length <= 120, rows > 0.8 * Double(fixes.count),
      Double(equal) > 0.6 * Double(lengths.count)
    else { return nil }
    // Of rounded positions each is measured anew, and differs only after a step.
    guard let decimals else { return length }
    let moves = pairs.map { fixes[$0.lowerBound].distance(to: fixes[$1.lowerBound]) }
    let step = 111_132 / Double.power(ofTen: decimals)
    return moves.median ?? 0 > 3 * step ? length : nil
  }

  /// Whether a position stood still while the receiver moved.
  private func isFrozen(_ number: Int, of holds: [Range<Int>]) -> Bool {
    let hold = holds[number]
    guard number + 1 < holds.count, fixes[hold.upperBound - 1].speed ?? 1 > 0 else { return false }
    let (from, last) = (fixes[hold.lowerBound], fixes[hold.upperBound - 1])
    let next = fixes[hold.upperBound]
    let distance = from.distance(to: next)
    let accuracies = (from.horizontalAccuracy ?? 10) + (next.horizontalAccuracy ?? 10)
    guard distance > max(Self.shortestLeap, 3 * accuracies) else { return false }
    // The speeds before and after it.
    let speeds = [
      pace(fixes.startIndex..<(hold.lowerBound + 1), atEnd: true)?.speed,
      pace(hold.upperBound..<fixes.endIndex, atEnd: false)?.speed,
    ].compactMap { $0 }
    guard let fastest = speeds.max() else { return false }
    let leap = distance / next.timestamp.seconds(since: last.timestamp)
    let way = distance / next.timestamp.seconds(since: from.timestamp)
    return leap > 3 * max(fastest, 2) && way >= max(1, 0.3 * fastest)
  }
}

extension LocationFix {
  /// Whether the position is that of another fix, digit by digit.
  func isAt(_ other: LocationFix) -> Bool {
    latitude == other.latitude && longitude == other.longitude
  }
}

extension Double {
  static func power(ofTen decimals: Int) -> Double {
    (0..<decimals).reduce(1) { power, _ in power * 10 }
  }
}
