import Foundation

/// How often a test repeats what it does: `LOCOMOTION_LONG_TESTS=1` asks for the long form of all,
/// which takes minutes where the short one takes seconds.
public enum TestLength {
  /// Whether the long form was asked for.
  public static let isLong = ProcessInfo.processInfo.environment["LOCOMOTION_LONG_TESTS"] != nil

  /// `short`, or `long` in the long form.
  public static func runs<Count>(_ short: Count, long: Count) -> Count { isLong ? long : short }
}
