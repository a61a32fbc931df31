internal import CLocomotionWide

/// What ``RealFourierTransform`` does to one window, done to four at once, for work in batches.
///
/// A vector of sixteen values holds channel c of window w in lane 4 w + c. The machine's widest
/// instructions work on it: on all of it with AVX-512, on half of it with AVX2, else on a quarter.
/// The results are those of ``RealFourierTransform`` bit for bit (`WideFourierTransformTests`).
///
/// Here alone pointers are handed to C: each is that of a span or an array and lives for one call,
/// and what the call reads and writes behind it is checked first.
///
/// - Complexity: O(N log N); allocates in `init` only.
package struct WideFourierTransform: Sendable {
  /// N, the number of real values that are transformed.
  package let length: Int

  /// How many values one instruction works on: 16, 8 or 4.
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
    // One more, because the C code aligns them to 64 bytes and Swift's vectors only are to 16.
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

  /// Writes two kinds of powers of four windows of N values of `signal`, less their means: those
  /// under Hann's window, and those of the means of neighbours.
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

  /// Writes the sums Σ x[n] x[(n + lag) mod N], for lags from 0 on, of four windows that are given
  /// by their `powers`.
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

  /// Calls `body` with four windows of N values, all of which are there.
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
    typealias Turn = RealFourierTransform.Tables.Turn
    precondition(MemoryLayout<Turn>.stride == 24 * MemoryLayout<Float>.stride, "turns have gaps")
    unsafe work.withUnsafeMutableBytes { work in
      guard let work = unsafe work.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
      unsafe tables.blocks.withUnsafeBufferPointer { blocks in
        unsafe tables.slots.withUnsafeBufferPointer { slots in
          unsafe tables.turns.withUnsafeBytes { turns in
            unsafe tables.lastTurns.withUnsafeBytes { lastTurns in
              var tables = unsafe LocomotionTransformTables(
                half: half, blocks: blocks.baseAddress,
                turns: turns.baseAddress?.assumingMemoryBound(to: Float.self),
                last_turns: lastTurns.baseAddress?.assumingMemoryBound(to: Float.self),
                slots: slots.baseAddress)
              unsafe body(locomotion_wide_transform(Int32(width)).pointee, &tables, work)
            }
          }
        }
      }
    }
  }
}
