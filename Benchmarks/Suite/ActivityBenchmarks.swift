import BenchmarkHarness
import LocomotionActivityRecognition
import LocomotionSignals
import TestSupport

/// Features, the model, and the classifier over time.
enum ActivityBenchmarks {
  static func items() -> [Suite.Item] {
    [
      .entry(features()), .entry(rotationFeatures()), .entry(model()), .entry(classifier()),
      .entry(movingClassifier()),
    ]
  }

  private static func features() -> Entry {
    Entry("ActivityRecognition/FeatureExtractor.extract", items: 256, unit: "windows") {
      let windows = PeerInputs.featureWindows()
      var extractor = FeatureExtractor()
      var features = ContiguousArray<Float>(repeating: 0, count: FeatureExtractor.schema.count)
      return {
        for window in windows {
          var output = features.mutableSpan
          extractor.extract(from: window.slice.span, into: &output)
        }
        blackHole(features[0])
      }
    }
  }

  private static func rotationFeatures() -> Entry {
    Entry("ActivityRecognition/RotationFeatureExtractor.extract", items: 512, unit: "samples") {
      let ring = filledRing(capacity: 512)
      var extractor = RotationFeatureExtractor()
      var features = ContiguousArray<Float>(
        repeating: 0, count: RotationFeatureExtractor.schema.count)
      return {
        ring.withLatest(512) { window in
          var output = features.mutableSpan
          extractor.extract(from: window, accelerations: window, into: &output)
        }
        blackHole(features[0])
      }
    }
  }

  private static func model() -> Entry {
    Entry("ActivityRecognition/ActivityModel.probabilities", unit: "windows") {
      let ring = filledRing(capacity: 512)
      var extractor = FeatureExtractor()
      var features = ContiguousArray<Float>(repeating: 0, count: FeatureExtractor.schema.count)
      ring.withLatest(512) { window in
        var output = features.mutableSpan
        extractor.extract(from: window, into: &output)
      }
      let model = ActivityModel.default
      return {
        blackHole(model.probabilities(of: features.span)[.walking])
      }
    }
  }

  private static func classifier() -> Entry {
    Entry("ActivityRecognition/ActivityClassifier.update", items: 512, unit: "samples") {
      let ring = filledRing(capacity: 512)
      var classifier = ActivityClassifier(model: .default)
      return {
        let decision = ring.withLatest(512) { classifier.update(window: $0, hopSeconds: 1) }
        blackHole(decision.probabilities[.walking])
      }
    }
  }

  /// Successive windows, a second apart, as in the pipeline.
  private static func movingClassifier() -> Entry {
    let hop = 100
    let seconds = 290
    return Entry(
      "ActivityRecognition/ActivityClassifier.analyze", items: seconds, unit: "windows"
    ) {
      let samples = PeerInputs.walk()
      var classifier = ActivityClassifier(model: .default)
      return {
        for second in 0..<seconds {
          let start = hop * second
          let window = samples[start..<start + ActivityClassifier.windowLength].span
          let analysis = classifier.analyze(window: window, rotation: window.extracting(0..<0))
          blackHole(classifier.update(with: analysis, hopSeconds: 1).probabilities[.walking])
        }
      }
    }
  }
}
