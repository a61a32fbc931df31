import Locomotion

/// Prints what the person does, once per second of data.
func follow(_ batches: [SensorBatch]) {
  var pipeline = LocomotionPipeline()
  var output = LocomotionOutput()
  for batch in batches {
    output.removeAll()
    pipeline.ingest(batch, into: &output)  // allocates nothing after warm-up
    for sample in output.samples {
      let activity = sample.activity?.activity?.name ?? "unknown"
      let cadence = sample.cadence.map { "\($0.stepsPerMinute) steps/min" } ?? "no steps"
      print(sample.end.seconds, sample.movingState, activity, cadence)
    }
  }
}
