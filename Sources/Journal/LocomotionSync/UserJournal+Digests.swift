public import LocomotionJournal

extension UserJournal {
  /// Makes upload units, as ``LocomotionJournal/UserJournal/makeUnits(closing:digest:)``, with
  /// SHA-256.
  public func makeUnits(closing isClosing: Bool) throws(JournalError) -> Int {
    try makeUnits(closing: isClosing) { SHA256Digest(of: $0).bytes }
  }

  /// A unit with its bytes, as ``LocomotionJournal/UserJournal/unit(_:digest:)``, with SHA-256.
  public func unit(_ status: UnitStatus) throws(JournalError) -> UploadUnit {
    try unit(status) { SHA256Digest(of: $0).bytes }
  }
}
