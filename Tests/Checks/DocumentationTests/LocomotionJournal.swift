import LocomotionJournal
import LocomotionSensing

private let batch = SensorBatch()
private let now = Timestamp(nanoseconds: 0)
private func show(_ fix: LocationFix) {}
