import LocomotionActivityRecognition
import LocomotionJournal
import LocomotionRecordings
import LocomotionTraining

extension Command {
  /// `journal learn`: writes the model that the user's corrections make of another one.
  static func runLearn(_ arguments: Arguments) throws {
    let out = try arguments.output(besidesJournalAt: arguments.required("store"))
    let never = try arguments.all("never").map { try Arguments.activity($0, of: "never") }
    guard let base = try arguments.model().limited(to: Set(Activity.allCases).subtracting(never))
    else { throw UsageError("'--never': two activities or more must remain") }
    let user = try arguments.writing()
    let outputs = OutputFiles.forCommand(inputs: arguments.all("model") + arguments.all("store"))
    let file = try outputs.open(out)
    let learned = try user.learnedModel(from: base)
    try file.write(learned.model.file)
    try outputs.commit()
    func errors(_ value: Double?) -> String { value.map { percent($0) } ?? "–" }
    let outcome =
      switch learned.outcome {
      case .learned: "learned"
      case .nothingStated: "there is no correction with accelerations: the model is the base"
      case .noMoments: "the base can't learn: train it anew with this version"
      case .noGain: "the base recognises the corrected stretches better: it stays"
      }
    try TextOutput.print(
      """
      \(outcome)
      corrected stretches: \(learned.stretches); contradicted by the others: \(learned.contradicted)
      their windows that are wrong: by the base \(errors(learned.baseError)), by what the other \
      stretches taught \(errors(learned.error))

      """)
  }
}
