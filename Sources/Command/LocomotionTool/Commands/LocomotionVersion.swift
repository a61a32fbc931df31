/// The version of the package, which all that is made of it tells: the command, the Python package,
/// the C library.
enum LocomotionVersion {
  /// A semantic version (semver.org).
  static let number = "0.2.0"
}
