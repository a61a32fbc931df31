public import LocomotionActivityRecognition
public import LocomotionSensing

/// The recording that labelled windows come from.
public struct RecordingOrigin: Hashable, Sendable, Codable {
  /// The data set's name.
  public var dataset: String
  /// The person's name inside the data set; two sets' people are different people.
  public var person: String
  /// The recording's name inside the data set.
  public var recording: String
  /// The reason that these windows are used for training only.
  ///
  /// The augmentation, or a label or a short stretch that is used for training only. Empty when the
  /// windows are evaluated, too.
  public var variant: String
  /// Whether an augmentation altered the accelerations: such windows weigh less.
  public var isAltered: Bool
  /// The name of the custom activity that the windows are of; empty for an ordinary activity.
  public var customActivity: String

  /// An origin from its names.
  public init(
    dataset: String, person: String, recording: String, variant: String = "",
    isAltered: Bool = false, customActivity: String = ""
  ) {
    self.dataset = dataset
    self.person = person
    self.recording = recording
    self.variant = variant
    self.isAltered = isAltered
    self.customActivity = customActivity
  }

  /// The person's name prefixed with the data set's, which is unique.
  public var subject: String { "\(dataset)/\(person)" }

  /// Whether ``variant`` is empty: only such windows are used in evaluation.
  public var isAsRecorded: Bool { variant.isEmpty }
}

/// Labelled windows: one row of features each, with the person's activity and identity.
public struct TrainingSet: Sendable, Equatable, Codable {
  /// The number of features of each row.
  public let featureCount: Int
  /// The number of rotation features of those rows that have them.
  let rotationFeatureCount: Int
  /// The features, row by row; finite.
  public private(set) var features: [Float] = []
  /// The person's activity; one per row.
  public private(set) var activities: [Activity] = []
  /// When each window ended, on its recording's clock; one per row.
  public private(set) var ends: [Timestamp] = []
  /// The newest speed over ground before each window's end, m/s; nil without a recent fix.
  public private(set) var speeds: [Float?] = []
  /// How many windows each row counts as, positive; 1 unless its user said otherwise.
  private(set) var weights: [Double] = []
  /// The recordings, in the order of their first windows.
  public private(set) var origins: [RecordingOrigin] = []
  /// For each row the index of its recording in ``origins``.
  public private(set) var originIndices: [Int] = []
  /// The rotation features of the rows that have them, one row after the other; finite.
  public private(set) var rotationFeatures: [Float] = []
  /// For each row its position in ``rotationFeatures``, counted in rows; nil when it has none.
  private(set) var rotationIndices: [Int?] = []
  /// The number of rows rejected because a feature was NaN or infinite.
  public private(set) var rejectedRows = 0

  /// A set without rows.
  ///
  /// - Precondition: `featureCount` is positive and `rotationFeatureCount` isn't negative.
  public init(featureCount: Int, rotationFeatureCount: Int = 0) {
    precondition(featureCount > 0, "expected 1 feature or more, got \(featureCount)")
    precondition(
      rotationFeatureCount >= 0, "expected 0 features or more, got \(rotationFeatureCount)")
    self.featureCount = featureCount
    self.rotationFeatureCount = rotationFeatureCount
  }

  /// The number of rows.
  public var count: Int { activities.count }

  /// Adds one window and returns whether it was accepted.
  ///
  /// A row with a feature that isn't finite is counted in ``rejectedRows`` and dropped. Rotation
  /// features are nil when no gyroscope measured throughout the window; if one of them isn't
  /// finite, the row counts as without. `weight` is how many windows the row counts as.
  ///
  /// - Precondition: there are ``featureCount`` features and `rotationFeatureCount` rotation
  ///   features or nil, and the weight is positive and finite.
  @discardableResult
  public mutating func append(
    _ row: some Collection<Float>, activity: Activity, origin: RecordingOrigin, end: Timestamp,
    speed: Float? = nil, rotation: ArraySlice<Float>? = nil, weight: Double = 1
  ) -> Bool {
    precondition(
      weight > 0 && weight.isFinite, "expected a positive weight, got \(weight)")
    expectCount(row.count, featureCount, "features")
    precondition(
      rotation.map { $0.count == rotationFeatureCount } ?? true,
      "expected \(rotationFeatureCount) rotation features, got \(rotation?.count ?? 0)")
    guard row.allSatisfy(\.isFinite) else {
      rejectedRows += 1
      return false
    }
    features.append(contentsOf: row)
    activities.append(activity)
    ends.append(end)
    speeds.append(speed.flatMap { $0.isFinite ? $0 : nil })
    weights.append(weight)
    originIndices.append(index(of: origin))
    if let rotation, !rotation.isEmpty, rotation.allSatisfy(\.isFinite) {
      rotationIndices.append(rotationFeatures.count / rotationFeatureCount)
      rotationFeatures.append(contentsOf: rotation)
    } else {
      rotationIndices.append(nil)
    }
    return true
  }

  /// Adds the rows of another set, in order.
  ///
  /// - Precondition: both sets have the same numbers of features.
  public mutating func append(contentsOf other: TrainingSet) {
    expectCount(other.featureCount, featureCount, "features")
    expectCount(other.rotationFeatureCount, rotationFeatureCount, "rotation features")
    for row in 0..<other.count {
      append(row, of: other, activity: other.activities[row], origin: other.origin(ofRow: row))
    }
    rejectedRows += other.rejectedRows
  }

  /// Recordings are added one after the other, so that the search begins at the newest.
  private mutating func index(of origin: RecordingOrigin) -> Int {
    if let index = origins.lastIndex(of: origin) { return index }
    origins.append(origin)
    return origins.count - 1
  }

  /// The features of one row.
  ///
  /// - Precondition: the row exists.
  public func features(ofRow row: Int) -> ArraySlice<Float> {
    features[row * featureCount..<(row + 1) * featureCount]
  }

  /// The rotation features of one row; nil when it has none.
  ///
  /// - Precondition: the row exists.
  public func rotation(ofRow row: Int) -> ArraySlice<Float>? {
    rotationIndices[row].map {
      rotationFeatures[$0 * rotationFeatureCount..<($0 + 1) * rotationFeatureCount]
    }
  }

  /// The rows that `label` gives an activity and an origin, as such, in order.
  func relabelled(_ label: (Int) -> (Activity, RecordingOrigin)?) -> TrainingSet {
    var result = TrainingSet(
      featureCount: featureCount, rotationFeatureCount: rotationFeatureCount)
    for row in 0..<count {
      if let (activity, origin) = label(row) {
        result.append(row, of: self, activity: activity, origin: origin)
      }
    }
    return result
  }

  /// Adds a row of another set.
  private mutating func append(
    _ row: Int, of set: TrainingSet, activity: Activity, origin: RecordingOrigin
  ) {
    append(
      set.features(ofRow: row), activity: activity, origin: origin, end: set.ends[row],
      speed: set.speeds[row], rotation: set.rotation(ofRow: row), weight: set.weights[row])
  }

  /// The rotation features of the given rows, as a set's features; rows without any are left out.
  func rotationRows(_ rows: [Int]) -> TrainingSet {
    var result = TrainingSet(featureCount: max(1, rotationFeatureCount))
    for row in rows {
      guard let rotation = rotation(ofRow: row) else { continue }
      result.append(
        rotation, activity: activities[row], origin: origin(ofRow: row), end: ends[row],
        weight: weights[row])
    }
    return result
  }

  /// The given rows by recording, and by time in each.
  func ordered(_ rows: [Int]) -> [Int] {
    rows.sorted { (originIndices[$0], ends[$0], $0) < (originIndices[$1], ends[$1], $1) }
  }

  /// The origin of one row.
  ///
  /// - Precondition: the row exists.
  public func origin(ofRow row: Int) -> RecordingOrigin { origins[originIndices[row]] }

  /// The rows for which `isIncluded` holds, in order.
  public func filter(_ isIncluded: (Activity, RecordingOrigin) -> Bool) -> TrainingSet {
    rows((0..<count).filter { isIncluded(activities[$0], origin(ofRow: $0)) })
  }

  /// The given rows in the given order.
  ///
  /// - Precondition: the rows exist.
  public func rows(_ rows: some Sequence<Int>) -> TrainingSet {
    var result = TrainingSet(
      featureCount: featureCount, rotationFeatureCount: rotationFeatureCount)
    for row in rows {
      result.append(row, of: self, activity: activities[row], origin: origin(ofRow: row))
    }
    return result
  }

  /// The same windows with each recording as a person of its own.
  var recordingsAsPeople: TrainingSet {
    var result = self
    for index in result.origins.indices {
      result.origins[index].person = result.origins[index].recording
    }
    return result
  }

  /// The activities that occur, in the order of their raw values.
  public var classes: [Activity] {
    let present = Set(activities)
    return Activity.allCases.filter(present.contains)
  }

  /// The number of windows of each person, by ``RecordingOrigin/subject``.
  public var countsBySubject: [String: Int] { counts(by: \.subject) }

  /// The number of windows of each data set.
  public var countsByDataset: [String: Int] { counts(by: \.dataset) }

  private func counts(by key: (RecordingOrigin) -> String) -> [String: Int] {
    var perOrigin = [Int](repeating: 0, count: origins.count)
    for index in originIndices {
      perOrigin[index] += 1
    }
    return zip(origins, perOrigin).reduce(into: [:]) { counts, entry in
      counts[key(entry.0), default: 0] += entry.1
    }
  }
}

extension TrainingSet {
  /// Windows of a run of one label within a recording: what its person would state at once.
  package struct LabelStretch: Sendable {
    /// See `RecordingOrigin.subject`.
    package var subject: String
    /// The recording's name.
    package var recording: String
    /// What the label says.
    package var activity: Activity
    /// The rows of the windows.
    package var rows: [Int]

    /// The longest stretch, seconds.
    fileprivate static let longest = 120.0
    /// The longest time between two windows of a stretch, seconds.
    fileprivate static let longestPause = 10.0
  }

  /// The stretches of two windows and more of the origins that are included, in the order in which
  /// they begin.
  package func labelStretches(of isIncluded: (RecordingOrigin) -> Bool) -> [LabelStretch] {
    var stretches: [LabelStretch] = []
    var newest: [String: Int] = [:]
    for row in 0..<count {
      let origin = origin(ofRow: row)
      guard isIncluded(origin) else { continue }
      if let place = newest[origin.subject], goesOn(stretches[place], row) {
        stretches[place].rows.append(row)
      } else {
        newest[origin.subject] = stretches.count
        stretches.append(
          LabelStretch(
            subject: origin.subject, recording: origin.recording, activity: activities[row],
            rows: [row]))
      }
    }
    return stretches.filter { $0.rows.count > 1 }
  }

  /// A stretch of this set as its person would state it, or as `activity`.
  package func stated(_ stretch: LabelStretch, as activity: Activity? = nil) -> LabelledStretch {
    LabelledStretch(
      activity: activity ?? stretch.activity,
      windows: LabelledStretch.chosen(from: stretch.rows).map { Array(features(ofRow: $0)) })
  }

  private func goesOn(_ stretch: LabelStretch, _ row: Int) -> Bool {
    guard let first = stretch.rows.first, let last = stretch.rows.last else { return false }
    return stretch.recording == origin(ofRow: row).recording
      && stretch.activity == activities[row]
      && ends[row].seconds(since: ends[first]) <= LabelStretch.longest
      && ends[row].seconds(since: ends[last]) <= LabelStretch.longestPause
  }
}
