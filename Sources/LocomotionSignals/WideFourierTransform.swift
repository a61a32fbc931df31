internal import CLocomotionWide

/// The transforms of ``RealFourierTransform`` for four windows at once, for batch processing.
///
/// A vector of sixteen values holds channel c of window w in lane 4 w + c. The machine's widest
/// instructions process it: in one piece with AVX-512, in halves with AVX2, else in quarters.
/// The results are those of ``RealFourierTransform`` bit for bit (`WideFourierTransformTests`).
///
/// Only this type of the module passes pointers to C: each is that of a span or an array and is
/// valid for one call, and the extents of what the call reads and writes are checked first.
///
/// - Complexity: O(N log N); allocates in `init` only.
package struct WideFourierTransform: Sendable {
  /// N, the number of real values that are transformed.
  package let length: Int

  /// The number of values per vector instruction: 16, 8 or 4.
  package let width: Int

  private let tables: RealFourierTransform.Tables
  private var work: [SIMD16<Float>]

  /// Prepares transforms of `length` values in vectors of at most `width`, as the machine has them.
  ///
  /// - Precondition: `length` is a power of two, at least 32.
  package init(length: Int, width: Int = 16) {
    precondition(
      length >= 32 && length & (length - 1) == 0,
      "expected a power of two of at least 32, got \(length)")
    self.length = length
    self.width = unsafe Int(locomotion_wide_transform(Int32(width)).pointee.width)
    tables = RealFourierTransform.Tables.of(length)
    // One more: the C code needs 64-byte alignment, Swift's vectors may have 16 only.
    work = Array(repeating: .zero, count: length + 1)
  }

  /// Writes the lowest `powers.count` powers of four windows of N values of `signal`.
  ///
  /// The windows begin at `starts`; they may overlap, or be the same.
  ///
  /// - Precondition: at most N/2 + 1 powers, and all windows are within `signal`.
  package mutating func powers(
    of signal: Span<SIMD4<Float>>, from starts: SIMD4<Int>,
    into powers: inout MutableSpan<SIMD16<Float>>
  ) {
    precondition(powers.count <= length / 2 + 1, "no \(powers.count) powers of \(length) values")
    let count = powers.count
    unsafe withInput(signal, from: starts, less: nil) {
      kernel, tables, input, work in
      unsafe powers.withUnsafeMutableBytes { powers in
        unsafe kernel.powers(
          tables, input, work, powers.baseAddress?.assumingMemoryBound(to: Float.self), count)
      }
    }
  }

  /// Writes two power spectra of each of four windows of N values of `signal`, less their means:
  /// with a Hann window, and of the means of adjacent pairs.
  ///
  /// The windows begin at `starts`; they may overlap, or be the same.
  ///
  /// - Precondition: at most N/2 powers and N/4 + 1 powers of pairs, and all windows are within
  ///   `signal`.
  package mutating func powers(
    of signal: Span<SIMD4<Float>>, from starts: SIMD4<Int>, less means: SIMD16<Float>,
    underHann powers: inout MutableSpan<SIMD16<Float>>,
    ofPairs pairPowers: inout MutableSpan<SIMD16<Float>>
  ) {
    precondition(powers.count <= length / 2, "no \(powers.count) powers of \(length) values")
    precondition(
      pairPowers.count <= length / 4 + 1, "no \(pairPowers.count) powers of pairs of \(length)")
    let (count, pairCount) = (powers.count, pairPowers.count)
    unsafe withInput(signal, from: starts, less: means) {
      kernel, tables, input, work in
      unsafe powers.withUnsafeMutableBytes { powers in
        unsafe pairPowers.withUnsafeMutableBytes { pairPowers in
          unsafe kernel.powers_under_hann(
            tables, input, work, powers.baseAddress?.assumingMemoryBound(to: Float.self), count,
            pairPowers.baseAddress?.assumingMemoryBound(to: Float.self), pairCount)
        }
      }
    }
  }

  /// Writes the circular autocorrelations Σ x[n] x[(n + lag) mod N] of four windows with these
  /// `powers`, for lags from 0 on.
  ///
  /// - Precondition: `powers.count` = N/2 + 1 and `products.count` ≤ N/2 + 1.
  package mutating func autocorrelate(
    powers: Span<SIMD16<Float>>, into products: inout MutableSpan<SIMD16<Float>>
  ) {
    precondition(powers.count == length / 2 + 1, "expected N/2 + 1 powers, got \(powers.count)")
    precondition(products.count <= length / 2 + 1, "no \(products.count) lags of \(length)")
    let count = products.count
    unsafe withKernel { kernel, tables, work in
      unsafe powers.withUnsafeBytes { powers in
        unsafe products.withUnsafeMutableBytes { products in
          unsafe kernel.autocorrelate(
            tables, powers.baseAddress?.assumingMemoryBound(to: Float.self), work,
            products.baseAddress?.assumingMemoryBound(to: Float.self), count)
        }
      }
    }
  }

  /// Calls `body` with four windows of N values, once all are checked to lie within `signal`.
  private mutating func withInput(
    _ signal: Span<SIMD4<Float>>, from starts: SIMD4<Int>, less means: SIMD16<Float>?,
    _ body: (
      LocomotionWideTransform, UnsafePointer<LocomotionTransformTables>,
      UnsafePointer<LocomotionTransformInput>, UnsafeMutablePointer<Float>
    ) -> Void
  ) {
    for lane in 0..<4 {
      precondition(
        starts[lane] >= 0 && starts[lane] <= signal.count - length,
        "no \(length) values from \(starts[lane]) on among \(signal.count)")
    }
    unsafe withKernel { kernel, tables, work in
      unsafe signal.withUnsafeBytes { bytes in
        guard let values = unsafe bytes.baseAddress?.assumingMemoryBound(to: Float.self) else {
          return
        }
        unsafe withUnsafeBytes(of: means ?? .zero) { bytes in
          let floats = unsafe bytes.baseAddress?.assumingMemoryBound(to: Float.self)
          var input = unsafe LocomotionTransformInput(
            windows: (
              values + 4 * starts.x, values + 4 * starts.y, values + 4 * starts.z,
              values + 4 * starts.w
            ), means: means == nil ? nil : floats)
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
    let (half, width, tables) = (length / 2, width, tables)
    typealias Twiddles = RealFourierTransform.Tables.Radix4Twiddles
    precondition(
      MemoryLayout<Twiddles>.stride == 24 * MemoryLayout<Float>.stride, "turns have gaps")
    unsafe work.withUnsafeMutableBytes { work in
      guard let work = unsafe work.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
      unsafe tables.digitReversal.withUnsafeBufferPointer { digitReversal in
        unsafe tables.binPositions.withUnsafeBufferPointer { binPositions in
          unsafe tables.twiddles.withUnsafeBytes { twiddles in
            unsafe tables.lastTwiddles.withUnsafeBytes { lastTwiddles in
              var tables = unsafe LocomotionTransformTables(
                half: half, digit_reversal: digitReversal.baseAddress,
                twiddles: twiddles.baseAddress?.assumingMemoryBound(to: Float.self),
                last_twiddles: lastTwiddles.baseAddress?.assumingMemoryBound(to: Float.self),
                bin_positions: binPositions.baseAddress)
              unsafe body(locomotion_wide_transform(Int32(width)).pointee, &tables, work)
            }
          }
        }
      }
    }
  }
}
