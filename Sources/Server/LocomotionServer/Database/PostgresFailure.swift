/// What PostgreSQL's errors mean for whoever calls.
enum PostgresFailure {
  /// The error of a connection that could not be made, for which libpq gives a text only.
  ///
  /// In doubt it is one that may pass.
  static func connecting(_ what: String, reason: String) -> DatabaseError {
    let permanent = [
      "authentication failed", "no password supplied", "does not exist", "no pg_hba.conf entry",
      "is not permitted to log in", "permission denied for database", "invalid",
    ]
    // A socket that does not exist belongs to a server that does not run.
    let isServer = reason.contains("FATAL") || !reason.contains("No such file")
    return isServer && permanent.contains { reason.contains($0) }
      ? .refused(what: what, reason: reason) : .unavailable(what: what, reason: reason)
  }

  /// The error of a statement, by the classes of SQLSTATE.
  ///
  /// Source: PostgreSQL 15, appendix A.
  static func error(
    _ what: String, state: String, reason: String, constraint: String?
  ) -> DatabaseError {
    switch (state.prefix(2), state) {
    // Lost, too many connections, shutting down, starting up, or a connection that idled.
    case ("08", _), (_, "53300"), (_, "57P01"), (_, "57P02"), (_, "57P03"), (_, "57P05"),
      (_, "25P03"):
      .unavailable(what: what, reason: reason)
    // Serialization, deadlock, a lock or an object in use, a statement that takes too long.
    case ("40", _), ("55", _), (_, "57014"): .busy(what: what, reason: reason)
    case ("53", _): .full(what: what, reason: reason)
    case (_, "42501"), ("28", _), (_, "3D000"): .refused(what: what, reason: reason)
    // Neither null nor against a condition, which are about the row alone.
    case (_, "23502"), (_, "23514"):
      .invalidRow(what: what, field: "a value", expected: constraint ?? reason)
    // A value that its type does not have, or that is too long for an index.
    case ("22", _), ("54", _):
      .invalidRow(what: what, field: "a value", expected: "one that the server can store")
    case ("23", _): .conflict(what: what, constraint: constraint ?? reason)
    default: .failed(what: what, state: state, reason: reason)
    }
  }
}
