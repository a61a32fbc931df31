internal import Foundation

/// The description of a data set: its source, its licence, and the meaning of its labels.
///
/// It is a JSON object with the property names as keys. Only `name`, `source` and `licence` are
/// required. Other keys are for people: who they are from, placement, how the files are converted.
public struct DatasetDescriptor: Hashable, Sendable, Decodable {
  /// The original publication or repository.
  public struct Source: Hashable, Sendable, Decodable {
    /// Authors, title, year.
    public var title: String
    /// The address of it; empty for a data set that was put together locally.
    public var url: String

    /// A source with the given title and address.
    public init(title: String, url: String) {
      self.title = title
      self.url = url
    }
  }

  /// The short name of the data set, which is also that of its folder.
  public var name: String
  /// The source of the data.
  public var source: Source
  /// The licence by its usual short name, or "no licence stated: local use only".
  public var licence: String
  /// Samples per second of the accelerometer; nil without one.
  public var samplingRate: Double?
  /// The sensors: "accelerometer", "gyroscope", "barometer", "location".
  public var sensors: [String]
  /// The activity for each label text in lower case, one of ``activities`` or ``ignore``.
  ///
  /// It takes precedence over the general rule of ``activity(for:)``.
  public var labels: [String: String]
  /// The activity for each label text in lower case that is used in training and never scored.
  ///
  /// For what is certainly one of ``activities`` but not a typical example of it. It takes
  /// precedence over the general rule of ``trainingActivity(for:)``, and ``activity(for:)`` over
  /// both.
  public var trainingLabels: [String: String]

  /// The names of the activities to which a label can be mapped.
  public static let activities = [
    "stationary", "walking", "running", "cycling", "automotive", "train",
  ]

  /// The value for a label whose intervals are neither used in training nor scored.
  public static let ignore = "ignore"

  /// A description with the given properties and everything else unknown.
  public init(name: String, source: Source, licence: String, labels: [String: String] = [:]) {
    self.name = name
    self.source = source
    self.licence = licence
    self.labels = labels
    trainingLabels = [:]
    sensors = []
  }

  private enum CodingKeys: CodingKey {
    case name, source, licence, samplingRate, sensors, labels, trainingLabels
  }

  /// Decodes a description in which optional keys may be absent.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try values.decode(String.self, forKey: .name),
      source: try values.decode(Source.self, forKey: .source),
      licence: try values.decode(String.self, forKey: .licence))
    samplingRate = try values.decodeIfPresent(Double.self, forKey: .samplingRate)
    sensors = try values.decodeIfPresent([String].self, forKey: .sensors) ?? []
    labels = try Self.mapping(.labels, of: values, allowed: Self.activities + [Self.ignore])
    trainingLabels = try Self.mapping(.trainingLabels, of: values, allowed: Self.activities)
  }

  /// The activities by label in lower case, each of which must be one of `allowed`.
  private static func mapping(
    _ key: CodingKeys, of values: KeyedDecodingContainer<CodingKeys>, allowed: [String]
  ) throws -> [String: String] {
    let labels = try values.decodeIfPresent([String: String].self, forKey: key) ?? [:]
    for (label, activity) in labels where !allowed.contains(activity) {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: values,
        debugDescription: "\(label) stands for \(activity), which is none of "
          + allowed.joined(separator: ", "))
    }
    return Dictionary(labels.map { ($0.lowercased(), $1) }) { $1 }
  }

  /// Reads the JSON file at `path`, of at most 1 MiB.
  ///
  /// - Throws: ``RecordingError``.
  public init(path: String) throws(RecordingError) {
    let limit = 1 << 20
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    let (count, failure) = try CompressedInput(path: path).read(into: &bytes, from: 0)
    if let failure { throw failure }
    guard count > 0 else { throw .empty(path: path) }
    guard count <= limit else {
      throw .badDescriptor(path: path, reason: "longer than \(limit) bytes")
    }
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(bytes.prefix(count)))
    } catch {
      throw .badDescriptor(path: path, reason: Self.reason(error))
    }
  }

  /// The description of the data set in `folder`, or nil when there is none.
  ///
  /// It is `Datasets/Descriptions/<name of the folder>.json` of the working directory, or else
  /// `dataset.json` in the folder.
  ///
  /// - Throws: ``RecordingError`` when the file exists and cannot be used.
  public static func descriptor(for folder: String) throws(RecordingError) -> Self? {
    let url = URL(fileURLWithPath: folder).standardizedFileURL
    let candidates = [
      "Datasets/Descriptions/\(url.lastPathComponent).json",
      url.appendingPathComponent("dataset.json").path,
    ]
    guard let path = candidates.first(where: { FileManager.default.fileExists(atPath: $0) })
    else { return nil }
    return try Self(path: path)
  }

  /// The activity to which a label is mapped, or nil when it is ignored.
  ///
  /// ``labels`` decides; a label that is not in it is mapped by ``generalActivity(for:)``.
  public func activity(for label: String) -> String? {
    guard let activity = labels[label.lowercased()] else {
      return Self.generalActivity(for: label)
    }
    return activity == Self.ignore ? nil : activity
  }

  /// The activity to which a label is mapped in a data set without a description, or nil.
  ///
  /// A label that names one of ``activities`` is mapped to it. Besides: bus, car → automotive;
  /// metro, tram, subway → train; sit, stand, lie → stationary; jog → running; bike → cycling; walk
  /// → walking; and the forms in -ing of these. Case is ignored.
  public static func generalActivity(for label: String) -> String? {
    let label = label.lowercased()
    return activities.contains(label) ? label : aliases[label]
  }

  /// The activity to which a label is mapped in training, or nil for none.
  ///
  /// That of ``activity(for:)``; else that of ``trainingLabels``; else, unless ``labels`` ignores
  /// it, that of ``generalTrainingActivity(for:)``.
  public func trainingActivity(for label: String) -> String? {
    let lowercased = label.lowercased()
    return activity(for: label) ?? trainingLabels[lowercased]
      ?? (labels[lowercased] == nil ? Self.generalTrainingActivity(for: label) : nil)
  }

  /// The activity to which a label is mapped in training, in a data set without a description.
  ///
  /// That of ``generalActivity(for:)``. Besides, climbing stairs is walking, and riding in a lift
  /// is stationary; neither is a typical example of it.
  public static func generalTrainingActivity(for label: String) -> String? {
    generalActivity(for: label) ?? trainingAliases[label.lowercased()]
  }

  private static let trainingAliases = [
    "stairs": "walking", "upstairs": "walking", "downstairs": "walking",
    "walking upstairs": "walking", "walking downstairs": "walking",
    "lift": "stationary", "elevator": "stationary",
  ]

  private static let aliases = [
    "bus": "automotive", "car": "automotive",
    "metro": "train", "tram": "train", "subway": "train",
    "sit": "stationary", "sitting": "stationary", "stand": "stationary",
    "standing": "stationary", "lie": "stationary", "lying": "stationary",
    "walk": "walking", "jog": "running", "jogging": "running",
    "bike": "cycling", "biking": "cycling",
  ]

  /// The label with a general meaning that a label without one is a misspelling of, or nil.
  static func suggestion(for label: String) -> String? {
    Spelling.nearest(
      to: label.lowercased(),
      among: activities + aliases.keys.sorted() + trainingAliases.keys.sorted())
  }

  /// The message of a decoding error, in one line.
  private static func reason(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    switch error {
    case .keyNotFound(let key, _):
      return "the key \(key.stringValue) is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      let place = context.codingPath.map(\.stringValue).joined(separator: ".")
      return (place.isEmpty ? "" : "\(place): ") + context.debugDescription
    @unknown default:
      return "\(error)"
    }
  }
}
