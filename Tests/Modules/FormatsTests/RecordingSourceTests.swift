import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

/// Files as they lie on disk, read through the one type that reads them.
struct RecordingSourceTests {
  private let folder = ScratchFolder()

  /// What a file holds, what was said of it, and the defect that ended the reading.
  private func read(
    _ path: String
  ) throws -> (batch: SensorBatch, notes: [String], defect: RecordingError?) {
    var reader = try RecordingSource(path: path).reader()
    var (all, batch) = (SensorBatch(), SensorBatch())
    var defect: RecordingError?
    do throws(RecordingError) {
      while try reader.read(into: &batch) { all.append(contentsOf: batch) }
    } catch {
      all.append(contentsOf: batch)
      defect = error
    }
    return (all, reader.report.notes, defect)
  }

  private static func fixes(_ times: some Sequence<Int>) -> String {
    "t,lat,lon\n" + times.map { "\(1_700_000_000 + $0),50,8\n" }.joined()
  }

  @Test func rowsBeforeADefectAreGivenAlsoWhereTheFileRunsBackwards() throws {
    let path = try folder.write(
      (Self.fixes((1...5_000).reversed()) + "x,50,8\n").utf8, to: "walk.gps.csv")
    let found = try read(path)
    #expect(found.batch.fixes.count == 5_000)
    #expect(found.batch.fixes.first?.timestamp == Timestamp(seconds: 1_700_000_001))
    #expect(found.defect?.description.contains(":5002:") == true)
  }

  @Test(arguments: [(1_000.0, 1), (1e6, 1), (1, 1)])
  func timesInSmallerUnitsAreTakenForWhatTheyAre(unit: Double, step: Int) throws {
    let rows = (0..<60).map { "\(Int(unit) * (1_700_000_000 + $0 * step)),50,8\n" }.joined()
    let found = try read(try folder.write(("t,lat,lon\n" + rows).utf8, to: "walk.csv"))
    #expect(found.batch.fixes.count == 60)
    #expect(found.batch.fixes.last?.timestamp == Timestamp(seconds: 1_700_000_059))
  }

  @Test func aZipFileOfAFolderIsReadAsTheFolder() throws {
    var zip = ZipFile()
    zip.add("day/walk.gps.csv", Array(Self.fixes(0..<9).utf8))
    zip.add("day/raw/other.csv", Array("a,b\n1,2\n".utf8))
    let found = try read(try folder.write(zip.file, to: "day.zip"))
    #expect(found.batch.fixes.count == 9)
  }

  @Test func tracksOfTheSameTimeAreMergedWithANote() throws {
    try folder.write(Self.fixes(0..<60).utf8, to: "both/a.gps.csv")
    try folder.write(Self.fixes(30..<90).utf8, to: "both/b.gps.csv")
    let both = try read(folder.path + "/both")
    // Of the fixes of one time there is one.
    #expect(both.batch.fixes.count == 90)
    #expect(both.notes.contains { $0.contains("'a' and 'b' are of the same time") })
    try folder.write(Self.fixes(60..<90).utf8, to: "after/b.gps.csv")
    try folder.write(Self.fixes(0..<60).utf8, to: "after/a.gps.csv")
    #expect(try read(folder.path + "/after").notes.isEmpty)
  }
}
