public import Foundation
internal import Locomotion
public import LocomotionActivityRecognition
public import LocomotionSensing

/// A leg to ask the user about.
public struct LegQuestion: Hashable, Sendable {
  /// The first instant of the leg.
  public let start: Timestamp
  /// The first instant after it.
  public let end: Timestamp
  /// The activities between which it is, the more probable first, and their probabilities.
  public let answers: [Answer]

  /// An activity that the leg may have been.
  public struct Answer: Hashable, Sendable {
    /// The activity.
    public let activity: Activity
    /// Its probability, 0 to 1.
    public let probability: Double
  }
}

extension UserJournal {
  /// The leg of the last day whose answer would change most, at most one a day and none at night.
  ///
  /// Its expected gain is greatest: the probability that its activity is wrong, times its length,
  /// times how often the user makes that trip. A leg in doubt is one whose second activity has a
  /// probability of 15 % or more; one that the user was asked about isn't asked about again, and
  /// neither is one that they corrected. Ask it with ``noteAsked(_:at:)``, and answer it with
  /// ``correctActivity(to:from:to:)-(Activity,_,_)``.
  ///
  /// - Parameters:
  ///   - now: The present instant.
  ///   - calendar: The calendar with the user's time zone.
  /// - Returns: The question; nil when nothing is in doubt, when the user was already asked today,
  ///   and from 22 to 8.
  /// - Throws: ``JournalError``.
  public func question(
    at now: Timestamp, in calendar: Calendar
  ) throws(JournalError) -> LegQuestion? {
    let hour = calendar.component(.hour, from: Date(timeIntervalSince1970: now.seconds))
    guard Self.hoursOfQuestions ~= hour else { return nil }
    return try reading { (_) throws(JournalError) in
      let editRecords: [EditRecord] = try rows()
      let asked = editRecords.filter { $0.kind == .asked }
      let today = CivilDay(holding: now, calendar)
      guard
        !asked.contains(where: { editRecord in
          guard let today, let time = Int64(editRecord.value) else { return false }
          return today.start..<today.end ~= Timestamp(nanoseconds: time)
        })
      else { return nil }
      return try doubtfulLeg(
        from: now.advanced(byNanoseconds: -86_400_000_000_000), to: now,
        except: asked.map { $0.start..<$0.end })
    }
  }

  /// The leg of an interval whose answer would change most, asked about or not.
  ///
  /// - Returns: What ``question(at:in:)`` would ask; nil when no leg that is final is in doubt.
  /// - Throws: ``JournalError``.
  public func doubtfulLeg(
    from start: Timestamp, to end: Timestamp
  ) throws(JournalError) -> LegQuestion? {
    try connection.snapshot { () throws(JournalError) in
      try doubtfulLeg(from: start, to: end, except: [])
    }
  }

  private func doubtfulLeg(
    from start: Timestamp, to end: Timestamp, except asked: [Range<Timestamp>]
  ) throws(JournalError) -> LegQuestion? {
    let items = try dayItems(from: start, to: end)
    let habits = try habits()
    var best: (gain: Double, question: LegQuestion)?
    for (index, item) in items.enumerated() where !item.isPartial {
      guard case .trip(let trip) = item else { continue }
      let ends = [index - 1, index + 1].map { index -> Int? in
        guard items.indices.contains(index), case .stay(let stay) = items[index] else {
          return nil
        }
        return stay.place?.id
      }
      var usual = 0
      if let origin = ends[0], let destination = ends[1] {
        usual = habits.trips(from: origin, to: destination)
      }
      for leg in trip.legs where !asked.contains(where: { $0.overlaps(leg.start..<leg.end) }) {
        guard let posterior = leg.inference?.posterior else { continue }
        let ranked = posterior.predictionSet(coverage: 1).prefix(2)
        guard ranked.count == 2, posterior[ranked[1]] >= Self.leastDoubt else { continue }
        let answers = ranked.map {
          LegQuestion.Answer(activity: $0, probability: Double(posterior[$0]))
        }
        let gain =
          (1 - answers[0].probability) * leg.end.seconds(since: leg.start) * Double(1 + usual)
        if gain > best?.gain ?? 0 {
          best = (gain, LegQuestion(start: leg.start, end: leg.end, answers: answers))
        }
      }
    }
    return best?.question
  }

  /// Notes that the user was asked, so that they aren't again today, nor ever about that leg.
  ///
  /// - Throws: ``JournalError/invalidInterval``.
  public func noteAsked(_ question: LegQuestion, at now: Timestamp) throws(JournalError) {
    try writing { (_) throws(JournalError) in
      guard question.start < question.end, question.start.isPlausible, question.end.isPlausible
      else { throw .invalidInterval }
      try add(
        EditRecord(
          .asked, from: question.start, to: question.end, value: "\(now.nanoseconds)"))
    }
  }

  private static var hoursOfQuestions: Range<Int> { 8..<22 }
  private static var leastDoubt: Float { 0.15 }
}
