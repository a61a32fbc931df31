import Foundation

extension Encodable {
  /// The value in JSON with sorted names, times as ISO 8601 writes them.
  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      encoder.dateEncodingStrategy = .iso8601
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}
