import Foundation
internal import Locomotion
import LocomotionJournal
import LocomotionPositioning
import TestSupport
import Testing

/// Places are found within a radius, nearest first, everywhere on the Earth and by their user only.
@Suite struct PlaceTests {
  /// The expected result, by a linear search.
  private func oracle(
    _ places: [PlaceDescription], within radius: Double, of latitude: Double, _ longitude: Double
  ) -> [String] {
    places.map { place in
      (
        place.name ?? "",
        Geodesic(from: (latitude, longitude), to: (place.latitude, place.longitude)).distance
      )
    }
    .filter { $0.1 <= radius }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
  }

  /// Places around a centre; at a pole, on all meridians.
  private func scatter(
    _ count: Int, latitude: Double, longitude: Double, metres: Double, seed: UInt64
  ) -> [PlaceDescription] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { number in
      let north = random.nextNormal() * metres / 111_000
      let scale = max(cos(latitude * .pi / 180), 1e-9)
      let east = random.nextNormal() * metres / 111_000 / scale
      var place = (latitude: latitude + north, longitude: longitude + east)
      if abs(place.latitude) > 90 {
        place.latitude = (place.latitude > 0 ? 180 : -180) - place.latitude
      }
      place.longitude = place.longitude.remainder(dividingBy: 360)
      let name = String(number + 10_000)
      return PlaceDescription(name: name, latitude: place.latitude, longitude: place.longitude)
    }
  }

  @Test(arguments: [
    (48.137, 11.575), (0, 180), (-17.8, -180), (65.0, 179.999), (90, 0), (90, -77), (-90, 123),
    (89.999, 45), (-89.998, -180), (0, 0), (-54.8, -68.3),
  ])
  func aSearchFindsAllPlacesNearestFirst(latitude: Double, longitude: Double) throws {
    try withJournal { journal, ada in
      let bob = try journal.user("bob")
      let places = scatter(
        1_500, latitude: latitude, longitude: longitude, metres: 400, seed: 11)
      try ada.addPlaces(Array(places[..<700]))
      try bob.addPlaces(
        places.map { PlaceDescription(name: "x", latitude: $0.latitude, longitude: $0.longitude) })
      try ada.addPlaces(Array(places[700...]))
      for radius in [0, 1, 50, 200, 1_000, 30_000, 3e7] {
        let found = try ada.places(within: radius, ofLatitude: latitude, longitude: longitude)
        #expect(found.map(\.place.name) == oracle(places, within: radius, of: latitude, longitude))
        for (place, next) in zip(found, found.dropFirst()) {
          #expect(place.distance <= next.distance)
        }
      }
      let edge = try #require(
        try ada.places(within: 500, ofLatitude: latitude, longitude: longitude).last)
      let exact = try ada.places(within: edge.distance, ofLatitude: latitude, longitude: longitude)
      #expect(exact.last == edge)
    }
  }

  @Test func placesCanBeRenamedAndRemovedAndNumbersAreNotReused() throws {
    try withJournal { journal, ada in
      let bob = try journal.user("bob")
      let home = try ada.addPlace(PlaceDescription(name: "home", latitude: 10, longitude: 20))
      try ada.renamePlace(home.id, to: "old home")
      #expect(throws: JournalError.unknownPlace) {
        try bob.renamePlace(home.id, to: "mine")
      }
      #expect(throws: JournalError.unknownPlace) { try bob.removePlace(home.id) }
      #expect(try ada.places().map(\.name) == ["old home"])
      try ada.removePlace(home.id)
      #expect(throws: JournalError.unknownPlace) { try ada.removePlace(home.id) }
      #expect(try ada.places(within: 1e6, ofLatitude: 10, longitude: 20).isEmpty)
      let next = try ada.addPlace(PlaceDescription(name: "work", latitude: 10, longitude: 20))
      #expect(next.id != home.id)
      for bad in [
        PlaceDescription(name: "", latitude: 91, longitude: 0),
        PlaceDescription(name: "", latitude: .nan, longitude: 0),
        PlaceDescription(name: "", latitude: 0, longitude: 181),
        PlaceDescription(name: "", latitude: 0, longitude: 0, radius: -1),
        PlaceDescription(
          name: String(repeating: "x", count: 1_025), latitude: 0, longitude: 0),
      ] {
        #expect(throws: JournalError.self) { try ada.addPlaces([bad]) }
      }
      #expect(try ada.places().count == 1)
    }
  }

  @Test func anErasedUsersPlacesLeaveNoByteBehind() throws {
    try withJournal { journal, ada in
      let bob = try journal.user("bob")
      let places = scatter(300, latitude: 48, longitude: 11, metres: 5_000, seed: 5)
      try ada.addPlaces(places)
      try bob.addPlaces([places[0]])
      // A latitude in its row, and in the R*Tree the distance to the equator, metres, as a Float.
      let secrets = places[1...].flatMap { place -> [Data] in
        let sine = sin(place.latitude * .pi / 180)
        let eccentricity = 6.694_379_990_141_4e-3
        let height =
          6_378_137 / (1 - eccentricity * sine * sine).squareRoot() * (1 - eccentricity) * sine
        return [Data(stored: place.latitude.bitPattern), Data(stored: Float(height).bitPattern)]
      }
      #expect(Data.traces(of: secrets, in: journal.path).count > 450)
      try ada.erase()
      #expect(Data.traces(of: secrets, in: journal.path).isEmpty)
      #expect(try bob.places().count == 1)
    }
  }

  private static let many = ProcessInfo.processInfo.environment["LOCOMOTION_JOURNAL_PLACES"]
    .flatMap { Int($0) }

  /// Half of the places in a city, half all over the Earth; prints the time of a search.
  @Test(.enabled(if: many != nil, "LOCOMOTION_JOURNAL_PLACES not given"))
  func aSearchAmongManyPlacesIsFast() throws {
    let count = try #require(Self.many)
    try withJournal { _, ada in
      let clock = ContinuousClock()
      var random = SplitMix64(seed: 9)
      // A city of 20 km by 20 km.
      let city = (0..<count / 2).map { _ in
        PlaceDescription(
          name: "", latitude: 48.05 + random.nextUniform() * 0.18,
          longitude: 11.45 + random.nextUniform() * 0.27)
      }
      let earth = (0..<count - count / 2).map { _ in
        PlaceDescription(
          name: "", latitude: asin(2 * random.nextUniform() - 1) * 180 / .pi,
          longitude: random.nextUniform() * 360 - 180)
      }
      let adding = try clock.measure { try ada.addPlaces(city + earth) }
      print("\(count) places are added in \(adding)")
      for radius in [200.0, 1_000] {
        var times: [Duration] = []
        var found = 0
        for _ in 0..<1_000 {
          let place = city[Int(random.next() % UInt64(city.count))]
          let start = clock.now
          found += try ada.places(
            within: radius, ofLatitude: place.latitude, longitude: place.longitude
          ).count
          times.append(clock.now - start)
        }
        times.sort()
        print(
          "within \(radius) m: \(Double(found) / 1_000) places, median \(times[500]), "
            + "99 % below \(times[990]), slowest \(times[999])")
      }
      let centre = city[0]
      let near = try ada.places(
        within: 200, ofLatitude: centre.latitude, longitude: centre.longitude)
      #expect(
        near.count
          == oracle(city, within: 200, of: centre.latitude, centre.longitude).count)
    }
  }
}
