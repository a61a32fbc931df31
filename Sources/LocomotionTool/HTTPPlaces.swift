/// Which connection has to go when all places are taken and another client waits.
enum HTTPPlaces {
  /// A connection, as far as its right to a place is concerned.
  struct Occupant {
    enum Kind: Equatable {
      /// No request with a known token has come: all that is known is the address.
      case stranger(address: UInt64)
      /// The owner's last request was answered, and none has followed.
      case idle(owner: Int)
      /// A request of the owner is coming in.
      case busy(owner: Int)
    }

    var kind: Kind
    /// Since when it is so, seconds.
    var age: Double
  }

  /// What is younger may be a client whose first bytes are under way, seconds.
  static let grace = 0.25
  /// A request of somebody who has more than half of all places may take so long, seconds.
  static let patience = 5.0

  /// The index of the one that has to go; nil when the newcomer has to wait.
  ///
  /// First strangers go, then those who are idle, the oldest of the address or owner with most
  /// places; so whoever takes many loses them first, and nobody else does. A request that is coming
  /// in goes only when its owner has more than half of all places.
  static func victim(among occupants: [Occupant], places: Int) -> Int? {
    var addresses: [UInt64: Int] = [:]
    var owners: [Int: Int] = [:]
    for occupant in occupants {
      switch occupant.kind {
      case .stranger(let address): addresses[address, default: 0] += 1
      case .idle(let owner), .busy(let owner): owners[owner, default: 0] += 1
      }
    }
    let most = addresses.values.max() ?? 0
    let stranger = oldest(of: occupants, from: grace) {
      if case .stranger(let address) = $0 { addresses[address] == most ? 0 : nil } else { nil }
    }
    // Those of an address that takes many are old enough soon.
    if stranger != nil || 4 * most > places { return stranger }
    return oldest(of: occupants, from: grace) {
      if case .idle(let owner) = $0 { owners[owner] } else { nil }
    }
      ?? oldest(of: occupants, from: patience) {
        guard case .busy(let owner) = $0, let count = owners[owner], 2 * count > places else {
          return nil
        }
        return count
      }
  }

  /// The index of the oldest of those with the highest rank; without a rank none is taken.
  private static func oldest(
    of occupants: [Occupant], from age: Double, rank: (Occupant.Kind) -> Int?
  ) -> Int? {
    var best: (index: Int, rank: Int, age: Double)?
    for (index, occupant) in occupants.enumerated() where occupant.age >= age {
      guard let rank = rank(occupant.kind) else { continue }
      if best.map({ ($0.rank, $0.age) < (rank, occupant.age) }) ?? true {
        best = (index, rank, occupant.age)
      }
    }
    return best?.index
  }
}
