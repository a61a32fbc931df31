public import Locomotion

/// Where a person travelled in one leg of a trip.
public struct DayTrack: Equatable, Sendable {
  /// The leg: its times, activity, distance and steps.
  public let leg: Trip.Leg
  /// The positions at the fixes of the leg, smoothed, in the order of time.
  ///
  /// The horizontal accuracy is the radius that is claimed to hold the person with probability
  /// 0.68.
  public let points: [LocationFix]
}

extension UserJournal {
  /// The paths of items in the order of time, one after the other: one track per leg of a trip that
  /// has positions, none of a stay or gap.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged.
  /// - Complexity: O(number of the user's fixes).
  public func tracks(of items: [TimelineItem]) throws(JournalError) -> [DayTrack] {
    guard let first = items.first, let last = items.last else { return [] }
    // Smoothing a leg needs what comes before and after it.
    let margin = DayComputation.lead
    var track = Self.smoothed(
      try fixes(
        from: first.start.advanced(byNanoseconds: -margin),
        to: last.end.advanced(byNanoseconds: margin)))[...]
    return items.flatMap { item -> [DayTrack] in
      guard case .trip(let trip) = item else { return [] }
      return trip.legs.compactMap { leg in
        track = track.drop { $0.timestamp < leg.start }
        let points = Array(track.prefix { $0.timestamp < leg.end })
        return points.isEmpty ? nil : DayTrack(leg: leg, points: points)
      }
    }
  }

  private static func smoothed(_ fixes: [LocationFix]) -> [LocationFix] {
    LocationSmoother().estimates(for: fixes, mode: .smoothed).compactMap { report in
      guard let location = report.location, report.status.isUsed else { return nil }
      return LocationFix(location, at: report.fix.timestamp)
    }
  }

  /// The seconds of an interval, each smoothed with the data before and after it.
  ///
  /// - Parameters:
  ///   - start: The first instant; the two minutes before it are read too, to initialize the
  ///     pipeline.
  ///   - end: The first instant after the interval.
  ///   - model: The activity model.
  /// - Returns: The seconds, and the pipeline's diagnostics.
  /// - Throws: ``JournalError``.
  /// - Complexity: The whole recording is decoded; the interval passes through a pipeline.
  public func daySamples(
    from start: Timestamp, to end: Timestamp, model: ActivityModel = .default
  ) throws(JournalError) -> (
    samples: [LocomotionSample], diagnostics: LocomotionPipeline.Diagnostics
  ) {
    try reading { (user) throws(JournalError) in
      let reading = try TimeOrderedReading(of: user, fromSample: 0, fromFix: 0, in: self)
      var pipeline = LocomotionPipeline(model: model)
      var output = LocomotionOutput()
      _ = try reading.forEachBatch(
        from: start.advanced(byNanoseconds: -DayComputation.lead), to: end, in: self
      ) { (batch: JournalBatch) throws(JournalError) in
        pipeline.ingest(SensorBatch(batch), into: &output)
        return true
      }
      pipeline.finish(into: &output)
      var samples = output.samples
      Hindsight.smooth(&samples, reports: [], model: model)
      samples.removeAll { $0.start < start || $0.start >= end }
      return (samples, pipeline.diagnostics)
    }
  }
}
