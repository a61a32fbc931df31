package import LocomotionCollector
package import LocomotionRecordings

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
