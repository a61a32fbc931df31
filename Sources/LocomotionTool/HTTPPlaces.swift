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
  /// places; so whoever takes many loses them first. A request that is coming in goes only when its
  /// owner has more than half of all places.
  static func victim(among occupants: [Occupant], places: Int) -> Int? {
    var addresses: [UInt64: Int] = [:]
    var owners: [Int: Int] = [:]
    for occupant in occupants {
      switch occupant.kind {
      case .stranger(let address): addresses[address, default: 0] += 1
      case .idle(let owner), .busy(let owner): owners[owner, default: 0] += 1
      }
    }
    var best: (index: Int, rank: (Int, Int, Double))?
    for (index, occupant) in occupants.enumerated() {
      let rank: (Int, Int, Double)
      switch occupant.kind {
      case .stranger(let address) where occupant.age >= grace:
        rank = (2, addresses[address] ?? 0, occupant.age)
      case .idle(let owner) where occupant.age >= grace:
        rank = (1, owners[owner] ?? 0, occupant.age)
      case .busy(let owner)
      where occupant.age >= patience && 2 * (owners[owner] ?? 0) > places:
        rank = (0, owners[owner] ?? 0, occupant.age)
      default: continue
      }
      if best.map({ $0.rank < rank }) ?? true { best = (index, rank) }
    }
    return best?.index
  }
}
