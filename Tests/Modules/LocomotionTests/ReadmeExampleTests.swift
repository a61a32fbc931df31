import Locomotion
import Testing

@Suite struct ReadmeExampleTests {
  @Test func theExampleRuns() {
    var batch = SensorBatch()
    for index in 0..<300 {
      batch.append(
        Acceleration(x: 0, y: 0, z: 9.81), at: Timestamp(nanoseconds: Int64(index) * 10_000_000))
    }
    follow([batch])
    var pipeline = LocomotionPipeline()
    #expect(pipeline.ingest(batch).samples.count == 2)
  }
}
