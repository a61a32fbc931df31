import LocomotionActivityRecognition
import LocomotionSensing
import LocomotionSignals
import LocomotionTraining
import SensorSimulator
import TestSupport

/// The inputs of both the package and its peers.
enum PeerInputs {
  /// The number of windows to train on.
  static let windows = 100_000
  /// The number of people in them.
  static let people = 30
  /// The samples in a window of the cadence, and between two windows.
  static let cadenceWindow = 600, cadenceHop = 100

  /// 256 windows of 5.12 s, a sixth each of standing, walking, running, cycling, driving, railway.
  static func featureWindows() -> [[SIMD4<Float>]] {
    let scenario = Scenario(seed: 1).stand(.minutes(4)).walk(.minutes(4)).run(.minutes(4))
      .ride(.minutes(4)).drive(.minutes(4)).train(.minutes(4))
    let samples = lanes(of: scenario)
    let length = FeatureExtractor.windowLength
    return (0..<256).map { Array(samples[$0 * length..<($0 + 1) * length]) }
  }

  /// Five minutes of walking at 100 Hz.
  static func walk() -> [SIMD4<Float>] { lanes(of: Scenario(seed: 1).walk(.minutes(5))) }

  /// The windows that end at each second of `samples`.
  static func cadenceWindows(of samples: [SIMD4<Float>]) -> [[SIMD4<Float>]] {
    stride(from: 0, through: samples.count - cadenceWindow, by: cadenceHop).map {
      Array(samples[$0..<$0 + cadenceWindow])
    }
  }

  private static func lanes(of scenario: Scenario) -> [SIMD4<Float>] {
    let series = scenario.recording().wholeBatch().accelerations
    return (0..<series.count).map { index in
      let (x, y, z) = (series.x[index], series.y[index], series.z[index])
      return SIMD4(x, y, z, (x * x + y * y + z * z).squareRoot())
    }
  }

  /// Labelled rows, as wide as the schema, that are about as hard to classify as those of
  /// recordings.
  ///
  /// Five classes of unequal size, thirty people who each differ a little, and features that depend
  /// on one another through eight common factors, a third of them nonlinear. A linear model
  /// classifies 86 % of the windows of unseen people correctly, and needs 77 iterations of L-BFGS
  /// for it.
  static func trainingSet(windows: Int) -> TrainingSet {
    let count = FeatureExtractor.schema.count
    let factors = 8
    var random = SplitMix64(seed: 1)
    func normals(_ count: Int, _ scale: Double) -> [Double] {
      (0..<count).map { _ in scale * random.nextNormal() }
    }
    let activities: [Activity] = [.stationary, .walking, .running, .cycling, .automotive]
    let borders = [0.3, 0.55, 0.65, 0.8]
    let means = activities.map { _ in normals(count, 0.2) }
    let habits = (0..<people).map { _ in normals(count, 0.15) }
    let loadings = (0..<factors).map { _ in normals(count, 0.8) }
    let origins = (0..<people).map {
      RecordingOrigin(dataset: "set \($0 % 3)", person: "person \($0)", recording: "\($0)")
    }
    var set = TrainingSet(featureCount: count)
    var row = [Float](repeating: 0, count: count)
    for window in 0..<windows {
      // People one after the other, as in recordings.
      let person = window * people / windows
      let fraction = random.nextUniform()
      let label = borders.firstIndex { fraction < $0 } ?? borders.count
      let causes = normals(factors, 1)
      for feature in 0..<count {
        var value = means[label][feature] + habits[person][feature]
        value += 0.5 * random.nextNormal()
        for factor in 0..<factors { value += loadings[factor][feature] * causes[factor] }
        row[feature] = Float(feature % 3 == 0 ? value * abs(value) : value)
      }
      set.append(
        row, activity: activities[label], origin: origins[person],
        end: Timestamp(nanoseconds: Int64(window) * 1_000_000_000))
    }
    return set
  }
}
