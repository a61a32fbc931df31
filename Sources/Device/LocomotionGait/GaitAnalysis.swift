/// The evidence of one window for stepping; it depends on the window's samples alone.
///
/// All that ``CadenceEstimator/update(with:hint:)`` reads of a window, so that windows can be
/// analysed ahead of the filter, and on other threads. Reuse one analysis: its arrays are allocated
/// once.
package struct GaitAnalysis: Sendable {
  /// Whether there are enough samples, with gravity; if not, the other values are meaningless.
  package internal(set) var isUsable = false
  /// Whether there is too little power for steps of any rate; if so, powers and odds are not
  /// computed.
  package internal(set) var isQuiet = true

  /// Two powers per bin, m²/s⁴: the mean of norm and vertical, which repeat with every step, and
  /// that of the horizontal component, which repeats with every stride.
  package internal(set) var powers = ContiguousArray<SIMD2<Float>>(
    repeating: .zero, count: GaitSpectrum.binCount)
  /// Sum of the step signal's squared line amplitudes in the analysed band, m²/s⁴.
  ///
  /// Twice its mean square under the window.
  package internal(set) var totalPower: Float = 0

  /// Norm and vertical of the window at 50 Hz without their means, m/s².
  ///
  /// Values from ``stepSignalCount`` on are meaningless.
  package internal(set) var stepSignal = ContiguousArray<SIMD2<Float>>(
    repeating: .zero, count: GaitSpectrum.room)
  /// The number of values of ``stepSignal`` in the window.
  package internal(set) var stepSignalCount = 0
  /// Mean square of the step signal in every whole second, newest first; 0 where there is none.
  package internal(set) var secondEnergies = [Float](
    repeating: 0, count: GaitSpectrum.secondCount)
  /// Third standardised moment of the norm over the window; 0 when it doesn't vary.
  package internal(set) var skewness: Float = 0

  /// The log odds of stepping at each rate of ``RateGrid``, four by four.
  ///
  /// Without the joint density of rate and intensity, and without hints.
  var logOdds = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: RateGrid.count / 4)
  /// The joint densities of rate and intensity on foot at four rates.
  struct Densities {
    var onWalk = SIMD4<Float>.zero
    var onRun = SIMD4<Float>.zero
  }
  /// The densities at every fourth rate and at the one after the last, four by four.
  var densities = ContiguousArray<Densities>(repeating: Densities(), count: RateGrid.count / 16 + 1)
  /// ln of the density of the intensity when not on foot.
  var notOnFoot: Float = 0

  /// An empty analysis.
  package init() {}
}
