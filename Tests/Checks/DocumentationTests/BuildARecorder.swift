import Foundation
import Locomotion
import LocomotionAnalysis
import LocomotionJournal

private func assumed<Value>() -> Value { fatalError("only types are checked") }
private let ada: UserSession = assumed()
private let items: [TimelineItem] = assumed()
private let (leg, day): (Trip.Leg, CivilDay) = assumed()
private func show(_ items: [TimelineItem]) {}
private func ask(_ text: String, _ question: LegQuestion) {}
