/// How much the archive holds of one user.
package struct ArchivedUser: Hashable, Sendable {
  /// The user's name.
  package let name: String
  /// The number of devices.
  package let devices: Int
  /// The number of upload units.
  package let units: Int
  /// The size of all units, bytes.
  package let bytes: Int
  /// The number of derived days, of all devices.
  package let days: Int
}
