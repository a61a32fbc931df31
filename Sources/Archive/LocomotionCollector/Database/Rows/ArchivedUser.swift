/// How much the archive holds of one user.
public struct ArchivedUser: Hashable, Sendable {
  /// The user's name.
  public let name: String
  /// The number of devices.
  public let devices: Int
  /// The number of upload units.
  public let units: Int
  /// The size of all units, bytes.
  public let bytes: Int
  /// The number of derived days, of all devices.
  public let days: Int
}
