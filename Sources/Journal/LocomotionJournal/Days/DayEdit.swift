package import Locomotion
public import LocomotionActivityRecognition
public import LocomotionSensing

/// A change that the user made to their day.
///
/// Edits refer to time, not to an item. They are stored beside the items, in the order in which
/// they were made, and applied when a day is read, so that no computation can lose them.
public struct DayEdit: Hashable, Sendable, Codable, Identifiable {
  /// What the user says.
  public enum Change: Hashable, Sendable, Codable {
    /// This is what the person was doing; `.stationary` is a stay.
    case activity(Activity)
    /// The same, for an activity beside the six.
    case customActivity(CustomActivity)
    /// The purpose of a stay; an empty text removes it.
    case purpose(String)
    /// The number of the place at which a stay was.
    case place(Int)
    /// An item reaches so far: a stay for `.stationary`, else a leg; nil for an unknown activity.
    case extent(Activity?, CustomActivity?)
    /// All of the interval is one stay.
    case stay
    /// All of the interval is one trip.
    case trip
    /// An item ends and another begins at the start of the edit, which is its end too.
    case split
    /// The place with this number is the one with the other number: its stays are there.
    case samePlace(Int, as: Int)
  }

  /// The edit's number, unique for its user; later edits have higher ones.
  public let id: Int
  /// The first instant of it.
  public let start: Timestamp
  /// The first instant after it.
  public let end: Timestamp
  /// What the user says.
  public let change: Change

  /// Nil for what is no edit, and for the kind of a later version.
  init?(_ editRecord: EditRecord) {
    let value = editRecord.value
    switch editRecord.kind {
    case .activity:
      guard let activity = Activity(name: value) else { return nil }
      change = .activity(activity)
    case .customActivity:
      guard let activity = CustomActivity(text: value) else { return nil }
      change = .customActivity(activity)
    case .purpose: change = .purpose(value)
    case .place:
      guard let number = Int(value) else { return nil }
      change = .place(number)
    case .extent:
      let (activity, custom) = (Activity(name: value), CustomActivity(text: value))
      guard value.isEmpty || activity != nil || custom != nil else { return nil }
      change = .extent(activity ?? custom?.behavesLike, custom)
    case .stay: change = .stay
    case .trip: change = .trip
    case .split: change = .split
    case .samePlace:
      let numbers = value.split(separator: " ").compactMap { Int($0) }
      guard numbers.count == 2 else { return nil }
      change = .samePlace(numbers[0], as: numbers[1])
    case .window, .asked, .statement, nil: return nil
    }
    id = StoreFormat.index(of: editRecord.key)
    start = editRecord.start
    end = editRecord.end
  }
}

extension DayEdit.Change {
  /// The place of a stay, if that is what the user says.
  var place: Int? { if case .place(let number) = self { number } else { nil } }

  /// What the user says that they were doing, of the six activities; nil when it is none of them.
  var activity: Activity? {
    switch self {
    case .activity(let activity): activity
    case .customActivity(let custom): custom.behavesLike
    default: nil
    }
  }

  /// Whether the user says what they were doing, of the six activities or not.
  var statesActivity: Bool {
    switch self {
    case .activity, .customActivity: true
    default: false
    }
  }

  /// The name and the value by which the change is stored.
  package var words: (name: String, value: String) { ("\(stored.kind)", stored.value) }

  /// The kind and the value of the row that stores the change.
  var stored: (kind: EditRecord.Kind, value: String) {
    switch self {
    case .activity(let activity): (.activity, activity.name)
    case .customActivity(let activity): (.customActivity, activity.text)
    case .purpose(let text): (.purpose, text)
    case .place(let number): (.place, "\(number)")
    case .extent(let activity, let custom): (.extent, custom?.text ?? activity?.name ?? "")
    case .stay: (.stay, "")
    case .trip: (.trip, "")
    case .split: (.split, "")
    case .samePlace(let number, let other): (.samePlace, "\(number) \(other)")
    }
  }
}

extension DayEdit {
  /// Whether the edit covers most of a segment or a segment most of the edit.
  ///
  /// Edges move by seconds when a day is computed again: what an edit is about is known by more
  /// than half of the shorter of the two.
  func isAbout(_ segment: DaySegment) -> Bool {
    let common = min(end, segment.end).seconds(since: max(start, segment.start))
    let shorter = min(end.seconds(since: start), segment.end.seconds(since: segment.start))
    return common > shorter / 2
  }

  /// Applies edits to segments in the order in which they were made.
  static func apply(_ edits: [DayEdit], to segments: [DaySegment]) -> [DaySegment] {
    edits.reduce(into: segments) { segments, edit in
      let range = edit.isOfAnyTime ? segments.indices : edit.reach(in: segments)
      segments.replaceSubrange(
        range, with: DaySegment.merged(edit.applied(to: Array(segments[range]))))
    }
  }

  /// Whether the edit is about a place, whenever the user was there.
  private var isOfAnyTime: Bool { if case .samePlace = change { true } else { false } }

  /// The indices of the segments that an edit may change, and of one before and after them, with
  /// which they may be merged; found by bisection.
  private func reach(in segments: [DaySegment]) -> Range<Int> {
    let first = segments.partitioningIndex { $0.end >= start }
    let last = segments.partitioningIndex { $0.start > end }
    return max(0, first - 1)..<min(segments.count, max(first, last) + 1)
  }

  private func applied(to segments: [DaySegment]) -> [DaySegment] {
    switch change {
    case .activity(let activity):
      cut(segments) { $0.correct(to: activity) }
    case .customActivity(let custom):
      cut(segments) { $0.correct(to: custom.behavesLike, custom) }
    case .extent(let activity, let custom):
      cut(segments) { $0.extend(as: activity, custom) }
    case .place(let number):
      segments.map { segment in
        guard segment.kind == .stay, isAbout(segment) else { return segment }
        var segment = segment
        segment.place = number
        return segment
      }
    case .samePlace(let number, let other):
      segments.map { segment in
        var segment = segment
        if segment.place == number { segment.place = other }
        return segment
      }
    case .stay: joined(segments) { DaySegment.stay(of: $0) }
    case .trip: joined(segments) { DaySegment.trip(of: $0) }
    case .split: split(segments)
    case .purpose: segments
    }
  }

  /// The segments with the part of each inside the interval changed.
  private func cut(
    _ segments: [DaySegment], _ change: (inout DaySegment) -> Void
  ) -> [DaySegment] {
    segments.flatMap { $0.changed(from: start, to: end, change) }
  }

  /// The segments with those inside the interval replaced.
  private func joined(
    _ segments: [DaySegment], _ join: (ArraySlice<DaySegment>) -> [DaySegment]
  ) -> [DaySegment] {
    // Also one of which the user saw no more than a day that ends within it.
    guard let first = segments.firstIndex(where: isAbout),
      let last = segments.lastIndex(where: isAbout), first < last
    else { return segments }
    return segments[..<first] + join(segments[first...last]) + segments[(last + 1)...]
  }

  private func split(_ segments: [DaySegment]) -> [DaySegment] {
    segments.flatMap { segment -> [DaySegment] in
      guard segment.start <= start, start < segment.end else { return [segment] }
      return segment.changed(from: start, to: segment.end) { $0.startsItem = true }
    }
  }
}

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
