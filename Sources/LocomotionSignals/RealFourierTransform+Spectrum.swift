// What the transform of pairs of real values, Z = E + iO, says of the values themselves.
extension RealFourierTransform {
  /// A complex number in each lane.
  struct Bin {
    var real: SIMD4<Float>
    var imaginary: SIMD4<Float>

    var power: SIMD4<Float> { real * real + imaginary * imaginary }
    var conjugate: Bin { Bin(real: real, imaginary: -imaginary) }

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
  func doubledParts(_ bin: Tables.Bin) -> (even: Bin, odd: Bin) {
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
  func doubledBin(_ k: Int) -> Bin {
    let bin = tables.bins[k]
    let (even, odd) = doubledParts(bin)
    return Bin(
      real: even.real + (bin.cosine * odd.real + bin.sine * odd.imaginary),
      imaginary: even.imaginary + (bin.cosine * odd.imaginary - bin.sine * odd.real))
  }
}
