import Foundation
import LocomotionActivityRecognition
import LocomotionAnalysis
import LocomotionJournal
import LocomotionSensing

private func assumed<Value>() -> Value { fatalError("only types are checked") }
private let ada: UserSession = assumed()
private let items: [DayItem] = assumed()
private let leg: DayLeg = assumed()
private func show(_ items: [DayItem]) {}
private func ask(_ text: String, _ question: LegQuestion) {}
