package import Locomotion

/// The places of a timeline: stays at the same stored place have the same letter, and so have other
/// stays within 60 m of one another.
///
/// The letter of a stored place is that of its number, on whatever page and day: it is the name of
/// one that has no other. Other stays of a journal, which have no number, have small letters. The
/// numbers below 0 are those of places that only corrections know.
package struct ReportPlaces: Sendable {
  /// One entry per place: its first centre.
  package private(set) var centres: [Stay.Location] = []
  /// What the user calls each place; nil where nobody said.
  private(set) var names: [String?] = []
  /// The letters of each place, which no other has.
  private(set) var letters: [String] = []
  /// Where each place is, as "in Erding"; nil where no town is known near it.
  private var towns: [String?] = []
  private var numbers: [Int?] = []
  private var indexByStart: [Timestamp: Int] = [:]
  private var routes: [Timestamp: Route] = [:]

  /// A place this close to an end of a trip is what the end is near, metres.
  private static let nearDistance = 300.0

  /// Where a trip begins and ends, in words; nil where that is not known.
  private struct Route {
    var from: String?
    var to: String?
  }

  package init(_ analysis: AnalysisResult) {
    for case .stay(let stay) in analysis.items {
      guard let place = stay.location else { continue }
      let near = centres.indices.first { index in
        if let number = stay.place?.id, let other = numbers[index] { return number == other }
        let other = centres[index]
        return ReportProjection(latitude: place.latitude, longitude: place.longitude)
          .distance(latitude: other.latitude, longitude: other.longitude) <= 60
      }
      if near == nil {
        centres.append(place)
        names.append(nil)
        numbers.append(stay.place?.id)
      }
      let index = near ?? centres.count - 1
      names[index] = names[index] ?? stay.place?.name
      indexByStart[stay.start] = index
    }
    let isJournal = numbers.contains { $0.map { $0 >= 0 } ?? false }
    var unnumbered = 0
    letters = numbers.map { number in
      if let number, number >= 0 { return Self.letter(number) }
      defer { unnumbered += 1 }
      return Self.letter(unnumbered, from: isJournal ? "a" : "A")
    }
    towns = centres.map { centre in
      analysis.locale.towns?.words(
        at: ReportPoint(latitude: centre.latitude, longitude: centre.longitude),
        analysis.locale.units)
    }
    for (index, item) in analysis.items.enumerated() {
      guard case .trip(let trip) = item else { continue }
      let track = trip.legs.flatMap { analysis.track(of: $0).joined() }
      routes[trip.start] = Route(
        from: end(at: index > 0 ? analysis.items[index - 1] : nil, or: track.first),
        to: end(at: analysis.items.dropFirst(index + 1).first, or: track.last))
    }
  }

  /// The place of the stay beside a trip, else what the trip's own end is near.
  private func end(at item: TimelineItem?, or point: ReportPoint?) -> String? {
    if case .stay(let stay)? = item, let name = name(of: stay) { return name }
    guard let point else { return nil }
    let distances = centres.map { centre in
      ReportProjection(latitude: centre.latitude, longitude: centre.longitude)
        .distance(latitude: point.latitude, longitude: point.longitude)
    }
    guard let least = distances.min(), least <= Self.nearDistance,
      let index = distances.firstIndex(of: least)
    else { return nil }
    return "near \(label(index))"
  }

  /// The user's name for a place, or else its letters.
  func label(_ index: Int) -> String { names[index] ?? letters[index] }

  /// ``label(_:)``, and where that is, as "A, in Erding".
  func description(_ index: Int) -> String {
    names[index] ?? letters[index] + (towns[index].map { ", \($0)" } ?? "")
  }

  /// What the place of `stay` is called; nil when it is unknown.
  func name(of stay: Stay) -> String? { indexByStart[stay.start].map(label) }

  /// The index of the place of `stay` in ``centres``; nil when it is unknown.
  func index(of stay: Stay) -> Int? { indexByStart[stay.start] }

  /// The stay in words, as "home", "Stay at A", "Stay at A, in Erding" or "Stay at an unknown
  /// place".
  package func title(of stay: Stay) -> String {
    guard let index = indexByStart[stay.start] else { return "Stay at an unknown place" }
    return names[index] ?? "Stay at \(description(index))"
  }

  /// The trip in words, as "home → A", "From home and back", "To A" or "Trip".
  package func title(of trip: Trip) -> String {
    let route = routes[trip.start]
    switch (route?.from, route?.to) {
    case (let from?, let to?): return from == to ? "From \(from) and back" : "\(from) → \(to)"
    case (let from?, nil): return "From \(from)"
    case (nil, let to?): return "To \(to)"
    case (nil, nil): return "Trip"
    }
  }

  /// The letters of the place of `stay`, as in "A" or "AB"; nil when its place is unknown.
  package func letter(of stay: Stay) -> String? {
    indexByStart[stay.start].map { letters[$0] }
  }

  /// The letters of the place with a number: "A" for 0, "AA" for 26.
  package static func letter(_ number: Int, from first: Unicode.Scalar = "A") -> String {
    var letters = ""
    var rest = max(number, 0)
    repeat {
      letters = String(UnicodeScalar(UInt8(first.value) + UInt8(rest % 26))) + letters
      rest = rest / 26 - 1
    } while rest >= 0
    return letters
  }

  /// The number of the place with some letters; nil for what is none.
  package static func number(ofLetters letters: String) -> Int? {
    guard !letters.isEmpty, letters.count <= 6 else { return nil }
    var number = 0
    for scalar in letters.unicodeScalars {
      guard "A"..."Z" ~= scalar else { return nil }
      number = number * 26 + Int(scalar.value) - 64
    }
    return number - 1
  }
}
