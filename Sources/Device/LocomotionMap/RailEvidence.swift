import LocomotionPositioning
import LocomotionSensing

/// Where a track follows rails, by what is near: a chain of two states, on rails and on a road.
///
/// Each 300 m of way votes: for rails by how much nearer than a road they are, and against them
/// where there are none within 60 m. A tram and a subway run in and below streets, and support at
/// most. Where the position is not known to 60 m, as in a tunnel, nothing votes.
public struct RailEvidence {
  /// A stretch of one state, from a position of the track to another one.
  public struct Stretch: Equatable, Sendable {
    /// The indices of its positions.
    public internal(set) var positions: Range<Int>
    /// Whether it follows rails.
    public internal(set) var isOnRails: Bool
    /// The sum of its votes, nats: ln of the likelihood of rails over that of a road.
    public internal(set) var evidence = 0.0
  }

  // Set down before any track with rails was seen.
  /// The way that has a vote, metres, and how far a line may be from who follows it.
  private static let (wayOfVote, reach) = (300.0, 60.0)
  /// The most positions whose surroundings are held at once.
  private static let longestPart = 1_000
  /// How far around a position the map is asked for any line, metres.
  private static let seen = 200.0
  /// Nats: the largest vote, that of trams and subways, that where no road is known, a change.
  private static let (vote, weakVote, roadlessVote, change) = (2.5, 1.0, 1.25, 4.0)
  /// The standard deviation of the distance from a line, metres.
  private static let deviation = 15.0

  /// The stretches of a track.
  ///
  /// - Parameters:
  ///   - track: The positions, in order of time.
  ///   - map: The map.
  ///   - prior: ln of the odds of rails at a position by all else, spread over its leg.
  /// - Returns: The stretches, which follow each other.
  /// - Throws: `RoadMap.Problem` where the map is damaged.
  public static func stretches(
    of track: [RouteMatcher.Position], on map: RoadMap, prior: (Int) -> Double
  ) throws(RoadMap.Problem) -> [Stretch] {
    // By state, off and on rails: the cost of the best path, and its state before.
    var costs = [0.0, 0.0]
    var columns: [(vote: Double, origins: [Int])] = []
    let votes = try votes(of: track, on: map)
    for (index, vote) in votes.enumerated() {
      let all = vote + prior(index)
      let origins = [0, 1].map { costs[$0] <= costs[1 - $0] + change ? $0 : 1 - $0 }
      costs = [0, 1].map { state in
        costs[origins[state]] + (origins[state] == state ? 0 : change)
          + (state == 1 ? -all : all) / 2
      }
      columns.append((vote, origins))
    }
    var state = costs[1] < costs[0] ? 1 : 0
    var stretches: [Stretch] = []
    for (index, column) in columns.enumerated().reversed() {
      if stretches.last?.isOnRails != (state == 1) {
        stretches.append(Stretch(positions: index..<index + 1, isOnRails: state == 1))
      }
      stretches[stretches.count - 1].positions =
        index..<stretches[stretches.count - 1].positions.upperBound
      stretches[stretches.count - 1].evidence += column.vote
      state = column.origins[state]
    }
    return stretches.reversed()
  }

  /// The vote at each position, with the network around some of them at a time.
  private static func votes(
    of track: [RouteMatcher.Position], on map: RoadMap
  ) throws(RoadMap.Problem) -> [Double] {
    var votes: [Double] = []
    var way = wayOfVote
    for start in stride(from: 0, to: track.count, by: longestPart) {
      let part = track[start..<min(start + longestPart, track.count)]
      let network = try RoadNetwork(map, along: part.map { ($0.latitude, $0.longitude) }) {
        $0.isRoad || $0.isRail
      }
      let knowsRoads = network.edges.contains { $0.kind.isRoad }
      for (index, position) in zip(part.indices, part) {
        if index > 0 {
          let last = track[index - 1]
          way +=
            Geodesic(
              from: (last.latitude, last.longitude), to: (position.latitude, position.longitude)
            ).distance
        }
        guard way >= wayOfVote, position.radius <= reach else {
          votes.append(0)
          continue
        }
        votes.append(vote(at: position, network, knowsRoads))
        way = 0
      }
    }
    return votes
  }

  private static func vote(
    at position: RouteMatcher.Position, _ network: RoadNetwork, _ knowsRoads: Bool
  ) -> Double {
    let near = network.candidates(
      near: WGS84.earthCentred(latitude: position.latitude, longitude: position.longitude),
      within: seen, most: .max
    ).map { (kind: network.edges[$0.edge].kind, distance: $0.distance) }
    // Where nothing is, the map may have ended.
    guard !near.isEmpty else { return 0 }
    guard let rail = near.first(where: { $0.kind.isRail }), rail.distance <= reach else {
      return -vote
    }
    let road = min(near.first { $0.kind.isRoad }?.distance ?? reach, reach)
    let odds = (road * road - rail.distance * rail.distance) / (2 * deviation * deviation)
    let most = rail.kind == .rail ? knowsRoads ? vote : roadlessVote : weakVote
    return min(max(odds, -vote), most)
  }
}
