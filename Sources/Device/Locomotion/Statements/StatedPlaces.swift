extension [TimelineItem] {
  /// The stays with the names that statements give to their places, numbered from 0.
  package func naming(_ statements: [StatedInterval]) -> Self {
    var places: [Place] = []
    let visits = statements.compactMap { visit -> (visit: StatedInterval, place: Place)? in
      guard let name = visit.place, case .visit(let latitude, let longitude, _) = visit.kind else {
        return nil
      }
      let known = places.first { $0.name == name && $0.isAt(latitude, longitude) }
      let new = Place(id: places.count, name: name, latitude: latitude, longitude: longitude)
      if known == nil { places.append(new) }
      return (visit, known ?? new)
    }
    return map { item in
      guard case .stay(var stay) = item, stay.place == nil, let location = stay.location else {
        return item
      }
      stay.place =
        visits.first { told in
          told.visit.start < stay.end && stay.start < told.visit.end
            && told.place.isAt(location.latitude, location.longitude)
        }?.place
      return .stay(stay)
    }
  }
}

extension Place {
  /// Whether a visit to a place of its name is at the place: within its radius, or 200 m.
  package func isAt(_ latitude: Double, _ longitude: Double) -> Bool {
    Geodesic(from: (latitude, longitude), to: (self.latitude, self.longitude)).distance
      <= max(200, radius)
  }
}
