import Foundation
import Locomotion
import SensorSimulator
import TestSupport

/// Everything that a pipeline says of some batches.
func run(
  _ batches: some Sequence<SensorBatch>, through pipeline: LocomotionPipeline = .init()
) -> LocomotionOutput {
  var pipeline = pipeline
  var output = LocomotionOutput()
  for batch in batches { pipeline.ingest(batch, into: &output) }
  pipeline.finish(into: &output)
  return output
}

/// The samples of some batches in hindsight.
func hindsight(of batches: some Sequence<SensorBatch>) -> [LocomotionSample] {
  let output = run(batches)
  var samples = output.samples
  Hindsight.smooth(&samples, reports: output.fixes)
  return samples
}

/// What is broken of the laws of a stage by a pipeline that is told these events.
func checkPipeline(_ events: [Event]) -> [String] {
  checkStage(
    LocomotionPipeline(), events, into: LocomotionOutput(), finish: { $0.finish(into: &$1) }
  ) {
    $0.ingest(SensorBatch($1), into: &$2)
  }
}

/// The output as bytes, in which every bit of every number counts.
func bytes(of output: LocomotionOutput) -> [UInt8] { archived(output) }

/// One event of a batch, for cutting and damaging streams event by event.
enum Event {
  case acceleration(Acceleration, Timestamp)
  case rotation(RotationRate, Timestamp)
  case pressure(Float, Timestamp)
  case fix(LocationFix)

  func append(to batch: inout SensorBatch) {
    switch self {
    case .acceleration(let value, let time): batch.append(value, at: time)
    case .rotation(let value, let time): batch.append(value, at: time)
    case .pressure(let value, let time): batch.append(pressure: value, at: time)
    case .fix(let fix): batch.append(fix)
    }
  }
}

extension SensorBatch {
  /// A batch of some events.
  init(_ events: some Sequence<Event>) {
    self.init()
    for event in events { event.append(to: &self) }
  }
}

/// The events of a batch in the order that a batch stands for.
func events(of batch: SensorBatch) -> [Event] {
  var events: [Event] = []
  let (a, r, f) = (batch.accelerations, batch.rotationRates, batch.fixes)
  let p = batch.pressures
  var (i, j, k, l) = (0, 0, 0, 0)
  while i < a.count || j < r.count || k < f.count || l < p.count {
    // A time that is later than the next one of its sensor takes that one's turn.
    let nextA = a.timestamps[i...].prefix(2).min()
    let nextR = r.timestamps[j...].prefix(2).min()
    let nextF = f[k...].prefix(2).map(\.timestamp).min()
    let nextP = p.timestamps[l...].prefix(2).min()
    if let nextF, nextF <= nextA ?? nextF, nextF <= nextR ?? nextF, nextF <= nextP ?? nextF {
      events.append(.fix(f[k]))
      k += 1
    } else if let nextA, nextA <= nextR ?? nextA, nextA <= nextP ?? nextA {
      events.append(
        .acceleration(Acceleration(x: a.x[i], y: a.y[i], z: a.z[i]), a.timestamps[i]))
      i += 1
    } else if let nextP, nextP < nextR ?? .distant {
      events.append(.pressure(p.hectopascals[l], p.timestamps[l]))
      l += 1
    } else {
      events.append(.rotation(RotationRate(x: r.x[j], y: r.y[j], z: r.z[j]), r.timestamps[j]))
      j += 1
    }
  }
  return events
}

/// The accelerations of a walk with 1.9 steps a second.
func walk(_ range: Range<Double>, rate: Double = 100) -> SensorBatch {
  var batch = SensorBatch()
  let first = Int((range.lowerBound * rate).rounded())
  let end = Int((range.upperBound * rate).rounded())
  for index in first..<end {
    let seconds = Double(index) / rate
    let phase = 2 * Double.pi * 1.9 * seconds
    batch.append(
      Acceleration(x: Float(2 * sin(phase / 2)), y: 0.3, z: Float(9.81 + 3 * cos(phase))),
      at: .at(seconds))
  }
  return batch
}

/// Batches of 0 to `largest` events each, cut at places that depend on `seed`.
func cut(_ events: [Event], seed: UInt64, largest: Int) -> [SensorBatch] {
  var generator = SplitMix64(seed: seed)
  var batches: [SensorBatch] = []
  var next = events.startIndex
  while next < events.endIndex {
    let end = min(events.endIndex, next + Int.random(in: 0...largest, using: &generator))
    batches.append(SensorBatch(events[next..<end]))
    next = end
  }
  return batches
}

extension Timestamp {
  fileprivate static let distant = Timestamp(nanoseconds: .max)
}

/// What a value stores, property by property, by reflection: none is forgotten when a type gets a
/// new one.
struct StoredFields {
  /// A text for each stored value, by its path from the whole.
  private var texts: [String: String] = [:]
  /// The property that a path ends with, as "Type.property".
  private var properties: [String: String] = [:]

  /// What `value` stores, but for settings and for what `omitted` names as "Type.property".
  init(of value: Any, omitting omitted: Set<String>) {
    add(value, at: "", of: "", omitting: omitted)
  }

  /// All properties.
  var allProperties: Set<String> { Set(properties.values) }

  /// The properties of which a value differs from that at the same path of `other`.
  func differences(from other: StoredFields) -> Set<String> {
    let paths = Set(texts.keys).union(other.texts.keys).filter { texts[$0] != other.texts[$0] }
    return Set(paths.compactMap { properties[$0] ?? other.properties[$0] })
  }

  private mutating func add(
    _ value: Any, at path: String, of property: String, omitting omitted: Set<String>
  ) {
    let mirror = Mirror(reflecting: value)
    if let ring = value as? SampleRing {
      // Its memory also holds what the window has left behind.
      texts[path] = ring.withLatest(ring.count) { cells in
        "\(ring.capacity)" + cells.indices.map { " \(cells[$0])" }.joined()
      }
      properties[path] = property
    } else if mirror.children.isEmpty || value is any SIMD {
      texts[path] = "\(value)"
      properties[path] = property
    } else if mirror.displayStyle == .optional {
      for child in mirror.children {
        add(child.value, at: path, of: property, omitting: omitted)
      }
    } else {
      for (index, child) in mirror.children.enumerated() {
        let name = child.label.map { "\(mirror.subjectType).\($0)" }
        if child.label == "settings" || name.map(omitted.contains) ?? false { continue }
        add(
          child.value, at: "\(path).\(child.label ?? "\(index)")", of: name ?? property,
          omitting: omitted)
      }
    }
  }
}
