extension ActivityClassifier: StateArchivable {
  /// The state; model and settings are the reader's.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&state)
    let custom = model.customActivities.indices
    archive.require(state.heldCustom.map(custom.contains) ?? true)
    archive.require((state.custom != nil) == !custom.isEmpty)
  }
}

extension ActivityClassifier.State: StateArchivable {
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&states, &coastedSeconds, &silentSeconds, &lastEvidence, &hold)
    archive.pass(&secondsSinceWindow, &recentWindows, &custom, &heldCustom)
  }
}

extension ActivityStates: StateElement {
  package static let blank = ActivityStates(lanes: SIMD8(1, 0, 0, 0, 0, 0, 0, 0))

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&lanes)
    archive.require(lanes.areProbabilities)
  }
}

extension ActivityProbabilities: StateElement {
  package static let blank = ActivityProbabilities.uniform

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&lanes)
    archive.require(lanes.areProbabilities)
  }
}

extension ActivityClassifier.Evidence: StateElement {
  package static let blank = ActivityClassifier.Evidence(
    window: .blank, elapsedSeconds: 0, exponent: 0)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&window, &elapsedSeconds, &silentSeconds, &exponent, &hazardRatio)
    archive.pass(&hasRotation, &isFromFixes)
  }
}

extension ActivityDecision: StateElement {
  package static let blank = ActivityDecision(
    unknown: .notEnoughData, probabilities: .uniform)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(caseOf: &activity)
    archive.pass(caseOf: &unknownReason)
    archive.pass(&probabilities, &customActivity, &customProbabilities)
  }
}

extension CustomActivity: StateElement {
  package static let blank = CustomActivity(validName: [0x61], behavesLike: nil)

  package mutating func pass(through archive: inout StateArchive) {
    var (bytes, parent) = (nameBytes, behavesLike)
    archive.pass(&bytes)
    archive.pass(caseOf: &parent)
    guard archive.isReading, !archive.isDamaged else { return }
    let read = CustomActivity(nameBytes: bytes, behavesLike: parent)
    if let read { self = read } else { archive.noteDamage() }
  }
}

extension CustomProbabilities: StateElement {
  package static let blank = CustomProbabilities(lanes: .zero)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&lanes)
    archive.require(lanes.indices.allSatisfy { 0...1 ~= lanes[$0] })
  }
}

extension SIMD8<Float> {
  /// Whether every lane is a probability and their sum is 1 but for rounding.
  fileprivate var areProbabilities: Bool {
    indices.allSatisfy { 0...1 ~= self[$0] } && abs(sum() - 1) <= 1e-5
  }
}
