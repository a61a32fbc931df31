import Testing

// The README shows the code between the markers; a test of the repository compares them.
// README begins
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
// README ends

@Suite struct ReadmeExampleTests {
  @Test func theExampleRuns() {
    var batch = SensorBatch()
    for index in 0..<300 {
      batch.append(
        Acceleration(x: 0, y: 0, z: 9.81), at: Timestamp(nanoseconds: Int64(index) * 10_000_000))
    }
    follow([batch])
    var pipeline = LocomotionPipeline()
    #expect(pipeline.ingest(batch).count == 2)
  }
}
