package import LocomotionJournal
package import LocomotionRecordings

extension JournalError: CommandError {
  package var exitStatus: ExitStatus { isInputRejection ? .rejected : .inputOutput }
}

extension UnitError: CommandError {
  package var exitStatus: ExitStatus { .rejected }
}
