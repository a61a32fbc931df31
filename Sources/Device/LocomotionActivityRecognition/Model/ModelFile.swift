// The model file, version 3, 4 with custom activities, 5 with a term for fixes, or 6 with moments.
// All numbers are little-endian, integers unsigned.
//
//      0  magic "LACM"            4  version                8  digest of the feature schema
//     12  bytes in the file      16  classes C             20  features F
//     24  knots per feature      28  bytes of manifest     32  novelty limit
//     36  window temperature     40  dwell, s              44  evidence exponent, 1/s
//     48  confidence threshold   52  filtered temperature   56  dwell factor in hindsight
//     60  evidence factor in hindsight                       64  temperature in hindsight
//     68  digest of the rotation features' schema, and their number; both 0 without the term
//     76  from version 4 on: custom activities; none only from version 5 on
//      …  from version 5 on: digest of the features of fixes, and their number; both 0 without the
//         term, which a file of version 5 has
//      …  version 6: rows of moments, one or more
//      …  C classes (Activity.rawValue), F means, F scales, F × 6 knots, C × (1 + 7 F) weights
//      …  the terms and the manifest, in the order of ``ActivityModel/Parameters``'s list below
// last 4  CRC-32 of all bytes before

extension ActivityModel {
  enum FileFormat {
    static let magic: UInt32 = 0x4D43_414C
    /// From the first version to the last with all terms.
    static let versions: ClosedRange<UInt32> = 3...6
    /// With custom activities: a program that doesn't know them refuses the file.
    static let customVersion: UInt32 = 4
    /// With a term for fixes: likewise.
    static let trackVersion: UInt32 = 5
    /// With moments: likewise.
    static let momentVersion: UInt32 = 6
    static let smallestSize = 80
    static let checksumSize = 4
  }

  /// Reads a model file.
  ///
  /// Nothing in `bytes` is used before its checksum is verified, and no memory is allocated for a
  /// count before the file is known to have that many bytes.
  ///
  /// - Throws: ``ModelFileError`` with the value found, its offset, and the value expected.
  public init(file bytes: [UInt8]) throws(ModelFileError) {
    try self.init(
      file: bytes, schema: FeatureExtractor.schema,
      rotationSchema: RotationFeatureExtractor.schema)
  }

  /// The model as a file.
  public var file: [UInt8] {
    file(schema: FeatureExtractor.schema, rotationSchema: RotationFeatureExtractor.schema)
  }

  package init(
    file bytes: [UInt8], schema: FeatureSchema, rotationSchema: FeatureSchema
  ) throws(ModelFileError) {
    var archive = ModelArchive(.reading, bytes)
    var parameters = Parameters(
      classes: [], means: [], scales: [], knots: [], weights: [], windowTemperature: 0,
      dwellSeconds: 0, evidenceExponent: 0, noveltyLimit: 0, confidenceThreshold: 0, manifest: "")
    parameters.pass(through: &archive, schema, rotationSchema)
    if archive.failure == nil {
      // Numbers are only looked at when the counts fill the file.
      archive = ModelArchive(.checking)
      parameters.pass(through: &archive, schema, rotationSchema)
    }
    if let failure = archive.failure { throw failure }
    self.init(parameters)
  }

  package func file(schema: FeatureSchema, rotationSchema: FeatureSchema) -> [UInt8] {
    var archive = ModelArchive(.writing)
    var parameters = parameters
    parameters.pass(through: &archive, schema, rotationSchema)
    return archive.bytes
  }
}

extension ActivityModel.Parameters {
  private typealias Format = ActivityModel.FileFormat

  /// The first invalid number, or nil.
  public var defect: ActivityModel.Defect? {
    var archive = ModelArchive(.checking)
    var parameters = self
    parameters.pass(through: &archive, FeatureExtractor.schema, RotationFeatureExtractor.schema)
    guard case .invalidNumber(let defect, _) = archive.failure else { return nil }
    return defect
  }

  /// The oldest version of the file that holds all terms.
  private var fileVersion: UInt32 {
    if moments != nil { return Format.momentVersion }
    if track != nil { return Format.trackVersion }
    return custom != nil ? Format.customVersion : Format.versions.lowerBound
  }

  /// The number of weights that `classes` classes of `features` features have.
  static func weightCount(classes: Int, features: Int) -> Int {
    classes * (1 + features * (1 + ActivityModel.knotsPerFeature))
  }

  /// How many there are of what follows, as the head of a file says.
  private struct Counts {
    var classes, features, manifest: Int
    var rotation = 0
    var custom = 0
    var track = 0
    var moments = 0
  }

  /// Passes every field, in the order of the file.
  fileprivate mutating func pass(
    through archive: inout ModelArchive, _ schema: FeatureSchema, _ rotationSchema: FeatureSchema
  ) {
    let counts = passHead(through: &archive, schema, rotationSchema)
    archive.pass(&classes, count: counts.classes)
    archive.pass(
      &means, &scales, &knots, &weights, features: counts.features, classes: counts.classes)
    passTerms(through: &archive, counts)
    archive.require(counts.manifest, in: Self.manifestSizes, "manifest")
    archive.pass(&manifest, count: counts.manifest)
    archive.passChecksum()
  }

  private static let manifestSizes = 0...ActivityModel.largestManifest
  private static let ranks = 1...ActivityModel.MomentTerm.largestRank

  private mutating func passHead(
    through archive: inout ModelArchive, _ schema: FeatureSchema, _ rotationSchema: FeatureSchema
  ) -> Counts {
    let version = archive.passEnvelope(version: fileVersion, digest: schema.digest)
    let classCount = archive.pass(
      count: classes.count, in: 2...Activity.allCases.count, "classes")
    let features = archive.pass(
      count: means.count, in: schema.count...schema.count, "features")
    let knotCount = ActivityModel.knotsPerFeature
    _ = archive.pass(count: knotCount, in: knotCount...knotCount, "knots per feature")
    let manifestSize = archive.pass(
      count: manifest.utf8.count, in: Self.manifestSizes, "bytes of manifest")
    var counts = Counts(classes: classCount, features: features, manifest: manifestSize)
    archive.pass(&noveltyLimit, in: 0...Int(UInt16.max), "noveltyLimit")
    archive.pass(&windowTemperature, "windowTemperature")
    archive.pass(&dwellSeconds, "dwellSeconds")
    archive.pass(&evidenceExponent, "evidenceExponent")
    archive.pass(&confidenceThreshold, "confidenceThreshold", in: 0...1)
    archive.pass(&filteredTemperature, "filteredTemperature")
    archive.pass(&hindsightDwellFactor, "hindsightDwellFactor")
    archive.pass(&hindsightEvidenceFactor, "hindsightEvidenceFactor")
    archive.pass(&hindsightTemperature, "hindsightTemperature")
    counts.rotation = archive.pass(
      count: rotation?.means.count ?? 0, of: rotationSchema, "rotation features")
    if version >= Format.customVersion {
      let least = version == Format.customVersion ? 1 : 0
      counts.custom = archive.pass(
        count: custom?.activities.count ?? 0, in: least...ActivityModel.CustomTerm.largestCount,
        "custom activities")
    }
    if version >= Format.trackVersion {
      counts.track = archive.pass(
        count: track?.function.means.count ?? 0, of: TrackFeatureExtractor.schema,
        "features of fixes", isOptional: version > Format.trackVersion)
    }
    if version >= Format.momentVersion {
      counts.moments = archive.pass(
        count: moments?.scales.count ?? 0, in: Self.ranks, "rows of moments")
    }
    return counts
  }

  private mutating func passTerms(through archive: inout ModelArchive, _ counts: Counts) {
    let function = ActivityModel.RotationTerm(means: [], scales: [], knots: [], weights: [])
    archive.pass(&rotation, "rotation.", over: function, isThere: counts.rotation > 0) {
      $0.pass(through: &$1, features: counts.rotation, classes: counts.classes)
    }
    archive.pass(
      &custom, "custom.",
      over: .init(activities: [], means: [], scales: [], knots: [], weights: []),
      isThere: counts.custom > 0
    ) {
      $1.pass(&$0.activities, count: counts.custom)
      $1.pass(
        &$0.means, &$0.scales, &$0.knots, &$0.weights, features: counts.features,
        classes: counts.custom)
    }
    archive.pass(
      &track, "track.", over: .init(function: function, temperature: 0, evidenceExponent: 0),
      isThere: counts.track > 0
    ) {
      $1.pass(&$0.temperature, "temperature")
      $1.pass(&$0.evidenceExponent, "evidenceExponent")
      $0.function.pass(
        through: &$1, features: TrackFeatureExtractor.schema.count, classes: counts.classes)
    }
    archive.pass(
      &moments, "moments.", over: .init(scales: [], rows: []), isThere: counts.moments > 0
    ) {
      $1.require(counts.moments, in: Self.ranks, "scales")
      $1.pass(&$0.scales, "scales", count: counts.moments, from: .leastNormalMagnitude)
      let columns = Self.weightCount(classes: 1, features: counts.features)
      $1.pass(bytesOf: &$0.rows, "rows", count: counts.moments * columns, multipleOf: 4)
    }
  }
}

extension ActivityModel.RotationTerm {
  /// Passes every field, in the order of the file.
  fileprivate mutating func pass(
    through archive: inout ModelArchive, features: Int, classes: Int
  ) {
    archive.pass(&filteredTemperature, "filteredTemperature")
    archive.pass(&hindsightTemperature, "hindsightTemperature")
    archive.require(features > 0, "means", found: "0", expected: "1 or more")
    archive.pass(&means, &scales, &knots, &weights, features: features, classes: classes)
  }
}
