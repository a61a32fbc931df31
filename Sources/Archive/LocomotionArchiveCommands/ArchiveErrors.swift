package import LocomotionCollector
package import LocomotionRecordings

/// Something that the archive does not have, or that is left undone there.
struct ArchiveError: Error, CustomStringConvertible {
  let description: String
}

extension DatabaseError: CommandError {
  package var exitStatus: ExitStatus { isTemporary ? .inputOutput : .failed }
}

extension ObjectStoreError: CommandError {
  package var exitStatus: ExitStatus { isBusy ? .inputOutput : .rejected }
}

extension IntakeError: CommandError {
  package var exitStatus: ExitStatus { isFinal ? .rejected : .inputOutput }
}

extension DerivationError: CommandError {
  package var exitStatus: ExitStatus { .inputOutput }
}
