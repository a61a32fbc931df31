import Locomotion

private let batch = SensorBatch()
