// The model file, version 3, 4 with custom activities, 5 with a term for fixes, or 6 with moments.
// All numbers are little-endian, integers unsigned.
//
//      0  magic "LACM"            4  version                8  digest of the feature schema
//     12  bytes in the file      16  classes C             20  features F
//     24  knots per feature      28  bytes of manifest M   32  novelty limit
//     36  window temperature     40  dwell, s              44  evidence exponent, 1/s
//     48  confidence threshold   52  filtered temperature   56  dwell factor in hindsight
//     60  evidence factor in hindsight                       64  temperature in hindsight
//     68  digest of the rotation features' schema, 0 when R = 0
//     72  rotation features R, 0 when there is no rotation term
//     76  version 4 to 6: custom activities U, 1 to 8, or none from version 5 on; all that follows
//         is 4 bytes later then
//     80  version 5 and 6: digest of the features of fixes, in version 6 0 when T = 0
//     84  their number T, in version 6 0 without a term; all that follows is 12 bytes later then
//     88  version 6 only: rows of moments N; all that follows is 16 bytes later then
//     76  C classes (Activity.rawValue), F means, F scales, F × 6 knots, C × (1 + 7 F) weights
//      …  when R > 0: filtered temperature and temperature in hindsight with the term,
//         R means, R scales, R × 6 knots, C × (1 + 7 R) weights
//      …  when U > 0: for each the Activity.rawValue that it behaves like (2³² − 1 for none), the
//         length of its name, its name in 32 bytes; then F means, F scales, F × 6 knots,
//         U × (1 + 7 F) weights
//      …  when T > 0: temperature, evidence exponent, 1/s, filtered temperature and temperature in
//         hindsight for fixes, T means, T scales, T × 6 knots, C × (1 + 7 T) weights
//      …  when N > 0: N scales, and N × (1 + 7 F) signed bytes, filled up with 0 to a multiple of 4
//      …  manifest, UTF-8        last 4  CRC-32 of all bytes before

extension ActivityModel {
  enum FileFormat {
    static let magic: UInt32 = 0x4D43_414C
    static let version: UInt32 = 3
    /// With custom activities: a program that doesn't know them refuses the file.
    static let customVersion: UInt32 = 4
    /// With a term for fixes: likewise.
    static let trackVersion: UInt32 = 5
    /// With moments: likewise.
    static let momentVersion: UInt32 = 6
    static let headerSize = 76
    static let rotationCountOffset = 72
    static let customCountOffset = 76
    static let trackCountOffset = 84
    static let momentCountOffset = 88
    static let customCounts = 1...UInt32(ActivityModel.CustomTerm.largestCount)
    /// The bytes of a custom activity without its weights.
    static let customSize = 8 + CustomActivity.longestName
    /// Stands for a custom activity that behaves like none.
    static let noActivity = UInt32.max
    static let momentCounts = 0...UInt32(ActivityModel.MomentTerm.largestRank)
    static let checksumSize = 4
    static let classes: ClosedRange<UInt32> = 2...UInt32(Activity.allCases.count)
    static let manifestSize = 0...UInt32(ActivityModel.largestManifest)
    /// A number of bytes filled up to a multiple of 4.
    static func padded(_ count: Int) -> Int { (count + 3) / 4 * 4 }
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
    var reader = ModelFileReader(bytes)
    try reader.checkEnvelope(schema)
    let counts = try reader.counts(schema, rotationSchema)
    let noveltyLimit = Int(reader.integer())
    let settings = reader.numbers(8)
    try reader.checkFeatures(counts.rotation > 0 ? rotationSchema.digest : 0)
    try reader.checkTrack(counts.track > 0 ? TrackFeatureExtractor.schema.digest : 0)

    var classes: [Activity] = []
    for _ in 0..<counts.classes {
      let offset = reader.offset
      let value = reader.integer()
      guard let activity = Activity(rawValue: Int(value)) else {
        throw .unknownClass(found: value, offset: offset)
      }
      classes.append(activity)
    }
    let arraysOffset = reader.offset
    let means = reader.numbers(counts.features)
    let scales = reader.numbers(counts.features)
    let knots = reader.numbers(counts.features * Self.knotsPerFeature)
    let weights = reader.numbers(counts.weights)
    let rotation = reader.rotation(counts.rotation, classes: counts.classes)
    let custom = try reader.custom(counts)
    let track = reader.track(counts.track, classes: counts.classes)
    let moments = reader.moments(counts.moments, features: counts.features)
    let parameters = Parameters(
      classes: classes, means: means, scales: scales, knots: knots, weights: weights,
      windowTemperature: settings[0], dwellSeconds: settings[1], evidenceExponent: settings[2],
      noveltyLimit: noveltyLimit, confidenceThreshold: settings[3],
      filteredTemperature: settings[4],
      hindsightDwellFactor: settings[5], hindsightEvidenceFactor: settings[6],
      hindsightTemperature: settings[7], rotation: rotation, custom: custom, track: track,
      moments: moments, manifest: try reader.text(counts.manifest))
    if let defect = parameters.defect {
      let offset = Self.offset(of: defect, arrays: arraysOffset, counts)
      throw .invalidNumber(defect, offset: offset)
    }
    self.init(parameters)
  }

  package func file(schema: FeatureSchema, rotationSchema: FeatureSchema) -> [UInt8] {
    var writer = ModelFileWriter()
    let version = parameters.fileVersion
    writer.append(FileFormat.magic)
    writer.append(version)
    writer.append(schema.digest)
    let sizeOffset = writer.bytes.count
    writer.append(0)
    let (manifest, custom, track) = (
      Array(parameters.manifest.utf8), parameters.custom, parameters.track
    )
    let counts = [
      parameters.classes.count, featureCount, Self.knotsPerFeature, manifest.count,
      parameters.noveltyLimit,
    ]
    counts.forEach { writer.append(UInt32($0)) }
    writer.append([
      parameters.windowTemperature, parameters.dwellSeconds, parameters.evidenceExponent,
      parameters.confidenceThreshold, parameters.filteredTemperature,
      parameters.hindsightDwellFactor, parameters.hindsightEvidenceFactor,
      parameters.hindsightTemperature,
    ])
    writer.append(parameters.rotation == nil ? 0 : rotationSchema.digest)
    writer.append(UInt32(rotationFeatureCount))
    if version >= FileFormat.customVersion {
      writer.append(UInt32(custom?.activities.count ?? 0))
    }
    if version >= FileFormat.trackVersion {
      writer.append(track == nil ? 0 : TrackFeatureExtractor.schema.digest)
      writer.append(UInt32(track?.function.means.count ?? 0))
    }
    if version >= FileFormat.momentVersion {
      writer.append(UInt32(parameters.moments?.scales.count ?? 0))
    }
    parameters.classes.forEach { writer.append(UInt32($0.rawValue)) }
    writer.append(
      parameters.means + parameters.scales + parameters.knots + parameters.weights)
    if let rotation = parameters.rotation {
      writer.append([rotation.filteredTemperature, rotation.hindsightTemperature])
      writer.append(rotation.means + rotation.scales + rotation.knots + rotation.weights)
    }
    if let custom { writer.append(custom) }
    if let track { writer.append(track.numbers) }
    if let moments = parameters.moments { writer.append(moments) }
    writer.append(manifest)
    return writer.finish(sizeAt: sizeOffset)
  }

  /// The offset in a file of the number that `defect` names.
  private static func offset(
    of defect: Defect, arrays: Int, _ counts: ModelFileReader.Counts
  ) -> Int {
    let (features, rotation) = (counts.features, counts.rotation)
    let perFeature = 8 + 4 * knotsPerFeature
    let term = arrays + perFeature * features + 4 * counts.weights
    let custom =
      term + 4 * ModelFileReader.rotationNumbers(rotation, classes: counts.classes)
      + FileFormat.customSize * counts.custom
    let track =
      custom
      + (counts.custom == 0
        ? 0
        : perFeature * features
          + 4 * Parameters.weightCount(classes: counts.custom, features: features))
    let starts: [(field: String, offset: Int)] = [
      ("means", arrays), ("scales", arrays + 4 * features), ("knots", arrays + 8 * features),
      ("weights", arrays + perFeature * features),
      ("noveltyLimit", 32), ("windowTemperature", 36), ("dwellSeconds", 40),
      ("evidenceExponent", 44), ("confidenceThreshold", 48), ("filteredTemperature", 52),
      ("hindsightDwellFactor", 56),
      ("hindsightEvidenceFactor", 60), ("hindsightTemperature", 64),
      ("rotation.filteredTemperature", term), ("rotation.hindsightTemperature", term + 4),
      ("rotation.means", term + 8), ("rotation.scales", term + 8 + 4 * rotation),
      ("rotation.knots", term + 8 + 8 * rotation),
      ("rotation.weights", term + 8 + perFeature * rotation),
      ("track.temperature", track), ("track.evidenceExponent", track + 4),
      ("track.filteredTemperature", track + 8), ("track.hindsightTemperature", track + 12),
      ("track.means", track + 16), ("track.scales", track + 16 + 4 * counts.track),
      ("track.knots", track + 16 + 8 * counts.track),
      ("track.weights", track + 16 + perFeature * counts.track),
      (
        "moments.scales",
        track + 4 * ModelFileReader.trackNumbers(counts.track, classes: counts.classes)
      ),
      ("custom.means", custom), ("custom.scales", custom + 4 * features),
      ("custom.knots", custom + 8 * features), ("custom.weights", custom + perFeature * features),
    ]
    // By bytes: to compare as Unicode does takes tables that a small program need not carry.
    let start = starts.first { $0.field.utf8.elementsEqual(defect.field.utf8) }
    return (start?.offset ?? FileFormat.headerSize) + 4 * defect.index
  }
}
