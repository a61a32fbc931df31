internal import CLocomotionWide

/// The transforms of one length in C: tables, scratch memory, and the calls.
///
/// Only this type of the module passes pointers to C: each is that of a span or an array and is
/// valid for one call, and the extents of what the call reads and writes are checked first. A
/// result is the four channels of one window, `SIMD4`, or of four, `SIMD16`.
struct FourierKernel: Sendable {
  /// N, the number of real values that are transformed.
  let length: Int
  /// The number of values per vector instruction: 16, 8 or 4.
  let width: Int

  private let windows: Int
  private let tables: FourierTables
  private var work: [SIMD4<Float>]

  /// Prepares transforms of `windows` windows, 1 or 4, in vectors of at most `width` values,
  /// limited to the machine's.
  ///
  /// - Precondition: `length` is a power of two, at least 32.
  init(length: Int, windows: Int, width: Int) {
    precondition(
      length >= 32 && length & (length - 1) == 0,
      "expected a power of two of at least 32, got \(length)")
    self.length = length
    self.windows = windows
    self.width = unsafe Int(locomotion_wide_transform(Int32(width)).pointee.width)
    tables = FourierTables.of(length)
    // Four more: the C code needs 64-byte alignment, Swift's vectors may have 16 only.
    work = Array(repeating: .zero, count: length * self.width / 4 + 4)
  }

  /// Writes the lowest `powers.count` powers of the windows of N values that begin at `starts`.
  mutating func powers<Result: BitwiseCopyable>(
    of signal: Span<SIMD4<Float>>, from starts: SIMD4<Int>,
    into powers: inout MutableSpan<Result>
  ) {
    check(powers.count, of: Result.self, atMost: length / 2 + 1)
    let count = powers.count
    unsafe withInput(signal, from: starts, less: nil) { kernel, tables, input, work in
      unsafe powers.withUnsafeMutableBytes { powers in
        unsafe kernel.powers(
          tables, input, work, powers.baseAddress?.assumingMemoryBound(to: Float.self), count)
      }
    }
  }

  /// Writes two power spectra of the windows less their means: with a Hann window, and of the means
  /// of adjacent pairs.
  mutating func powers<Result: BitwiseCopyable>(
    of signal: Span<SIMD4<Float>>, from starts: SIMD4<Int>, less means: SIMD16<Float>,
    underHann powers: inout MutableSpan<Result>, ofPairs pairPowers: inout MutableSpan<Result>
  ) {
    check(powers.count, of: Result.self, atMost: length / 2)
    check(pairPowers.count, of: Result.self, atMost: length / 4 + 1)
    let (count, pairCount) = (powers.count, pairPowers.count)
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

  /// Writes the circular autocorrelations, for lags from 0 on, of the windows with these powers.
  mutating func autocorrelate<Result: BitwiseCopyable>(
    powers: Span<Result>, into products: inout MutableSpan<Result>
  ) {
    precondition(powers.count == length / 2 + 1, "expected N/2 + 1 powers, got \(powers.count)")
    check(products.count, of: Result.self, atMost: length / 2 + 1)
    let (count, windows) = (products.count, Int32(windows))
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

  private func check<Result: BitwiseCopyable>(
    _ count: Int, of type: Result.Type, atMost limit: Int
  ) {
    precondition(count <= limit, "expected at most \(limit) results, got \(count)")
    precondition(
      MemoryLayout<Result>.stride == windows * MemoryLayout<SIMD4<Float>>.stride,
      "results of \(type) are not those of \(windows) windows")
  }

  /// Calls `body` with the windows, once all are checked to lie within `signal`.
  private mutating func withInput(
    _ signal: Span<SIMD4<Float>>, from starts: SIMD4<Int>, less means: SIMD16<Float>?,
    _ body: (
      LocomotionWideTransform, UnsafePointer<LocomotionTransformTables>,
      UnsafePointer<LocomotionTransformInput>, UnsafeMutablePointer<Float>
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
          var input = unsafe LocomotionTransformInput(
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
    let (half, width, tables) = (length / 2, width, tables)
    typealias Twiddle = FourierTables.Twiddle
    precondition(
      MemoryLayout<Twiddle>.stride == 24 * MemoryLayout<Float>.stride, "twiddle factors have gaps")
    unsafe work.withUnsafeMutableBytes { work in
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
              unsafe body(locomotion_wide_transform(Int32(width)).pointee, &tables, work)
            }
          }
        }
      }
    }
  }
}
