extension ActivityModel {
  /// An invalid number of a model.
  public struct Defect: Equatable, Sendable, CustomStringConvertible {
    /// The name of the field of ``Parameters``; that of a term's begins with the term's, as in
    /// "rotation.means".
    public let field: String
    /// The position in the field, 0 for a single number.
    public let index: Int
    /// The value found.
    public let found: String
    /// The value expected.
    public let expected: String

    /// Texts are formed for people only: in Embedded Swift nobody reads them.
    init(
      field: @autoclosure () -> String, index: Int, found: @autoclosure () -> String,
      expected: @autoclosure () -> String
    ) {
      self.index = index
      #if hasFeature(Embedded)
        (self.field, self.found, self.expected) = ("", "", "")
      #else
        (self.field, self.found, self.expected) = (field(), found(), expected())
      #endif
    }

    /// A one-line description.
    public var description: String { "\(field)[\(index)] is \(found), expected \(expected)" }
  }

  /// The largest number of a model, so that no score can overflow.
  static let largestNumber: Float = 1e9
  /// The largest manifest, bytes.
  static let largestManifest = 1 << 20
}

extension ActivityModel.Parameters {
  /// The first invalid number, or nil.
  public var defect: ActivityModel.Defect? {
    var search = DefectSearch()
    search.require(confidenceThreshold, in: 0...1, "confidenceThreshold")
    search.requirePositive(
      (windowTemperature, "windowTemperature"), (dwellSeconds, "dwellSeconds"),
      (evidenceExponent, "evidenceExponent"), (hindsightDwellFactor, "hindsightDwellFactor"),
      (hindsightEvidenceFactor, "hindsightEvidenceFactor"))
    search.require(
      classes.count > 1 && Set(classes).count == classes.count, "classes",
      found: classes.map { $0.name }.joined(separator: " "), expected: "two or more different ones")
    let features = function.means.count
    search.require(function, "", features: features, classes: classes.count)
    if let rotation {
      search.require(
        rotation, "rotation.", features: rotation.means.count, classes: classes.count)
    }
    if let custom { search.require(custom, features: features) }
    if let track {
      search.require(
        track.function, "track.", features: TrackFeatureExtractor.schema.count,
        classes: classes.count)
      search.requirePositive(
        (track.temperature, "temperature"), (track.evidenceExponent, "evidenceExponent"))
    }
    if let moments {
      search.require(moments, columns: Self.weightCount(classes: 1, features: features))
    }
    search.term = ""
    search.require(manifest.utf8.count, in: 0...ActivityModel.largestManifest, "manifest")
    return search.defect
  }

  /// The number of weights that `classes` classes of `features` features have.
  static func weightCount(classes: Int, features: Int) -> Int {
    classes * (1 + features * (1 + ActivityModel.knotsPerFeature))
  }
}

/// The search for the first invalid number of a model.
private struct DefectSearch {
  private(set) var defect: ActivityModel.Defect?
  /// What the names of fields begin with.
  var term = ""

  /// What is at `index` of a field is a defect unless `condition` holds.
  mutating func require(
    _ condition: Bool, _ field: String, _ index: Int = 0, found: @autoclosure () -> String,
    expected: @autoclosure () -> String
  ) {
    guard defect == nil, !condition else { return }
    defect = ActivityModel.Defect(
      field: term + field, index: index, found: found(), expected: expected())
  }

  mutating func require<Number: Comparable>(
    _ number: Number, in range: ClosedRange<Number>, _ field: String, _ index: Int = 0
  ) {
    require(
      range.contains(number), field, index, found: "\(number)",
      expected: "\(range.lowerBound) to \(range.upperBound)")
  }

  /// Numbers by which others are multiplied or divided.
  mutating func requirePositive(_ numbers: (Float, String)...) {
    for (number, field) in numbers {
      require(number, in: 1e-6...ActivityModel.largestNumber, field)
    }
  }

  /// As many numbers as there must be.
  mutating func require(
    _ numbers: [Float], _ field: String, count: Int,
    from least: Float = -ActivityModel.largestNumber
  ) {
    require(
      numbers.count == count, field, found: "\(numbers.count) numbers", expected: "\(count)")
    let range = least...ActivityModel.largestNumber
    if let index = numbers.firstIndex(where: { !range.contains($0) }) {
      require(numbers[index], in: range, field, index)
    }
  }

  /// The numbers of a function, whose fields' names begin with `name`.
  mutating func require(
    _ function: ActivityModel.Function, _ name: String, features: Int, classes: Int
  ) {
    term = name
    requirePositive(
      (function.filteredTemperature, "filteredTemperature"),
      (function.hindsightTemperature, "hindsightTemperature"))
    let (knotCount, knots) = (ActivityModel.knotsPerFeature, function.knots)
    require(features > 0, "means", found: "0", expected: "1 or more")
    require(function.means, "means", count: features)
    require(function.scales, "scales", count: features, from: .leastNormalMagnitude)
    require(knots, "knots", count: features * knotCount)
    for index in knots.indices where index % knotCount > 0 {
      require(
        knots[index] >= knots[index - 1], "knots", index, found: "\(knots[index])",
        expected: "at least \(knots[index - 1])")
    }
    require(
      function.weights, "weights",
      count: ActivityModel.Parameters.weightCount(classes: classes, features: features))
  }

  mutating func require(_ custom: ActivityModel.CustomTerm, features: Int) {
    let (activities, most) = (custom.activities, ActivityModel.CustomTerm.largestCount)
    term = "custom."
    require(
      1...most ~= activities.count
        && Set(activities.map { $0.nameBytes }).count == activities.count,
      "activities", found: activities.map { $0.name }.joined(separator: " "),
      expected: "1 to \(most) different ones")
    require(custom.function, term, features: features, classes: activities.count)
  }

  mutating func require(_ moments: ActivityModel.MomentTerm, columns: Int) {
    let rank = moments.scales.count
    term = "moments."
    require(rank, in: 1...ActivityModel.MomentTerm.largestRank, "scales")
    require(moments.scales, "scales", count: rank, from: .leastNormalMagnitude)
    require(
      moments.rows.count == rank * columns, "rows", found: "\(moments.rows.count) numbers",
      expected: "\(rank * columns)")
  }
}
