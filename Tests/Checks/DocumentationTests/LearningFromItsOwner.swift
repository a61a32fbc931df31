import Locomotion

private let batches: [SensorBatch] = []
private let ride = (start: Timestamp(nanoseconds: 0), end: Timestamp(nanoseconds: 60_000_000_000))
