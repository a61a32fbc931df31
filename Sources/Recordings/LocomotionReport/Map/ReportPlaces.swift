import Locomotion

/// The places of a timeline: stays at the same stored place have the same letter, and so have other
/// stays within 60 m of one another.
///
/// The letter of a stored place is that of its number, on whatever page and day: it is the name of
/// one that has no other. Other stays of a journal, which have no number, have small letters. The
/// numbers below 0 are those of places that only corrections know.
package struct ReportPlaces: Sendable {
  struct Site: Sendable {
    /// Where its first stay is.
    var centre: Stay.Location
    /// Its number in the journal; nil for none.
    fileprivate var number: Int?
    /// What the user calls it; nil where nobody said.
    var name: String?
    /// Its letters, which no other has.
    fileprivate(set) var letters = ""
    /// Where it is, as "in Erding"; nil where no town is known near it.
    fileprivate var town: String?

    /// The user's name for it, or else its letters.
    var label: String { name ?? letters }

    /// ``label``, and where that is, as "A, in Erding".
    var description: String { name ?? letters + (town.map { ", \($0)" } ?? "") }
  }

  /// The places in the order of their first stays.
  private(set) var sites: [Site] = []
  private var indexByStart: [Timestamp: Int] = [:]
  /// Where each trip begins and ends, in words; nil where that is not known.
  private var routes: [Timestamp: (from: String?, to: String?)] = [:]

  /// A place this close to an end of a trip is what the end is near, metres.
  private static let nearDistance = 300.0

  init(_ analysis: AnalysisResult) {
    for case .stay(let stay) in analysis.items {
      guard let place = stay.location else { continue }
      let near = sites.firstIndex { site in
        if let number = stay.place?.id, let other = site.number { return number == other }
        return place.point.distance(to: site.centre.point) <= 60
      }
      if near == nil { sites.append(Site(centre: place, number: stay.place?.id)) }
      let index = near ?? sites.count - 1
      sites[index].name = sites[index].name ?? stay.place?.name
      indexByStart[stay.start] = index
    }
    let isJournal = sites.contains { $0.number ?? -1 >= 0 }
    var unnumbered = 0
    for (index, site) in sites.enumerated() {
      let locale = analysis.locale
      sites[index].town = locale.towns?.words(at: site.centre.point, locale.units)
      if let number = site.number, number >= 0 {
        sites[index].letters = Self.letter(number)
      } else {
        sites[index].letters = Self.letter(unnumbered, from: isJournal ? "a" : "A")
        unnumbered += 1
      }
    }
    for trip in analysis.items.lazy.compactMap({ $0.asTrip }) {
      let track = trip.legs.flatMap { analysis.track(of: $0).joined() }
      let around = analysis.stays(around: trip)
      routes[trip.start] = (
        end(at: around.before, or: track.first), end(at: around.after, or: track.last)
      )
    }
  }

  /// The place of the stay beside a trip, else what the trip's own end is near.
  private func end(at stay: Stay?, or point: ReportPoint?) -> String? {
    if let site = stay.flatMap(site(of:)) { return site.label }
    guard let point else { return nil }
    let near = sites.map { (label: $0.label, distance: $0.centre.point.distance(to: point)) }
      .min { $0.distance < $1.distance }
    return near.flatMap { $0.distance <= Self.nearDistance ? "near \($0.label)" : nil }
  }

  /// The index of the place of `stay` in ``sites``; nil when it is unknown.
  func index(of stay: Stay) -> Int? { indexByStart[stay.start] }

  private func site(of stay: Stay) -> Site? { index(of: stay).map { sites[$0] } }

  /// The stay in words, as "home", "Stay at A", "Stay at A, in Erding" or "Stay at an unknown
  /// place".
  func title(of stay: Stay) -> String {
    guard let site = site(of: stay) else { return "Stay at an unknown place" }
    return site.name ?? "Stay at \(site.description)"
  }

  /// The trip in words, as "home → A", "From home and back", "To A" or "Trip".
  func title(of trip: Trip) -> String {
    let route = routes[trip.start]
    switch (route?.from, route?.to) {
    case (let from?, let to?): return from == to ? "From \(from) and back" : "\(from) → \(to)"
    case (let from?, nil): return "From \(from)"
    case (nil, let to?): return "To \(to)"
    case (nil, nil): return "Trip"
    }
  }

  /// The letters of the place of `stay`, as in "A" or "AB"; nil when its place is unknown.
  func letter(of stay: Stay) -> String? { site(of: stay)?.letters }

  /// The letters of the place with a number: "A" for 0, "AA" for 26.
  static func letter(_ number: Int, from first: Unicode.Scalar = "A") -> String {
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
