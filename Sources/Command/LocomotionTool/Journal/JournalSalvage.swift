import LocomotionJournal
internal import LocomotionSalvage
import LocomotionSensing

extension Command {
  /// `journal salvage`: prints what was salvaged, what was damaged and what is lost.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when something is lost; the rest is salvaged
  ///   then.
  static func runSalvage(_ store: String, _ path: String) throws {
    let report = try Journal.salvage(from: store, to: path)
    var output = TextOutput.standard
    try output.write(
      "kept: \(report.users) users, \(report.samples) samples, \(report.rotationRates) rotation "
        + "rates, \(report.fixes) fixes, \(report.events) events\n")
    for note in report.notes { try output.write("note: \(note)\n") }
    for problem in report.problems { try output.write("lost: \(problem)\n") }
    for loss in report.losses { try output.write("gap: \(words(loss))\n") }
    if report.mayRemainInArchive { try output.write("archive: \(withdrawalAdvice)\n") }
    guard report.isSound else {
      // An output that cannot be written does not make the copy complete.
      try? output.finish()
      throw JournalError.damaged(
        path: store, what: "something is lost, as the output says; the rest is in \(path)")
    }
    try output.finish()
  }

  private static func words(_ loss: JournalLoss) -> String {
    let samples = loss.samples.map { "\($0) samples" } ?? "an unknown number of samples"
    var words = "user \(loss.user): \(loss.batches) stored batches with \(samples)"
    if let time = loss.after { words += ", after \(seconds(time))" }
    if let time = loss.before { words += ", before \(seconds(time))" }
    return words
  }

  private static func seconds(_ time: Timestamp) -> String {
    var line = CSVLine()
    line.add(nanoseconds: time.nanoseconds)
    return String(decoding: line.bytes, as: UTF8.self)
  }
}
