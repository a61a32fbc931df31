/// A course of fixes of which all is known, for what its steps tell in hindsight.
///
/// Live a step is seen at the end of a leg that goes on (``TrackHistory``); here with what followed
/// it, and its leg to the end. A walk is no jog that has just begun, and a ride no run.
///
/// - Complexity: O(1) amortised per fix; holds all steps until they are forgotten.
package struct TrackCourse: Sendable, StateArchivable {
  /// The part of the course around a step that counts as recent, seconds each way.
  private static let reach = 75.0
  /// The longest part of a leg that is described as one, seconds.
  private static let longestPart = 14_400.0
  /// How late a leg may turn out to have begun, seconds.
  private static let latestChange = 600.0

  /// The course as it is known live at the newest step.
  package private(set) var history = TrackHistory()
  /// The steps that are held, the oldest first.
  package private(set) var steps: [TrackStep] = []
  /// The first steps of the legs, and of the newest stretch without a long silence.
  private var legs = [0]
  private var stretch = 0

  /// A course without fixes.
  package init() {}

  /// Takes in the next fix; returns whether it completes a step.
  package mutating func append(_ fix: LocationFix) -> Bool {
    let count = history.count
    let isStep = history.append(fix) != nil
    if history.count < count {
      stretch = steps.count
      legs.append(stretch)
    }
    guard isStep, let step = history.steps.last else { return false }
    steps.append(step)
    let leg = max(0, stretch + history.legBegin)
    if leg > legs[legs.count - 1] { legs.append(leg) }
    return true
  }

  /// Calls `body` with the features of every step from the one at `first` on, in order.
  ///
  /// - Complexity: O(n log n) for n steps.
  package func describe(from first: Int = 0, _ body: (ContiguousArray<Float>) -> Void) {
    var extractor = TrackFeatureExtractor()
    for part in parts where part.upperBound > first {
      extractor.describe(leg: steps[part], history)
      for index in max(first, part.lowerBound)..<part.upperBound {
        extractor.describe(recent: steps[surroundings(of: index)], history)
        body(extractor.features)
      }
    }
  }

  /// Forgets the steps that no description of a later one reads.
  package mutating func forgetPast() {
    guard let end = steps.last?.end, let part = parts.last else { return }
    let late = steps.firstIndex { end.seconds(since: $0.end) < Self.latestChange } ?? 0
    let first = min(part.lowerBound, late)
    steps.removeFirst(first)
    stretch -= first
    legs = [0] + legs.map { $0 - first }.filter { $0 > 0 }
  }

  /// The legs; a long one is divided.
  private var parts: [Range<Int>] {
    var bounds: [Int] = []
    for (leg, start) in legs.enumerated() where start < steps.count {
      bounds.append(start)
      let end = leg + 1 < legs.count ? min(legs[leg + 1], steps.count) : steps.count
      var begin = steps[start].end
      for index in start..<end where steps[index].end.seconds(since: begin) > Self.longestPart {
        bounds.append(index)
        begin = steps[index].end
      }
    }
    return bounds.indices.map {
      bounds[$0]..<($0 + 1 < bounds.count ? bounds[$0 + 1] : steps.count)
    }
  }

  private func surroundings(of index: Int) -> Range<Int> {
    let (start, end) = (steps[index].end, steps[index].end)
    func isNear(_ seconds: Double) -> Bool { abs(seconds) < Self.reach }
    var (first, last) = (index, index)
    while first > 0, isNear(start.seconds(since: steps[first - 1].end)) { first -= 1 }
    while last + 1 < steps.count, isNear(steps[last].end.seconds(since: end)) { last += 1 }
    return first..<last + 1
  }

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&history, &steps, &legs)
    // Behind what was forgotten it is negative.
    var begin = Int64(stretch)
    archive.pass(&begin)
    archive.require(-(1 << 40)..<1 << 40 ~= begin)
    // Steps are found by their numbers.
    archive.require(
      legs.first == 0 && zip(legs, legs.dropFirst()).allSatisfy(<=)
        && (legs.last ?? 0) <= steps.count)
    if archive.isReading, !archive.isDamaged { stretch = Int(begin) }
  }
}
