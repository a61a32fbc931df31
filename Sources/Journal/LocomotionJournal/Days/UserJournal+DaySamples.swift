public import Locomotion
public import LocomotionActivityRecognition
public import LocomotionSensing

extension UserJournal {
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
