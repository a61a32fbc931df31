/// The fields of a model file in their order: written, read, or checked.
///
/// ``ActivityModel/Parameters`` lists them once, and the list serves all three. Reading never traps
/// and allocates no more than the bytes justify: the first impossible value is the ``failure``,
/// after which nothing is read.
struct ModelArchive {
  /// What happens to a field that is passed.
  enum Mode {
    /// Its value is appended to ``ModelArchive/bytes``.
    case writing
    /// Its value is replaced by the one in ``ModelArchive/bytes``.
    case reading
    /// Its value is compared with what it may be.
    case checking
  }

  private typealias Format = ActivityModel.FileFormat
  private let mode: Mode
  /// What was written, or is read.
  private(set) var bytes: [UInt8]
  /// The place of the next field in the file.
  private var offset = 0
  /// What the names of fields begin with.
  private var term = ""
  /// The first impossible value.
  private(set) var failure: ModelFileError?

  init(_ mode: Mode, _ bytes: [UInt8] = []) {
    self.mode = mode
    self.bytes = bytes
  }

  private var isReading: Bool { mode == .reading }

  private mutating func fail(_ error: ModelFileError) {
    if failure == nil { failure = error }
  }

  /// The value at `index` of a field that is checked is a defect unless `condition` holds.
  mutating func require(
    _ condition: Bool, _ field: String, _ index: Int = 0, found: @autoclosure () -> String,
    expected: @autoclosure () -> String, at start: Int? = nil
  ) {
    guard mode == .checking, failure == nil, !condition else { return }
    let defect = ActivityModel.Defect(
      field: term + field, index: index, found: found(), expected: expected())
    fail(.invalidNumber(defect, offset: (start ?? offset) + 4 * index))
  }

  /// The same for a number outside `range`.
  mutating func require<Number: Comparable>(
    _ number: Number, in range: ClosedRange<Number>, _ field: String, _ index: Int = 0,
    at start: Int? = nil
  ) {
    require(
      range.contains(number), field, index, found: "\(number)",
      expected: "\(range.lowerBound) to \(range.upperBound)", at: start)
  }

  // MARK: The ends

  /// Passes what is before the counts, and checks first that what is read is a whole file.
  ///
  /// - Returns: The version of the file.
  mutating func passEnvelope(version: UInt32, digest: UInt32) -> UInt32 {
    if isReading, bytes.count < Format.smallestSize {
      fail(.wrongLength(found: bytes.count, expected: Format.smallestSize, offset: bytes.count))
    }
    let magic = pass(Format.magic)
    let version = pass(version)
    let features = pass(digest)
    let length = pass(0)
    guard isReading, failure == nil else { return version }
    if magic != Format.magic { fail(.notAModel(found: magic, expected: Format.magic, offset: 0)) }
    if !Format.versions.contains(version) {
      let expected = Format.versions.lowerBound
      fail(.unsupportedVersion(found: version, expected: expected, offset: 4))
    }
    if length != bytes.count {
      let expected = Int(truncatingIfNeeded: length)
      fail(.wrongLength(found: bytes.count, expected: expected, offset: 12))
    }
    guard failure == nil else { return version }
    let end = bytes.count - Format.checksumSize
    let stated = bytes.littleEndian(at: end)
    let checksum = CyclicRedundancyCheck(of: bytes[0..<end].span).value
    if stated != checksum {
      fail(.checksumMismatch(found: stated, expected: checksum, offset: end))
    }
    if features != digest {
      fail(.schemaMismatch(found: features, expected: digest, offset: 8))
    }
    return version
  }

  /// Passes the checksum, after which nothing follows; what is written gets its length.
  mutating func passChecksum() {
    let size = offset + Format.checksumSize
    switch mode {
    case .checking: break
    case .reading:
      if size != bytes.count { fail(.wrongLength(found: bytes.count, expected: size, offset: 16)) }
    case .writing:
      var length: [UInt8] = []
      length.append(littleEndian: UInt32(size))
      bytes.replaceSubrange(12..<16, with: length)
      bytes.append(littleEndian: CyclicRedundancyCheck(of: bytes[0..<bytes.count].span).value)
    }
  }

  // MARK: Numbers

  /// Passes 4 bytes.
  private mutating func pass(_ word: UInt32) -> UInt32 {
    defer { offset += 4 }
    if mode == .writing { bytes.append(littleEndian: word) }
    return isReading && hasBytes(4) ? bytes.littleEndian(at: offset) : word
  }

  /// Whether `count` bytes follow that can be read.
  private mutating func hasBytes(_ count: Int) -> Bool {
    let size = offset + count + Format.checksumSize
    if size > bytes.count { fail(.wrongLength(found: bytes.count, expected: size, offset: 16)) }
    return failure == nil
  }

  /// Passes the number of what follows later; one that is read outside `allowed` is refused.
  mutating func pass(count: Int, in allowed: ClosedRange<Int>, _ field: String) -> Int {
    let start = offset
    let found = pass(UInt32(truncatingIfNeeded: count))
    // What is written is checked with the field whose size it is.
    guard isReading else { return count }
    if !allowed.contains(Int(clamping: found)) {
      let expected = UInt32(allowed.lowerBound)...UInt32(allowed.upperBound)
      fail(.invalidCount(field: field, found: found, expected: expected, offset: start))
    }
    return failure == nil ? Int(found) : 0
  }

  /// Passes the digest of a term's features, 0 without any, and their number: all of them or none.
  mutating func pass(
    count: Int, of schema: FeatureSchema, _ field: String, isOptional: Bool = true
  ) -> Int {
    let (start, all) = (offset, UInt32(schema.count))
    let digest = pass(count > 0 ? schema.digest : 0)
    let found = pass(UInt32(truncatingIfNeeded: count))
    guard isReading else { return count }
    if found != all, found > 0 || !isOptional {
      let expected = (isOptional ? 0 : all)...all
      fail(.invalidCount(field: field, found: found, expected: expected, offset: start + 4))
    }
    let expected = found > 0 ? schema.digest : 0
    if digest != expected {
      fail(.schemaMismatch(found: digest, expected: expected, offset: start))
    }
    return failure == nil ? Int(found) : 0
  }

  /// Passes a whole number.
  mutating func pass(_ field: inout Int, in range: ClosedRange<Int>, _ name: String) {
    let start = offset
    let word = pass(UInt32(truncatingIfNeeded: field))
    if isReading { field = Int(truncatingIfNeeded: word) }
    require(field, in: range, name, at: start)
  }

  /// Passes a number, as a rule a factor.
  mutating func pass(
    _ field: inout Float, _ name: String,
    in range: ClosedRange<Float> = 1e-6...ActivityModel.largestNumber
  ) {
    let start = offset
    field = Float(bitPattern: pass(field.bitPattern))
    require(field, in: range, name, at: start)
  }

  /// Passes as many numbers as there must be.
  mutating func pass(
    _ field: inout [Float], _ name: String, count: Int,
    from least: Float = -ActivityModel.largestNumber
  ) {
    let (start, range) = (offset, least...ActivityModel.largestNumber)
    switch mode {
    case .checking: break
    case .writing: for number in field { bytes.append(littleEndian: number.bitPattern) }
    case .reading:
      let places = hasBytes(4 * count) ? 0..<count : 0..<0
      field = places.map { Float(bitPattern: bytes.littleEndian(at: start + 4 * $0)) }
    }
    offset += 4 * count
    require(field.count == count, name, found: "\(field.count) numbers", expected: "\(count)")
    if let index = field.firstIndex(where: { !range.contains($0) }) {
      require(field[index], in: range, name, index, at: start)
    }
  }

  /// Passes a function of the model's form.
  mutating func pass(
    _ means: inout [Float], _ scales: inout [Float], _ knots: inout [Float],
    _ weights: inout [Float], features: Int, classes: Int
  ) {
    let knotCount = ActivityModel.knotsPerFeature
    pass(&means, "means", count: features)
    pass(&scales, "scales", count: features, from: .leastNormalMagnitude)
    let start = offset
    pass(&knots, "knots", count: features * knotCount)
    let descent = knots.indices.first { $0 % knotCount > 0 && knots[$0] < knots[$0 - 1] }
    if let descent {
      require(
        false, "knots", descent, found: "\(knots[descent])",
        expected: "at least \(knots[descent - 1])", at: start)
    }
    pass(
      &weights, "weights",
      count: ActivityModel.Parameters.weightCount(classes: classes, features: features))
  }

  /// Passes a term if it is there, over a blank one when it is read.
  mutating func pass<Term>(
    _ field: inout Term?, _ name: String, over blank: Term, isThere: Bool,
    _ fields: (inout Term, inout ModelArchive) -> Void
  ) {
    guard isThere || field != nil else { return }
    term = name
    var value = field ?? blank
    fields(&value, &self)
    field = value
    term = ""
  }

  // MARK: Activities and texts

  /// Passes the classes.
  mutating func pass(_ field: inout [Activity], count: Int) {
    let start = offset
    if isReading { field = Array(repeating: .stationary, count: count) }
    for index in field.indices {
      let found = pass(field[index])
      if isReading, let found { field[index] = found }
      if found == nil { fail(.unknownClass(found: .max, offset: start + 4 * index)) }
    }
    require(
      field.count > 1 && Set(field).count == field.count, "classes",
      found: field.map { $0.name }.joined(separator: " "), expected: "two or more different ones",
      at: start)
  }

  /// Passes an activity, or none as 2³² − 1.
  private mutating func pass(_ activity: Activity?) -> Activity? {
    let start = offset
    let word = pass(activity.map { UInt32($0.rawValue) } ?? .max)
    guard isReading else { return activity }
    let found = word < Activity.allCases.count ? Activity(rawValue: Int(word)) : nil
    if found == nil, word != .max { fail(.unknownClass(found: word, offset: start)) }
    return found
  }

  /// Passes the custom activities.
  mutating func pass(_ field: inout [CustomActivity], count: Int) {
    let start = offset
    var read: [CustomActivity] = []
    for index in 0..<count where failure == nil {
      let parent = pass(isReading ? nil : field[index].behavesLike)
      var name = isReading ? [] : field[index].nameBytes
      let longest = CustomActivity.longestName
      let length = pass(count: name.count, in: 1...longest, "bytes of a name")
      let nameStart = offset
      pass(bytesOf: &name, "activities", count: length, multipleOf: longest)
      guard isReading, failure == nil else { continue }
      if let activity = CustomActivity(nameBytes: name, behavesLike: parent) {
        read.append(activity)
      } else {
        fail(.invalidText(offset: nameStart))
      }
    }
    if isReading { field = read }
    let most = ActivityModel.CustomTerm.largestCount
    require(
      1...most ~= field.count && Set(field.map { $0.nameBytes }).count == field.count,
      "activities", found: field.map { $0.name }.joined(separator: " "),
      expected: "1 to \(most) different ones", at: start)
  }

  /// Passes as many bytes as there must be, filled up with 0 to a multiple.
  mutating func pass<Byte: FixedWidthInteger>(
    bytesOf field: inout [Byte], _ name: String, count: Int, multipleOf width: Int
  ) {
    let size = (count + width - 1) / width * width
    if isReading {
      field = []
      if hasBytes(size) {
        for byte in bytes[offset..<offset + count] { field.append(Byte(truncatingIfNeeded: byte)) }
      }
    }
    require(field.count == count, name, found: "\(field.count) numbers", expected: "\(count)")
    if mode == .writing {
      for byte in field { bytes.append(UInt8(truncatingIfNeeded: byte)) }
      bytes += Array(repeating: 0, count: size - field.count)
    }
    offset += size
  }

  /// Passes a text.
  mutating func pass(_ field: inout String, count: Int) {
    switch mode {
    case .checking: break
    case .writing: bytes += field.utf8
    case .reading:
      guard hasBytes(count) else { return }
      let read = bytes[offset..<offset + count]
      field = String(decoding: read, as: UTF8.self)
      // Decoding replaces invalid bytes: then the result differs.
      if !field.utf8.elementsEqual(read) { fail(.invalidText(offset: offset)) }
    }
    offset += count
  }
}
