import Foundation
import LocomotionActivityRecognition
import LocomotionFormats
import LocomotionJournal
import LocomotionPositioning
import LocomotionRecordings
import LocomotionSensing

extension Command {
  /// Writes a user's trips as tracks, one per leg, named after its start and activity.
  static func exportTracks(as format: RecordingFormat, _ arguments: Arguments) throws {
    let store = try arguments.required("store")
    let name = try arguments.required("user")
    let path = try arguments.required("out")
    guard !Journal.isFile(path, ofJournalAt: store) else {
      throw UsageError("'--out \(path)': expected another file than those of the journal")
    }
    let calendar = try arguments.calendar()
    let outputs = OutputFiles.forCommand(inputs: [store])
    let exporter = try TrackExporter(format, to: outputs.open(path))
    let journal = try upToDate(store, name, arguments.journalSettings())
    let user = try journal.existing(name)
    guard let span = try journal.daySpan(of: user) else {
      throw RecordingError.nothingUsable(path: store, reason: "\(name) has no data")
    }
    let day = try arguments.has("date") ? CivilDay(arguments, "date", nil, calendar) : nil
    let (start, end) = (day?.start ?? span.start, day?.end ?? span.end)
    var track = try smoothed(journal.fixes(of: user, from: start, to: end))[...]
    for item in try journal.dayItems(of: user, from: start, to: end) {
      guard case .trip(let legs) = item.content else { continue }
      for leg in legs {
        // Both are in time order.
        track = track.drop { $0.timestamp < leg.start }
        let points = Array(track.prefix { $0.timestamp < leg.end })
        guard !points.isEmpty else { continue }
        let activity = leg.activity?.name ?? "unknown"
        try exporter.write(points, as: "\(minute(leg.start, calendar)) \(activity)")
      }
    }
    try exporter.finish()
    try outputs.commit()
  }

  /// The fixes in hindsight: where the phone was, with the radius that is claimed.
  private static func smoothed(_ fixes: [LocationFix]) -> [LocationFix] {
    LocationSmoother().estimates(for: fixes, mode: .smoothed).compactMap { row in
      guard let estimate = row.estimate, row.status == .used || row.status == .relocated else {
        return nil
      }
      return LocationFix(
        timestamp: row.timestamp, latitude: estimate.latitude, longitude: estimate.longitude,
        altitude: estimate.altitude, horizontalAccuracy: estimate.radius68,
        verticalAccuracy: estimate.altitudeDeviation, speed: estimate.speed,
        speedAccuracy: estimate.speedDeviation, course: estimate.course)
    }
  }

  /// `2024-05-01 12:05` in the calendar's time zone.
  private static func minute(_ instant: Timestamp, _ calendar: Calendar) -> String {
    let parts = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute],
      from: Date(timeIntervalSince1970: instant.seconds))
    return String(
      format: "%04d-%02d-%02d %02d:%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0,
      parts.hour ?? 0, parts.minute ?? 0)
  }
}
