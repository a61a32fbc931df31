package import LocomotionSensing

extension Timestamp {
  /// The instant so many seconds after that of zero.
  package static func at(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: Int64((seconds * 1e9).rounded()))
  }

  /// The instant so many seconds after that of zero.
  package static func at(_ seconds: Int) -> Timestamp {
    Timestamp(nanoseconds: Int64(seconds) * 1_000_000_000)
  }
}
