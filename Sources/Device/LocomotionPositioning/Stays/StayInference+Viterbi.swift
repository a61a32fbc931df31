internal import CLocomotionMath
internal import LocomotionSensing

extension StayInference {
  /// The end of a path at one epoch.
  struct Node {
    var score = -Double.infinity
    /// When the person arrived at the place, or set out.
    var since = 0.0
    /// The state of the epoch before: a place, ``travelling``, or −1 at the beginning.
    var origin = -1
    /// Whether a rest is hidden in the silence before.
    var hidesRest = false
    /// Of travel: the last known position with its variance, and the time travelled since.
    var position: SIMD3<Double>?
    var variance = 0.0
    var travelled = 0.0
  }

  func viterbi(_ places: [CandidatePlace]) -> StayPath {
    let travelling = places.count
    guard !steps.isEmpty else {
      return StayPath(origin: origin, segments: [], logLikelihood: 0)
    }
    var nodes = [Node](repeating: Node(), count: (places.count + 1) * steps.count)
    let width = places.count + 1
    let occam = places.map { 0.6 * log(2 * .pi * $0.centreVariance) }
    var emissions = [Double](repeating: 0, count: places.count)
    emit(0, places, &emissions)
    for place in places.indices {
      nodes[place] = Node(
        score: emissions[place] + occam[place] / 0.6 + Self.restingStart - steps[0].motion / 2,
        since: steps[0].start)
    }
    nodes[travelling] = Node(
      score: steps[0].motion / 2 - (beginsWithStay ? Self.leavingCost : 0),
      since: steps[0].start, position: steps[0].mean,
      variance: steps[0].meanVariance)
    for index in 1..<max(1, steps.count) {
      emit(index, places, &emissions)
      advance(
        to: index, places, occam, emissions, from: (index - 1) * width, into: index * width,
        &nodes)
    }
    return trace(nodes, places)
  }

  /// ln of the density of an epoch's position at each place; 0 without a position.
  private func emit(_ index: Int, _ places: [CandidatePlace], _ emissions: inout [Double]) {
    for (number, place) in places.enumerated() { emissions[number] = emission(index, at: place) }
  }

  /// ln of the density of an epoch's position at a place; 0 without a position.
  func emission(_ index: Int, at place: CandidatePlace) -> Double {
    let step = steps[index]
    guard let mean = step.mean else { return 0 }
    guard let centre = place.centre else { return Self.unlocatedDensity }
    let chord = mean - centre
    let square = (chord * chord).sum()
    let variance = step.meanVariance + place.spread * place.spread
    return log(
      0.998 * TravelModel.student(square, variance)
        + 0.002 * TravelModel.student(square, step.meanVariance + 9e6))
  }

  private func advance(
    to index: Int, _ places: [CandidatePlace], _ occam: [Double], _ emissions: [Double],
    from before: Int, into now: Int, _ nodes: inout [Node]
  ) {
    let move = move(to: index)
    let travelling = places.count
    let half = steps[index].motion / 2
    let time = steps[index].isMiddle(move) ? steps[index].middle : steps[index].start
    let start = time - move.time
    let best = nodes[before...before + travelling].reduce(-Double.infinity) {
      max($0, $1.score)
    }
    let likeliest = emissions.max() ?? 0
    var travel = Node()
    func offer(_ score: Double, to node: inout Node, _ make: () -> Node) {
      guard score > node.score else { return }
      node = make()
      node.score = score
    }

    // From travel.
    let road = nodes[before + travelling]
    if road.score > best - 60 {
      let elapsed = road.travelled + move.time
      let known = move.isSilent || road.travelled > 0
      // The position that the displacement is measured from.
      let from = road.travelled > 0 ? road.position : move.from
      let fromVariance = road.travelled > 0 ? road.variance : move.fromVariance
      if let from, let to = move.to {
        let distance = arcLength(ofChord: to - from)
        let variance = fromVariance + move.toVariance
        var score = road.score - move.time / TravelModel.tripLength + half
        score += log(TravelModel.density(distance, variance: variance, after: elapsed))
        score += persistence(distance, elapsed, index)
        offer(score, to: &travel) {
          Node(
            since: road.since, origin: travelling, position: steps[index].mean,
            variance: steps[index].meanVariance)
        }
        // A rest within the silence.
        let usual = distance / TravelModel.usualSpeed(distance)
        let rest = move.time - usual
        if known, rest >= TravelModel.shortestHiddenRest {
          var integral = 0.0
          for node in TravelModel.nodes {
            let time = node.fraction * move.time
            integral +=
              node.weight * move.time * time
              * TravelModel.density(distance, variance: variance, after: road.travelled + time)
          }
          let scale = rest + TravelModel.stayScale
          let stay =
            TravelModel.stayExponent / scale
            * pow(TravelModel.stayScale / scale, TravelModel.stayExponent)
          let score = road.score + log(integral / TravelModel.tripLength * stay) + half
          offer(score, to: &travel) {
            Node(
              since: time, origin: travelling, hidesRest: true, position: steps[index].mean,
              variance: steps[index].meanVariance)
          }
        }
      } else {
        offer(road.score - move.time / TravelModel.tripLength + half, to: &travel) {
          Node(
            since: road.since, origin: travelling, position: from, variance: fromVariance,
            travelled: elapsed)
        }
      }
      // Arrivals.
      for place in places.indices where emissions[place] > likeliest - 30 {
        guard let centre = places[place].centre else {
          let score =
            road.score + log(move.time / TravelModel.tripLength)
            + (isLocated ? Self.unlocatedArrival : 0)
            + emissions[place] - half
          offer(score, to: &nodes[now + place]) {
            Node(since: start + move.time / 2, origin: travelling)
          }
          continue
        }
        guard let from else { continue }
        let (integral, moment) = arrival(
          at: places[place], centre, from, variance: fromVariance, after: road.travelled, move)
        let score =
          road.score + log(integral / TravelModel.tripLength) + occam[place] + emissions[place]
          - half
        offer(score, to: &nodes[now + place]) {
          Node(since: start + moment / integral, origin: travelling)
        }
      }
    }

    // From places.
    for place in places.indices {
      let node = nodes[before + place]
      guard node.score > best - 60 else { continue }
      let age = max(0, start - node.since)
      let stays =
        node.score + TravelModel.logSurvival(age: age, for: move.time) + emissions[place] - half
      offer(stays, to: &nodes[now + place]) { Node(since: node.since, origin: place) }
      let scale = age + TravelModel.stayScale
      // Departures.
      let centre = places[place].centre
      if let centre, let to = move.to {
        let (integral, moment) = departure(from: places[place], centre, age: age, to, move)
        let score = node.score + log(integral) + half
        offer(score, to: &travel) {
          Node(
            since: time - moment / integral, origin: place, position: steps[index].mean,
            variance: steps[index].meanVariance)
        }
      } else {
        let score =
          node.score + log(TravelModel.stayExponent * move.time / (scale + move.time)) + half
          + (move.to == nil || !isLocated ? 0 : Self.unlocatedArrival)
        offer(score, to: &travel) {
          Node(
            since: time - move.time / 2, origin: place,
            position: move.to == nil ? centre : steps[index].mean,
            variance: move.to == nil ? places[place].centreVariance : steps[index].meanVariance,
            travelled: move.to == nil ? move.time / 2 : 0)
        }
      }
      // From place to place in one silence.
      guard move.isSilent, let centre else { continue }
      for other in places.indices where other != place && emissions[other] > likeliest - 30 {
        guard let goal = places[other].centre else { continue }
        let distance = arcLength(ofChord: goal - centre)
        let usual = distance / TravelModel.usualSpeed(distance)
        let slack = max(move.time - usual, 0.05 * move.time)
        let hurry = max(0, usual / move.time - 1)
        let score =
          node.score
          + log(
            TravelModel.stayExponent / scale * slack
              / (2 * .pi * 6 * (distance * distance + 2500)))
          - 2.5 - 5 * hurry + occam[other] + emissions[other] - half
        offer(score, to: &nodes[now + other]) {
          Node(since: time - slack / 2, origin: place)
        }
      }
    }
    nodes[now + travelling] = travel
  }

  /// The density per m² of leaving a place during a move and being where it ends, and its first
  /// moment in the time travelled.
  func departure(
    from place: CandidatePlace, _ centre: SIMD3<Double>, age: Double, _ to: SIMD3<Double>,
    _ move: Move
  ) -> (integral: Double, moment: Double) {
    let distance = arcLength(ofChord: to - centre)
    let variance =
      place.centreVariance + move.toVariance + place.spread * place.spread / 4
    let scale = age + TravelModel.stayScale
    var (integral, moment) = (0.0, 0.0)
    for node in TravelModel.nodes {
      let time = node.fraction * move.time
      let stayed = move.time - time
      let part =
        node.weight * move.time * TravelModel.stayExponent / (scale + stayed)
        * exp(TravelModel.logSurvival(age: age, for: stayed) - time / TravelModel.tripLength)
        * TravelModel.density(distance, variance: variance, after: time)
      integral += part
      moment += part * time
    }
    return (integral, moment)
  }

  /// The same of arriving at a place during a move, times the mean length of trips.
  func arrival(
    at place: CandidatePlace, _ centre: SIMD3<Double>, _ from: SIMD3<Double>, variance: Double,
    after travelled: Double, _ move: Move
  ) -> (integral: Double, moment: Double) {
    let distance = arcLength(ofChord: centre - from)
    let variance = variance + place.centreVariance
    var (integral, moment) = (0.0, 0.0)
    for node in TravelModel.nodes {
      let time = node.fraction * move.time
      let part =
        node.weight * move.time
        * TravelModel.density(distance, variance: variance, after: travelled + time)
        * exp(
          -time / TravelModel.tripLength
            + TravelModel.logSurvival(age: 0, for: move.time - time))
      integral += part
      moment += part * time
    }
    return (integral, moment)
  }

  /// What a silence costs that is much slower than the travel beside it.
  private func persistence(_ distance: Double, _ time: Double, _ index: Int) -> Double {
    guard time >= 60 else { return 0 }
    let limit = max(240, 1.2 * time)
    var fastest = 0.0
    for neighbour in [index - 1, index + 1] where neighbour > 0 && neighbour < steps.count {
      let (a, b) = (steps[neighbour - 1], steps[neighbour])
      guard b.middle - a.middle <= limit, let from = a.mean, let to = b.mean else { continue }
      fastest = max(fastest, arcLength(ofChord: to - from) / max(1, b.middle - a.middle))
    }
    let speed = distance / time
    guard fastest > 0.7, speed < fastest else { return 0 }
    let ratio = log(max(speed, 0.02) / fastest)
    return -ratio * ratio / 2
  }

  // MARK: The path

  private func trace(_ nodes: [Node], _ places: [CandidatePlace]) -> StayPath {
    let width = places.count + 1
    let final = nodes[((steps.count - 1) * width)...]
    var state = 0
    for candidate in 0..<width
    where final[final.startIndex + candidate].score > final[final.startIndex + state].score {
      state = candidate
    }
    let logLikelihood = final[final.startIndex + state].score
    var segments: [StayPath.Segment] = []
    var last = steps.count - 1
    for index in steps.indices.reversed() {
      let node = nodes[index * width + state]
      if node.origin != state || node.hidesRest {
        segments.append(
          StayPath.Segment(
            place: state < places.count ? state : nil, epochs: index..<last + 1,
            location: state < places.count ? places[state] : nil, followsHiddenRest: node.hidesRest)
        )
        last = index - 1
      }
      state = node.origin
    }
    segments.reverse()
    return StayPath(origin: origin, segments: segments, logLikelihood: logLikelihood)
  }
}
