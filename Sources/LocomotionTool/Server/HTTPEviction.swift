/// Which connection is closed when all are taken and another client waits.
enum HTTPEviction {
  /// A connection, as far as closing it is concerned.
  struct Candidate {
    enum State: Equatable {
      /// No request with a known token has come: all that is known is the address.
      case unauthenticated(address: UInt64)
      /// The owner's last request was answered, and none has followed.
      case idle(owner: Int)
      /// A request of the owner is coming in.
      case busy(owner: Int)
    }

    var state: State
    /// Since when it is so, seconds.
    var age: Double
  }

  /// Within this time a client's first bytes may be under way, seconds.
  static let gracePeriod = 0.25
  /// How long a request may take whose owner has more than half of all connections, seconds.
  static let longestRequestOfMajority = 5.0

  /// The index of the one to close; nil when the newcomer has to wait.
  ///
  /// First come the unauthenticated ones, then the idle ones, the oldest of the address or owner
  /// that has most; so whoever opens many loses them first, and nobody else does. A request that is
  /// coming in is ended only when its owner has more than half of all connections.
  static func choose(among candidates: [Candidate], limit: Int) -> Int? {
    var addresses: [UInt64: Int] = [:]
    var owners: [Int: Int] = [:]
    for candidate in candidates {
      switch candidate.state {
      case .unauthenticated(let address): addresses[address, default: 0] += 1
      case .idle(let owner), .busy(let owner): owners[owner, default: 0] += 1
      }
    }
    let most = addresses.values.max() ?? 0
    let unauthenticated = oldest(of: candidates, from: gracePeriod) {
      if case .unauthenticated(let address) = $0 {
        addresses[address] == most ? 0 : nil
      } else {
        nil
      }
    }
    // Those of an address that has many are old enough soon.
    if unauthenticated != nil || 4 * most > limit { return unauthenticated }
    return oldest(of: candidates, from: gracePeriod) {
      if case .idle(let owner) = $0 { owners[owner] } else { nil }
    }
      ?? oldest(of: candidates, from: longestRequestOfMajority) {
        guard case .busy(let owner) = $0, let count = owners[owner], 2 * count > limit else {
          return nil
        }
        return count
      }
  }

  /// The index of the oldest of those with the highest rank; without a rank none is taken.
  private static func oldest(
    of candidates: [Candidate], from age: Double, rank: (Candidate.State) -> Int?
  ) -> Int? {
    var best: (index: Int, rank: Int, age: Double)?
    for (index, candidate) in candidates.enumerated() where candidate.age >= age {
      guard let rank = rank(candidate.state) else { continue }
      if best.map({ ($0.rank, $0.age) < (rank, candidate.age) }) ?? true {
        best = (index, rank, candidate.age)
      }
    }
    return best?.index
  }
}
