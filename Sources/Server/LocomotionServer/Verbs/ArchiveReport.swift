import Foundation
import LocomotionJournal
@_spi(Server) import LocomotionTool

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
    let days = try archive.use { database throws(DatabaseError) in try database.days(of: user) }
    let device = arguments.value("device")
    let found = days.first { day in
      day.date == date && (device.map { $0 == day.device } ?? day.isPrimary)
    }
    guard let found else { throw missing(date, user) }
    guard let zone = TimeZone(identifier: found.timeZone) else {
      throw ServerError.failed("\(found.timeZone): not a time zone here")
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    guard let day = CivilDay(date, calendar) else { throw missing(date, user) }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "locomotion-report-\(UUID().uuidString)"
    ).path
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let units = try archive.use { database throws(DatabaseError) in
      try database.units(of: user, device: found.device)
    }
    let store = folder + "/journal"
    _ = try WorkingJournals(folder: folder, objects: objects).build(
      at: store, user: user, units: units)
    let journal = try Journal(path: store, access: .reading)
    guard let own = try journal.existingUser(user) else { throw missing(date, user) }
    try PrivateFile.write(Data(JournalPages.page(about: day, of: own).html.utf8), to: path)
    StandardError.write("report: \(path)\n")
  }
}
