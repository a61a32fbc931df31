import Foundation
import LocomotionJournal
import LocomotionRecordings
@_spi(Server) import LocomotionTool

extension Command {
  /// `archive users`, which only the owner of the tables may ask.
  static func listUsers(_ archive: ArchivePlaces, _ arguments: Arguments) throws {
    let users = try archive.use { database throws(DatabaseError) in try database.users() }
    var output = TextOutput.standard
    if arguments.has("json") {
      try output.write(users.json + "\n")
    } else {
      try output.write("user,devices,units,bytes,days\n")
      for user in users {
        let numbers = [user.devices, user.units, user.bytes, user.days].map(String.init)
        try output.write(
          ([CSVLine.quoted(user.name)] + numbers).joined(separator: ",") + "\n")
      }
    }
    try output.finish()
  }

  /// `archive days`: the list, or with `--date` the day itself.
  static func writeDays(
    of user: String, _ archive: ArchivePlaces, _ arguments: Arguments
  ) throws {
    let device = arguments.value("device")
    let date = arguments.value("date")
    let days = try archive.use { database throws(DatabaseError) in try database.days(of: user) }
    let chosen = days.filter { day in
      (date ?? day.date) == day.date && (device.map { $0 == day.device } ?? true)
    }
    var output = TextOutput.standard
    if arguments.has("json") {
      let shown = chosen.filter { device != nil || $0.isPrimary }
      guard date == nil || !shown.isEmpty else { throw missing(date ?? "", user) }
      for day in shown {
        let text = try archive.use { database throws(DatabaseError) in
          try database.dayJSON(of: user, date: day.date, device: day.device)
        }
        if let text { try output.write(text + "\n") }
      }
    } else {
      try output.write("date,device,revision,final,primary,recorded,distance,steps\n")
      for day in chosen {
        var line = CSVLine()
        line.add(day.date)
        line.add(day.device)
        line.add("\(day.revision)")
        line.add(day.isFinal ? "1" : "0")
        line.add(day.isPrimary ? "1" : "0")
        line.add(day.recorded, decimals: 0)
        line.add(day.distance, decimals: 1)
        line.add(day.steps, decimals: 0)
        try output.write(line)
      }
    }
    try output.finish()
  }

  /// The error for a day that is not there.
  static func missing(_ date: String, _ user: String) -> ServerError {
    ServerError.failed("\(date): the archive has no such day of this user")
  }
}
