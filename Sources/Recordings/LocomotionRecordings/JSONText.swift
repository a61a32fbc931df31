import Foundation

/// JSON with sorted keys, deterministic for equal values.
package enum JSONText {
  package static func compact(_ value: some Encodable) -> String {
    text(value, [.sortedKeys, .withoutEscapingSlashes])
  }

  package static func pretty(_ value: some Encodable) -> String {
    text(value, [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted])
  }

  private static func text(
    _ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting
  ) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting
    // Reports have no NaN; one would be written as text.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let data = try? encoder.encode(value) else { return "{}" }
    return String(decoding: data, as: UTF8.self)
  }
}

/// An object of JSON: what stands under each key, where no type says it already.
package struct JSONObject: Encodable {
  private var fields: [(key: String, value: any Encodable)]

  /// An object with `fields`; nil is written as null.
  package init(_ fields: KeyValuePairs<String, any Encodable>) {
    self.fields = fields.map { ($0, $1) }
  }

  /// An object with `fields`, without those that are nil.
  package init(known fields: KeyValuePairs<String, (any Encodable)?>) {
    self.fields = fields.compactMap { key, value in value.map { (key, $0) } }
  }

  /// The fields of both objects, which have no key in common.
  package static func + (left: JSONObject, right: JSONObject) -> JSONObject {
    var sum = left
    sum.fields += right.fields
    return sum
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    for (key, value) in fields { try container.encode(value, forKey: Key(stringValue: key)) }
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
  }
}
