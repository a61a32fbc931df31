/// Classifies the course by location fixes: what each step between fixes says by itself, for the
/// temporal filter of ``ActivityClassifier``.
///
/// - Complexity: O(1) amortised per fix, O(n log n) per evidence for the n steps of a leg, at most
///   half an hour; allocates nothing after the first evidence.
package struct TrackClassifier: Sendable, StateArchivable {
  /// What a step says.
  package struct Evidence: Sendable {
    /// The probabilities by the course up to the step, proportional to its likelihood by class.
    var course: ActivityProbabilities
    /// The duration of the step, seconds.
    var seconds: Float
  }

  private let model: ActivityModel
  private var history = TrackHistory()
  private var extractor = TrackFeatureExtractor()

  /// A classifier at the start of a course; nil for a model without a term for fixes.
  package init?(model: ActivityModel) {
    guard model.parameters.track != nil else { return nil }
    self.model = model
  }

  /// Takes in the next fix; returns the duration of the step that it completes, seconds, or nil.
  package mutating func append(_ fix: LocationFix) -> Float? { history.append(fix) }

  /// The evidence of the newest step, of this duration.
  package mutating func evidence(seconds: Float) -> Evidence {
    extractor.extract(from: history)
    return Evidence(course: probabilities(by: extractor.features), seconds: seconds)
  }

  /// What the steps of a whole course say from the one at `first` on.
  package func probabilities(of course: TrackCourse, from first: Int) -> [ActivityProbabilities] {
    var result: [ActivityProbabilities] = []
    course.describe(from: first) { result.append(probabilities(by: $0)) }
    return result
  }

  private func probabilities(by features: ContiguousArray<Float>) -> ActivityProbabilities {
    guard let term = model.parameters.track, let tables = model.trackTables else {
      preconditionFailure("a model without a term for fixes")
    }
    return ActivityProbabilities(
      softmaxOf: (tables.bias + tables.sum(of: features.span)) / term.temperature,
      model.parameters.classes)
  }

  /// Forgets the course.
  package mutating func reset() { history = TrackHistory() }

  /// The course; the model is the reader's.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&history)
  }
}

extension ActivityModel {
  /// What tells the activities by location fixes alone: a function of the features of
  /// ``TrackFeatureExtractor``, and how its answers are filtered.
  ///
  /// It is used where there are no accelerations. A model without it answers nothing there.
  public struct TrackTerm: Sendable, Equatable {
    /// The scores, of the same classes; its temperatures are those of answers from fixes.
    var function: Function
    /// Divides the scores before the softmax; fitted on data sets left out.
    var temperature: Float
    /// The exponent of the likelihood of a step between fixes in the temporal filter, per second
    /// of the step.
    var evidenceExponent: Float

    /// A term from its parts; ``ActivityModel/init(_:)`` checks their shapes.
    public init(function: Function, temperature: Float, evidenceExponent: Float) {
      self.function = function
      self.temperature = temperature
      self.evidenceExponent = evidenceExponent
    }
  }
}
