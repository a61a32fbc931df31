internal import LocomotionSensing

/// One row of an answer, as texts.
struct PostgresRow {
  /// The operation, for errors.
  let what: String
  /// The text of each column; nil for null.
  let texts: [String?]

  /// The text of a column that is never null.
  func text(_ column: Int) throws(DatabaseError) -> String {
    guard let text = texts[column] else { throw unexpected(column, "a value") }
    return text
  }

  /// The text of a column; nil for null.
  func optionalText(_ column: Int) throws(DatabaseError) -> String? { texts[column] }

  /// The integer of a column that is never null.
  func integer(_ column: Int) throws(DatabaseError) -> Int {
    guard let number = try optionalInteger(column) else { throw unexpected(column, "a number") }
    return number
  }

  /// The integer of a column; nil for null.
  func optionalInteger(_ column: Int) throws(DatabaseError) -> Int? {
    guard let text = texts[column] else { return nil }
    guard let number = Int(text) else { throw unexpected(column, "an integer") }
    return number
  }

  /// The number of a column that is never null.
  func real(_ column: Int) throws(DatabaseError) -> Double {
    guard let number = try optionalReal(column) else { throw unexpected(column, "a number") }
    return number
  }

  /// The number of a column; nil for null.
  func optionalReal(_ column: Int) throws(DatabaseError) -> Double? {
    guard let text = texts[column] else { return nil }
    guard let number = Double(text) else { throw unexpected(column, "a number") }
    return number
  }

  /// The truth of a column that is never null.
  func boolean(_ column: Int) throws(DatabaseError) -> Bool {
    guard texts[column] == "t" || texts[column] == "f" else {
      throw unexpected(column, "true or false")
    }
    return texts[column] == "t"
  }

  /// The instant of a column of nanoseconds that is never null.
  func timestamp(_ column: Int) throws(DatabaseError) -> Timestamp {
    Timestamp(nanoseconds: Int64(try integer(column)))
  }

  /// The instant of a column of nanoseconds; nil for null.
  func optionalTimestamp(_ column: Int) throws(DatabaseError) -> Timestamp? {
    try optionalInteger(column).map { Timestamp(nanoseconds: Int64($0)) }
  }

  private func unexpected(_ column: Int, _ expected: String) -> DatabaseError {
    .unexpectedAnswer(what: what, reason: "column \(column + 1) is not \(expected)")
  }
}
