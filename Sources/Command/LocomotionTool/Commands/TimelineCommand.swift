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
    let analysis = try Analysis(of: source, model: try arguments.model())
    let isJSON = arguments.has("json") || isatty(1) == 0
    try TextOutput.print(
      isJSON
        ? TimelineDocument(analysis.items).json + "\n"
        : TextSummary(AnalysisResult(source.path, analysis)).text)
    source.tell(analysis.report)
  }
}
