/// Chooses the connection to evict when all are in use and another client waits.
package enum HTTPEviction {
  /// The state of a connection that decides on its eviction.
  package struct Candidate {
    package enum State: Equatable {
      /// No request with a valid token has come: only the address is known.
      case unauthenticated(address: UInt64)
      /// The owner's last request was answered, and no other has followed.
      case idle(owner: Int)
      /// A request of the owner is being received.
      case busy(owner: Int)
    }

    package var state: State
    /// The time in this state, seconds.
    package var age: Double

    /// A connection in a state, for `age` seconds.
    package init(state: State, age: Double) {
      self.state = state
      self.age = age
    }
  }

  /// The time in which a client's first bytes may be in transit, seconds.
  package static let gracePeriod = 0.25
  /// The time limit of a request whose owner has more than half of all connections, seconds.
  package static let longestRequestOfMajority = 5.0

  /// The index of the connection to evict; nil when the new client has to wait.
  ///
  /// Unauthenticated connections come first, then idle ones: the oldest of the address or owner
  /// with the most. So a client that opens many connections loses its own, and no other does. A
  /// request that is being received is ended only when its owner has more than half of all
  /// connections.
  package static func choose(among candidates: [Candidate], limit: Int) -> Int? {
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
    // The connections of an address with many of them will soon be old enough.
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

  /// The index of the oldest candidate with the highest rank; one without a rank is not chosen.
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
