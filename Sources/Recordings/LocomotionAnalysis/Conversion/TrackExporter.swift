public import Locomotion
internal import LocomotionFormats
public import LocomotionRecordings

/// The path of one leg of a trip, for a map.
public struct ActivityTrack: Equatable, Sendable {
  /// What the track is called.
  public var name: String
  /// How the person travelled; nil when unknown.
  public var activity: Activity?
  /// The positions, in the order of time.
  public var points: [LocationFix]

  /// A track from its parts.
  public init(name: String, activity: Activity?, points: [LocationFix]) {
    self.name = name
    self.activity = activity
    self.points = points
  }

  /// The tracks of a timeline's legs, one position per second; legs without a location are left
  /// out.
  ///
  /// - Parameters:
  ///   - items: The timeline of the samples.
  ///   - samples: Seconds in the order of time, live or in hindsight.
  /// - Returns: One track per leg that has a location.
  public static func tracks(
    of items: [TimelineItem], samples: [LocomotionSample]
  ) -> [ActivityTrack] {
    var rest = samples[...]
    return items.flatMap { item -> [ActivityTrack] in
      guard case .trip(let trip) = item else { return [] }
      return trip.legs.compactMap { leg in
        rest = rest.drop { $0.end <= leg.start }
        let points = rest.prefix { $0.end <= leg.end }.compactMap { sample in
          sample.location.map { LocationFix($0, at: sample.end) }
        }
        guard !points.isEmpty else { return nil }
        let name = "\(CalendarTime.text(leg.start)) \(leg.activity?.name ?? "unknown")"
        return ActivityTrack(name: name, activity: leg.activity, points: points)
      }
    }
  }
}

/// Writes tracks for a map, as GPX 1.1 or GeoJSON (RFC 7946).
///
/// GPX has a `trk` for each, with the activity as `type`. GeoJSON has a line for each (a point for
/// a track of one position), with `name`, `activity`, `start`, `end` and the times of all positions
/// as `coordTimes`.
public struct TrackExporter {
  /// The form of the file.
  public enum Format: String, CaseIterable, Sendable {
    /// GPX 1.1.
    case gpx
    /// GeoJSON.
    case geojson
  }

  private let gpx: GPXExporter?
  private var features: FeatureCollection?

  /// Writes tracks to a file, which appears when all of them are written.
  ///
  /// - Parameters:
  ///   - tracks: The tracks, in order.
  ///   - format: The form of the file.
  ///   - path: Where the file is made; one that exists is replaced.
  /// - Throws: `RecordingError` when it cannot be written.
  public static func write(
    _ tracks: [ActivityTrack], as format: Format, to path: String
  ) throws(RecordingError) {
    let outputs = OutputFiles()
    var exporter = try TrackExporter(format, to: try outputs.open(path))
    for track in tracks { try exporter.write(track) }
    try exporter.finish()
    try outputs.commit()
  }

  /// An exporter to a file.
  package init(_ format: Format, to file: OutputFile) throws(RecordingError) {
    gpx = format == .gpx ? try GPXExporter(file) : nil
    features = format == .geojson ? try FeatureCollection(file) : nil
  }

  /// Writes one track.
  package mutating func write(_ track: ActivityTrack) throws(RecordingError) {
    guard let first = track.points.first, let last = track.points.last else { return }
    if let gpx {
      try gpx.startTrack(track.name, type: track.activity?.name)
      var batch = SensorBatch()
      batch.fixes = track.points
      try gpx.take(.batch(batch))
      return
    }
    let positions = track.points.map(FeatureCollection.position)
    let isLine = positions.count > 1
    let activity = track.activity.map { "\"\($0.name)\"" } ?? "null"
    let times = track.points.map { "\"\(CalendarTime.text($0.timestamp))\"" }
    try features?.write(
      FeatureCollection.geometry(
        isLine ? "LineString" : "Point",
        isLine ? "[\(positions.joined(separator: ","))]" : positions[0]),
      [
        "\"name\":\(JSONText.compact(track.name))", "\"activity\":\(activity)",
        "\"start\":\"\(CalendarTime.text(first.timestamp))\"",
        "\"end\":\"\(CalendarTime.text(last.timestamp))\"",
        "\"coordTimes\":[\(times.joined(separator: ","))]",
      ])
  }

  /// Writes what is buffered and the end of the file's content.
  package func finish() throws(RecordingError) {
    try gpx?.finish()
    try features?.finish()
  }
}
