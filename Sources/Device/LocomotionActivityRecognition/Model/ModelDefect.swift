extension ActivityModel {
  /// An invalid number of a model.
  public struct Defect: Hashable, Sendable, CustomStringConvertible {
    /// The name of the field of ``Parameters``.
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
    arrayDefect ?? track?.defect(classes: classes.count)
      ?? moments?.defect(
        columns: Self.weightCount(classes: 1, features: means.count))
  }

  private var arrayDefect: ActivityModel.Defect? {
    var found = shapeDefect ?? settingDefect ?? Self.defect(in: means, of: "means")
    found = found ?? Self.defect(in: scales, of: "scales") ?? scaleDefect
    found = found ?? Self.defect(in: knots, of: "knots") ?? orderDefect
    found = found ?? Self.defect(in: weights, of: "weights")
    found = found ?? rotation?.defect(classes: classes.count)
    return found ?? custom?.defect(features: means.count)
  }

  /// The number of weights that `classes` classes of `features` features have.
  static func weightCount(classes: Int, features: Int) -> Int {
    classes * (1 + features * (1 + ActivityModel.knotsPerFeature))
  }

  private var shapeDefect: ActivityModel.Defect? {
    if classes.count < 2 || Set(classes).count < classes.count {
      return .init(
        field: "classes", index: 0, found: classes.map { $0.name }.joined(separator: " "),
        expected: "two or more different ones")
    }
    return Self.shapeDefect(
      scales: scales, knots: knots, weights: weights, features: means.count, classes: classes.count)
  }

  fileprivate static func shapeDefect(
    scales: [Float], knots: [Float], weights: [Float], features: Int, classes: Int
  ) -> ActivityModel.Defect? {
    let counts = [
      ("scales", scales.count, features),
      ("knots", knots.count, features * ActivityModel.knotsPerFeature),
      ("weights", weights.count, weightCount(classes: classes, features: features)),
    ]
    return counts.first { $1 != $2 }.map {
      .init(field: $0, index: 0, found: "\($1) numbers", expected: "\($2)")
    }
  }

  private var settingDefect: ActivityModel.Defect? {
    let positive: [(String, Float)] = [
      ("windowTemperature", windowTemperature), ("dwellSeconds", dwellSeconds),
      ("evidenceExponent", evidenceExponent), ("filteredTemperature", filteredTemperature),
      ("hindsightDwellFactor", hindsightDwellFactor),
      ("hindsightEvidenceFactor", hindsightEvidenceFactor),
      ("hindsightTemperature", hindsightTemperature),
    ]
    for (field, value) in positive {
      if let defect = Self.defect(inPositive: value, of: field) { return defect }
    }
    if !(confidenceThreshold >= 0 && confidenceThreshold <= 1) {
      return .init(
        field: "confidenceThreshold", index: 0, found: "\(confidenceThreshold)", expected: "0 to 1")
    }
    let manifestSize = manifest.utf8.count
    if manifestSize > ActivityModel.largestManifest {
      return .init(
        field: "manifest", index: 0, found: "\(manifestSize) bytes",
        expected: "at most \(ActivityModel.largestManifest)")
    }
    if noveltyLimit < 0 || noveltyLimit > Int(UInt16.max) {
      return .init(
        field: "noveltyLimit", index: 0, found: "\(noveltyLimit)", expected: "0 to 65535")
    }
    return nil
  }

  private var scaleDefect: ActivityModel.Defect? { Self.defect(inScales: scales) }
  private var orderDefect: ActivityModel.Defect? { Self.defect(inOrderOf: knots) }

  static func defect(
    inPositive value: Float, of field: String
  ) -> ActivityModel.Defect? {
    value >= 1e-6 && value <= ActivityModel.largestNumber
      ? nil : .init(field: field, index: 0, found: "\(value)", expected: "1e-6 to 1e9")
  }

  fileprivate static func defect(inScales scales: [Float]) -> ActivityModel.Defect? {
    scales.firstIndex { $0 < .leastNormalMagnitude }.map {
      .init(field: "scales", index: $0, found: "\(scales[$0])", expected: "a positive number")
    }
  }

  fileprivate static func defect(inOrderOf knots: [Float]) -> ActivityModel.Defect? {
    let count = ActivityModel.knotsPerFeature
    return knots.indices.first { $0 % count > 0 && knots[$0] < knots[$0 - 1] }.map {
      .init(
        field: "knots", index: $0, found: "\(knots[$0])", expected: "at least \(knots[$0 - 1])")
    }
  }

  fileprivate static func defect(
    in numbers: [Float], of field: String
  ) -> ActivityModel.Defect? {
    numbers.firstIndex { !(abs($0) <= ActivityModel.largestNumber) }.map {
      .init(field: field, index: $0, found: "\(numbers[$0])", expected: "at most ±1e9")
    }
  }
}

extension ActivityModel.RotationTerm {
  /// The first invalid number, or nil; its field is named "rotation.…".
  func defect(classes: Int) -> ActivityModel.Defect? {
    typealias Check = ActivityModel.Parameters
    if means.isEmpty {
      return .init(field: "rotation.means", index: 0, found: "0 numbers", expected: "1 or more")
    }
    var found = Check.shapeDefect(
      scales: scales, knots: knots, weights: weights, features: means.count, classes: classes)
    found = found ?? Check.defect(inPositive: filteredTemperature, of: "filteredTemperature")
    found = found ?? Check.defect(inPositive: hindsightTemperature, of: "hindsightTemperature")
    found = found ?? Check.defect(in: means, of: "means") ?? Check.defect(in: scales, of: "scales")
    found = found ?? Check.defect(inScales: scales) ?? Check.defect(in: knots, of: "knots")
    found = found ?? Check.defect(inOrderOf: knots) ?? Check.defect(in: weights, of: "weights")
    return found.map {
      .init(
        field: "rotation.\($0.field)", index: $0.index, found: $0.found, expected: $0.expected)
    }
  }
}
