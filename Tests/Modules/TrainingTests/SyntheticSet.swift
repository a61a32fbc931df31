import LocomotionActivityRecognition
import LocomotionSensing
import LocomotionTraining
import TestSupport

/// Windows of synthetic people: a normal distribution per class, shifted by a nonlinear function of
/// the class and by each person's offset, so that neither the problem nor the basis is linear.
func syntheticSet(
  windows: Int, features: Int = 4, classes: Int = 3, datasets: Int = 2, peoplePerSet: Int = 3,
  seed: UInt64 = 1
) -> TrainingSet {
  var generator = SplitMix64(seed: seed)
  var set = TrainingSet(featureCount: features)
  let offsets = (0..<datasets * peoplePerSet).map { _ in
    (0..<features).map { _ in 0.3 * generator.nextNormal() }
  }
  for window in 0..<windows {
    let activity = Int(generator.nextUniform() * Double(classes))
    let person = Int(generator.nextUniform() * Double(datasets * peoplePerSet))
    let row = (0..<features).map { feature in
      let bend = Double((activity * (feature + 2)) % classes) - 0.5 * Double(classes)
      return Float(10 * feature) + Float(bend + offsets[person][feature] + generator.nextNormal())
    }
    set.append(
      row, activity: Activity.allCases[activity],
      origin: RecordingOrigin(
        dataset: "set\(person % datasets)", person: "p\(person)", recording: "r\(person)"),
      end: Timestamp(nanoseconds: Int64(window) * 2_560_000_000))
  }
  return set
}

extension TrainingSet {
  /// The same windows with other features, activities or recordings, by their rows.
  func replacing(
    features: ((Int) -> [Float])? = nil, activity: ((Int) -> Activity)? = nil,
    origin: ((Int) -> RecordingOrigin)? = nil
  ) -> TrainingSet {
    var result = TrainingSet(featureCount: features?(0).count ?? featureCount)
    for row in 0..<count {
      result.append(
        features?(row) ?? Array(self.features(ofRow: row)),
        activity: activity?(row) ?? activities[row],
        origin: origin?(row) ?? self.origin(ofRow: row),
        end: ends[row])
    }
    return result
  }
}

/// The largest distance of two lists of numbers.
func largestDifference(_ a: [Double], _ b: [Double]) -> Double {
  a.count == b.count ? zip(a, b).map { abs($0 - $1) }.max() ?? 0 : .infinity
}

/// The rows of the comparison with fits in Python, as one data set of the tidy form.
func goldenSet() throws -> TrainingSet {
  var set = TrainingSet(featureCount: 3)
  for row in try TestFiles.golden("training_ridge_rows.csv") {
    set.append(
      row[3...].map { Float($0) }, activity: Activity.allCases[Int(row[0])],
      origin: RecordingOrigin(
        dataset: "\(Int(row[1]))", person: "\(Int(row[2]))", recording: ""),
      end: Timestamp(nanoseconds: 0))
  }
  return set
}

/// The basis of ``goldenSet()`` in that comparison.
let goldenBasis = HingeBasis(
  means: [0.5, 0, -0.5], scales: [1, 0.5, 2],
  knots: [-1.5, -1, -0.5, 0.5, 1, 1.5, -3, -2, -1, 1, 2, 3, -1, -0.5, -0.25, 0.25, 0.5, 1])
