public import LocomotionSensing

/// What ``Journal/check()`` and ``Journal/salvage(from:to:settings:)`` find.
public struct JournalReport: Hashable, Sendable {
  /// Users whose rows were looked at.
  public internal(set) var users = 0
  /// Accelerations that are what was written.
  public internal(set) var samples = 0
  /// Rotation rates that are what was written.
  public internal(set) var rotationRates = 0
  /// Fixes that are what was written.
  public internal(set) var fixes = 0
  /// Events that are what was written.
  public internal(set) var events = 0
  /// What is damaged or lost, one line each, without any content of the journal; at most 100.
  public internal(set) var problems: [String] = []
  /// What salvage found damaged without a loss, one line each.
  public internal(set) var notes: [String] = []
  /// The gaps in what salvage kept; it also has a problem for each.
  public internal(set) var losses: [JournalLoss] = []

  /// Whether nothing is damaged; of a salvage, whether nothing is lost.
  public var isSound: Bool { problems.isEmpty }

  /// Nothing looked at yet.
  public init() {}

  mutating func add(_ problem: String) {
    if problems.count < 100 { problems.append(problem) }
  }

  mutating func add(_ error: JournalError, _ place: String) {
    if case .damaged(_, let what) = error {
      add("\(place): \(what)")
    } else {
      add("\(place): \(error)")
    }
  }
}

/// Stored batches of a user that could not be salvaged, one after the other.
public struct JournalLoss: Hashable, Sendable {
  /// The number of the user, as in the problems of the report.
  public let user: Int64
  /// How many stored batches.
  public internal(set) var batches = 0
  /// How many accelerations they held; nil when that is lost too.
  public internal(set) var samples: Int? = 0
  /// The time of the last sample that is kept before them; nil when there is none.
  public let after: Timestamp?
  /// The time of the first sample that is kept behind them; nil when there is none.
  public internal(set) var before: Timestamp?

  init(user: Int64, after: Timestamp?) {
    self.user = user
    self.after = after
  }
}
