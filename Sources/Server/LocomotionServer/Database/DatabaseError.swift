/// An error of the archive's database.
///
/// ``description`` is one line without any content of the archive. `what` is the operation that
/// failed, in words. After every error of a call nothing of that call is stored, except that after
/// ``unavailable(what:reason:)`` it may be: every call can be repeated.
enum DatabaseError: Error, Hashable, Sendable {
  /// There is no server, the connection was lost, or the server takes no more connections.
  case unavailable(what: String, reason: String)
  /// Another transaction holds what this one needs, for longer than it may wait.
  case busy(what: String, reason: String)
  /// The server has no more space on its disk, or no more memory.
  case full(what: String, reason: String)
  /// The server does not let this role in, or does not let it do this.
  case refused(what: String, reason: String)
  /// The database has a newer schema than this package knows.
  case newerVersion(found: Int, supported: Int)
  /// The database has an older schema than this package needs, or none (0): migrate it first.
  case olderVersion(found: Int, needed: Int)
  /// A superuser has run older roles than this package needs, or none (0): the current ones first.
  case olderRoles(found: Int, needed: Int)
  /// What is to be stored contradicts what is stored; `constraint` is the schema's name for why.
  case conflict(what: String, constraint: String)
  /// A row cannot be stored: its `field` is not as `expected`.
  case invalidRow(what: String, field: String, expected: String)
  /// The server answers with something other than the schema says.
  case unexpectedAnswer(what: String, reason: String)
  /// The server reports another error, with its SQLSTATE.
  case failed(what: String, state: String, reason: String)

  /// Whether the same call may succeed later without anybody changing anything.
  var isTemporary: Bool {
    switch self {
    case .unavailable, .busy, .full: true
    default: false
    }
  }
}

extension DatabaseError: CustomStringConvertible {
  /// The error in one line.
  var description: String {
    switch self {
    case .unavailable(let what, let reason): "\(what): the database is not available: \(reason)"
    case .busy(let what, let reason): "\(what): the database is busy: \(reason)"
    case .full(let what, let reason): "\(what): the database has no space: \(reason)"
    case .refused(let what, let reason): "\(what): the database refuses it: \(reason)"
    case .newerVersion(let found, let supported):
      "the database has schema version \(found); this program knows up to \(supported)"
    case .olderVersion(let found, let needed):
      "the database has schema version \(found); this program needs \(needed): migrate it"
    case .olderRoles(let found, let needed):
      "the database has version \(found) of the roles; this program needs \(needed): "
        + "a superuser runs roles.sql in it"
    case .conflict(let what, let constraint):
      "\(what): contradicts what is stored (\(constraint))"
    case .invalidRow(let what, let field, let expected):
      "\(what): \(field) is not valid; expected \(expected)"
    case .unexpectedAnswer(let what, let reason): "\(what): unexpected answer: \(reason)"
    case .failed(let what, let state, let reason): "\(what): \(reason) (SQLSTATE \(state))"
    }
  }
}
