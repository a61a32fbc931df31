/// How much the archive holds of one user.
struct ArchivedUser: Hashable, Sendable, Encodable {
  /// The user's name.
  let name: String
  /// The number of devices.
  let devices: Int
  /// The number of upload units.
  let units: Int
  /// The size of all units, bytes.
  let bytes: Int
  /// The number of derived days, of all devices.
  let days: Int
}
