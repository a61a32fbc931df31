import Foundation
import LocomotionJournal
@_spi(Server) import LocomotionTool

extension Command {
  /// `archive export`: everything that the archive has of a user, in a folder.
  ///
  /// ```
  /// units/DEVICE/000000-DIGEST.loco   the units as they came
  /// journals/DEVICE.locomotion        a journal made of them, for 'journal' and 'convert'
  /// days/DATE.DEVICE.json             the storylines
  /// tracks/DEVICE.geojson             the paths of the trips
  /// ```
  static func export(_ user: String, _ archive: ArchivePlaces, _ arguments: Arguments) throws {
    let out = try arguments.required("out")
    let objects = try archive.objects
    if let content = try? FileManager.default.contentsOfDirectory(atPath: out), !content.isEmpty {
      throw ServerError.usage("'--out \(out)': expected a folder that is empty or does not exist")
    }
    let devices = try archive.use { database throws(DatabaseError) in
      try database.streams(of: user)
    }
    guard !devices.isEmpty else {
      throw ServerError.failed("the archive has nothing of this user")
    }
    for folder in ["", "/units", "/journals", "/days", "/tracks"] {
      try PrivateFile.makeFolder(out + folder)
    }
    let journals = WorkingJournals(folder: out, objects: objects)
    var missing = 0
    for device in devices {
      let units = try archive.use { database throws(DatabaseError) in
        try database.units(of: user, device: device)
      }
      try PrivateFile.makeFolder("\(out)/units/\(device)")
      for unit in units { missing += try write(unit, from: objects, out) ? 0 : 1 }
      let path = "\(out)/journals/\(device).locomotion"
      _ = try journals.build(at: path, user: user, units: units)
      // The lock is of use to a writer only.
      try? FileManager.default.removeItem(atPath: path + "-writer")
      try JournalPages.writeTracks(
        of: user, in: Journal(path: path, access: .reading), to: "\(out)/tracks/\(device).geojson")
    }
    try writeStories(of: user, archive, out)
    guard missing == 0 else {
      throw ServerError.failed(
        "\(missing) units have no object or a damaged one; the rest is exported")
    }
  }

  /// Writes a unit; false when the store has no such object, or another one.
  private static func write(
    _ unit: UnitRow, from objects: any ObjectStore, _ out: String
  ) throws -> Bool {
    guard let key = ObjectKey(unit.objectKey), let bytes = try objects.get(key),
      SHA256Digest(of: bytes).hexadecimal == unit.digest
    else { return false }
    let digits = "\(unit.sequence)"
    let number = String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    try PrivateFile.write(
      Data(bytes), to: "\(out)/units/\(unit.device)/\(number)-\(unit.digest).loco")
    return true
  }

  private static func writeStories(
    of user: String, _ archive: ArchivePlaces, _ out: String
  ) throws {
    let days = try archive.use { database throws(DatabaseError) in try database.days(of: user) }
    for day in days {
      let text = try archive.use { database throws(DatabaseError) in
        try database.dayJSON(of: user, date: day.date, device: day.device)
      }
      guard let text else { continue }
      try PrivateFile.write(
        Data((text + "\n").utf8), to: "\(out)/days/\(day.date).\(day.device).json")
    }
  }
}
