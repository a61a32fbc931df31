public import LocomotionSensing

/// The result of ``Journal/check()`` or `Journal.salvage(from:to:settings:)`.
public struct JournalReport: Hashable, Sendable {
  /// The number of users that were checked or salvaged.
  public package(set) var users = 0
  /// The number of intact accelerations.
  public package(set) var samples = 0
  /// The number of intact rotation rates.
  public package(set) var rotationRates = 0
  /// Pressures read.
  public package(set) var pressures = 0
  /// The number of accelerations that were dropped, because an archive has confirmed to have them.
  public package(set) var droppedSamples = 0
  /// The number of intact upload units.
  public package(set) var units = 0
  /// The number of intact fixes.
  public package(set) var fixes = 0
  /// The number of intact events.
  public package(set) var events = 0
  /// What is damaged or lost, one line each, without any content of the journal; at most 100.
  public package(set) var problems: [String] = []
  /// Damage that salvage found and that caused no loss, one line each.
  public package(set) var notes: [String] = []
  /// The gaps in the salvaged data, which ``problems`` covers too.
  public package(set) var losses: [JournalLoss] = []

  /// Whether an archive may keep units of a salvaged user that no later synchronisation asks it to
  /// delete, as ``problems`` and ``notes`` tell.
  public package(set) var mayRemainInArchive = false

  /// Whether nothing is damaged; after a salvage, whether nothing is lost.
  public var isSound: Bool { problems.isEmpty }

  /// An empty report.
  public init() {}

  package mutating func add(_ problem: String) {
    if problems.count < 100 { problems.append(problem) }
  }

  mutating func add(_ error: JournalError, _ place: String) {
    add("\(place): \(error.finding)")
  }
}

/// Consecutive stored batches of a user that could not be salvaged.
public struct JournalLoss: Hashable, Sendable {
  /// The number of the user, as in the problems of the report.
  public let user: Int64
  /// The number of stored batches.
  public package(set) var batches = 0
  /// The number of accelerations in them; nil when it is unknown.
  public package(set) var samples: Int? = 0
  /// The time of the last salvaged sample before them; nil when there is none.
  public let after: Timestamp?
  /// The time of the first salvaged sample after them; nil when there is none.
  public package(set) var before: Timestamp?

  package init(user: Int64, after: Timestamp?) {
    self.user = user
    self.after = after
  }
}
