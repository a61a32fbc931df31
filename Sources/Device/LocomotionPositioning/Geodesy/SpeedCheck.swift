/// Whether the speeds that a receiver reports agree with how far its fixes are apart.
///
/// Some report a speed of 0 with every fix. A step counts when it is clearly beyond the accuracies
/// and faster than 1 m/s; the speeds are not consistent once most such steps report less than 0.3
/// of what the displacement says.
package struct SpeedCheck: Sendable, StateArchivable {
  private var point: SIMD3<Double> = .zero
  private var radius = 0.0
  private var time: Timestamp?
  private var agreeing = 0
  private var contradicting = 0

  /// A check that has seen nothing.
  package init() {}

  /// Whether the speeds are consistent with the positions: until the contrary is shown.
  package var isConsistent: Bool { contradicting <= agreeing || contradicting < 3 }

  /// Takes in the next fix with its speed, m/s; nil when it reports none.
  package mutating func add(_ fix: EarthCentredPoint, speed: Double?, at instant: Timestamp) {
    let own = 1.515 * fix.errorVariance.squareRoot()
    guard let time else {
      (point, radius, self.time) = (fix.position, own, instant)
      return
    }
    let seconds = instant.seconds(since: time)
    let distance = arcLength(ofChord: fix.position - point)
    guard seconds > 0, distance > 3 * (radius + own) || seconds > 120 else { return }
    (point, radius, self.time) = (fix.position, own, instant)
    // Beyond 400 m/s no speed would agree: a position of nowhere.
    guard let speed, speed >= 0, seconds <= 120, distance > seconds, distance < 400 * seconds
    else { return }
    if speed < 0.3 * distance / seconds { contradicting += 1 } else { agreeing += 1 }
  }

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&point, &radius, &time, &agreeing, &contradicting)
  }
}
