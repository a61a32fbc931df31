public import CLocomotion
internal import Foundation
internal import Locomotion
internal import LocomotionC
internal import LocomotionReport

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
public func locomotion_page_report(
  _ pipeline: locomotion_pipeline, _ name: UnsafePointer<CChar>!, _ zone: UnsafePointer<CChar>!,
  _ offsets: UnsafePointer<Int64>!, _ offset_count: Int64,
  _ page: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>!, _ size: UnsafeMutablePointer<Int64>!
) -> Int32 {
  withSession(pipeline) { session throws(Failure) in
    _ = try session.keptCounts()
    let samples = session.samples(.smoothed)
    var analysis = unsafe AnalysisResult(
      name: String(cString: name), samples: samples, items: TimelineBuilder.items(of: samples),
      diagnostics: session.diagnostics.figures)
    analysis.locale.timeZone = unsafe TimeZone(
      identifier: String(cString: zone),
      offsets: (0..<Int(offset_count)).map { pair in
        unsafe (from: Double(offsets[2 * pair]), seconds: Int(offsets[2 * pair + 1]))
      })
    let text = Array(PageDocument(analysis).html.utf8)
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: text.count)
    unsafe copy.initialize(from: text, count: text.count)
    unsafe (page.pointee, size.pointee) = (copy, Int64(text.count))
  }
}
