import LocomotionJournal
import LocomotionSensing

private let midnight = Timestamp(nanoseconds: 0)
private let nextMidnight = Timestamp(nanoseconds: 86_400_000_000_000)
