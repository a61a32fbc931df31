/// A stretch of time whose activity the person stated, with the features of some of its windows.
public struct LabelledStretch: Hashable, Sendable {
  /// What the person did.
  public var activity: Activity
  /// The features of each window, in the order of ``FeatureExtractor/schema``; from all parts of
  /// the stretch, and no more than ``mostWindows`` count.
  public var windows: [[Float]]

  /// A stretch from its parts.
  public init(activity: Activity, windows: [[Float]]) {
    self.activity = activity
    self.windows = windows
  }

  /// The most windows of a stretch that count: neighbouring ones say the same.
  public static let mostWindows = 8

  /// Evenly spaced elements of `all`, ``mostWindows`` at most.
  package static func chosen<Element>(from all: [Element]) -> [Element] {
    guard all.count > mostWindows else { return all }
    return (0..<mostWindows).map { all[(2 * $0 + 1) * all.count / (2 * mostWindows)] }
  }
}
