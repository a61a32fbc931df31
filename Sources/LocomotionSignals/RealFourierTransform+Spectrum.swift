// What the transform of pairs of real values, Z = E + iO, says of the values themselves.
extension RealFourierTransform {
  /// A complex number in each lane.
  struct Bin {
    var real: SIMD4<Float>
    var imaginary: SIMD4<Float>

    @inline(__always)
    var power: SIMD4<Float> { real * real + imaginary * imaginary }
    var conjugate: Bin { Bin(real: real, imaginary: -imaginary) }

    /// The product with W^k.
    @inline(__always)
    func turned(_ bin: Tables.Bin) -> Bin {
      Bin(
        real: bin.cosine * real + bin.sine * imaginary,
        imaginary: bin.cosine * imaginary - bin.sine * real)
    }

    @inline(__always)
    static func + (lhs: Bin, rhs: Bin) -> Bin {
      Bin(real: lhs.real + rhs.real, imaginary: lhs.imaginary + rhs.imaginary)
    }

    @inline(__always)
    static func - (lhs: Bin, rhs: Bin) -> Bin {
      Bin(real: lhs.real - rhs.real, imaginary: lhs.imaginary - rhs.imaginary)
    }
  }

  /// Twice the spectra of the even and of the odd values at a bin: Z and its mirror image give
  /// both, because those of real values are even functions.
  @inline(__always)
  static func doubledParts(
    _ values: Span<SIMD8<Float>>, _ bin: Tables.Bin
  ) -> (even: Bin, odd: Bin) {
    let value = values[Int(bin.position)]
    let mirror = values[Int(bin.mirror)]
    return (
      Bin(
        real: value.lowHalf + mirror.lowHalf, imaginary: value.highHalf - mirror.highHalf),
      Bin(
        real: value.highHalf + mirror.highHalf, imaginary: mirror.lowHalf - value.lowHalf)
    )
  }

  /// Twice the spectrum of all values: 2 X[k] = 2 (E + W^k O).
  @inline(__always)
  static func doubledBin(_ values: Span<SIMD8<Float>>, _ bin: Tables.Bin) -> Bin {
    let (even, odd) = doubledParts(values, bin)
    return even + odd.turned(bin)
  }

  /// The same and, conjugate, at the bin's mirror image N/2 − k, which is 2 (E − W^k O).
  @inline(__always)
  static func doubledBins(
    _ values: Span<SIMD8<Float>>, _ bin: Tables.Bin
  ) -> (bin: Bin, mirror: Bin) {
    let (even, odd) = doubledParts(values, bin)
    let turned = odd.turned(bin)
    return (even + turned, even - turned)
  }
}
