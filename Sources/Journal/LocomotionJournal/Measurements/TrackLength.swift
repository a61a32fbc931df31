internal import LocomotionPositioning
public import LocomotionSensing

/// The length of a track, computed in two ways.
public struct TrackLength: Hashable, Sendable {
  /// The sum of the distances between successive fixes, metres.
  ///
  /// The noise of a receiver makes it grow without end while a phone lies still.
  public private(set) var plain: Double
  /// The travelled distance, estimated from the fixes, metres.
  ///
  /// The fixes pass through the location smoother. From its speeds the `Odometer` measures the
  /// distance while the phone moved, and none while it was at rest.
  public private(set) var travelled: Double
  /// One standard deviation of ``travelled``, metres.
  public private(set) var travelledDeviation: Double

  /// The lengths of one track.
  ///
  /// A fix without a position, or not later than the one before it, is left out of the plain
  /// length. Linear time.
  public init(of fixes: [LocationFix]) {
    var plain = 0.0
    var last: LocationFix?
    for fix in fixes where abs(fix.latitude) <= 90 && fix.longitude.isFinite {
      if let last {
        guard fix.timestamp > last.timestamp else { continue }
        plain += last.distance(to: fix)
      }
      last = fix
    }
    var odometer = Odometer()
    for report in LocationSmoother().estimates(for: fixes, mode: .smoothed) {
      guard let location = report.location else { continue }
      odometer.update(with: location, state: report.moving.state)
    }
    self.plain = plain
    travelled = odometer.distance
    travelledDeviation = odometer.deviation
  }

  /// The length of several tracks together; their errors are assumed to be independent.
  public static func + (lhs: TrackLength, rhs: TrackLength) -> TrackLength {
    let variance =
      lhs.travelledDeviation * lhs.travelledDeviation
      + rhs.travelledDeviation * rhs.travelledDeviation
    var sum = lhs
    sum.plain += rhs.plain
    sum.travelled += rhs.travelled
    sum.travelledDeviation = variance.squareRoot()
    return sum
  }
}

extension UserJournal {
  /// The length of a measurement: that of its tracks, without the distances during pauses.
  public func length(of measurement: JournalMeasurement) throws(JournalError) -> TrackLength {
    var total = TrackLength(of: [])
    for track in measurement.tracks {
      total = total + TrackLength(of: try fixes(in: track.fixes))
    }
    return total
  }
}
