import Foundation
import LocomotionAnalysis
import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

/// Damaged and hostile inputs give a typed error, and no file outside the target.
@Suite struct HostileFormatTests {
  private let folder = ScratchFolder()

  @Test(arguments: [
    "{\"locations\":", "{\"x\":{\"locations\":1},\"y\":", "{\"locations\":[{\"a\":",
  ])
  func deepJSONIsRefused(start: String) {
    for bracket in ["[", "[{\"a\":"] {
      let text = start + String(repeating: bracket, count: 1_000_000)
      let found = refusal { _ = try Imported(text, named: "deep.json", as: .overland) }
      let reason = "JSON of more than 128 levels, line 1, byte "
      #expect(found?.path == "deep.json" && found?.reason.hasPrefix(reason) == true)
    }
  }

  @Test func anEndlessLineIsRefusedByEveryFormatOfLines() throws {
    // One line of a gigabyte, which takes a thousandth of it on disk.
    let path = "\(folder.path)/long.csv.gz"
    let output = try CompressedOutput(path: path)
    try output.write(Array("time,seconds_elapsed,x,y,z\n1,".utf8))
    let piece = [UInt8](repeating: UInt8(ascii: "1"), count: 1 << 20)
    for _ in 0..<1024 { try output.write(piece) }
    try output.close()
    for format in [RecordingFormat.pamap2, .phyphox, .csv, .overland, .ndjson, .moves, .gpx] {
      let error = recordingError {
        try format.read(ImportSource(path: path)) { (_) throws(RecordingError) in }
      }
      #expect(error?.isInputRejection == true, "\(format): \(String(describing: error))")
    }
    try folder.write("time,x,y,z\n1,0,0,9.8\n", to: "logger/Gravity.csv")
    try FileManager.default.moveItem(
      atPath: path, toPath: "\(folder.path)/logger/Accelerometer.csv")
    let error = recordingError {
      try RecordingFormat.sensorlogger.read(ImportSource(path: folder.path("logger"))) {
        (_) throws(RecordingError) in
      }
    }
    let isTold = if case .lineTooLong(_, 2, 65536)? = error { true } else { false }
    #expect(isTold, "\(String(describing: error))")
  }

  @Test func anEndlessStringOfJSONIsRefused() {
    let long = String(repeating: "a", count: 1 << 17)
    let wide = String(repeating: "1,", count: 1 << 22)
    for text in ["{\"locations\":[{\"type\":\"\(long)\"}]}", "{\"locations\":[[\(wide)"] {
      let found = refusal { _ = try Imported(text, named: "a.json", as: .overland) }
      #expect(found?.path == "a.json")
    }
  }

  @Test(arguments: [
    "<!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol2 \"&lol;&lol;\">]>",
    "<!DOCTYPE gpx SYSTEM \"file:///etc/passwd\">",
    "<!DOCTYPE gpx [<!-- ]> --><!ENTITY lol2 SYSTEM \"http://localhost/\">]>",
  ])
  func declaredEntitiesOfXMLAreNotResolved(declaration: String) throws {
    let text = FormatSamples.gpx.replacing("<gpx", with: declaration + "<gpx", maxReplacements: 1)
    let plain = try Imported(FormatSamples.gpx, named: "a.gpx", as: .gpx)
    let imported = try Imported(
      text.replacing("</gpx>", with: "<a>&lol2;&x;</a></gpx>"), named: "a.gpx", as: .gpx)
    #expect(imported.batch == plain.batch && imported.labels == plain.labels)
  }

  @Test func entitiesOfXMLAndSectionsAreText() throws {
    let gpx = """
      <gpx><trk><type>run&amp;&#x26;&#38;<![CDATA[&lt;]]></type><trkseg>
      <trkpt lat="&#52;8" lon='11&#x2e;5'><time>2024-05-01T12:00:00Z</time></trkpt>
      </trkseg></trk></gpx>
      """
    let imported = try Imported(gpx, named: "a.gpx", as: .gpx)
    #expect(imported.batch.fixes.map(\.latitude) == [48])
    #expect(imported.batch.fixes.map(\.longitude) == [11.5])
  }

  @Test(arguments: ["<?xml-stylesheet?><gpx/>", "<?xml?><gpx/>", " <?xml version='1.0'?><gpx/>"])
  func xmlThatBeginsWithAProcessingInstructionIsRejected(text: String) {
    let error = recordingError { _ = try Imported(text, named: "a.gpx", as: .gpx) }
    #expect(error?.isInputRejection == true, "\(String(describing: error))")
  }

  @Test(arguments: ["gpx", "kml", "TrainingCenterDatabase"])
  func instructionsInTagsThatAreNotClosedNeverTrap(root: String) {
    // Behind the error the parser goes on as in text.
    for inner in [
      "<a<?x?>", "<a b='<?x?>", "<a b=<?x?>", "</a<?x?>", "<<?x?>", "<!-<?x?>", "<a\"<?x?>",
    ] {
      let text = "<\(root) xmlns:b.c=1\"><t>1</u><p><a>\(inner)</\(root)>"
      for format in [RecordingFormat.gpx, .kml, .tcx] {
        let error = recordingError { _ = try Imported(text, named: "a.xml", as: format) }
        #expect(error?.isInputRejection == true)
      }
    }
  }

  @Test func xmlInAnotherEncodingIsRefused() {
    for text in [
      "<?xml version=\"1.0\" encoding=\"UTF-7\"?><gpx/>",
      "<?xml version='1.0' encoding='utf-16'?><gpx/>", "\u{FEFF}{}",
      // After the part that is scanned, and in a second declaration.
      "<?xml version=\"1.0\"\(String(repeating: " ", count: 600))encoding=\"UTF-7\"?><gpx/>",
      "<?xml version=\"1.0\" encoding\n=\n'UTF-8' encoding=\"UTF-7\"?><gpx/>",
    ] {
      let found = defect { _ = try Imported(text, named: "a.gpx", as: .gpx) }
      #expect(found?.path == "a.gpx" && found?.place == "line 1", "\(text)")
    }
  }

  @Test func deepAndTruncatedXMLIsRejected() {
    let deep = "<gpx>" + String(repeating: "<a>", count: 1000)
    #expect(
      recordingError { _ = try Imported(deep, named: "a.gpx", as: .gpx) }
        == .refused(path: "a.gpx", reason: "XML of more than 64 levels"))
    // Without a whole point.
    for count in [20, 130, 300] {
      let text = String(FormatSamples.gpx.prefix(count))
      let found = defect { _ = try Imported(text, named: "a.gpx", as: .gpx) }
      #expect(found?.path == "a.gpx", "\(count)")
    }
  }

  @Test(arguments: [RecordingFormat.overland, .geojson, .moves, .arc, .ndjson])
  func truncatedJSONIsRejectedWithItsPosition(format: RecordingFormat) throws {
    let files = try #require(FormatSamples.texts[format])
    let name = try #require(files.keys.max { files[$0]?.count ?? 0 < files[$1]?.count ?? 0 })
    let text = try #require(files[name])
    for fraction in [2, 3, 5] {
      let cut = Array(text.utf8.prefix(text.utf8.count / fraction))
      let found = defect {
        _ = try Imported(cut, named: name, as: format)
      }
      #expect(found?.found == "the end of the file", "\(format) \(fraction)")
      #expect(found?.place.contains("byte \(cut.count + 1)") == true, "\(format) \(fraction)")
    }
  }

  @Test func aTruncatedCompressedFileOfLinesIsAnError() throws {
    let path = "\(folder.path)/a.ndjson.gz"
    let output = try CompressedOutput(path: path)
    for second in 0..<5000 {
      let fix = "{\"t\":\(second),\"lat\":1,\"lon\":\(second % 90)}"
      try output.write(Array("{\"fixes\":[\(fix)]}\n".utf8))
    }
    try output.close()
    let bytes = try folder.data("a.ndjson.gz")
    let cut = try folder.write(bytes.prefix(bytes.count / 2), to: "b.ndjson.gz")
    let error = recordingError {
      _ = try Conversion.run(input: cut, output: folder.path("out.gpx"))
    }
    let isTold = if case .truncatedCompression? = error { true } else { false }
    #expect(isTold, "\(String(describing: error))")
    // The incomplete output is removed.
    #expect(folder.files == ["a.ndjson.gz", "b.ndjson.gz"])
  }

  @Test func invalidUTF8InJSONIsRejectedAsSuch() {
    let bytes = Array("{\"locations\":[{\"type\":\"".utf8) + [0xC3, 0x28] + Array("\"}]}".utf8)
    let found = defect {
      _ = try Imported(bytes, named: "a.json", as: .overland)
    }
    #expect(found?.path == "a.json" && found?.expected == "UTF-8")
  }

  @Test func decimalCommasBetweenCommasAreRejectedWithTheirLine() {
    let text = "Time (s),Acceleration x (m/s^2),Acceleration y (m/s^2),Acceleration z (m/s^2)\n"
    let error = recordingError {
      _ = try Imported(text + "0,5,1,25,0,0,9,81\n", named: "a.csv", as: .phyphox)
    }
    #expect(
      error
        == .malformed(
          path: "a.csv", place: "line 2", expected: "4 fields as in the header", found: "8 fields"))
  }

  @Test(arguments: [
    "../evil.csv", "a/../../evil.csv", "/tmp/evil.csv", "a\\..\\evil.csv", "C:evil.csv", "a//b.csv",
    "1/2/3/4/5/6.csv",
  ])
  func archivePathsOutsideTheFolderAreRefused(name: String) throws {
    var zip = ZipFile()
    zip.add("Gravity.csv", Array("time,x,y,z\n1,0,0,9.8\n".utf8))
    zip.add(name, Array("time,x,y,z\n1,0,0,9.8\n".utf8))
    let path = try folder.write(zip.file, to: "in/evil.zip")
    let found = refusal { _ = try Conversion.run(input: path, output: folder.path("out")) }
    #expect(found?.path == path && found?.reason.contains("leads outside its folder") == true)
    #expect(folder.files == ["in/evil.zip"])
  }

  @Test func aZipOfSensorLoggerIsReadLikeItsFolder() throws {
    var zip = ZipFile()
    for (name, text) in FormatSamples.sensorLogger { zip.add(name, Array(text.utf8)) }
    zip.add("Camera/1.jpg", [1, 2, 3])
    let path = try folder.write(zip.file, to: "walk.zip")
    let source = try ImportSource(path: path)
    #expect(try RecordingFormat(detecting: source) == .sensorlogger)
    let fromZip = try Imported(source, as: .sensorlogger)
    let fromFiles = try Imported(FormatSamples.source(.sensorlogger), as: .sensorlogger)
    #expect(fromZip.batch == fromFiles.batch)
    #expect(fromZip.recordings.map(\.name) == ["walk"])
  }

  @Test func aZipBombIsStoppedAtAHundredTimesItsSize() throws {
    // The raw deflate stream of a gzip file: between its header and its checksum.
    let packed = "\(folder.path)/zeros.gz"
    let output = try CompressedOutput(path: packed)
    let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: 1 << 20)
    for _ in 0..<64 { try output.write(zeros) }
    try output.close()
    let gzip = [UInt8](try Data(contentsOf: URL(fileURLWithPath: packed)))
    var zip = ZipFile()
    zip.add("Accelerometer.csv", [], deflated: Array(gzip[10..<gzip.count - 8]))
    let path = try folder.write(zip.file, to: "bomb.zip")
    let error = recordingError { _ = try ImportSource(path: path) }
    // The entry gives a size of 0: either that is detected or the limit applies.
    switch error {
    case .refused(path, _)?, .malformed(path, _, _, _)?: break
    default: Issue.record("\(String(describing: error))")
    }
  }

  @Test func aDamagedZipIsRejected() throws {
    var zip = ZipFile()
    for (name, text) in FormatSamples.sensorLogger { zip.add(name, Array(text.utf8)) }
    let whole = zip.file
    for kept in [10, 40, whole.count / 3, whole.count / 2] {
      let path = try folder.write(whole.prefix(kept), to: "\(kept).zip")
      let error = recordingError {
        let source = try ImportSource(path: path)
        _ = try Imported(source, as: .sensorlogger)
      }
      #expect(error?.isInputRejection == true, "\(kept): \(String(describing: error))")
    }
  }

  @Test func hostileRecordingNamesStayInsideTheTargetFolder() throws {
    let text = """
      {"recording":"../../../etc/x","subject":"=1+1"}
      {"fixes":[{"t":1,"lat":1,"lon":1}]}
      {"label":"@SUM(A1)\\nx,y","start":1,"end":2}
      {"recording":"labels"}
      {"fixes":[{"t":1,"lat":1,"lon":1}]}
      {"recording":"LABELS"}
      {"fixes":[{"t":1,"lat":1,"lon":1}]}
      """
    let input = try folder.write(text.utf8, to: "in.ndjson")
    _ = try Conversion.run(input: input, output: folder.path + "/out")
    #expect(
      folder.files == [
        "in.ndjson", "out/LABELS-3.gps.csv.gz", "out/_________etc_x.gps.csv.gz",
        "out/labels-2.gps.csv.gz", "out/labels.csv",
      ])
    let labels = try String(contentsOfFile: folder.path + "/out/labels.csv", encoding: .utf8)
    #expect(labels.split(separator: "\n").last == "_________etc_x,'=1+1,1,2,\"'@SUM(A1) x,y\"")
  }

  @Test(arguments: RecordingFormat.allCases.filter { $0 != .csv })
  func everyFormatIsDetectedAndAnImporter(format: RecordingFormat) throws {
    #expect(try RecordingFormat(detecting: FormatSamples.source(format)) == format)
    // `Tests/Checks/fuzz-formats.sh` goes on where these end.
    // FIT's checksum finds nearly all: some more, of which one is read.
    let runs = format == .fit ? 10_000 : TestLength.runs(1_000, long: 10_000)
    #expect(checkImporter(format, FormatSamples.files(format), mutations: runs) == [])
  }
}
