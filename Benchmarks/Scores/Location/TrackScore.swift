internal import LocomotionPositioning
package import LocomotionSensing

/// The agreement of one method's track with the truth, fix by fix.
package struct TrackScore: Hashable, Sendable {
  /// A measured length and the true one, metres.
  package struct Length: Hashable, Sendable, Codable {
    /// The method's length.
    package var measured: Double
    /// The reference's length.
    package var truth: Double

    /// The signed error as a fraction of the truth; nil without a true length.
    package var error: Double? { truth > 0 ? measured / truth - 1 : nil }
  }

  /// The coverage of the reported radius: how often it contains the truth.
  package struct Coverage: Hashable, Sendable {
    /// The number of reported radii.
    package var claims = 0
    /// The number that contain the truth.
    package var kept = 0

    /// The fraction that contains the truth; nil without reported radii.
    package var fraction: Double? { claims > 0 ? Double(kept) / Double(claims) : nil }

    /// Counts a claim.
    mutating func add(_ isKept: Bool) {
      claims += 1
      kept += isKept ? 1 : 0
    }

    /// Adds the claims of another recording.
    mutating func merge(_ other: Coverage) {
      claims += other.claims
      kept += other.kept
    }
  }

  /// The method.
  package let name: String
  /// The number of fixes at which the truth and the raw position are known.
  package private(set) var fixes = 0
  /// The method's distances from the truth, metres, at those of the fixes where it gave a position.
  package private(set) var errors: [Double] = []
  /// The raw fixes' distances from the truth at the same fixes as ``errors``, metres.
  package private(set) var rawErrors: [Double] = []
  /// The coverage while the truth moved.
  package private(set) var coverageMoving = Coverage()
  /// The coverage while the truth was at rest.
  package private(set) var coverageResting = Coverage()
  /// The moving states; nil when the method has none.
  package private(set) var motion: MotionScore?
  /// The sum of the distances from position to position, and of the true path lengths between the
  /// scored fixes.
  package private(set) var length = Length(measured: 0, truth: 0)
  /// The odometer's distance, and the true path length from the first scored fix to the last; nil
  /// without an odometer.
  package private(set) var odometer: Length?

  /// Scores a track.
  ///
  /// - Parameters:
  ///   - name: The method.
  ///   - points: The track: one entry for each fix, nil where the method has no position.
  ///   - fixes: The raw fixes.
  ///   - truth: The reference.
  ///   - odometerDistance: The distance by the method's odometer over all fixes, metres; nil
  ///     without one.
  /// - Precondition: there are as many points as fixes.
  package init(
    name: String, points: [LocatedPoint?], fixes: [LocationFix], truth: LocationTruth,
    odometerDistance: Double? = nil
  ) {
    precondition(
      points.count == fixes.count, "expected \(fixes.count) points, got \(points.count)")
    self.name = name
    var (lastPoint, lastPlace): (LocatedPoint?, (latitude: Double, longitude: Double)?)
    var (first, newest): (Timestamp?, Timestamp?)
    for (fix, point) in zip(fixes, points) {
      guard fix.hasPosition, let place = truth.position(at: fix.timestamp) else { continue }
      self.fixes += 1
      first = min(first ?? fix.timestamp, fix.timestamp)
      newest = max(newest ?? fix.timestamp, fix.timestamp)
      if let last = lastPlace { length.truth += Geodesic(from: last, to: place).distance }
      lastPlace = place
      guard let point else { continue }
      if let last = lastPoint { length.measured += last.distance(to: point) }
      lastPoint = point
      let error = Geodesic(from: place, to: (point.latitude, point.longitude)).distance
      errors.append(error)
      rawErrors.append(Geodesic(from: place, to: (fix.latitude, fix.longitude)).distance)
      guard let radius = point.radius68, let moves = truth.isMoving(at: fix.timestamp) else {
        continue
      }
      if moves {
        coverageMoving.add(error <= radius)
      } else {
        coverageResting.add(error <= radius)
      }
    }
    let decisions = points.compactMap { point in
      point.flatMap { point in
        point.movingState.map { MotionScore.Decision(timestamp: point.timestamp, state: $0) }
      }
    }
    if !decisions.isEmpty {
      motion = MotionScore(
        decisions.sorted { $0.timestamp < $1.timestamp }, truth: truth)
    }
    if let odometerDistance, let first, let newest {
      odometer = Length(measured: odometerDistance, truth: truth.distance(from: first, to: newest))
    }
  }

  /// The score of moving states alone, without positions.
  package init(name: String, motion: MotionScore) {
    self.name = name
    self.motion = motion
  }

  /// The size of the errors relative to that of the raw fixes' errors; nil without any.
  var errorRelativeToRaw: ErrorSize? {
    ErrorSize(rawErrors).flatMap { ErrorSize(errors)?.relative(to: $0) }
  }

  /// Adds the score of the same method on another recording.
  package mutating func merge(_ other: TrackScore) {
    fixes += other.fixes
    errors += other.errors
    rawErrors += other.rawErrors
    coverageMoving.merge(other.coverageMoving)
    coverageResting.merge(other.coverageResting)
    if let more = other.motion {
      motion = motion ?? MotionScore()
      motion?.merge(more)
    }
    length.measured += other.length.measured
    length.truth += other.length.truth
    if let more = other.odometer {
      odometer = Length(
        measured: (odometer?.measured ?? 0) + more.measured,
        truth: (odometer?.truth ?? 0) + more.truth)
    }
  }
}

/// The size of errors, metres.
package struct ErrorSize: Hashable, Sendable, Codable {
  /// The root mean square.
  package var rms: Double
  /// The median.
  package var median: Double
  /// The 95th percentile.
  package var percentile95: Double
  /// The largest.
  package var maximum: Double

  /// The size of some errors; nil without any.
  package init?(_ errors: [Double]) {
    let sorted = errors.sorted()
    guard let median = Quantile.of(sorted, fraction: 0.5),
      let percentile95 = Quantile.of(sorted, fraction: 0.95), let maximum = sorted.last
    else { return nil }
    rms = (errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)).squareRoot()
    self.median = median
    self.percentile95 = percentile95
    self.maximum = maximum
  }

  init(rms: Double, median: Double, percentile95: Double, maximum: Double) {
    self.rms = rms
    self.median = median
    self.percentile95 = percentile95
    self.maximum = maximum
  }

  /// Each figure relative to that of other errors; nil where one of those is exactly 0.
  package func relative(to other: ErrorSize) -> ErrorSize? {
    guard other.rms > 0, other.median > 0, other.percentile95 > 0, other.maximum > 0 else {
      return nil
    }
    return ErrorSize(
      rms: rms / other.rms, median: median / other.median,
      percentile95: percentile95 / other.percentile95, maximum: maximum / other.maximum)
  }
}
