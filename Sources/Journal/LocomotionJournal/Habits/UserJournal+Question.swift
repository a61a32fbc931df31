internal import Locomotion
public import LocomotionActivityRecognition
public import LocomotionSensing

/// A leg to ask the user about.
public struct LegQuestion: Equatable, Sendable {
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
  /// The leg of an interval to ask the user about: the one whose answer would change most.
  ///
  /// Its expected gain is greatest: the probability that its activity is wrong, times its length,
  /// times how often the user makes that trip. A leg in doubt is one whose second activity has a
  /// probability of 15 % or more, and that the user has not corrected. How often to ask, and not
  /// twice about one leg, is up to the app. The answer is a
  /// ``correctActivity(to:from:to:)-(Activity,_,_)``.
  ///
  /// - Returns: The question; nil when no leg that is final is in doubt.
  /// - Throws: ``JournalError``.
  public func doubtfulLeg(
    from start: Timestamp, to end: Timestamp
  ) throws(JournalError) -> LegQuestion? {
    try connection.snapshot { () throws(JournalError) in
      doubtfulLeg(of: try dayItems(from: start, to: end), try habits())
    }
  }

  private func doubtfulLeg(of items: [TimelineItem], _ habits: Habits) -> LegQuestion? {
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
      for leg in trip.legs {
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

  private static var leastDoubt: Float { 0.15 }
}
