import LocomotionActivityRecognition
import TestSupport
import Testing

@Suite struct WindowLikelihoodTests {
  private let model = ActivityModel(.random(seed: 5, weight: 0.02))

  /// Windows of each kind of likelihood: too short, stuck, likely.
  private var windows: [[SIMD4<Float>]] {
    let walk = SyntheticWindow.golden[1].samples(seed: 2)
    return [
      Array(walk.prefix(100)), Array(repeating: walk[0], count: 512), walk,
      SyntheticWindow.golden[8].samples(seed: 9), walk.map { $0 * 3 },
      SyntheticWindow.golden[4].samples(seed: 5),
    ]
  }

  @Test func analysisAndUpdateApartEqualTheCombinedUpdate() {
    var whole = ActivityClassifier(model: model)
    var analyzer = ActivityClassifier(model: model)
    var updated = ActivityClassifier(model: model)
    var random = SplitMix64(seed: 3)
    let windows = windows
    for _ in 0..<40 {
      let window = windows[Int(random.next() % UInt64(windows.count))]
      let hop = Float(3 * random.nextUniform())
      let speed = SpeedEvidence(metresPerSecond: Float(20 * random.nextUniform()), deviation: 1)
      let likelihood = analyzer.analyze(
        window: window.slice.span, rotation: window[0..<0].span)
      let decision = whole.update(window: window.slice.span, hopSeconds: hop, speed: speed)
      #expect(updated.update(with: likelihood, hopSeconds: hop, speed: speed) == decision)
      #expect(archived(updated.state) == archived(whole.state))
      #expect(analyzer.lastFeatures == whole.lastFeatures)
    }
    #expect(archived(analyzer.state) == archived(ActivityClassifier(model: model).state))
  }

  @Test func everyKindOfWindowLikelihoodIsReturned() {
    var classifier = ActivityClassifier(model: model)
    func find(_ window: [SIMD4<Float>]) -> WindowLikelihood {
      classifier.analyze(window: window.slice.span, rotation: window[0..<0].span)
    }
    let windows = windows
    #expect(find(windows[0]) == .unusable(.notEnoughData))
    #expect(find(windows[1]) == .unusable(.badSignal))
    #expect(
      find(windows[2])
        == .likelihood(
          model.probabilities(of: features(of: windows[2].suffix(384)).slice.span),
          hasRotation: false, seconds: 3.84))
  }

  /// Two minutes of several movements with a spike, a fault and a constant stretch.
  private var stream: [SIMD4<Float>] {
    var samples: [SIMD4<Float>] = []
    for seed in 1...24 as ClosedRange<UInt64> {
      let kind = SyntheticWindow.golden[Int(seed % 10)]
      samples += kind.samples(seed: seed)
    }
    samples[1_700] = sample([80, -70, 2e6])
    samples[4_321].y = .nan
    for index in 7_000..<7_700 { samples[index] = samples[7_000] }
    return samples
  }

  /// Bit for bit, in vectors of each width that the machine supports, for any four windows.
  @Test(arguments: [4, 8, 16]) func fourWindowsAtOnceGiveTheLikelihoodsOfEach(width: Int) {
    let samples = stream
    var random = SplitMix64(seed: 12)
    var batch = WindowAnalyzer(
      model: model, settings: .init(), windows: WindowAnalyzer.batchCount, width: width)
    var (end, likely, unusable) = (512, 0, 0)
    while end + 4 * 800 <= samples.count {
      var ends: [Int] = []
      for place in 0..<WindowAnalyzer.batchCount {
        batch.take(samples[end - 512..<end].span, at: place)
        ends.append(end)
        end += random.next() % 6 == 0 ? Int(random.next() % 800) : 100
      }
      batch.measure()
      for (place, end) in ends.enumerated() {
        let window = samples[end - 512..<end].span
        let none = window.extracting(0..<0)
        var single = ActivityClassifier(model: model)
        let expected = single.analyze(window: window, rotation: none)
        #expect(batch.likelihood(at: place, window: window, rotation: none) == expected)
        if case .unusable = expected {
          unusable += 1
        } else {
          likely += 1
        }
      }
    }
    #expect(likely > 40)
    #expect(unusable > 5)
  }
}
