internal import CLocomotionWide

/// The power spectrum of four real signals at once, one per vector lane.
///
///     P[k] = |Σ x[n] exp(−2πi k n / N)|²,   n = 0 ..< N,   k = 0 ... N/2
///
/// Unnormalised: P sums to about N/2 times the energy Σx². Radix-4 decimation in time for real
/// input, which computes bins 0 to N/2 alone (Sorensen, Jones, Heideman, Burrus, "Real-valued fast
/// Fourier transform algorithms", IEEE ASSP 35(6), 1987).
///
/// It uses the machine's widest vectors: they hold the DFTs of every fourth value of the window,
/// all four with AVX-512, two with AVX2, which the last pass combines. For batch processing they
/// hold up to four windows side by side; result k of window w is then vector 4 k + w. In every
/// width results are the same bit for bit (`RealFourierTransformTests`).
///
/// ## Accuracy
/// |√P − √P_exact| ≤ ε (log₂N ‖x‖ + √P) per bin; at bins 0, N/4 and N/2, where a mean cancels, with
/// the highest power in place of P (`RealFourierTransformTests.matchesDirectSum`).
///
/// ## Degenerate input
/// A NaN or an infinity in a lane affects that lane alone.
///
/// Only this type of the module passes pointers to C: each is that of a span or an array and is
/// valid for one call, and the extents of what the call reads and writes are checked first.
///
/// - Complexity: O(N log N); allocates in `init` only.
public struct RealFourierTransform: Sendable {
  /// N, the number of real values that are transformed.
  public let length: Int
  /// The number of values per vector instruction: 16, 8 or 4.
  package let width: Int

  private let windows: Int
  private let tables: FourierTables
  /// N + 4 vectors for each window side by side, free for other use between two transforms, or for
  /// another transform of at most as many.
  package var memory: ContiguousArray<SIMD4<Float>> = []

  /// Prepares transforms of `length` values.
  ///
  /// - Precondition: `length` is a power of two, at least 32.
  public init(length: Int) { self.init(length: length, windows: 1, width: 16) }

  /// Prepares transforms of `windows` windows, 1 or 4, in vectors of at most `width` values, as the
  /// machine has them.
  ///
  /// - Precondition: `length` is a power of two, at least 32.
  package init(length: Int, windows: Int, width: Int, hasMemory: Bool = true) {
    precondition(
      length >= 32 && length & (length - 1) == 0,
      "expected a power of two of at least 32, got \(length)")
    precondition(windows == 4 || windows == 1, "expected one or four windows")
    self.length = length
    self.windows = windows
    self.width = unsafe Int(
      locomotion_wide_transform(Int32(width), Int32(windows)).pointee.width)
    tables = FourierTables.of(length)
    guard hasMemory else { return }
    // Four more: the C code needs 64-byte alignment, Swift's vectors may have 16 only.
    memory = ContiguousArray(
      repeating: .zero, count: (windows == 1 ? length : length * self.width / 4) + 4)
  }

  /// Writes the power spectrum of `signal` to `powers`: N/2 + 1 bins, or only the lowest ones.
  ///
  /// - Precondition: `signal.count` = N and `powers.count` ≤ N/2 + 1.
  public mutating func powers(
    of signal: Span<SIMD4<Float>>, into powers: inout MutableSpan<SIMD4<Float>>
  ) {
    precondition(signal.count == length, "expected \(length) values, got \(signal.count)")
    self.powers(of: signal, from: .zero, into: &powers)
  }

  /// Writes the lowest powers of the windows of N values of `signal` that begin at `starts`; they
  /// may overlap, or be the same.
  ///
  /// - Precondition: at most N/2 + 1 powers of each, and all windows are within `signal`.
  package mutating func powers(
    of signal: Span<SIMD4<Float>>, from starts: SIMD4<Int>,
    into powers: inout MutableSpan<SIMD4<Float>>
  ) {
    let count = rows(powers.count, atMost: length / 2 + 1)
    unsafe withInput(signal, from: starts, less: nil) { kernel, tables, input, work in
      unsafe powers.withUnsafeMutableBytes { powers in
        unsafe kernel.powers(
          tables, input, work, powers.baseAddress?.assumingMemoryBound(to: Float.self), count)
      }
    }
  }

  /// Writes two power spectra of the windows less their `means`, four per window: with a Hann
  /// window, and of the means of adjacent pairs, (x[2n] + x[2n + 1])/2, without one.
  ///
  /// One transform serves both. A Hann-windowed bin is ½ of the bin less ¼ of either neighbour, and
  /// before the last pass the DFTs of even and odd values are separate.
  ///
  /// - Precondition: at most N/2 powers and N/4 + 1 powers of pairs of each, and all windows are
  ///   within `signal`.
  package mutating func powers(
    of signal: Span<SIMD4<Float>>, from starts: SIMD4<Int>, less means: SIMD16<Float>,
    underHann powers: inout MutableSpan<SIMD4<Float>>,
    ofPairs pairPowers: inout MutableSpan<SIMD4<Float>>
  ) {
    let count = rows(powers.count, atMost: length / 2)
    let pairCount = rows(pairPowers.count, atMost: length / 4 + 1)
    unsafe withInput(signal, from: starts, less: means) { kernel, tables, input, work in
      unsafe powers.withUnsafeMutableBytes { powers in
        unsafe pairPowers.withUnsafeMutableBytes { pairPowers in
          unsafe kernel.powers_under_hann(
            tables, input, work, powers.baseAddress?.assumingMemoryBound(to: Float.self), count,
            pairPowers.baseAddress?.assumingMemoryBound(to: Float.self), pairCount)
        }
      }
    }
  }

  /// Writes the circular autocorrelations Σ x[n] x[(n + lag) mod N] of the windows with these
  /// `powers` to `products`, for lags from 0 on.
  ///
  /// The transform of the power spectrum (Wiener–Khinchin theorem). Each sum is within a few ε
  /// log₂N of Σx².
  ///
  /// - Precondition: N/2 + 1 powers and at most N/2 + 1 products of each.
  package mutating func autocorrelate(
    powers: Span<SIMD4<Float>>, into products: inout MutableSpan<SIMD4<Float>>
  ) {
    precondition(
      rows(powers.count, atMost: length / 2 + 1) == length / 2 + 1, "expected N/2 + 1 powers")
    let (count, windows) = (rows(products.count, atMost: length / 2 + 1), Int32(windows))
    unsafe withKernel { kernel, tables, work in
      unsafe powers.withUnsafeBytes { powers in
        unsafe products.withUnsafeMutableBytes { products in
          unsafe kernel.autocorrelate(
            tables, powers.baseAddress?.assumingMemoryBound(to: Float.self), windows, work,
            products.baseAddress?.assumingMemoryBound(to: Float.self), count)
        }
      }
    }
  }

  /// The number of results of each window among `count`.
  private func rows(_ count: Int, atMost limit: Int) -> Int {
    precondition(
      count <= limit * windows && count % windows == 0,
      "expected at most \(limit) results for each of \(windows) windows, got \(count)")
    return count / windows
  }

  /// Calls `body` with the windows, once all are checked to lie within `signal`.
  private mutating func withInput(
    _ signal: Span<SIMD4<Float>>, from starts: SIMD4<Int>, less means: SIMD16<Float>?,
    _ body: (
      LocomotionWideTransform, UnsafePointer<LocomotionTransformTables>,
      UnsafePointer<LocomotionWindows>, UnsafeMutablePointer<Float>
    ) -> Void
  ) {
    for window in 0..<windows {
      precondition(
        starts[window] >= 0 && starts[window] <= signal.count - length,
        "no \(length) values from \(starts[window]) on among \(signal.count)")
    }
    let count = Int32(windows)
    unsafe withKernel { kernel, tables, work in
      unsafe signal.withUnsafeBytes { bytes in
        guard let values = unsafe bytes.baseAddress?.assumingMemoryBound(to: Float.self) else {
          return
        }
        unsafe withUnsafeBytes(of: means ?? .zero) { bytes in
          let floats = unsafe bytes.baseAddress?.assumingMemoryBound(to: Float.self)
          var input = unsafe LocomotionWindows(
            windows: (
              values + 4 * starts.x, values + 4 * starts.y, values + 4 * starts.z,
              values + 4 * starts.w
            ), means: means == nil ? nil : floats, count: count)
          unsafe body(kernel, tables, &input, work)
        }
      }
    }
  }

  /// Calls `body` with the instructions of this width and the tables of this length.
  private mutating func withKernel(
    _ body: (
      LocomotionWideTransform, UnsafePointer<LocomotionTransformTables>, UnsafeMutablePointer<Float>
    ) -> Void
  ) {
    let (half, tables) = (length / 2, tables)
    let kernel = unsafe locomotion_wide_transform(Int32(width), Int32(windows)).pointee
    typealias Twiddle = FourierTables.Twiddle
    precondition(
      MemoryLayout<Twiddle>.stride == 24 * MemoryLayout<Float>.stride, "twiddle factors have gaps")
    precondition(
      memory.count >= (windows == 1 ? length : length * self.width / 4) + 4, "no memory")
    unsafe memory.withUnsafeMutableBytes { work in
      guard let work = unsafe work.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
      unsafe tables.blocks.withUnsafeBufferPointer { blocks in
        unsafe tables.places.withUnsafeBufferPointer { places in
          unsafe tables.twiddles.withUnsafeBytes { twiddles in
            unsafe tables.lastTwiddles.withUnsafeBytes { lastTwiddles in
              var tables = unsafe LocomotionTransformTables(
                half: half, blocks: blocks.baseAddress,
                twiddles: twiddles.baseAddress?.assumingMemoryBound(to: Float.self),
                last_twiddles: lastTwiddles.baseAddress?.assumingMemoryBound(to: Float.self),
                places: places.baseAddress)
              unsafe body(kernel, &tables, work)
            }
          }
        }
      }
    }
  }
}
