package import LocomotionSensing

/// Checks the laws that every stage of the stream keeps.
///
/// - Any cut of the events gives the same bytes, of the output as of the state.
/// - A stage that is saved and restored goes on as if it had not been.
/// - A copy is a snapshot: it goes on as the original did.
/// - A stage that is reset is a new one.
/// - A state that is shorter or longer is refused; one with changed bytes is refused or goes on,
///   and never traps.
///
/// - Parameters:
///   - fresh: The stage before its first event.
///   - events: The events; some hundreds show more than some thousands of one kind.
///   - nothing: An output to which nothing was appended.
///   - largest: The largest parts of each cut; parts have 0 to so many events.
///   - finish: Ends the stream, after its last event.
///   - reset: Makes the stage forget its events; nil where it keeps some, such as counts.
///   - ingest: Appends to the output what the stage answers to some events.
/// - Returns: What is broken of them.
package func checkStage<Stage: StateArchivable, Event, Output: StateArchivable>(
  _ fresh: Stage, _ events: [Event], into nothing: Output, largest: [Int] = [1, 13, 900],
  finish: (inout Stage, inout Output) -> Void = { _, _ in },
  reset: ((inout Stage) -> Void)? = nil,
  ingest: (inout Stage, ArraySlice<Event>, inout Output) -> Void
) -> [String] {
  func answers(
    _ stage: Stage, _ output: Output, _ parts: some Sequence<ArraySlice<Event>>
  ) -> [UInt8] {
    var (stage, output) = (stage, output)
    for part in parts { ingest(&stage, part, &output) }
    finish(&stage, &output)
    return archived(stage) + archived(output)
  }
  var broken: [String] = []
  var generator = SplitMix64(seed: UInt64(events.count))
  let expected = answers(fresh, nothing, [events[...]])
  for largest in largest {
    let parts = cut(events[...], largest: largest, &generator)
    var (stage, output) = (fresh, nothing)
    var (snapshot, snapshotOutput) = (fresh, nothing)
    // A state for every few events and parts, whatever their number.
    let period = max(parts.count / 32, 1)
    for (index, part) in parts.enumerated() {
      if index % period == period / 2 {
        guard let same = try? restored(fresh, from: stage) else {
          return broken + ["parts of up to \(largest): the state before part \(index) is refused"]
        }
        stage = same
      }
      if index == parts.count / 2 { (snapshot, snapshotOutput) = (stage, output) }
      ingest(&stage, part, &output)
    }
    let rest = parts[(parts.count / 2)...]
    finish(&stage, &output)
    if archived(stage) + archived(output) != expected {
      let isCut = answers(fresh, nothing, parts) != expected
      broken.append("parts of up to \(largest): \(isCut ? "the cut" : "restoring") changes bytes")
    } else if answers(snapshot, snapshotOutput, rest) != expected {
      broken.append("parts of up to \(largest): a copy goes on otherwise")
    }
  }

  let half = events.count / 2
  var stage = fresh
  var ignored = nothing
  ingest(&stage, events[..<half], &ignored)
  let state = archived(stage)
  if let reset {
    reset(&stage)
    if answers(stage, nothing, [events[...]]) != expected {
      broken.append("a stage that was reset goes on otherwise than a new one")
    }
  }
  for count in [0, state.count - 1, state.count + 1] + (0..<30).map({ $0 * state.count / 30 })
  where count >= 0 && (try? restored(fresh, from: Array((state + [0]).prefix(count)))) != nil {
    broken.append("a state of \(count) of \(state.count) bytes is taken")
  }
  for _ in 0..<300 {
    var bytes = state
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let place = Int.random(in: bytes.indices, using: &generator)
      let value = UInt8.random(in: 0...255, using: &generator)
      for index in place..<min(place + [1, 8][Int(value) % 2], bytes.count) {
        bytes[index] = value == 255 ? 255 : bytes[index] ^ value
      }
    }
    guard var damaged = try? restored(fresh, from: bytes) else { continue }
    var output = nothing
    ingest(&damaged, events[half...].prefix(20), &output)
    finish(&damaged, &output)
  }
  return broken
}

/// Parts of 0 to `largest` events.
private func cut<Event>(
  _ events: ArraySlice<Event>, largest: Int, _ generator: inout SplitMix64
) -> [ArraySlice<Event>] {
  var parts: [ArraySlice<Event>] = []
  var rest = events
  while !rest.isEmpty {
    let part = rest.prefix(Int.random(in: 0...largest, using: &generator))
    parts.append(part)
    rest = rest.dropFirst(part.count)
  }
  return parts
}
