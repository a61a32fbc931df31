/// Codec of an integer column: prediction, then Rice coding of the residuals.
///
/// The encoder tries four predictors and keeps the one with the shortest output: none, the last
/// number, the straight line through the last two, and a linear prediction whose coefficients are
/// fitted to the column and stored with it. The decoder uses integer arithmetic only, so that it
/// gives the same numbers on every machine. Residuals are coded in groups of 64, each with the Rice
/// parameter that makes it shortest, because their size varies within a gait cycle.
///
/// Sources: Rice, "Some practical universal noiseless coding techniques", JPL 79-22 (1979);
/// Robinson, "SHORTEN: Simple lossless and near-lossless waveform compression", Cambridge
/// CUED/F-INFENG/TR.156 (1994), which applies the same scheme to audio.
enum IntegerColumn {
  static let groupLength = 64
  /// From this quotient on the residual is stored in full, so that none takes more than 96 bits.
  private static let longestQuotient = 32
  /// In place of a parameter: all residuals of the group are 0, as for equidistant times.
  private static let nothing = 63

  /// Appends the column without its count.
  static func encode(_ values: [Int64], into bytes: inout [UInt8]) {
    guard let first = values.first else { return }
    var best = RiceGroups(Predictor.differences(0).errors(of: values))
    var chosen = Predictor.differences(0)
    for order in 1...2 {
      let groups = RiceGroups(Predictor.differences(order).errors(of: values))
      if groups.bitCount < best.bitCount { (best, chosen) = (groups, .differences(order)) }
    }
    if let fitted = LinearPrediction(fitting: values) {
      let groups = RiceGroups(Predictor.linear(fitted).errors(of: values))
      if groups.bitCount + 8 * fitted.byteCount < best.bitCount {
        (best, chosen) = (groups, .linear(fitted))
      }
    }
    bytes.append(signed: first)
    switch chosen {
    case .differences(let order): bytes.append(UInt8(order))
    case .linear(let prediction):
      bytes.append(3)
      prediction.encode(into: &bytes)
    }
    let coded = best.encoded()
    bytes.append(variable: UInt64(coded.count))
    bytes += coded
  }

  /// Reads a column of `count` numbers.
  static func decode(
    _ count: Int, from reader: inout ByteReader
  ) throws(UnitError) -> [Int64] {
    guard count > 0 else { return [] }
    let first = try reader.signed()
    let kind = try reader.byte()
    let predictor: Predictor
    switch kind {
    case 0...2: predictor = .differences(Int(kind))
    case 3: predictor = .linear(try LinearPrediction(from: &reader))
    default: throw .undecodable
    }
    let length = try reader.count(limit: reader.remaining)
    var bits = BitReader(try reader.take(length))
    // A group takes at least the six bits of its parameter.
    guard count - 1 <= groupLength * (8 * length / 6 + 1) else { throw .undecodable }
    var values: [Int64] = []
    values.reserveCapacity(count)
    values.append(first)
    var index = 1
    while index < count {
      let parameter = try bits.read(6)
      let end = min(index + groupLength, count)
      while index < end {
        let error =
          parameter == nothing ? 0 : try readError(parameter: Int(parameter), from: &bits)
        values.append(predictor.prediction(of: index, in: values) &+ error)
        index += 1
      }
    }
    return values
  }

  private static func readError(
    parameter: Int, from bits: inout BitReader
  ) throws(UnitError) -> Int64 {
    let quotient = try bits.ones(limit: longestQuotient)
    if quotient == longestQuotient {
      let low = try bits.read(32)
      return unzigzag(try bits.read(32) << 32 | low)
    }
    let low = try bits.read(min(parameter, 32))
    let high = parameter > 32 ? try bits.read(parameter - 32) << 32 : 0
    return unzigzag((UInt64(quotient) << UInt64(parameter)) | high | low)
  }

  /// The residuals of a prediction in groups, each with its best Rice parameter.
  private struct RiceGroups {
    private let errors: [UInt64]
    private var parameters: [Int] = []
    private(set) var bitCount = 0

    init(_ errors: [Int64]) {
      self.errors = errors.map(zigzag)
      for start in stride(from: 0, to: errors.count, by: groupLength) {
        let group = self.errors[start..<min(start + groupLength, errors.count)]
        let mean = group.reduce(0) { $0 + Double($1) } / Double(group.count)
        guard mean > 0 else {
          parameters.append(nothing)
          bitCount += 6
          continue
        }
        // For a geometric distribution the best parameter is near the logarithm of the mean.
        let near = mean < 1 ? 0 : min(Int(mean.exponent), 61)
        var best = (cost: Int.max, parameter: 0)
        for parameter in max(near - 1, 0)...near + 1 {
          let cost = group.reduce(0) { $0 + Self.cost($1, parameter) }
          if cost < best.cost { best = (cost, parameter) }
        }
        parameters.append(best.parameter)
        bitCount += best.cost + 6
      }
    }

    private static func cost(_ error: UInt64, _ parameter: Int) -> Int {
      let quotient = error >> UInt64(parameter)
      return quotient < UInt64(longestQuotient)
        ? Int(quotient) + 1 + parameter : longestQuotient + 64
    }

    func encoded() -> [UInt8] {
      var bits = BitWriter()
      for (index, error) in errors.enumerated() {
        let parameter = parameters[index / groupLength]
        if index % groupLength == 0 { bits.write(UInt64(parameter), count: 6) }
        if parameter == nothing { continue }
        let quotient = error >> UInt64(parameter)
        if quotient < UInt64(longestQuotient) {
          bits.write((1 << quotient) - 1, count: Int(quotient) + 1)
          bits.write(error, count: min(parameter, 32))
          if parameter > 32 { bits.write(error >> 32, count: parameter - 32) }
        } else {
          bits.write(~0, count: longestQuotient)
          bits.write(error, count: 32)
          bits.write(error >> 32, count: 32)
        }
      }
      return bits.finished()
    }
  }
}

/// A prediction of each number from those before it.
enum Predictor {
  /// The polynomial of degree order − 1 through the last numbers: 0, the last one, or a line.
  case differences(Int)
  case linear(LinearPrediction)

  /// The prediction of `values[index]` from the numbers before it, of which there is at least one.
  func prediction(of index: Int, in values: [Int64]) -> Int64 {
    let last = values[index - 1]
    switch self {
    case .differences(0): return 0
    case .differences(1): return last
    case .differences: return index < 2 ? last : last &+ (last &- values[index - 2])
    case .linear(let prediction):
      return index < prediction.order ? last : prediction.next(after: values, index)
    }
  }

  /// The residuals of all numbers but the first.
  func errors(of values: [Int64]) -> [Int64] {
    (1..<max(values.count, 1)).map { values[$0] &- prediction(of: $0, in: values) }
  }
}
