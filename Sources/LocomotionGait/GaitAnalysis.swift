/// What a window shows of steps, before any gait: it depends on the window's samples alone.
///
/// All that ``CadenceEstimator/update(with:hint:)`` reads of a window, so that analyses can be made
/// ahead of the beliefs, and on other threads. One is filled again and again: its arrays are
/// allocated once.
package struct GaitAnalysis: Sendable {
  /// Whether there are samples enough and gravity among them; if not, nothing else is meant.
  package internal(set) var isUsable = false
  /// Whether too little moves to be steps of any rate; if so, there are no powers and no odds.
  package internal(set) var isQuiet = true

  /// Two powers per bin, m²/s⁴: the mean of norm and vertical, which repeat with every step, and
  /// that of the horizontal part, which repeats with every stride.
  package internal(set) var powers = [SIMD2<Float>](
    repeating: .zero, count: GaitSpectrum.binCount)
  /// Sum of the step signal's squared line amplitudes in the analysed band, m²/s⁴.
  ///
  /// Twice its mean square under the window.
  package internal(set) var totalPower: Float = 0

  /// Norm and vertical of the window at 50 Hz without their means, m/s².
  ///
  /// What follows the first ``stepSignalCount`` isn't meant.
  package internal(set) var stepSignal = [SIMD2<Float>](
    repeating: .zero, count: GaitSpectrum.room)
  /// How many values of ``stepSignal`` the window has.
  package internal(set) var stepSignalCount = 0
  /// Mean square of the step signal in every whole second, newest first; 0 where there is none.
  package internal(set) var secondEnergies = [Float](
    repeating: 0, count: GaitSpectrum.secondCount)
  /// Third standardised moment of the norm over the window; 0 when it doesn't vary.
  package internal(set) var skewness: Float = 0

  /// What speaks for stepping at each rate of ``RateGrid``, four by four.
  ///
  /// Neither rate and intensity together nor hints are in it.
  var logOdds = [SIMD4<Float>](repeating: .zero, count: RateGrid.count / 4)
  /// How dense rate and intensity are on foot at four rates.
  struct Densities {
    var onWalk = SIMD4<Float>.zero
    var onRun = SIMD4<Float>.zero
  }
  /// The densities at every fourth rate and at the one after the last, four by four.
  var densities = [Densities](repeating: Densities(), count: RateGrid.count / 16 + 1)
  /// ln of the density of the intensity off foot.
  var notOnFoot: Float = 0

  /// The first of ``powers``.
  package var stepPower: [Float] { powers.map(\.x) }
  /// The second of ``powers``.
  package var stridePower: [Float] { powers.map(\.y) }

  /// A analysis that is to be filled.
  package init() {}
}

/// Finds what windows show; holds no more than room to do so.
package struct GaitAnalyzer: Sendable {
  private var spectrum = GaitSpectrum()
  private var evidence = SteppingEvidence()

  /// An analyzer with its room allocated.
  package init() {}

  /// Fills `analysis` with what `window` shows, of which the newest 600 samples count.
  ///
  /// `end` is the cell of the 100 Hz grid before which the window ends, or nil when that isn't
  /// known. With it the parts that windows share are computed once; the result is the same, bit
  /// by bit.
  package mutating func analyze(
    _ window: Span<SIMD4<Float>>, endingAt end: Int64?, into analysis: inout GaitAnalysis
  ) {
    guard window.count >= Self.fewestSamples else {
      spectrum.forgetWindow()
      analysis.isUsable = false
      return
    }
    let newest = window.extracting(max(0, window.count - 600)..<window.count)
    analysis.isUsable = spectrum.analyze(newest, endingAt: end, into: &analysis)
    if analysis.isUsable, !analysis.isQuiet { evidence.weigh(&analysis) }
  }

  /// The next window is of other samples than the last one.
  mutating func forgetWindow() { spectrum.forgetWindow() }

  /// Three seconds: less than two strides can't be told from a jolt.
  private static let fewestSamples = 300
}
