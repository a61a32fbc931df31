public import LocomotionJournal

extension Journal {
  /// Makes upload units, as ``LocomotionJournal/Journal/makeUnits(of:closing:digest:)``, with
  /// SHA-256.
  public mutating func makeUnits(
    of user: JournalUser, closing isClosing: Bool
  ) throws(JournalError) -> Int {
    try makeUnits(of: user, closing: isClosing) { SHA256Digest(of: $0).bytes }
  }

  /// A unit with its bytes, as ``LocomotionJournal/Journal/unit(_:of:digest:)``, with SHA-256.
  public func unit(
    _ status: UnitStatus, of user: JournalUser
  ) throws(JournalError) -> UploadUnit {
    try unit(status, of: user) { SHA256Digest(of: $0).bytes }
  }
}
