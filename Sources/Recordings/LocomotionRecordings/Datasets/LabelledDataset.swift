internal import Foundation
public import LocomotionSensing

/// A folder of recordings with labels of what their people were doing.
///
/// - `<recording>.csv[.gz]`, `<recording>.gps.csv[.gz]`: see ``RecordingReader``.
/// - `labels.csv`: columns `recording,subject,start,end,label` and optionally `note`; seconds on
///   the recording's clock. Intervals may overlap and need not cover the recording. Without the
///   column `subject` the recordings are of the people that `meta.csv` (columns
///   `recording,person`) names, or all of one person.
///
/// Other files are ignored. Only names are read here, not the content of recordings.
public struct LabelledDataset: Hashable, Sendable {
  /// One recording of the folder.
  public struct Recording: Hashable, Sendable {
    /// The name in `labels.csv`: the file's without extensions.
    public let name: String
    /// The path for ``RecordingReader/init(path:leavingOutBadRows:)``.
    public let path: String
    /// Whether there are accelerations, and not only fixes.
    public let hasAccelerations: Bool
    /// Whether there are fixes.
    public let hasFixes: Bool
  }

  /// A labelled interval of time.
  public struct Interval: Hashable, Sendable {
    /// The ``Recording/name`` of the recording.
    public let recording: String
    /// The person who recorded, for the separation of training and test people.
    public let subject: String
    /// The first instant.
    public let start: Timestamp
    /// The instant after the last, not before ``start``.
    public let end: Timestamp
    /// The label as it is in the file.
    public let label: String
    /// The activity of the label, one of ``DatasetDescriptor/activities``; nil to ignore it.
    public let activity: String?
    /// ``activity``, or the activity of the label in training only, or nil.
    public let trainingActivity: String?
    /// Whether the label is a custom activity's.
    public let isCustom: Bool
    /// The note, empty for none.
    public let note: String

    /// The duration in seconds, zero for some labels that a program wrote.
    public var duration: Double { Double(end.nanoseconds(since: start)) / 1e9 }
  }

  /// The name of the descriptor, or else of the folder.
  public let name: String
  /// The folder's path.
  public let folder: String
  /// The description of the data set, or nil.
  public let descriptor: DatasetDescriptor?
  /// The recordings, sorted by name.
  public let recordings: [Recording]
  /// Whether there is a `labels.csv`.
  let hasLabels: Bool
  /// Whether `meta.csv` names the people: they recorded apart from each other, with devices of
  /// their own, and each is as good as a data set.
  public let hasOwnSources: Bool
  /// The labels, in the file's order; empty without `labels.csv`.
  public let intervals: [Interval]

  /// Lists the recordings of `folder` and reads its labels.
  ///
  /// - Parameters:
  ///   - folder: The folder's path.
  ///   - descriptor: The meaning of the labels; ``DatasetDescriptor/descriptor(for:)`` finds it.
  ///     Without it they are mapped by ``DatasetDescriptor/generalActivity(for:)``.
  ///   - customLabels: Labels, as ``customName(of:)`` writes them, with a meaning of the caller's
  ///     own, which goes first: the activity that each behaves like, or
  ///     ``DatasetDescriptor/ignore`` for none.
  /// - Throws: ``RecordingError`` when the folder cannot be listed, holds no recording, or its
  ///   labels are not in the format above.
  public init(
    folder: String, descriptor: DatasetDescriptor? = nil, customLabels: [String: String] = [:]
  ) throws(RecordingError) {
    self.folder = folder
    self.descriptor = descriptor
    name = descriptor?.name ?? URL(fileURLWithPath: folder).standardizedFileURL.lastPathComponent
    let files = try Self.files(in: folder)
    let labels = Self.path("labels", files, folder)
    hasLabels = labels != nil
    let people = try Self.path("meta", files, folder).map(Self.people) ?? [:]
    var intervals: [Interval] = []
    if let labels { intervals = try Self.intervals(labels, people, descriptor, customLabels) }
    self.intervals = intervals
    hasOwnSources = !people.isEmpty && intervals.allSatisfy { people[$0.recording] == $0.subject }
    recordings = Self.recordings(files, in: folder, labelled: Set(intervals.map(\.recording)))
    guard !recordings.isEmpty else {
      throw .nothingUsable(path: folder, reason: "no recording in this folder")
    }
  }

  /// The people without duplicates, in alphabetical order.
  public var subjects: [String] {
    Set(intervals.map(\.subject)).sorted()
  }

  /// The labels that are mapped to no activity, not even in training, with their total time in
  /// minutes, the longest first.
  public var ignoredLabels: [(label: String, minutes: Double)] {
    var seconds: [String: Double] = [:]
    for interval in intervals where interval.trainingActivity == nil && !interval.isCustom {
      seconds[interval.label, default: 0] += interval.duration
    }
    return seconds.map { (label: $0, minutes: $1 / 60) }
      .sorted { ($1.minutes, $0.label) < ($0.minutes, $1.label) }
  }

  /// The names in `labels.csv` without a recording, without duplicates, in alphabetical order.
  public var missingRecordings: [String] {
    Set(intervals.map(\.recording)).subtracting(recordings.map(\.name)).sorted()
  }

  /// The names of the files in `folder`, in alphabetical order.
  private static func files(in folder: String) throws(RecordingError) -> [String] {
    guard let status = FileStatus(path: folder) else { throw .notFound(path: folder) }
    guard status.kind == .folder else {
      throw .unreadable(path: folder, reason: "a file, expected a folder of recordings")
    }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    } catch {
      throw .unreadable(path: folder, reason: error.localizedDescription)
    }
  }

  /// The path of `<name>.csv[.gz]`, or nil when it is not among `files`.
  private static func path(_ name: String, _ files: [String], _ folder: String) -> String? {
    [".csv", ".csv.gz"].first { files.contains(name + $0) }.map { "\(folder)/\(name)\($0)" }
  }

  /// The recordings among `files`.
  ///
  /// A table without accelerations (`meta.csv`) is not a recording. One with a label always is, so
  /// that opening it gives the error.
  private static func recordings(
    _ files: [String], in folder: String, labelled: Set<String>
  ) -> [Recording] {
    var found: [String: Recording] = [:]
    for file in files {
      let name = RecordingPath(file)
      guard !name.ending.isEmpty, ["", "gps"].contains(name.kind), found[name.stem] == nil,
        !["labels", "steps"].contains(name.stem)
      else { continue }
      let path = RecordingPath("\(folder)/\(file)")
      let fixes = path.sibling("gps")
      let accelerations = path.sibling("").flatMap {
        labelled.contains(name.stem) || holdsAccelerations($0) ? $0 : nil
      }
      guard let main = accelerations ?? fixes else { continue }
      found[name.stem] = Recording(
        name: name.stem, path: main, hasAccelerations: accelerations != nil,
        hasFixes: fixes != nil)
    }
    return found.values.sorted { $0.name < $1.name }
  }

  private static func holdsAccelerations(_ path: String) -> Bool {
    let columns = (try? TableRows(LineReader(path: path)))?.columns ?? []
    return (["t"] + SensorNames.accelerations).allSatisfy(columns.contains)
  }

  /// The person of each recording by a table that may have such columns.
  private static func people(_ path: String) throws(RecordingError) -> [String: String] {
    var rows = try TableRows(LineReader(path: path))
    guard let recording = rows.position(of: "recording"), let person = rows.position(of: "person")
    else { return [:] }
    var people: [String: String] = [:]
    while try rows.next() { people[rows.text(at: recording)] = rows.text(at: person) }
    return people
  }

  private static func intervals(
    _ path: String, _ people: [String: String], _ descriptor: DatasetDescriptor?,
    _ customLabels: [String: String]
  ) throws(RecordingError) -> [Interval] {
    var rows = try TableRows(LineReader(path: path))
    let columns = try rows.positions(
      of: ["recording", "start", "end", "label"],
      expected: "recording,subject,start,end,label[,note]")
    let note = rows.position(of: "note")
    let subject = rows.position(of: "subject")
    var intervals: [Interval] = []
    var errors: [RecordingError] = []
    while true {
      let times: (start: Timestamp, end: Timestamp)
      do {
        guard try rows.next() else { break }
        times = try rows.interval(from: columns[1], to: columns[2])
      } catch {
        // A person mends all lines at once; what isn't about a line ends the file.
        guard error.isOfOneLine else { throw error }
        errors.append(error)
        continue
      }
      let label = rows.text(at: columns[3])
      let customName = customName(of: label)
      let custom = customLabels[customName]
      let (activity, trainingActivity) =
        if let custom {
          custom == DatasetDescriptor.ignore ? (nil, nil) : (custom, custom)
        } else if let descriptor {
          (descriptor.activity(for: label), descriptor.trainingActivity(for: label))
        } else {
          (
            DatasetDescriptor.generalActivity(for: label),
            DatasetDescriptor.generalTrainingActivity(for: label)
          )
        }
      let recording = rows.text(at: columns[0])
      intervals.append(
        Interval(
          recording: recording,
          subject: subject.map { rows.text(at: $0) } ?? people[recording] ?? onlySubject,
          start: times.start, end: times.end, label: label,
          activity: activity, trainingActivity: trainingActivity, isCustom: custom != nil,
          note: rows.text(at: note)))
    }
    guard let first = errors.first else { return intervals }
    throw errors.count == 1
      ? first
      : .severalLines(
        Array(errors.prefix(mostErrors)), others: max(0, errors.count - mostErrors))
  }

  /// The most broken lines that an error names.
  private static let mostErrors = 20
  /// The name of the person where there is no column of names.
  private static let onlySubject = "person"

  /// A label in lower case, with `_` for its spaces.
  public static func customName(of label: String) -> String {
    label.lowercased().replacingOccurrences(of: " ", with: "_")
  }
}

extension RecordingError {
  /// Whether the error is about a single line, after which the next one can be read.
  fileprivate var isOfOneLine: Bool {
    switch self {
    case .badNumber, .badInterval, .wrongFieldCount: true
    default: false
    }
  }
}
