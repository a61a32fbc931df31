import Foundation
import LocomotionRecordings
import LocomotionSensing
import SensorSimulator
import TestSupport
import Testing

/// `benchmark score` as a process: what it prints and writes, and how it ends.
@Suite struct ScoreCommandTests {
  private func score(
    _ arguments: [String]
  ) throws -> (status: Int32, output: Data, errors: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("benchmark")
    process.arguments = ["score"] + arguments
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let messages = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, data, String(decoding: messages, as: UTF8.self))
  }

  private func rows(_ data: Data) throws -> [String: [String: Any]] {
    let document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let rows = try #require(document["rows"] as? [[String: Any]])
    return Dictionary(uniqueKeysWithValues: rows.map { ($0["name"] as? String ?? "", $0) })
  }

  /// Half an hour at one place, ten minutes north at 12 m/s, and half an hour at another.
  private func writeDay(to folder: ScratchFolder) throws {
    var (fixes, truth) = ("t,lat,lon,hacc,speed,course\n", "t,lat,lon,moving\n")
    for second in 0...4_200 {
      let isMoving = (1_800..<2_400).contains(second)
      let latitude = 48 + Double(min(max(second - 1_800, 0), 600)) * 12 / 111_200
      fixes += "\(second),\(latitude),11,5,\(isMoving ? 12 : 0),\n"
      truth += "\(second),\(latitude),11,\(isMoving ? 1 : 0)\n"
    }
    try folder.write(fixes, to: "set/day.gps.csv")
    try folder.write(truth, to: "set/day.truth.csv")
    try folder.write(
      "start,end,lat,lon\n0,1800,48,11\n2400,4200,48.0647482,11\n", to: "set/day.stays.csv")
  }

  @Test func daysAreThinnedScoredAndComparedWithOtherPrograms() throws {
    let folder = ScratchFolder()
    try writeDay(to: folder)
    let (set, out) = ("\(folder.path)/set", "\(folder.path)/thinned")
    let run = try score(["days", "--dataset", set, "--json", "--write", out])
    try #require(run.status == 0, "\(run.errors)")
    let all = try rows(run.output)
    #expect(all.count == 12 && all["with accelerations"] != nil)
    let full = try #require(all["full"])
    #expect(full["f1"] as? Double == 1 && full["fixesPerDay"] as? Double == 4_201)
    #expect(full["rightTimeFraction"] as? Double ?? 0 > 0.98)
    let minute = try String(contentsOfFile: "\(out)/every60/day.gps.csv", encoding: .utf8)
    #expect(minute.split(separator: "\n").count == 1 + 71)

    try folder.write(
      "kind,start,end,lat,lon,distance\nstay,0,1800,,,\ntrip,1800,2400,,,7200\n",
      to: "thinned/gpx/day.peer.items.csv")
    let recording = "\(set)/day.gps.csv"
    let beside = try score(["days", recording, "--rule", "gpx", "--json", "--beside", out])
    let peer = try #require(try rows(beside.output)["gpx, peer"])
    let share = 2_400.0 / 4_200
    #expect(peer["rightTimeFraction"] as? Double == share)
    #expect(peer["matchedStays"] as? Int == 1 && peer["trueStays"] as? Int == 2)
    #expect(try score(["days", recording, "--beside", set]).status == 74)
  }

  @Test func whatHasNoReferenceIsRefusedOrScoredAgainstASmoothCourse() throws {
    let folder = ScratchFolder()
    try writeDay(to: folder)
    let recording = "\(folder.path)/set/day.gps.csv"
    let against = try score(["location", recording])
    #expect(against.status == 0 && !against.output.isEmpty)
    try FileManager.default.removeItem(atPath: "\(folder.path)/set/day.truth.csv")
    let missing = try score(["location", recording])
    #expect(missing.status == 3 && missing.output.isEmpty && missing.errors.contains("truth.csv"))
    #expect(try score(["location", recording, "--smooth-course"]).status == 0)
  }

  @Test func aWalkIsRecognisedUnderEveryPatternOfPauses() throws {
    let folder = ScratchFolder()
    try folder.write(
      "recording,subject,start,end,label\nwalk,ada,15,230,walking\n", to: "set/labels.csv")
    var writer = try RecordingWriter(path: "\(folder.path)/set/walk.csv", hasGyroscope: false)
    let walk = Scenario(seed: 20, start: Timestamp(nanoseconds: 0)).walk(.minutes(4)).recording()
    for batch in walk.batches(everySeconds: 10) { try writer.write(batch) }
    try writer.close()
    let run = try score(["pauses", "--dataset", "\(folder.path)/set"])
    try #require(run.status == 0, "\(run.errors)")
    let output = String(decoding: run.output, as: UTF8.self)
    let rows = output.split(separator: "\n").suffix(7).map { line in
      line.split(separator: " %").map { $0.split(separator: " ").last.flatMap { Double($0) } }
    }
    #expect(rows.count == 7)
    for row in rows {
      let (live, hindsight) = (try #require(row[0]), try #require(row[2]))
      #expect(live > 99 && hindsight > 99, "\(output)")
    }
    for row in rows.prefix(5) {
      let steps = try #require(row[3])
      #expect(abs(steps - 100) <= 1, "\(output)")
    }
  }

  @Test(arguments: [
    ([], "expected one of location, days"), (["dayz"], "did you mean 'days'?"),
    (["days"], "name a recording"), (["days", "--rule", "hourly"], "half-hourly"),
    (["power", "--jsn"], "'benchmark score power --help'"), (["cadence"], "--dataset DIRECTORY"),
  ])
  func aWrongCommandLineIsAUsageError(arguments: [String], message: String) throws {
    let run = try score(arguments)
    #expect(run.status == 2 && run.output.isEmpty)
    #expect(run.errors.hasPrefix("benchmark: ") && run.errors.contains(message), "\(run.errors)")
  }
}
