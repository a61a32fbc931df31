/// An error of a journal or of its file.
///
/// ``description`` is one line without coordinates or any other content of the journal. After every
/// error the journal still holds what had been acknowledged before, and the call may be repeated.
public enum JournalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no file at this path, and none was to be created.
  case notFound(path: String)
  /// The file is not a journal, or its folder cannot be used.
  case notAJournal(path: String, reason: String)
  /// The file has a newer format than this package writes; it can still be read.
  case newerVersion(path: String, found: Int, supported: Int)
  /// Another process, or another part of this one, holds a lock on the journal.
  case busy(path: String)
  /// The journal was opened for reading, or the system forbids writing.
  case readOnly(path: String)
  /// The file, or its write-ahead log, was removed, moved or replaced while it was open.
  case replaced(path: String)
  /// The disk is full.
  case full(path: String)
  /// The operating system reported an error.
  case inputOutput(path: String, reason: String)
  /// The file is not what was written; see <doc:Faults>.
  case damaged(path: String, what: String)
  /// The journal was encrypted by version 0.1.0, which must decrypt it first; see <doc:Faults>.
  case encrypted(path: String)
  /// A user's name is empty, longer than 128 bytes or contains control characters, or a new one
  /// contains U+FFFD, which replaces bytes that are not text.
  case invalidUserName
  /// The journal has no such user, or no longer.
  case unknownUser
  /// The measurement is not in a state that the call allows.
  case wrongState(MeasurementState, wanted: MeasurementState)
  /// The user has no such measurement, or not any more.
  case unknownMeasurement
  /// A place's coordinates, radius or name are invalid.
  case invalidPlace(reason: String)
  /// The user has no place with this number.
  case unknownPlace
  /// An interval does not end after its start, or it is outside the journal's range of time.
  case invalidInterval
  /// A time is not inside ±`Timestamp.limit`, as of a clock that has never been set.
  case implausibleTime
  /// A day cannot be edited in this way.
  case invalidEdit(reason: String)
  /// The user has no such edit, or not any more.
  case unknownEdit
  /// Raw samples before this position were dropped, after an archive had confirmed to have them.
  case dropped(samples: Int)
  /// A unit is of another user or device, or not after the last one that was appended.
  case wrongUnit(reason: String)
  /// The user has no unit with this digest, or it isn't in a state that the call allows.
  case unknownUnit

  /// Whether the journal's content or the request caused the error, rather than the system.
  ///
  /// The command line exits with code 3 (input rejected) when true, with 74 (I/O error) when false.
  public var isInputRejection: Bool {
    switch self {
    case .notFound, .busy, .readOnly, .replaced, .full, .inputOutput: false
    default: true
    }
  }

  /// What is damaged, or another error in one line.
  var finding: String { if case .damaged(_, let what) = self { what } else { description } }

  /// The error in one line.
  public var description: String {
    switch self {
    case .notFound(let path): "\(path): no such journal"
    case .notAJournal(let path, let reason): "\(path): not a journal: \(reason)"
    case .newerVersion(let path, let found, let supported):
      "\(path): written by a newer version (format \(found), this one writes \(supported)): "
        + "it can be read, not written"
    case .busy(let path): "\(path): another writer has the journal open"
    case .readOnly(let path): "\(path): the journal cannot be written to"
    case .replaced(let path):
      "\(path): removed, moved or replaced while it was open; nothing more is acknowledged"
    case .full(let path): "\(path): the disk is full; nothing acknowledged is lost"
    case .inputOutput(let path, let reason): "\(path): input or output failed: \(reason)"
    case .damaged(let path, let what): "\(path): damaged: \(what)"
    case .encrypted(let path):
      "\(path): encrypted: open it once with 0.1.0: "
        + "locomotion journal rekey --store FILE --key-file KEY --decrypt"
    case .invalidUserName:
      "a user's name must have 1 to 128 bytes of text without control characters or U+FFFD"
    case .unknownUser: "the journal holds nothing of this user"
    case .wrongState(let found, let wanted):
      "the measurement is \(found.rawValue); expected it to be \(wanted.rawValue)"
    case .unknownMeasurement: "there is no such measurement"
    case .invalidPlace(let reason): "not a place: \(reason)"
    case .unknownPlace: "there is no such place"
    case .invalidInterval: "an interval must end after it begins"
    case .implausibleTime: "a time is more than 146 years from the clock's zero"
    case .invalidEdit(let reason): "not an edit: \(reason)"
    case .unknownEdit: "there is no such edit"
    case .dropped(let samples):
      "the first \(samples) samples are in the archive only: they were dropped here"
    case .wrongUnit(let reason): "not the unit to append: \(reason)"
    case .unknownUnit: "there is no such unit"
    }
  }
}
