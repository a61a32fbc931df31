internal import LocomotionSensing

/// The fixes of an input of several devices, of which one was where the person was.
///
/// Of the device with the most fixes all are kept; of another one those that are not within the
/// time of such a device, or half an hour of it: a phone that replaced another one goes on.
struct DeviceChoice {
  private static let margin: Int64 = 1_800_000_000_000
  /// The fixes that are kept, in the order of the input.
  private(set) var fixes: [LocationFix] = []
  /// The index of the first of them of each recording.
  private(set) var starts: [Int] = []
  /// The number of the others.
  private(set) var leftOut = 0
  /// What was left out, for the user.
  private(set) var notes: [String] = []

  /// Chooses among the fixes of recordings, each with its device and the index of its first fix.
  init(_ all: [LocationFix], _ recordings: [(name: String, device: String, fix: Int)]) {
    let ends = recordings.dropFirst().map { $0.fix } + [all.count]
    var devices: [String: (name: String, count: Int, first: Timestamp, last: Timestamp)] = [:]
    for (recording, end) in zip(recordings, ends) {
      for time in all[recording.fix..<end].map({ $0.timestamp }) {
        var known = devices[recording.device] ?? (recording.name, 0, time, time)
        known.count += 1
        (known.first, known.last) = (min(known.first, time), max(known.last, time))
        devices[recording.device] = known
      }
    }
    let order = devices.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    var before: [String: [ClosedRange<Timestamp>]] = [:]
    var spans: [ClosedRange<Timestamp>] = []
    for (device, known) in order {
      before[device] = spans
      spans.append(
        known.first.advanced(
          byNanoseconds: -Self.margin)...known.last.advanced(byNanoseconds: Self.margin))
    }
    var lost: [String: Int] = [:]
    for (recording, end) in zip(recordings, ends) {
      starts.append(fixes.count)
      let taken = before[recording.device] ?? []
      for fix in all[recording.fix..<end] {
        if taken.contains(where: { $0.contains(fix.timestamp) }) {
          lost[recording.device, default: 0] += 1
        } else {
          fixes.append(fix)
        }
      }
    }
    for (device, known) in order {
      guard let count = lost[device], let first = order.first else { continue }
      leftOut += count
      notes.append(
        "'\(known.name)' is of another device than '\(first.value.name)', which has more fixes, "
          + "and some of the same time: left out \(count)")
    }
  }
}

/// The devices of a file in which rows of several take turns: each takes a pass over the file.
struct DevicePasses {
  /// The devices in the order of their first rows.
  private(set) var devices: [String] = []
  private(set) var pass = 0

  /// The limit for devices, each of which takes a pass.
  private static let most = 100

  /// The device of this pass, once a row of it was met.
  var device: String? { pass < devices.count ? devices[pass] : nil }

  /// Whether a row belongs to this pass; one of no device, to the first.
  mutating func isOwn(_ device: String) -> Bool {
    guard !device.isEmpty else { return pass == 0 }
    if !devices.contains(device), devices.count < Self.most { devices.append(device) }
    return devices.firstIndex(of: device) ?? 0 == pass
  }

  /// Goes to the next device; false when there is none.
  mutating func advance() -> Bool {
    pass += 1
    return pass < devices.count
  }

  /// The recording of this pass: of the first device it has the name of the file.
  func recording(_ recording: ImportedRecording) -> ImportedRecording {
    guard pass > 0, let device else { return recording }
    var other = recording
    other.name += "_" + device
    other.device = device
    return other
  }
}
