import Foundation
internal import Locomotion
import LocomotionActivityRecognition
import LocomotionAnalysis
import LocomotionFormats
import LocomotionJournal
import LocomotionRecordings
import LocomotionSensing

extension Command {
  /// Writes a user's trips as tracks, one per leg, named after its start and activity.
  static func exportTracks(as format: TrackExporter.Format, _ arguments: Arguments) throws {
    let store = try arguments.required("store")
    let name = try arguments.required("user")
    let path = try arguments.output(besidesJournalAt: store)
    let calendar = try arguments.calendar()
    let outputs = OutputFiles.forCommand(inputs: [store])
    var exporter = try TrackExporter(format, to: outputs.open(path))
    let user = try upToDate(store, name, arguments.model())
    let times = try arguments.interval(of: user, store, calendar)
    let items = try user.dayItems(from: times.lowerBound, to: times.upperBound)
    try write(user.tracks(of: items), calendar, to: &exporter)
    try exporter.finish()
    try outputs.commit()
  }

  /// Writes tracks, named after their start in the calendar's time zone and their activity.
  static func write(
    _ tracks: [DayTrack], _ calendar: Calendar, to exporter: inout TrackExporter
  ) throws {
    for track in tracks {
      let activity = track.leg.name ?? "unknown"
      try exporter.write(
        ActivityTrack(
          name: "\(minute(track.leg.start, calendar)) \(activity)",
          activity: track.leg.activity, points: track.points))
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
