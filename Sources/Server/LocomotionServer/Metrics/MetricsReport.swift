import Foundation

/// What an operator watches of a collector, gathered when it is asked for.
struct MetricsReport {
  /// The user to whom it is told.
  let reader: String
  let metrics: CollectMetrics
  let readings: HTTPReadings
  let derivation: ArchiveDerivation
  let connections: ArchiveConnections
  let objects: CountedObjectStore
  /// The tokens of an issuer; nil where a file has the tokens themselves.
  let tokens: IssuedTokens?

  /// The figures in the text form of Prometheus.
  var text: String {
    var text = MetricsText()
    let counts = metrics.counts
    addRequests(counts, to: &text)
    addReadings(to: &text)
    addDerivation(counts, to: &text)
    addFailures(counts, to: &text)
    addProcess(to: &text)
    return text.text
  }

  private func addRequests(_ counts: CollectMetrics.Counts, to text: inout MetricsText) {
    text.add(
      "locomotion_requests_total", .counter, "Requests that were answered.",
      counts.requests.sorted { $0.key < $1.key }.map { ($0.key.labels, Double($0.value)) })
    text.add(
      "locomotion_units_total", .counter, "Units that were acknowledged.",
      [
        ("result=\"stored\"", Double(counts.stored)), ("result=\"known\"", Double(counts.known)),
      ])
    text.add(
      "locomotion_units_bytes_total", .counter, "Bytes of the units that were stored.",
      Double(counts.bytes))
    text.add(
      "locomotion_units_refused_total", .counter, "Units that were read and not taken.",
      counts.refused.sorted { $0.key < $1.key }.map { ("reason=\"\($0.key)\"", Double($0.value)) }
    )
  }

  private func addReadings(to text: inout MetricsText) {
    let states = HTTPLane.allCases.map { ("lane=\"\($0)\"", readings.state(of: $0)) }
    text.add(
      "locomotion_readers_busy", .gauge, "Readers that are at work.",
      states.map { ($0.0, Double($0.1.busy)) })
    text.add(
      "locomotion_requests_waiting", .gauge, "Requests that wait for a reader.",
      states.map { ($0.0, Double($0.1.waiting)) })
    text.add(
      "locomotion_requests_oldest_seconds", .gauge,
      "Age of the oldest request that waits or is at a reader.",
      states.map { ($0.0, $0.1.oldest) })
  }

  private func addDerivation(_ counts: CollectMetrics.Counts, to text: inout MetricsText) {
    let now = ContinuousClock.now
    let backlog = derivation.backlog
    let running = counts.derivationStart.map { (now - $0) / .seconds(1) } ?? 0
    text.add(
      "locomotion_derivation_waiting", .gauge, "Devices whose days wait to be derived.",
      Double(backlog.devices))
    text.add(
      "locomotion_derivation_oldest_seconds", .gauge,
      "Longest time for which a device waits, or the derivation that runs has taken.",
      max(backlog.seconds, running))
    text.add(
      "locomotion_derivation_seconds_sum", .counter, "Time that derivations have taken.",
      counts.derivationSeconds)
    text.add(
      "locomotion_derivation_seconds_count", .counter, "Derivations that have ended.",
      Double(counts.derivations))
  }

  private func addFailures(_ counts: CollectMetrics.Counts, to text: inout MetricsText) {
    text.add(
      "locomotion_failures_total", .counter,
      "Failures of what the collector needs, and of derivations.",
      [
        ("part=\"database\"", Double(connections.failureCount)),
        ("part=\"derivation\"", Double(counts.derivationFailures)),
        ("part=\"objects\"", Double(objects.failureCount)),
        ("part=\"token-keys\"", Double(tokens?.failureCount ?? 0)),
      ])
  }

  private func addProcess(to text: inout MetricsText) {
    if let bytes = Self.residentBytes {
      text.add(
        "process_resident_memory_bytes", .gauge, "Memory of the process.", Double(bytes))
    }
    text.add(
      "process_start_time_seconds", .gauge, "When the process was started, since 1970.",
      metrics.start)
  }

  /// The resident memory of this process, as Linux tells it.
  private static var residentBytes: Int? {
    let status = FileManager.default.contents(atPath: "/proc/self/status")
    let lines = String(decoding: status ?? Data(), as: UTF8.self).split(separator: "\n")
    let words = lines.first { $0.hasPrefix("VmRSS:") }?.split { $0 == " " || $0 == "\t" }
    return words.flatMap { $0.count > 1 ? Int($0[1]) : nil }.map { 1_024 * $0 }
  }
}
