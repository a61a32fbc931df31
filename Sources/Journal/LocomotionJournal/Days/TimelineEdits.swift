package import Locomotion

/// Edits and places that a timeline takes without being in a journal.
package struct TimelineEdits {
  private let edits: [DayEdit]
  private let places: [Int: Place]

  /// What edits say, of places by their numbers.
  package init(_ edits: [EditRecord], _ places: [Place]) {
    self.edits = edits.compactMap(DayEdit.init)
    self.places = Dictionary(places.map { ($0.id, $0) }) { $1 }
  }

  /// The items as the edits change them, in the order in which they were made.
  package func applied(to items: [TimelineItem]) -> [TimelineItem] {
    var segments: [DaySegment] = []
    var places = places
    for (index, item) in items.enumerated() {
      var own = DaySegment.segments(item)
      if case .leg = segments.last?.kind, own[0].kind == .leg { own[0].startsItem = true }
      if case .stay(let stay) = item, let place = stay.place {
        own[0].place = Int.min + index
        places[Int.min + index] = place
      }
      segments += own
    }
    // Of a recording nothing may still change.
    return DaySegment.items(
      DayEdit.apply(edits, to: segments), edits, finalEnd: Timestamp(nanoseconds: .max)
    ) { places[$0] }
  }
}

extension EditRecord {
  /// Whether this is an edit of a day with a value that can be read.
  package var isCorrection: Bool {
    guard let edit = DayEdit(self) else { return false }
    if case .samePlace = edit.change { return false }
    return true
  }

  /// The number of the place that the edit is about; nil for one about something else.
  package var place: Int? { DayEdit(self)?.change.place }

  /// Whether an edit is about any of the items: about a stay or a trip that goes on at that instant
  /// or begins then, about most of a stay where it says something of its place, else about what is
  /// known of more than half of the time.
  package func isAbout(_ items: [TimelineItem]) -> Bool {
    func common(_ item: TimelineItem) -> Double {
      item.isGap ? 0 : min(end, item.end).seconds(since: max(start, item.start))
    }
    let length = end.seconds(since: start)
    switch kind {
    case .split: return items.contains { !$0.isGap && $0.start <= start && start < $0.end }
    case .place, .purpose:
      let edit = DayEdit(self)
      return items.flatMap(DaySegment.segments).contains {
        $0.kind == .stay && edit?.isAbout($0) == true
      }
    default: return items.reduce(0) { $0 + max(common($1), 0) } > length / 2
    }
  }
}
