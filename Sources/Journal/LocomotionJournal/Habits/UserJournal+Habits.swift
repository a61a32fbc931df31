internal import LocomotionActivityRecognition
internal import LocomotionSensing

extension UserJournal {
  /// What repeats in the user's days.
  func habits() throws(JournalError) -> Habits {
    let days = try daysRecord(userRecord())
    return try habits(of: days, storedEdits())
  }

  /// The modes that the user has confirmed.
  func habitualModes(
    of days: DaysRecord, _ edits: [DayEdit]
  ) throws(JournalError) -> HabitualModes {
    let isConfirmed = edits.contains { $0.change.activity != nil }
    return isConfirmed ? try habits(of: days, edits).modes : HabitualModes()
  }

  private func habits(of days: DaysRecord, _ edits: [DayEdit]) throws(JournalError) -> Habits {
    let key = Habits.Key(edits: edits, finalEnd: days.finalEnd)
    if let known = journal.habits[number], known.key == key { return known.habits }
    let items: [ItemRecord] = try rows()
    let habits = Habits(
      of: DayEdit.apply(edits, to: items.map(\.segment)), until: days.finalEnd)
    journal.habits[number] = (key, habits)
    return habits
  }
}

extension Habits {
  /// What habits follow from, besides erasures and changes of final items.
  struct Key: Equatable {
    let edits: [DayEdit]
    let finalEnd: Timestamp?
  }
}
