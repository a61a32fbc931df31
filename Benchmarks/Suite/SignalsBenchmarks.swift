import BenchmarkHarness
import LocomotionSignals
import SensorSimulator

/// Rings, resampling, and spectra.
enum SignalsBenchmarks {
  static func items() -> [Suite.Item] {
    let all = [4, 8, 16]
    let widths = all.filter { RealFourierTransform(length: 32, windows: 4, width: $0).width == $0 }
    let entries =
      [ring(), window(), resampler(), levels()]
      + [256, 512, 1024].flatMap { [transform(length: $0), wide(length: $0)] }
      + widths.flatMap { [wide(length: 512, width: $0), hann(length: 512, width: $0)] }
    return entries.map { .entry($0) }
  }

  /// One second at 100 Hz is appended to a ring of ten.
  private static func ring() -> Entry {
    Entry("Signals/SampleRing.append", items: 100, unit: "samples") {
      var ring = SampleRing(capacity: 1000)
      return {
        for index in 0..<100 { ring.append(SIMD4(repeating: Float(index))) }
        blackHole(ring.count)
      }
    }
  }

  private static func window() -> Entry {
    Entry("Signals/SampleRing.withLatest", items: 512, unit: "samples") {
      let ring = filledRing(capacity: 1000)
      return {
        let sum = ring.withLatest(512) { window in
          var sum = SIMD4<Float>.zero
          for index in window.indices { sum += window[index] }
          return sum
        }
        blackHole(sum.x)
      }
    }
  }

  /// A minute at 100 Hz with jitter, resampled to the 100 Hz grid, repeatedly.
  private static func resampler() -> Entry {
    Entry("Signals/UniformResampler.appendRun", items: 6000, unit: "samples") {
      let series = Scenario(seed: 1).walk(.minutes(1)).recording().wholeBatch().accelerations
      var resampler = UniformResampler(capacity: 1000)
      return {
        resampler.reset()
        for index in 0..<2 {
          _ = resampler.take(
            x: series.x[index], y: series.y[index], z: series.z[index],
            at: series.timestamps[index])
        }
        let taken = resampler.appendRun(
          of: series, from: 2, before: Timestamp(nanoseconds: .max))
        blackHole(taken)
      }
    }
  }

  private static func levels() -> Entry {
    Entry("Signals/AccelerationLevels", items: 100, unit: "samples") {
      let ring = filledRing(capacity: 100)
      return {
        let levels = ring.withLatest(100) { AccelerationLevels(window: $0, newest: 100) }
        blackHole(levels?.total ?? 0)
      }
    }
  }

  private static func transform(length: Int) -> Entry {
    Entry("Signals/RealFourierTransform.\(length)", items: 4 * length, unit: "values") {
      let ring = filledRing(capacity: length)
      var transform = RealFourierTransform(length: length)
      var powers = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: length / 2 + 1)
      return {
        ring.withLatest(length) { window in
          var output = powers.mutableSpan
          transform.powers(of: window, into: &output)
        }
        blackHole(powers[1].x)
      }
    }
  }

  /// Four windows of a grid, a second apart, in the widest vectors or in vectors of `width` values.
  private static func wide(length: Int, width: Int? = nil) -> Entry {
    let name = "Signals/RealFourierTransform.\(length) of four" + (width.map { " by \($0)" } ?? "")
    return Entry(name, items: 4 * 4 * length, unit: "values") {
      let ring = filledRing(capacity: length + 300)
      var transform = RealFourierTransform(length: length, windows: 4, width: width ?? 16)
      var powers = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: 4 * (length / 2 + 1))
      return {
        ring.withLatest(length + 300) { signal in
          var output = powers.mutableSpan
          transform.powers(of: signal, from: SIMD4(0, 100, 200, 300), into: &output)
        }
        blackHole(powers[1].x)
      }
    }
  }

  /// The transforms of four windows as the features use them, under a Hann window.
  private static func hann(length: Int, width: Int) -> Entry {
    Entry(
      "Signals/RealFourierTransform.\(length) of four under Hann by \(width)",
      items: 4 * 4 * length, unit: "values"
    ) {
      let ring = filledRing(capacity: length + 300)
      var transform = RealFourierTransform(length: length, windows: 4, width: width)
      var powers = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: 4 * (length * 77 / 512))
      var pairs = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: 4 * (length / 4 + 1))
      return {
        ring.withLatest(length + 300) { signal in
          var first = powers.mutableSpan
          var second = pairs.mutableSpan
          transform.powers(
            of: signal, from: SIMD4(0, 100, 200, 300), less: .zero, underHann: &first,
            ofPairs: &second)
        }
        blackHole(powers[1].x + pairs[1].x)
      }
    }
  }
}
