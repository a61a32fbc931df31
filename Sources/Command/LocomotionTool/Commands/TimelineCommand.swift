import Foundation
import Locomotion
import LocomotionAnalysis
import LocomotionFormats
import LocomotionReport

extension Command {
  static let timeline = Command(
    name: "timeline",
    synopsis: "RECORDING [--json] [--model FILE]",
    summary: "Prints the stays, trips and gaps that tile the recording's time.",
    operandCount: 1...1,
    options: [
      Option(name: "json", value: nil, help: "JSON, as whenever the output isn't a terminal"),
      .model,
    ] + Option.recording,
    run: runTimeline)

  private static func runTimeline(_ arguments: Arguments) throws {
    let source = try arguments.source()
    let model = try arguments.model()
    guard arguments.has("json") || isatty(1) == 0 else {
      let analysis = try Analysis(of: source, model: model)
      try TextOutput.print(TextSummary(AnalysisResult(source.path, analysis)).text)
      return source.tell(analysis.report)
    }
    let analysis = try Analysis(timelineOf: source, model: model)
    try TextOutput.print(TimelineDocument(analysis.items).json + "\n")
    source.tell(analysis.report)
  }
}
