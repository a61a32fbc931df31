import Foundation
import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
import TestSupport

/// Checks the laws that every importer keeps.
///
/// - A sample is read, and twice gives the same.
/// - Text with a byte order mark, or with lines that end with CR and LF, gives the same.
/// - Of a file that was cut anywhere, or changed, either all rows are kept or counted as dropped,
///   and no fix is nowhere; or it is refused for its content, with an error that says so.
///
/// - Parameters:
///   - format: The format.
///   - files: A sample of the format: its files by their names.
///   - mutations: How many changed samples are read.
///   - seal: What a writer does to the bytes of a file at last.
/// - Returns: What is broken of them.
func checkImporter(
  _ format: RecordingFormat, _ files: [String: [UInt8]], mutations: Int,
  through seal: ([UInt8]) -> [UInt8] = { $0 }
) -> [String] {
  func read(_ files: [String: [UInt8]]) -> Result<Imported, RecordingError> {
    Result { () throws(RecordingError) in
      try Imported(ImportSource(name: "sample", files: files.mapValues(seal)), as: format)
    }
  }
  guard case .success(let whole) = read(files) else { return ["the sample is refused"] }
  var broken: [String] = []
  func expectSame(_ what: String, _ files: [String: [UInt8]]) {
    guard case .success(let other) = read(files) else {
      broken.append("\(what) is refused")
      return
    }
    // As text: a number that is missing is equal to no other.
    let isSame =
      "\(other.batch)" == "\(whole.batch)" && other.labels == whole.labels
      && other.recordings == whole.recordings
    if !isSame { broken.append("\(what) is read otherwise") }
  }
  /// Whether it is refused.
  func expectSound(_ what: String, _ files: [String: [UInt8]]) -> Bool {
    switch read(files) {
    case .success(let other):
      if other.report.read != other.report.kept + other.report.droppedCount {
        broken.append("\(what): rows are not counted")
      }
      if !other.batch.fixes.allSatisfy({ $0.latitude.isFinite && $0.longitude.isFinite }) {
        broken.append("\(what): a fix is nowhere")
      }
      return false
    case .failure(let error):
      if !error.isInputRejection { broken.append("\(what): \(error)") }
      return true
    }
  }

  _ = expectSound("the sample", files)
  if whole.report.kept == 0 { broken.append("nothing of the sample is kept") }
  expectSame("the sample, again,", files)
  if format != .fit {
    expectSame("a byte order mark", files.mapValues { [0xEF, 0xBB, 0xBF] + $0 })
    let lines = files.mapValues { text in
      text.contains(0x0D) ? text : text.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
    }
    expectSame("CR and LF", lines)
  }
  let names = files.keys.sorted()
  for (name, bytes) in files {
    for place in stride(from: 0, to: bytes.count, by: max(bytes.count / 40, 1)) {
      var cut = files
      cut[name] = Array(bytes[..<place])
      _ = expectSound("\(name) cut at \(place)", cut)
    }
  }
  var generator = SplitMix64(seed: 1)
  var refused = 0
  for run in 0..<mutations {
    let name = names[Int.random(in: 0..<names.count, using: &generator)]
    var changed = files
    changed[name] = mutated(files[name] ?? [], changes: 1...3, &generator)
    if expectSound("change \(run) of \(name)", changed) { refused += 1 }
  }
  if refused == mutations { broken.append("all changed samples are refused") }
  return broken
}

extension ScratchFolder {
  /// Every file below the folder.
  var files: [String] {
    ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).filter {
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\($0)")
      return attributes?[.type] as? FileAttributeType == .typeRegular
    }.sorted()
  }
}

/// A zip file written by hand, so that its headers can be wrong.
struct ZipFile {
  private(set) var bytes: [UInt8] = []
  private var directory: [UInt8] = []
  private var entries = 0

  /// Adds an entry; `deflated` are its compressed bytes, nil to store it uncompressed.
  mutating func add(
    _ name: String, _ content: [UInt8], deflated: [UInt8]? = nil
  ) {
    let start = bytes.count
    let packed = deflated ?? content
    // Names are in UTF-8.
    var fields: [UInt8] = little(20, 2) + little(0x800, 2)
    fields += little(deflated == nil ? 0 : 8, 2) + little(0, 4)
    fields += little(Int(checksum(of: content)), 4)
    fields += little(packed.count, 4) + little(content.count, 4)
    fields += little(name.utf8.count, 2) + little(0, 2)
    bytes += [0x50, 0x4B, 3, 4] + fields + Array(name.utf8) + packed
    directory += [0x50, 0x4B, 1, 2, 20, 0] + fields + [UInt8](repeating: 0, count: 10)
    directory += little(start, 4) + Array(name.utf8)
    entries += 1
  }

  /// The whole file.
  var file: [UInt8] {
    bytes + directory + [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + little(entries, 2)
      + little(entries, 2) + little(directory.count, 4) + little(bytes.count, 4)
      + [0, 0]
  }
}
