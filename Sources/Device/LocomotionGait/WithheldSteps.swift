/// The steps of the last seconds of one bout that weren't counted because the person was said to
/// ride.
///
/// An activity is recognised some seconds after it began: who walks away from a bicycle rides until
/// then. When the ride is over the steps of those seconds are counted.
struct WithheldSteps: Sendable, StateArchivable {
  /// The steps of the last eight seconds, the newest first.
  private var steps = SIMD8<Float>.zero

  /// Withholds the steps of one more second; one without a step ends the bout.
  mutating func append(_ count: Float) {
    guard count > 0 else {
      steps = .zero
      return
    }
    for index in (1..<steps.scalarCount).reversed() { steps[index] = steps[index - 1] }
    steps[0] = count
  }

  /// The steps that were withheld, which are so no longer.
  mutating func release() -> Float {
    defer { steps = .zero }
    return steps.sum()
  }

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&steps)
    archive.require(steps.indices.allSatisfy { steps[$0] >= 0 && steps[$0].isFinite })
  }
}
