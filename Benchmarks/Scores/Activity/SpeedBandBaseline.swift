package import LocomotionActivityRecognition

/// The most frequent class at the window's speed: a baseline without an accelerometer.
///
/// The answer in each band of speed is the class with the largest fraction of its windows there.
package struct SpeedBandBaseline: ActivityBaseline {
  /// The name in tables.
  package let name = "bands of speed"
  /// The limits of the bands, m/s; a band holds its lower limit.
  package static let edges: [Float] = [
    0.3, 0.7, 1.2, 1.8, 2.5, 3.5, 4.5, 6, 8, 11, 15, 20, 30,
  ]

  /// The answer of each band; nil without windows.
  private var answers = [Activity?](repeating: nil, count: edges.count + 1)

  /// An untrained baseline.
  package init() {}

  /// Counts the windows with a speed, all classes weighted alike.
  package mutating func train(on windows: [LabelledMotion]) {
    var fractions = [[Double]](
      repeating: .init(repeating: 0, count: Activity.allCases.count), count: Self.edges.count + 1)
    let known = windows.filter { $0.motion.metresPerSecond != nil }
    for window in known.weighingClassesAlike() {
      guard let band = Self.band(of: window.motion) else { continue }
      fractions[band][window.activity.rawValue] += window.weight
    }
    answers = fractions.map { band in
      let likely = Activity.allCases.max { band[$0.rawValue] < band[$1.rawValue] }
      return likely.flatMap { band[$0.rawValue] > 0 ? $0 : nil }
    }
  }

  /// The answer of the window's band; nil without a speed.
  package func answer(to motion: MotionSummary) -> Activity? {
    Self.band(of: motion).flatMap { answers[$0] }
  }

  private static func band(of motion: MotionSummary) -> Int? {
    guard let speed = motion.metresPerSecond, speed.isFinite else { return nil }
    return edges.firstIndex { speed < $0 } ?? edges.count
  }
}
