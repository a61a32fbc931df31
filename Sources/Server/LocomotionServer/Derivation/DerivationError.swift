import LocomotionJournal

/// Why days are not derived now.
enum DerivationError: Error, Hashable, Sendable {
  /// The folder of the working journals cannot be used.
  case folder(path: String)
  /// A working journal has failed.
  case journal(JournalError)
  /// The object store has failed.
  case objects(ObjectStoreError)
  /// The database has failed.
  case database(DatabaseError)
  /// A day cannot be written as JSON.
  case story(date: String)
}

extension DerivationError: CustomStringConvertible {
  /// The error in one line.
  var description: String {
    switch self {
    case .folder(let path): "\(path): the folder cannot be made or used"
    case .journal(let error): error.description
    case .objects(let error): error.description
    case .database(let error): error.description
    case .story(let date): "\(date): the day cannot be written as JSON"
    }
  }
}
