/// The result of ``Journal/check()``.
public struct JournalReport: Hashable, Sendable {
  /// The number of users that were checked.
  public package(set) var users = 0
  /// The number of intact accelerations.
  public package(set) var samples = 0
  /// The number of intact rotation rates.
  public package(set) var rotationRates = 0
  /// Pressures read.
  public package(set) var pressures = 0
  /// The number of accelerations that were dropped, because an archive has confirmed to have them.
  public package(set) var droppedSamples = 0
  /// The number of intact fixes.
  public package(set) var fixes = 0
  /// The number of intact events.
  public package(set) var events = 0
  /// What is damaged, one line each, without any content of the journal; at most 100.
  public package(set) var problems: [String] = []

  /// Whether nothing is damaged.
  public var isSound: Bool { problems.isEmpty }

  /// An empty report.
  public init() {}

  mutating func add(_ problem: String) {
    if problems.count < 100 { problems.append(problem) }
  }
}
