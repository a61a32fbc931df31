extension Journal {
  /// The names of all users, in the order in which they were added.
  package func userNames() throws(JournalError) -> [String] { try users().map(\.name) }
}
