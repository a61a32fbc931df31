import LocomotionJournal
import LocomotionSensing

private func assumed<Value>() -> Value { fatalError("only types are checked") }
private let session: JournalSession = assumed()
private let ada: UserJournal = assumed()
private func show(_ items: [DayItem]) {}
