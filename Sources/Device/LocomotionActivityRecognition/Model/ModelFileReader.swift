/// Takes numbers from the front of a file.
struct ModelFileReader {
  /// The counts of the header.
  struct Counts {
    var classes: Int
    var features: Int
    var weights: Int
    var manifest: Int
    var rotation: Int
    var custom: Int
    var track: Int
    var moments: Int
  }

  private typealias Format = ActivityModel.FileFormat
  private let bytes: [UInt8]
  private(set) var offset = 0
  private var version = Format.version

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  private var hasCustom: Bool { version >= Format.customVersion }
  private var hasTrack: Bool { version >= Format.trackVersion }
  private var hasMoments: Bool { version >= Format.momentVersion }

  /// Checks length, magic number, version, checksum and schema digest.
  mutating func checkEnvelope(_ schema: FeatureSchema) throws(ModelFileError) {
    let smallest = Format.headerSize + Format.checksumSize
    guard bytes.count >= smallest else {
      throw .wrongLength(found: bytes.count, expected: smallest, offset: bytes.count)
    }
    let magic = integer()
    guard magic == Format.magic else {
      throw .notAModel(found: magic, expected: Format.magic, offset: 0)
    }
    version = integer()
    guard (Format.version...Format.momentVersion).contains(version) else {
      throw .unsupportedVersion(found: version, expected: Format.version, offset: 4)
    }
    let digest = integer()
    let length = integer()
    guard length == bytes.count else {
      throw .wrongLength(found: bytes.count, expected: Int(length), offset: 12)
    }
    let end = bytes.count - Format.checksumSize
    var checksum = CyclicRedundancyCheck()
    checksum.update(with: bytes[0..<end].span)
    let stated = integer(at: end)
    guard stated == checksum.value else {
      throw .checksumMismatch(found: stated, expected: checksum.value, offset: end)
    }
    guard digest == schema.digest else {
      throw .schemaMismatch(found: digest, expected: schema.digest, offset: 8)
    }
  }

  /// Reads the counts and checks that they fill the file exactly.
  mutating func counts(
    _ schema: FeatureSchema, _ rotationSchema: FeatureSchema
  ) throws(ModelFileError) -> Counts {
    let features = UInt32(schema.count)
    let knots = UInt32(ActivityModel.knotsPerFeature)
    let classCount = Int(try count("classes", in: Format.classes))
    let featureCount = Int(try count("features", in: features...features))
    _ = try count("knots per feature", in: knots...knots)
    let manifest = Int(try count("bytes of manifest", in: Format.manifestSize))
    let weights = ActivityModel.Parameters.weightCount(classes: classCount, features: featureCount)
    let rotation = integer(at: Format.rotationCountOffset)
    guard rotation == 0 || rotation == rotationSchema.count else {
      throw .invalidCount(
        field: "rotation features", found: rotation, expected: 0...UInt32(rotationSchema.count),
        offset: Format.rotationCountOffset)
    }
    // The smallest file of version 3 holds the count, too.
    let custom = hasCustom ? integer(at: Format.customCountOffset) : 0
    guard !hasCustom || Format.customCounts.contains(custom) || hasTrack && custom == 0 else {
      throw .invalidCount(
        field: "custom activities", found: custom, expected: Format.customCounts,
        offset: Format.customCountOffset)
    }
    let trackCount = UInt32(TrackFeatureExtractor.schema.count)
    let isLongEnough = hasTrack && bytes.count > Format.momentCountOffset + 4
    let track = isLongEnough ? integer(at: Format.trackCountOffset) : 0
    guard track == (hasTrack ? trackCount : 0) || hasMoments && track == 0 else {
      throw .invalidCount(
        field: "features of fixes", found: track, expected: trackCount...trackCount,
        offset: Format.trackCountOffset)
    }
    let moments = hasMoments && isLongEnough ? integer(at: Format.momentCountOffset) : 0
    guard Format.momentCounts.contains(moments) else {
      throw .invalidCount(
        field: "rows of moments", found: moments, expected: Format.momentCounts,
        offset: Format.momentCountOffset)
    }
    let numbers =
      classCount + featureCount * (2 + ActivityModel.knotsPerFeature) + weights
      + Self.rotationNumbers(Int(rotation), classes: classCount)
      + Self.trackNumbers(Int(track), classes: classCount)
    let size =
      Format.headerSize + 4 * numbers + manifest + Format.checksumSize
      + (hasMoments ? 16 : hasTrack ? 12 : hasCustom ? 4 : 0)
      + Self.customBytes(Int(custom), features: featureCount)
      + Self.momentBytes(Int(moments), features: featureCount)
    guard bytes.count == size else {
      throw .wrongLength(found: bytes.count, expected: size, offset: 16)
    }
    return Counts(
      classes: classCount, features: featureCount, weights: weights, manifest: manifest,
      rotation: Int(rotation), custom: Int(custom), track: Int(track), moments: Int(moments))
  }

  /// The number of bytes of `count` custom activities.
  private static func customBytes(_ count: Int, features: Int) -> Int {
    count == 0
      ? 0
      : Format.customSize * count
        + 4 * features * (2 + ActivityModel.knotsPerFeature)
        + 4 * ActivityModel.Parameters.weightCount(classes: count, features: features)
  }

  /// The number of bytes of `count` rows of moments.
  private static func momentBytes(_ count: Int, features: Int) -> Int {
    4 * count
      + Format.padded(
        count * ActivityModel.Parameters.weightCount(classes: 1, features: features))
  }

  /// The number of numbers of a term of `features` features.
  static func rotationNumbers(_ features: Int, classes: Int) -> Int {
    features == 0
      ? 0
      : 2 + features * (2 + ActivityModel.knotsPerFeature)
        + ActivityModel.Parameters.weightCount(classes: classes, features: features)
  }

  /// The number of numbers of a term for fixes of `features` features.
  static func trackNumbers(_ features: Int, classes: Int) -> Int {
    features == 0 ? 0 : 2 + rotationNumbers(features, classes: classes)
  }

  /// Checks the digest of the features of a term, and skips their number.
  mutating func checkFeatures(_ expected: UInt32) throws(ModelFileError) {
    let start = offset
    let digest = integer()
    _ = integer()
    guard digest == expected else {
      throw .schemaMismatch(found: digest, expected: expected, offset: start)
    }
  }

  /// The rotation term of `features` features; nil when there are none.
  mutating func rotation(_ features: Int, classes: Int) -> ActivityModel.RotationTerm? {
    guard features > 0 else { return nil }
    let temperatures = numbers(2)
    return ActivityModel.RotationTerm(
      means: numbers(features), scales: numbers(features),
      knots: numbers(features * ActivityModel.knotsPerFeature),
      weights: numbers(
        ActivityModel.Parameters.weightCount(classes: classes, features: features)),
      filteredTemperature: temperatures[0], hindsightTemperature: temperatures[1])
  }

  /// Skips the number of custom activities, if the file has one; checks the digest of the features
  /// of fixes and skips their number, if it has these.
  mutating func checkTrack(_ expected: UInt32) throws(ModelFileError) {
    if hasCustom { offset += 4 }
    if hasTrack { try checkFeatures(expected) }
    if hasMoments { offset += 4 }
  }

  /// The moments of `count` rows; nil when there are none.
  mutating func moments(_ count: Int, features: Int) -> ActivityModel.MomentTerm? {
    guard count > 0 else { return nil }
    let scales = numbers(count)
    let columns = ActivityModel.Parameters.weightCount(classes: 1, features: features)
    let end = offset + count * columns
    let rows = bytes[offset..<end].map { Int8(bitPattern: $0) }
    offset += Format.padded(count * columns)
    return ActivityModel.MomentTerm(scales: scales, rows: rows)
  }

  /// The term for fixes of `features` features; nil when there are none.
  mutating func track(_ features: Int, classes: Int) -> ActivityModel.TrackTerm? {
    guard features > 0 else { return nil }
    let settings = numbers(2)
    guard let function = rotation(features, classes: classes) else { return nil }
    return ActivityModel.TrackTerm(
      function: function, temperature: settings[0], evidenceExponent: settings[1])
  }

  /// The term of the custom activities; nil without any.
  mutating func custom(_ counts: Counts) throws(ModelFileError) -> ActivityModel.CustomTerm? {
    guard counts.custom > 0 else { return nil }
    var activities: [CustomActivity] = []
    for _ in 0..<counts.custom { activities.append(try customActivity()) }
    return ActivityModel.CustomTerm(
      activities: activities, means: numbers(counts.features), scales: numbers(counts.features),
      knots: numbers(counts.features * ActivityModel.knotsPerFeature),
      weights: numbers(
        ActivityModel.Parameters.weightCount(classes: counts.custom, features: counts.features)))
  }

  private mutating func customActivity() throws(ModelFileError) -> CustomActivity {
    let start = offset
    let parent = integer()
    let behavesLike = Activity(rawValue: Int(parent))
    guard behavesLike != nil || parent == Format.noActivity else {
      throw .unknownClass(found: parent, offset: start)
    }
    let length = Int(try count("bytes of a name", in: 1...UInt32(CustomActivity.longestName)))
    let nameStart = offset
    let name = Array(bytes[nameStart..<nameStart + length])
    offset = nameStart + CustomActivity.longestName
    guard let activity = CustomActivity(nameBytes: name, behavesLike: behavesLike) else {
      throw .invalidText(offset: nameStart)
    }
    return activity
  }

  private mutating func count(
    _ field: String, in allowed: ClosedRange<UInt32>
  ) throws(ModelFileError) -> UInt32 {
    let start = offset
    let value = integer()
    guard allowed.contains(value) else {
      throw .invalidCount(field: field, found: value, expected: allowed, offset: start)
    }
    return value
  }

  mutating func integer() -> UInt32 {
    defer { offset += 4 }
    return integer(at: offset)
  }

  private func integer(at offset: Int) -> UInt32 {
    UInt32(bytes[offset]) | UInt32(bytes[offset + 1]) << 8 | UInt32(bytes[offset + 2]) << 16
      | UInt32(bytes[offset + 3]) << 24
  }

  mutating func numbers(_ count: Int) -> [Float] {
    var numbers: [Float] = []
    numbers.reserveCapacity(count)
    for _ in 0..<count { numbers.append(Float(bitPattern: integer())) }
    return numbers
  }

  mutating func text(_ count: Int) throws(ModelFileError) -> String {
    let start = offset
    offset += count
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    // Decoding replaces invalid bytes: then the result differs.
    guard text.utf8.elementsEqual(bytes[start..<offset]) else { throw .invalidText(offset: start) }
    return text
  }
}
