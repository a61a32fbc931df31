/// A stretch of time whose activity the person stated, with the features of some of its windows.
public struct LabelledStretch: Equatable, Sendable {
  /// What the person did.
  public var activity: Activity
  /// The features of each window, in the order of ``FeatureExtractor/schema``; from all parts of
  /// the stretch, and no more than ``mostWindows`` count.
  public var windows: [[Float]]

  /// A stretch from its parts.
  public init(activity: Activity, windows: [[Float]]) {
    self.activity = activity
    self.windows = windows
  }

  /// The most windows of a stretch that count: neighbouring ones say the same.
  public static let mostWindows = 8

  /// Evenly spaced elements of `all`, ``mostWindows`` at most.
  package static func chosen<Element>(from all: [Element]) -> [Element] {
    guard all.count > mostWindows else { return all }
    return (0..<mostWindows).map { all[(2 * $0 + 1) * all.count / (2 * mostWindows)] }
  }
}

/// What a model learned from the stretches that its owner labelled.
public struct LearnedModel: Sendable, Equatable {
  /// Why the weights are as they are.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// They changed: the stretches are recognised as well or better, each by the others.
    case learned
    /// No stretch has a window and an activity of the model.
    case nothingStated
    /// The base has no ``ActivityModel/MomentTerm``.
    case noMoments
    /// The base recognises the stretches better than what was learned would.
    case noGain
  }

  /// The base with other weights, or the base.
  public var model: ActivityModel
  /// Why.
  public var outcome: Outcome
  /// The number of stretches that count.
  public var stretches: Int
  /// The number of further ones that all others contradict, and that don't count.
  public var contradicted: Int
  /// The fraction of the windows that the base gets wrong, stretches and activities alike, 0 to 1;
  /// nil without any.
  public var baseError: Double?
  /// The same by what the other stretches taught.
  ///
  /// Of a single stretch what the base gets wrong; nil without any.
  public var error: Double?

  init(_ model: ActivityModel, _ outcome: Outcome, stretches: Int) {
    (self.model, self.outcome, self.stretches, contradicted) = (model, outcome, stretches, 0)
  }
}

extension ActivityModel {
  /// The model with weights that its owner's labelled stretches change.
  ///
  /// The weights w₀ become
  ///
  ///     argmin_w Σ weight · |target − φ · w|² + tr (w − w₀)ᵀ (G + ridge · I) (w − w₀)
  ///
  /// with the owner's windows φ, targets of +1 for the stated activity and −1 for the others as in
  /// training, and the second moments G of the windows of training (``MomentTerm``): the shift is
  /// held to the base where other people's windows are, and free where they aren't. A stretch
  /// weighs 1/50 of all windows of training, however long it is, and n stretches of one activity
  /// √n times that. In the dual form (Saunders, Gammerman, Vovk, "Ridge regression learning
  /// algorithm in dual variables", 1998) the unknowns are as many as the windows.
  ///
  /// Nothing is taken on trust. Each stretch is recognised by what the others taught (the
  /// leave-one-out residual of Golub, Heath, Wahba, Technometrics 21(2), 1979, in blocks): three or
  /// more stretches drop those that the others contradict clearly, and unless the rest is
  /// recognised as well as by the base, activities alike, the base stays. To ask for more than as
  /// well was worse: what people confirm teaches how they move, too.
  ///
  /// The result depends on the base and the stretches alone, on every system alike. Only the newest
  /// ``mostStretches`` count, so that what was long ago fades. Temporal filter, calibration,
  /// rotation rates' term and custom activities are the base's.
  ///
  /// ## Accuracy
  /// `benchmark score corrections` replays people of sets that the base had not seen; its
  /// figures are in <doc:LearningFromItsOwner>.
  ///
  /// - Parameter stretches: In the order in which they were stated, the newest last.
  /// - Returns: The model, and what became of the stretches.
  /// - Precondition: every window has ``featureCount`` features.
  /// - Complexity: O(windows² · features): 256 windows of 87 features take tens of milliseconds.
  ///   Allocates.
  public func learning(from stretches: [LabelledStretch]) -> LearnedModel {
    let stated = Array(
      stretches.filter { parameters.classes.contains($0.activity) && !$0.windows.isEmpty }
        .suffix(Self.mostStretches))
    guard !stated.isEmpty else { return LearnedModel(self, .nothingStated, stretches: 0) }
    guard let moments = parameters.moments else {
      return LearnedModel(self, .noMoments, stretches: stated.count)
    }
    let metric = MomentMetric(moments, columnCount: columnCount)
    var windows = StretchWindows(of: stated, for: self)
    var dual = DualRidge(windows, metric)
    var leftOut = dual.scoresLeftOut(windows)
    let contradicted = windows.contradictedStretches(by: leftOut)
    if !contradicted.isEmpty {
      let rest = stated.indices.filter { !contradicted.contains($0) }
      windows = StretchWindows(of: rest.map { stated[$0] }, for: self)
      dual = DualRidge(windows, metric)
      leftOut = dual.scoresLeftOut(windows)
    }
    var result = LearnedModel(self, .noGain, stretches: stated.count - contradicted.count)
    result.contradicted = contradicted.count
    let baseError = windows.error(of: windows.baseScores)
    let error = result.stretches == 1 ? baseError : windows.error(of: leftOut)
    (result.baseError, result.error) = (baseError, error)
    guard error <= baseError else { return result }
    var changed = parameters
    for (index, shift) in dual.shift(windows, metric).enumerated() {
      changed.function.weights[index] = Float(Double(changed.function.weights[index]) + shift)
    }
    // Weights of any owner are far below it; a hostile window must not make a model invalid.
    guard changed.defect == nil else { return result }
    (result.model, result.outcome) = (ActivityModel(changed), .learned)
    return result
  }

  /// The stretches that count.
  public static let mostStretches = 32
  /// The weight of a stretch beside that of all windows of training.
  ///
  /// Chosen on people of sets left out (0.02, 0.05): with 0.05 a person's error falls as far in the
  /// mean, and other people's accuracy twice as far.
  fileprivate static let stretchWeight = 0.02
  /// The ridge beside G, that of training.
  fileprivate static let ridge = 0.01
}

/// The owner's windows: columns, targets, weights, and what the base says of them.
private struct StretchWindows {
  let classes: Int
  /// Window by window.
  var columns: [[Double]] = []
  var stretchOf: [Int] = []
  /// The position among the classes of each window's activity.
  var classOf: [Int] = []
  var weights: [Double] = []
  /// The base's scores of each window, one per class.
  var baseScores: [[Double]] = []

  init(of stretches: [LabelledStretch], for model: ActivityModel) {
    let parameters = model.parameters
    classes = parameters.classes.count
    let width = model.columnCount
    let weights = parameters.function.weights.map { Double($0) }
    for (index, stretch) in stretches.enumerated() {
      guard let place = parameters.classes.firstIndex(of: stretch.activity) else { continue }
      let alike = stretches.count { $0.activity == stretch.activity }
      let windows = LabelledStretch.chosen(from: stretch.windows)
      for window in windows {
        let columns = model.columns(of: window)
        self.columns.append(columns)
        stretchOf.append(index)
        classOf.append(place)
        self.weights.append(
          ActivityModel.stretchWeight / Double(alike).squareRoot() / Double(windows.count))
        baseScores.append(
          (0..<classes).map {
            CholeskySolver.dot(columns, 0, weights, $0 * width, count: width)
          })
      }
    }
  }

  var count: Int { columns.count }

  /// +1 for the window's own class, −1 for the others.
  func target(_ window: Int, _ place: Int) -> Double { classOf[window] == place ? 1 : -1 }

  /// The stretches whose activity these scores contradict, if there are three or more stretches
  /// and the contradicted ones are fewer than half: their own score is in the mean
  /// ``contradiction`` below the best of the others.
  func contradictedStretches(by scores: [[Double]]) -> Set<Int> {
    var margins: [Int: (sum: Double, count: Int)] = [:]
    for window in 0..<count {
      let own = scores[window][classOf[window]]
      let others = scores[window].indices.filter { $0 != classOf[window] }
      let best = others.map { scores[window][$0] }.max() ?? 0
      let last = margins[stretchOf[window]] ?? (0, 0)
      margins[stretchOf[window]] = (last.sum + own - best, last.count + 1)
    }
    let contradicted = margins.filter { $1.sum < -Self.contradiction * Double($1.count) }.keys
    guard margins.count > 2, 2 * contradicted.count < margins.count else { return [] }
    return Set(contradicted)
  }

  /// Half the distance of the targets.
  ///
  /// Chosen on people of sets left out (0.6, 1, 1.4), of whose corrections none, a twentieth or a
  /// fifth were wrong.
  private static let contradiction = 1.0

  /// The fraction of the windows that these scores get wrong, stretches alike within an activity,
  /// and activities alike.
  func error(of scores: [[Double]]) -> Double {
    var windows = [Int: Int](), wrong = [Int: Int](), placeOf = [Int: Int]()
    for window in 0..<count {
      let best = scores[window].indices.reduce(0) {
        scores[window][$1] > scores[window][$0] ? $1 : $0
      }
      windows[stretchOf[window], default: 0] += 1
      wrong[stretchOf[window], default: 0] += best == classOf[window] ? 0 : 1
      placeOf[stretchOf[window]] = classOf[window]
    }
    let stretches = windows.keys.sorted()
    let present = (0..<classes).filter { place in stretches.contains { placeOf[$0] == place } }
    return present.reduce(0) { sum, place in
      let own = stretches.filter { placeOf[$0] == place }
      let part = own.reduce(0) { $0 + Double(wrong[$1] ?? 0) / Double(windows[$1] ?? 1) }
      return sum + part / Double(own.count)
    } / Double(max(present.count, 1))
  }
}

/// The metric M = LᵀL + ridge · I of changes of the weights, with the moments' rows L.
///
/// Its inverse is (I − Lᵀ C⁻¹ L) / ridge with C = ridge · I + L Lᵀ (Woodbury, "Inverting modified
/// matrices", 1950).
private struct MomentMetric {
  /// L.
  let rows: [[Double]]
  /// The factor of C.
  let solver: CholeskySolver

  init(_ moments: ActivityModel.MomentTerm, columnCount: Int) {
    let rank = moments.scales.count
    let rows = (0..<rank).map { row in
      moments.rows[row * columnCount..<(row + 1) * columnCount].map {
        Double($0) * Double(moments.scales[row])
      }
    }
    var gram = [Double](repeating: 0, count: rank * rank)
    for row in 0..<rank {
      for column in 0...row {
        gram[row * rank + column] = CholeskySolver.dot(
          rows[row], 0, rows[column], 0, count: columnCount)
      }
      gram[row * rank + row] += ActivityModel.ridge
    }
    self.rows = rows
    solver = CholeskySolver(gram, order: rank)
  }
}

/// The solution of ``ActivityModel/learning(from:)`` in the windows' dual variables.
///
/// With F the windows' columns, M the ``MomentMetric`` of the rows L, and B = L Fᵀ:
///
///     M⁻¹ Fᵀ = (Fᵀ − Lᵀ C⁻¹ B) / ridge
///     K = F M⁻¹ Fᵀ + diag(1 / weight),   α = K⁻¹ (target − F w₀),   w − w₀ = M⁻¹ Fᵀ α
private struct DualRidge {
  /// K⁻¹ by full rows.
  private let inverse: [Double]
  /// α, one vector per class.
  private let duals: [[Double]]
  /// C⁻¹ B, one vector per window.
  private let projections: [[Double]]

  init(_ windows: StretchWindows, _ metric: MomentMetric) {
    let (count, rank) = (windows.count, metric.rows.count)
    let columnCount = windows.columns[0].count
    let images = windows.columns.map { columns in
      metric.rows.map { CholeskySolver.dot($0, 0, columns, 0, count: columnCount) }
    }
    projections = images.map { image in
      var solution = image
      metric.solver.solve(&solution)
      return solution
    }
    var kernel = [Double](repeating: 0, count: count * count)
    for row in 0..<count {
      for column in 0...row {
        let plain = CholeskySolver.dot(
          windows.columns[row], 0, windows.columns[column], 0, count: columnCount)
        let held = CholeskySolver.dot(images[row], 0, projections[column], 0, count: rank)
        kernel[row * count + column] = (plain - held) / ActivityModel.ridge
      }
      kernel[row * count + row] += 1 / windows.weights[row]
    }
    let dual = CholeskySolver(kernel, order: count)
    inverse = (0..<count).flatMap { row in
      var unit = [Double](repeating: 0, count: count)
      unit[row] = 1
      dual.solve(&unit)
      return unit
    }
    duals = (0..<windows.classes).map { place in
      var residual = (0..<count).map { windows.target($0, place) - windows.baseScores[$0][place] }
      dual.solve(&residual)
      return residual
    }
  }

  /// The scores of each window by what the other stretches taught.
  ///
  /// For the windows of a stretch they are target − (block of K⁻¹)⁻¹ α.
  func scoresLeftOut(_ windows: StretchWindows) -> [[Double]] {
    var scores = windows.baseScores
    for stretch in Set(windows.stretchOf).sorted() {
      let own = windows.stretchOf.indices.filter { windows.stretchOf[$0] == stretch }
      let block = own.flatMap { row in own.map { inverse[row * windows.count + $0] } }
      let solver = CholeskySolver(block, order: own.count)
      for place in 0..<windows.classes {
        var errors = own.map { duals[place][$0] }
        solver.solve(&errors)
        for (window, error) in zip(own, errors) {
          scores[window][place] = windows.target(window, place) - error
        }
      }
    }
    return scores
  }

  /// w − w₀, class by class.
  func shift(_ windows: StretchWindows, _ metric: MomentMetric) -> [Double] {
    let (rows, columnCount) = (metric.rows, windows.columns[0].count)
    return duals.flatMap { duals in
      var shift = [Double](repeating: 0, count: columnCount)
      var held = [Double](repeating: 0, count: rows.count)
      for (window, dual) in duals.enumerated() {
        for column in shift.indices { shift[column] += dual * windows.columns[window][column] }
        for row in held.indices { held[row] += dual * projections[window][row] }
      }
      for (row, factor) in zip(held, rows) {
        for column in shift.indices { shift[column] -= row * factor[column] }
      }
      return shift.map { $0 / ActivityModel.ridge }
    }
  }
}
