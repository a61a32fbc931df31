internal import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionSensing

/// A stay, a leg or a gap, as the journal stores it; legs that follow one another are a trip.
struct DayPiece: Hashable {
  enum Kind: Int {
    case stay = 1
    case leg = 2
    case gap = 3
  }

  var kind: Kind
  var start: Timestamp
  var end: Timestamp
  var activity: Activity?
  var distance: Double?
  var steps = 0.0
  var location: Stay.Place?
  /// The number of the remembered place.
  var place: Int?
  /// Whether the activity is the user's word; never stored.
  var isCorrected = false

  init(_ kind: Kind, from start: Timestamp, to end: Timestamp) {
    self.kind = kind
    self.start = start
    self.end = end
  }

  /// The pieces of a timeline's item.
  static func pieces(_ item: TimelineItem) -> [DayPiece] {
    switch item {
    case .gap(let gap): return [DayPiece(.gap, from: gap.start, to: gap.end)]
    case .stay(let stay):
      var piece = DayPiece(.stay, from: stay.start, to: stay.end)
      piece.location = stay.place
      return [piece]
    case .trip(let trip):
      return trip.legs.map { leg in
        var piece = DayPiece(.leg, from: leg.start, to: leg.end)
        piece.activity = leg.activity
        piece.distance = leg.distance
        piece.steps = leg.steps
        return piece
      }
    }
  }

  /// The part of the piece in an interval, with its share of the way and the steps; nil for none.
  func cut(from first: Timestamp, to last: Timestamp) -> DayPiece? {
    guard max(start, first) < min(end, last) else { return nil }
    var part = self
    part.start = max(start, first)
    part.end = min(end, last)
    let share = part.end.seconds(since: part.start) / end.seconds(since: start)
    part.distance = distance.map { $0 * share }
    part.steps = steps * share
    return part
  }

  /// The piece as the user says it was.
  mutating func correct(to newActivity: Activity) {
    isCorrected = true
    if newActivity == .stationary {
      guard kind != .stay else { return }
      self = DayPiece(.stay, from: start, to: end)
      isCorrected = true
    } else {
      if kind != .leg { self = DayPiece(.leg, from: start, to: end) }
      isCorrected = true
      activity = newActivity
    }
  }

  /// Whether `next` tells nothing new.
  private func swallows(_ next: DayPiece) -> Bool {
    guard kind == next.kind, isCorrected || next.isCorrected else { return false }
    switch kind {
    case .leg: return activity == next.activity
    // A stay that only the user's word made is at the place of its neighbour.
    case .stay: return location == nil || next.location == nil || location == next.location
    case .gap: return true
    }
  }

  /// Lays the user's words over pieces; of two that overlap the later one holds.
  static func correct(
    _ pieces: [DayPiece], by corrections: [(start: Timestamp, end: Timestamp, activity: Activity)]
  ) -> [DayPiece] {
    var pieces = pieces
    for correction in corrections {
      let (lowest, highest) = (Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .max))
      pieces = pieces.flatMap { piece -> [DayPiece] in
        var middle = piece.cut(from: correction.start, to: correction.end)
        middle?.correct(to: correction.activity)
        return [
          piece.cut(from: lowest, to: correction.start), middle,
          piece.cut(from: correction.end, to: highest),
        ].compactMap { $0 }
      }
    }
    var result: [DayPiece] = []
    for piece in pieces {
      guard var last = result.popLast() else {
        result.append(piece)
        continue
      }
      guard last.swallows(piece) else {
        result += [last, piece]
        continue
      }
      last.end = piece.end
      last.distance = zipped(last.distance, piece.distance)
      last.steps += piece.steps
      last.isCorrected = last.isCorrected || piece.isCorrected
      if last.location == nil {
        last.location = piece.location
        last.place = piece.place
      }
      result.append(last)
    }
    return result
  }

  private static func zipped(_ one: Double?, _ other: Double?) -> Double? {
    one == nil && other == nil ? nil : (one ?? 0) + (other ?? 0)
  }
}

/// A row of the table `items`.
struct ItemRecord: StoredRow {
  static let table = "items"
  static let columns = """
    id, kind, start, end, activity, distance, steps, latitude, longitude, radius, place, checksum
    """
  static let insertion = statement(columns: 12)

  let key: Int64
  let piece: DayPiece

  init(user: Int64, index: Int, _ piece: DayPiece) {
    key = StoreFormat.key(user: user, index: index)
    self.piece = piece
  }

  init?(_ row: SQLiteRow) throws(JournalError) {
    guard let kind = DayPiece.Kind(rawValue: Int(try row.integer(1))) else { return nil }
    key = try row.integer(0)
    var piece = DayPiece(
      kind, from: Timestamp(nanoseconds: try row.integer(2)),
      to: Timestamp(nanoseconds: try row.integer(3)))
    piece.activity = row.optionalInteger(4).flatMap {
      Activity(rawValue: Int(truncatingIfNeeded: $0))
    }
    piece.distance = row.real(5)
    piece.steps = row.real(6) ?? .nan
    if let latitude = row.real(7), let longitude = row.real(8), let radius = row.real(9) {
      piece.location = Stay.Place(latitude: latitude, longitude: longitude, radius68: radius)
    }
    piece.place = row.optionalInteger(10).map { Int($0) }
    self.piece = piece
    guard row.optionalInteger(11) == Int64(checksum) else { return nil }
  }

  var values: [SQLiteValue] {
    [
      .integer(Int64(piece.kind.rawValue)), .integer(piece.start.nanoseconds),
      .integer(piece.end.nanoseconds),
      piece.activity.map { .integer(Int64($0.rawValue)) } ?? .null,
      SQLiteValue(piece.distance), SQLiteValue(piece.steps),
      SQLiteValue(piece.location?.latitude), SQLiteValue(piece.location?.longitude),
      SQLiteValue(piece.location?.radius68), piece.place.map { .integer(Int64($0)) } ?? .null,
    ]
  }
}

/// What the user said of a stretch of time: a row of the table `remarks`.
struct RemarkRecord: StoredRow {
  enum Kind: Int {
    case activity = 1
    case purpose = 2
  }

  static let table = "remarks"
  static let columns = "id, kind, start, end, value, checksum"
  static let insertion = statement(columns: 6)

  let key: Int64
  let kind: Kind
  let start: Timestamp
  let end: Timestamp
  let value: String

  init(key: Int64, kind: Kind, start: Timestamp, end: Timestamp, value: String) {
    self.key = key
    self.kind = kind
    self.start = start
    self.end = end
    self.value = value
  }

  init?(_ row: SQLiteRow) throws(JournalError) {
    guard let kind = Kind(rawValue: Int(try row.integer(1))), let value = row.text(4) else {
      return nil
    }
    self.init(
      key: try row.integer(0), kind: kind, start: Timestamp(nanoseconds: try row.integer(2)),
      end: Timestamp(nanoseconds: try row.integer(3)), value: value)
    guard row.optionalInteger(5) == Int64(checksum) else { return nil }
  }

  var values: [SQLiteValue] {
    [
      .integer(Int64(kind.rawValue)), .integer(start.nanoseconds), .integer(end.nanoseconds),
      .text(value),
    ]
  }
}
