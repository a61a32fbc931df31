import LocomotionJournal
import LocomotionSensing

private func assumed<Value>() -> Value { fatalError("only types are checked") }
private let ada: UserSession = assumed()
private func show(_ items: [DayItem]) {}
