internal import CLocomotion
internal import Foundation
internal import Locomotion
internal import LocomotionC
internal import LocomotionFormats
internal import LocomotionMap
internal import LocomotionRecordings
internal import LocomotionReport
internal import LocomotionSensing

// What the page asks of the module beside the functions of `locomotion.h`.

/// Makes the report of `locomotion analyze` of a recording that a pipeline keeps, in hindsight.
///
/// - Parameters:
///   - pipeline: The pipeline, which keeps its recording.
///   - name: The name of the recording, UTF-8, ended by 0.
///   - zone: The name of the time zone, UTF-8, ended by 0.
///   - offsets: From which second of the Unix clock on there is which offset to UTC, seconds: pairs
///     in order of time.
///   - offset_count: The number of pairs.
///   - page: Receives the report, HTML in UTF-8, which the caller frees.
///   - size: Receives its number of bytes.
/// - Returns: The error of `locomotion.h`, 0 for none.
@c
func locomotion_page_report(
  _ pipeline: locomotion_pipeline, _ name: UnsafePointer<CChar>!, _ zone: UnsafePointer<CChar>!,
  _ offsets: UnsafePointer<Int64>!, _ offset_count: Int64,
  _ page: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>!, _ size: UnsafeMutablePointer<Int64>!
) -> Int32 {
  withSession(pipeline) { session throws(Failure) in
    _ = try session.keptCounts()
    let report = reading.pipeline == pipeline ? reading.report : ImportReport()
    let statements = report.statements
    var hindsight = HindsightStream(statements: statements)
    var (part, rest) = (LocomotionOutput(), LocomotionOutput())
    (rest.samples, rest.fixes) = (session.samples(.live), session.fixes(.live))
    for pause in statements where pause.kind == .unrecorded {
      part.samples = Array(rest.samples.prefix { $0.end <= pause.end })
      part.fixes = Array(rest.fixes.prefix { $0.fix.timestamp < pause.end })
      rest.samples.removeFirst(part.samples.count)
      rest.fixes.removeFirst(part.fixes.count)
      hindsight.append(part)
      hindsight.begin(at: pause.end)
    }
    hindsight.append(rest)
    hindsight.finish()
    var samples = hindsight.takeSamples()
    let items = hindsight.items.naming(statements)
    Hindsight.agree(&samples, with: items)
    var analysis = unsafe AnalysisResult(
      name: String(cString: name), samples: samples, items: items,
      diagnostics: session.diagnostics.figures)
    analysis.names = report.names
    analysis.locale.timeZone = unsafe TimeZone(
      identifier: String(cString: zone),
      offsets: (0..<Int(offset_count)).map { pair in
        unsafe (from: Double(offsets[2 * pair]), seconds: Int(offsets[2 * pair + 1]))
      })
    // A map is given as a file beside those of the recording.
    let maps = GivenFiles.all.contents.filter { $0.key.utf8.suffix(4).elementsEqual(".map".utf8) }
    if let bytes = maps.first?.value {
      do throws(RoadMap.Problem) {
        let map = try RoadMap(bytes: bytes)
        analysis.locale.map = map
        try analysis.consult(map)
      } catch {
        throw .argument
      }
    }
    unsafe give(PageDocument(analysis).html, page, size)
  }
}

/// Gives a text to the page.
private func give(
  _ text: String, _ page: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
  _ size: UnsafeMutablePointer<Int64>
) {
  let text = Array(text.utf8)
  let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: text.count)
  unsafe copy.initialize(from: text, count: text.count)
  unsafe (page.pointee, size.pointee) = (copy, Int64(text.count))
}

/// Gives a file to the module, in place of those of a system.
///
/// - Parameters:
///   - path: Its path, UTF-8, ended by 0; the files of a zip archive are below that of the archive.
///   - bytes: Its content; without it the file is forgotten.
///   - count: The number of bytes.
@c
func locomotion_page_file(
  _ path: UnsafePointer<CChar>!, _ bytes: UnsafePointer<UInt8>?, _ count: Int64
) {
  let content = unsafe UnsafeBufferPointer(start: bytes, count: Int(count))
  unsafe GivenFiles.all.contents[String(cString: path)] = bytes == nil ? nil : Array(content)
}

/// The recording that is read, and the report on it when it had been read, with the pipeline that
/// it was read into; `Sendable` because the module has one thread.
private final class Reading: @unchecked Sendable {
  var reader: RecordingSource.Reader?
  var pipeline: locomotion_pipeline = 0
  var report = ImportReport()
}

private let reading = Reading()

/// Appends the next events of a recording to a pipeline.
///
/// - Parameters:
///   - pipeline: The pipeline.
///   - path: The path of a file or folder that was given, UTF-8, ended by 0; null goes on.
///   - span: Receives the number of events, 0 at the end, and their first and last time, ns.
///   - text: Receives at the end notes on what was read, and after an error what is wrong, UTF-8,
///     which the caller frees.
///   - size: Receives its number of bytes.
/// - Returns: The error of `locomotion.h`, 0 for none; -1 for one of the file.
@c
func locomotion_page_read(
  _ pipeline: locomotion_pipeline, _ path: UnsafePointer<CChar>?,
  _ span: UnsafeMutablePointer<Int64>!,
  _ text: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>!, _ size: UnsafeMutablePointer<Int64>!
) -> Int32 {
  var batch = SensorBatch()
  do throws(RecordingError) {
    if let path = unsafe path {
      reading.reader = try unsafe RecordingSource(path: String(cString: path)).reader()
    }
    guard try reading.reader?.read(into: &batch) ?? false else {
      let report = reading.reader?.report ?? ImportReport()
      unsafe give(report.notes.joined(separator: "; "), text, size)
      unsafe span.pointee = 0
      reading.reader = nil
      (reading.pipeline, reading.report) = (pipeline, report)
      return 0
    }
  } catch {
    unsafe give(error.description, text, size)
    return -1
  }
  let times =
    batch.accelerations.timestamps + batch.rotationRates.timestamps + batch.pressures.timestamps
    + batch.fixes.map { $0.timestamp }
  unsafe span[0] = Int64(times.count)
  unsafe span[1] = times.min()?.nanoseconds ?? 0
  unsafe span[2] = times.max()?.nanoseconds ?? 0
  return withSession(pipeline) { session throws(Failure) in
    if reading.reader?.begins ?? false { try session.begin() }
    try session.append(batch)
  }
}
