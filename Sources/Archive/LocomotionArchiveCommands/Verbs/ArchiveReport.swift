import Foundation
import LocomotionCollector
import LocomotionJournal
import LocomotionRecordings
import LocomotionReport
import LocomotionTool

extension Command {
  /// `archive report`: the page about a day, made of the units in a journal of its own.
  ///
  /// The page is that of `journal report` on the device; the journal is made in a folder that is
  /// deleted again, because a collector may be writing to the one in the cache.
  static func report(
    on user: String, _ archive: ArchivePlaces, _ arguments: Arguments
  ) throws {
    let date = try arguments.required("date")
    let path = try arguments.required("out")
    let objects = try archive.objects
    let (days, device) = (
      try archive.connections.use { database throws(DatabaseError) in
        try database.days(of: user)
      }, arguments.value("device")
    )
    let found = days.first { day in
      day.date == date && (device.map { $0 == day.device } ?? day.isPrimary)
    }
    guard let found else { throw missing(date, user) }
    guard let zone = TimeZone(identifier: found.timeZone) else {
      throw CommandFailure("\(found.timeZone): not a time zone here")
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    guard let day = CivilDay(date, calendar) else { throw missing(date, user) }
    let outputs = OutputFiles()
    let file = try outputs.open(path)
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let units = try archive.connections.use { database throws(DatabaseError) in
      try database.units(of: user, device: found.device)
    }
    let store = folder.path + "/journal"
    _ = try WorkingJournals(folder: folder.path, objects: objects).build(
      at: store, user: user, units: units)
    let owner = try Journal(path: store, access: .reading).existing(user)
    let analysis = try analysis(of: day, of: owner, user)
    try file.write(HTMLReport(analysis).html)
    try outputs.commit()
    StandardError.write("report: \(path)\n")
  }
}
