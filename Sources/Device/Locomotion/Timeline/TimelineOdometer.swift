internal import LocomotionSensing

/// Measures a distance from point to point, so that jitter adds nothing.
struct TimelineOdometer: Sendable {
  private var anchor: TimelinePoint?
  /// When the last good location was.
  var located: Timestamp?
  /// Whether the person moved since the last good location at rest.
  var isUnderway = false

  /// Forgets where it was, as after a gap.
  mutating func forget() { self = TimelineOdometer() }

  /// The distance that the newest location adds, metres.
  ///
  /// At rest the anchor follows the location. A motion that ends in rest adds its remainder when
  /// that is the larger half of a step.
  mutating func distance(
    to point: TimelinePoint, radius: Double, isMoving: Bool,
    settings: TimelineBuilder.Settings
  ) -> Double {
    guard let from = anchor else {
      anchor = point
      return 0
    }
    let step = max(settings.odometerStep, radius)
    let distance = from.distance(to: point)
    if isMoving && distance < step { return 0 }
    anchor = point
    if isMoving { return distance }
    let ends = isUnderway && distance >= step / 2
    isUnderway = false
    return ends ? distance : 0
  }
}

extension TimelineOdometer: StateArchivable {
  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&anchor)
    archive.pass(&located)
    archive.pass(&isUnderway)
  }
}
