internal import CLocomotionMath
import LocomotionPositioning
import LocomotionSensing

extension StayInference {
  /// The end of a path at one epoch.
  struct Node {
    var score = -Double.infinity
    /// When the person arrived at the place, or set out.
    var since = 0.0
    /// The state of the epoch before: a place, their number for travel, or −1 at the beginning.
    var origin = -1
    /// Whether a rest is hidden in the silence before.
    var hidesRest = false
    /// Of travel: the last known position with its variance, and the time travelled since.
    var position: SIMD3<Double>?
    var variance = 0.0
    var travelled = 0.0
  }

  /// The most probable path.
  ///
  /// - Precondition: there are epochs.
  func viterbi(_ places: [CandidatePlace]) -> StayPath {
    let occam = places.map { 0.6 * log(2 * .pi * $0.centreVariance) }
    var first = places.indices.map { place in
      Node(
        score: emission(0, at: places[place]) + occam[place] / 0.6 + Self.restingStart
          - steps[0].motion / 2,
        since: steps[0].start)
    }
    first.append(
      Node(
        score: steps[0].motion / 2 - (beginsWithStay ? Self.leavingCost : 0),
        since: steps[0].start, position: steps[0].mean, variance: steps[0].meanVariance))
    // By epoch, the best path to each place, and to travel at the end.
    var columns = [first]
    columns.reserveCapacity(steps.count)
    for index in steps.indices.dropFirst() {
      columns.append(advanced(columns[index - 1], to: index, places, occam))
    }
    return trace(columns, places)
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

  /// One step of the recursion: what each kind of path to an epoch has in common.
  private struct Transition {
    var index: Int
    var move: Move
    /// When the move begins and ends, seconds.
    var start, end: Double
    /// Half of the epoch's ln of the likelihood ratio of travel and rest.
    var half: Double
    /// By place: Occam's term, and ln of the density of the epoch's position.
    var occam, emissions: [Double]
    /// The places whose density is not next to nothing.
    var likely: [Int]
  }

  /// ln of the probability below the best path's at which a path is given up.
  private static let leastScore = 60.0
  /// ln of the density below the likeliest place's at which no path arrives at a place.
  private static let leastEmission = 30.0

  private func advanced(
    _ column: [Node], to index: Int, _ places: [CandidatePlace], _ occam: [Double]
  ) -> [Node] {
    let move = move(to: index)
    let travelling = places.count
    let end = move.isSilent ? steps[index].start : steps[index].middle
    let best = column.reduce(-Double.infinity) { max($0, $1.score) }
    let emissions = places.map { emission(index, at: $0) }
    let likeliest = emissions.max() ?? 0
    let transition = Transition(
      index: index, move: move, start: end - move.time, end: end, half: steps[index].motion / 2,
      occam: occam, emissions: emissions,
      likely: places.indices.filter { emissions[$0] > likeliest - Self.leastEmission })
    var next = [Node](repeating: Node(), count: column.count)
    let kept = places.indices.filter { column[$0].score > best - Self.leastScore }
    // Paths that cost little to score come first: most of the others needn't be integrated.
    for place in kept { stay(at: place, column[place], transition, &next) }
    let travel = column[travelling]
    if travel.score > best - Self.leastScore {
      travelOn(from: travel, transition, travelling, &next)
      arrive(from: travel, transition, places, &next)
    }
    for place in kept {
      let node = column[place]
      leave(place, node, transition, places, &next)
      pass(from: place, node, transition, places, &next)
    }
    return next
  }

  /// Puts a path in the place of another one to the same state, if it is more probable.
  private func offer(_ score: Double, _ node: Node, to best: inout Node) {
    guard score > best.score else { return }
    best = node
    best.score = score
  }

  /// Travel that goes on, with or without a rest in the silence.
  private func travelOn(
    from travel: Node, _ transition: Transition, _ travelling: Int, _ next: inout [Node]
  ) {
    let (move, step) = (transition.move, steps[transition.index])
    let elapsed = travel.travelled + move.time
    let (from, fromVariance) = origin(of: travel, move)
    guard let from, let to = move.to else {
      offer(
        travel.score - move.time / TravelModel.tripLength + transition.half,
        Node(
          since: travel.since, origin: travelling, position: from, variance: fromVariance,
          travelled: elapsed),
        to: &next[travelling])
      return
    }
    let distance = arcLength(ofChord: to - from)
    let variance = fromVariance + move.toVariance
    var score = travel.score - move.time / TravelModel.tripLength + transition.half
    score += log(TravelModel.density(distance, variance: variance, after: elapsed))
    score += persistence(distance, elapsed, transition.index)
    offer(
      score,
      Node(
        since: travel.since, origin: travelling, position: step.mean, variance: step.meanVariance),
      to: &next[travelling])
    // A rest within the silence.
    let rest = move.time - distance / TravelModel.usualSpeed(distance)
    guard move.isSilent || travel.travelled > 0, rest >= TravelModel.shortestHiddenRest else {
      return
    }
    var integral = 0.0
    for node in TravelModel.nodes {
      let time = node.fraction * move.time
      integral +=
        node.weight * move.time * time
        * TravelModel.density(distance, variance: variance, after: travel.travelled + time)
    }
    let scale = rest + TravelModel.stayScale
    let density =
      TravelModel.stayExponent / scale
      * pow(TravelModel.stayScale / scale, TravelModel.stayExponent)
    offer(
      travel.score + log(integral / TravelModel.tripLength * density) + transition.half,
      Node(
        since: transition.end, origin: travelling, hidesRest: true, position: step.mean,
        variance: step.meanVariance),
      to: &next[travelling])
  }

  /// Where the displacement of a path in travel is measured from.
  private func origin(
    of travel: Node, _ move: Move
  ) -> (position: SIMD3<Double>?, variance: Double) {
    travel.travelled > 0
      ? (travel.position, travel.variance) : (move.from, move.fromVariance)
  }

  private func arrive(
    from travel: Node, _ transition: Transition, _ places: [CandidatePlace], _ next: inout [Node]
  ) {
    let (move, travelling) = (transition.move, places.count)
    let (from, fromVariance) = origin(of: travel, move)
    for place in transition.likely {
      let emission = transition.emissions[place]
      guard let centre = places[place].centre else {
        let score =
          travel.score + log(move.time / TravelModel.tripLength)
          + (isLocated ? Self.unlocatedArrival : 0) + emission - transition.half
        offer(
          score, Node(since: transition.start + move.time / 2, origin: travelling),
          to: &next[place])
        continue
      }
      guard let from else { continue }
      let others = travel.score + transition.occam[place] + emission - transition.half
      let (integral, moment) = arrival(
        at: places[place], centre, from, variance: fromVariance, after: travel.travelled, move,
        above: TravelModel.tripLength * exp(next[place].score - others))
      offer(
        others + log(integral / TravelModel.tripLength),
        Node(since: transition.start + moment / integral, origin: travelling),
        to: &next[place])
    }
  }

  /// A stay that goes on.
  private func stay(at place: Int, _ node: Node, _ transition: Transition, _ next: inout [Node]) {
    let survival = TravelModel.logSurvival(
      age: age(of: node, transition), for: transition.move.time)
    offer(
      node.score + survival + transition.emissions[place] - transition.half,
      Node(since: node.since, origin: place), to: &next[place])
  }

  private func age(of node: Node, _ transition: Transition) -> Double {
    max(0, transition.start - node.since)
  }

  private func leave(
    _ place: Int, _ node: Node, _ transition: Transition, _ places: [CandidatePlace],
    _ next: inout [Node]
  ) {
    let (move, step) = (transition.move, steps[transition.index])
    let age = age(of: node, transition)
    let centre = places[place].centre
    if let centre, let to = move.to {
      let least = exp(next[places.count].score - node.score - transition.half)
      let (integral, moment) = departure(
        from: places[place], centre, age: age, to, move, above: least)
      offer(
        node.score + log(integral) + transition.half,
        Node(
          since: transition.end - moment / integral, origin: place, position: step.mean,
          variance: step.meanVariance),
        to: &next[places.count])
      return
    }
    let scale = age + TravelModel.stayScale
    let isSeen = move.to != nil
    let score =
      node.score + log(TravelModel.stayExponent * move.time / (scale + move.time))
      + transition.half + (isSeen && isLocated ? Self.unlocatedArrival : 0)
    offer(
      score,
      Node(
        since: transition.end - move.time / 2, origin: place,
        position: isSeen ? step.mean : centre,
        variance: isSeen ? step.meanVariance : places[place].centreVariance,
        travelled: isSeen ? 0 : move.time / 2),
      to: &next[places.count])
  }

  /// From place to place in one silence.
  private func pass(
    from place: Int, _ node: Node, _ transition: Transition, _ places: [CandidatePlace],
    _ next: inout [Node]
  ) {
    let move = transition.move
    guard move.isSilent, let centre = places[place].centre else { return }
    let scale = age(of: node, transition) + TravelModel.stayScale
    for other in transition.likely where other != place {
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
        - 2.5 - 5 * hurry + transition.occam[other] + transition.emissions[other]
        - transition.half
      offer(score, Node(since: transition.end - slack / 2, origin: place), to: &next[other])
    }
  }

  /// The density per m² of leaving a place during a move and being where it ends, and its first
  /// moment in the time travelled; zeros if it can't be above `least`.
  func departure(
    from place: CandidatePlace, _ centre: SIMD3<Double>, age: Double, _ to: SIMD3<Double>,
    _ move: Move, above least: Double = 0
  ) -> (integral: Double, moment: Double) {
    let distance = arcLength(ofChord: to - centre)
    let variance =
      place.centreVariance + move.toVariance + place.spread * place.spread / 4
    let scale = age + TravelModel.stayScale
    let greatest = TravelModel.greatestDensity(distance, variance: variance)
    var (integral, moment) = (0.0, 0.0)
    guard greatest * move.time * TravelModel.stayExponent / scale > least else { return (0, 0) }
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
    after travelled: Double, _ move: Move, above least: Double = 0
  ) -> (integral: Double, moment: Double) {
    let distance = arcLength(ofChord: centre - from)
    let variance = variance + place.centreVariance
    let greatest = TravelModel.greatestDensity(distance, variance: variance)
    var (integral, moment) = (0.0, 0.0)
    guard greatest * move.time > least else { return (0, 0) }
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

  private func trace(_ columns: [[Node]], _ places: [CandidatePlace]) -> StayPath {
    let final = columns[columns.count - 1]
    var state = 0
    for candidate in final.indices where final[candidate].score > final[state].score {
      state = candidate
    }
    let logLikelihood = final[state].score
    var segments: [StayPath.Segment] = []
    var last = steps.count - 1
    for index in steps.indices.reversed() {
      let node = columns[index][state]
      if node.origin != state || node.hidesRest {
        segments.append(
          StayPath.Segment(
            place: state < places.count ? state : nil, epochs: index..<last + 1,
            location: state < places.count ? places[state] : nil))
        last = index - 1
      }
      state = node.origin
    }
    segments.reverse()
    return StayPath(segments: segments, logLikelihood: logLikelihood)
  }
}
