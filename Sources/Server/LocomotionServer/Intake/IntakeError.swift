import LocomotionJournal

/// Why a unit is not taken.
enum IntakeError: Error, Hashable, Sendable {
  /// The bytes have another digest than their sender says.
  case wrongDigest(found: String)
  /// The bytes are not a unit.
  case notAUnit(UnitError)
  /// It is the unit of somebody else.
  case otherUser
  /// The device has sent another unit under this number, or one before or after it that this one
  /// doesn't continue: two copies of its journal go on under one name.
  case contradiction
  /// The device has withdrawn this unit.
  case withdrawn
  /// The user was erased, and nothing of them is taken until the operator readmits them.
  case erased
  /// The object store has failed.
  case objects(ObjectStoreError)
  /// The database has failed.
  case database(DatabaseError)

  /// Whether sending the same unit again cannot succeed.
  var isFinal: Bool {
    switch self {
    case .wrongDigest, .notAUnit, .otherUser, .contradiction, .withdrawn, .erased: true
    case .objects, .database: false
    }
  }
}

extension IntakeError: CustomStringConvertible {
  /// The error in one line without any content of the unit.
  var description: String {
    switch self {
    case .wrongDigest(let found): "the body has the SHA-256 \(found), expected that of the path"
    case .notAUnit(let error): error.description
    case .otherUser: "the unit is not the token's user's"
    case .contradiction: "the unit does not continue those of its device that are here"
    case .withdrawn: "the device has withdrawn this unit"
    case .erased: "the archive has erased this user, and takes nothing until its operator allows it"
    case .objects(let error): error.description
    case .database(let error): error.description
    }
  }
}
