package import Locomotion
package import LocomotionMap

/// The result of the analysis of one recording, from which the reports are made.
package struct AnalysisResult: Sendable {
  /// What a device measured over time, as a heart rate.
  package typealias Measured = (
    name: String, unit: String, values: [(time: Timestamp, value: Float)]
  )

  /// The name of the recording; reports escape it.
  var name: String
  /// One sample per second in time order; seconds without data may be missing.
  package private(set) var samples: [ReportSample]
  /// The stays, trips and gaps that tile the time of the samples.
  package var items: [TimelineItem]
  /// Values about the quality of the data, in the order in which they are shown.
  package var diagnostics: [(name: String, value: String)]

  /// What is in doubt about a leg: its start, and words that reports escape.
  package var doubt: (start: Timestamp, text: String)?
  /// Whose journal it is from; nil for a recording.
  package var user: String?
  /// The corrections that its items have, as a page's file holds them; nil for none.
  package var corrections: PageValue?
  /// What the device measured beside motion, in the order of time: a name, a unit and its values.
  package var measured: [Measured] = []
  /// The laps of the device, in order.
  package var laps: [(start: Timestamp, distance: Double, seconds: Double)] = []
  /// The routes of legs on a map, by the starts of the legs.
  package internal(set) var routes: [Timestamp: RouteMatcher.Route] = [:]
  /// The names of its tracks by their first instants.
  package var names: [Timestamp: String] = [:]
  /// The time zone, the clock and the units in which it is told.
  package var locale = ReportLocale()

  /// A result from its parts; samples that begin before the end of an earlier one are left out.
  package init(
    name: String, samples: [LocomotionSample], items: [TimelineItem],
    diagnostics: [(name: String, value: String)] = []
  ) {
    self.init(
      name: name, seconds: samples.map { ReportSample($0) }, items: items,
      diagnostics: diagnostics)
  }

  /// A result from its parts; seconds that begin before the end of an earlier one are left out.
  init(
    name: String, seconds: consuming [ReportSample], items: [TimelineItem],
    diagnostics: [(name: String, value: String)] = []
  ) {
    self.name = name
    self.items = items
    self.diagnostics = diagnostics
    var last = Timestamp(nanoseconds: .min)
    seconds.removeAll { sample in
      guard sample.start >= last, sample.end > sample.start else { return true }
      last = sample.end
      return false
    }
    samples = consume seconds
    self.diagnostics += Self.expectations(of: samples)
  }

  /// The start of the timeline or else of the samples; 0 when there is neither.
  package var start: Timestamp {
    items.first?.start ?? samples.first?.start ?? Timestamp(nanoseconds: 0)
  }

  /// The end of the timeline or else of the samples.
  package var end: Timestamp { items.last?.end ?? samples.last?.end ?? start }

  /// What tells the recording from others: a hash of its first and its last second, and where its
  /// clock isn't the Unix clock also of the number of its seconds and of where it begins, to a
  /// thousandth of a degree.
  ///
  /// FNV-1a (Fowler, Noll, Vo; RFC 9923), 64 bits. A later version that reads the same seconds
  /// gives the same.
  package var identity: String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    var numbers = [start, end].map { $0.interval(of: 1_000_000_000) }
    if !ReportClock(self).isCivil {
      let place = samples.lazy.compactMap { $0.location }.first
      let degrees = [place?.latitude, place?.longitude].map { Int64((($0 ?? 0) * 1_000).rounded()) }
      numbers += [Int64(samples.count)] + degrees
    }
    for second in numbers.map({ UInt64(bitPattern: $0) }) {
      for shift in stride(from: UInt64(0), to: 64, by: 8) {
        hash = (hash ^ (second >> shift & 0xFF)) &* 0x100_0000_01b3
      }
    }
    return String(hash, radix: 16)
  }

  /// Takes other items, in whose corrected legs the seconds are what the person said.
  package mutating func correct(to items: [TimelineItem]) {
    self.items = items
    for leg in items.flatMap({ $0.legs }) where leg.isCorrected {
      guard let activity = leg.activity else { continue }
      for index in firstIndex(from: leg.start)..<firstIndex(from: leg.end)
      where samples[index].end <= leg.end {
        samples[index].correct(to: activity)
      }
    }
  }

  /// The names of the tracks that begin in its time, in order; of more than three none.
  var trackNames: [String] {
    // A second of the samples may begin after its first fix.
    let own = names.filter { $0.key.seconds(since: start) > -1 && $0.key < end }
      .sorted { $0.key < $1.key }
    let different = own.reduce(into: [name]) { names, track in
      if !names.contains(track.value) { names.append(track.value) }
    }
    return different.count <= 4 ? Array(different.dropFirst()) : []
  }

  func samples(from start: Timestamp, to end: Timestamp) -> ArraySlice<ReportSample> {
    samples[firstIndex(from: start)..<firstIndex(from: max(start, end))]
  }

  /// The index of the first sample that begins at `instant` or later, by binary search.
  package func firstIndex(from instant: Timestamp) -> Int {
    samples.partitioningIndex { $0.start >= instant }
  }
}
