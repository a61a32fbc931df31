import Foundation
import LocomotionRecordings
@_spi(Server) import LocomotionTool

extension Command {
  private struct Finding: Encodable {
    let object: String
    let finding: String
    let action: String
    let done: Bool
  }

  /// `archive check`: where rows and objects differ, which `--repair` mends.
  ///
  /// Everyone's units are looked at with the list of users, which only the owner of the tables
  /// may ask for, and those of one user as the collector.
  static func check(_ archive: ArchivePlaces, _ arguments: Arguments) throws {
    let check = ArchiveCheck(
      UnitIntake(objects: try archive.objects, connections: archive.connections) { _, _ in })
    let isRepairing = arguments.has("repair")
    var table = FindingTable(isJSON: arguments.has("json"))
    var (found, repaired, looked) = (0, 0, 0)
    func tell(_ finding: ArchiveCheck.Finding) throws {
      let isDone = try isRepairing && check.repair(finding)
      found += 1
      repaired += isDone ? 1 : 0
      try table.add(finding, isDone)
    }
    if let name = arguments.value("user") {
      looked = try check.findings(of: userName(name), tell)
    } else {
      let users = try archive.use { database throws(DatabaseError) in
        try database.users()
      }.map(\.name)
      for user in users { looked += try check.findings(of: user, tell) }
      looked += try check.findings(besides: users, tell)
    }
    try table.finish()
    let summary = "\(looked) units looked at, \(found) findings, \(repaired) repaired"
    guard found == repaired else { throw ServerError.failed(summary) }
    let advice =
      repaired > 0 ? "; a collector derives the days of these users when it starts" : ""
    StandardError.write("locomotion-server: \(summary)\(advice)\n")
  }

  /// The lines of what is found.
  private struct FindingTable {
    private let isJSON: Bool
    private var output = TextOutput.standard
    private var isBegun = false

    init(isJSON: Bool) { self.isJSON = isJSON }

    private mutating func begin() throws {
      guard !isBegun else { return }
      isBegun = true
      try output.write(isJSON ? "[" : "object,finding,action,done\n")
    }

    mutating func add(_ finding: ArchiveCheck.Finding, _ isDone: Bool) throws {
      let isFirst = !isBegun
      try begin()
      let row = Finding(
        object: finding.key.text, finding: finding.kind.rawValue,
        action: finding.action.rawValue, done: isDone)
      if isJSON {
        try output.write((isFirst ? "" : ",") + row.json)
      } else {
        try output.write(
          "\(CSVLine.quoted(row.object)),\(row.finding),\(row.action),\(isDone ? 1 : 0)\n")
      }
      // At once, because a large archive takes long.
      try output.finish()
    }

    mutating func finish() throws {
      try begin()
      if isJSON { try output.write("]\n") }
      try output.finish()
    }
  }
}
