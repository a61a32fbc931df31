package import LocomotionActivityRecognition

/// A decision list of four thresholds, in the manner of phones' built-in activity APIs.
///
/// Their algorithms are not published; this is the decision list of a first attempt. Still or not
/// by the level, on foot or on wheels by the periodicity, running or walking by the level, cycling
/// or driving by the level. A train is a vehicle: no threshold discriminates it.
///
/// Each threshold is the one that separates its two groups of classes best in the training windows,
/// all classes weighted alike.
package struct ThresholdBaseline: ActivityBaseline {
  /// The name in tables.
  package let name = "four thresholds"

  /// Above this deviation of |a|, m/s², the phone isn't still.
  package private(set) var still: Float = 0.3
  /// Above this periodicity, people are on foot.
  package private(set) var rhythm: Float = 0.5
  /// Above this deviation of |a|, m/s², walking is running.
  package private(set) var run: Float = 6
  /// Above this deviation of |a|, m/s², driving is cycling.
  package private(set) var ride: Float = 1.5

  /// An untrained baseline, with guessed thresholds.
  package init() {}

  /// Fits the thresholds one by one, each to the windows of the classes that it separates.
  package mutating func train(on windows: [LabelledMotion]) {
    let windows = windows.weighingClassesAlike()
    func threshold(
      _ quantity: (MotionSummary) -> Float, below: Set<Activity>, above: Set<Activity>
    ) -> Float? {
      let entries = windows.compactMap { window -> (value: Float, gain: Double)? in
        let value = quantity(window.motion)
        guard value.isFinite else { return nil }
        if below.contains(window.activity) {
          return (value, window.weight / Double(below.count))
        }
        return above.contains(window.activity)
          ? (value, -window.weight / Double(above.count)) : nil
      }.sorted { $0.value < $1.value }
      guard entries.contains(where: { $0.gain > 0 }), entries.contains(where: { $0.gain < 0 })
      else { return nil }
      // The best threshold has the greatest difference of the two groups' fractions below it.
      var best: (threshold: Float, gain: Double)?
      var gain = 0.0
      for (entry, next) in zip(entries, entries.dropFirst()) {
        gain += entry.gain
        if entry.value < next.value, gain > best?.gain ?? 0 {
          best = (entry.value + (next.value - entry.value) / 2, gain)
        }
      }
      return best?.threshold
    }
    let wheels: Set<Activity> = [.cycling, .automotive, .train]
    let foot: Set<Activity> = [.walking, .running]
    self = ThresholdBaseline()
    still =
      threshold(\.deviation, below: [.stationary], above: foot.union(wheels)) ?? still
    rhythm = threshold(\.periodicity, below: wheels, above: foot) ?? rhythm
    run = threshold(\.deviation, below: [.walking], above: [.running]) ?? run
    ride = threshold(\.deviation, below: [.automotive, .train], above: [.cycling]) ?? ride
  }

  /// The answer by the thresholds.
  package func answer(to motion: MotionSummary) -> Activity? {
    guard motion.deviation > still else { return .stationary }
    if motion.periodicity > rhythm { return motion.deviation > run ? .running : .walking }
    return motion.deviation > ride ? .cycling : .automotive
  }
}
