internal import Foundation

/// The names in a JSON object, of which a decoder keeps one when there are two.
enum JSONObjectNames {
  /// Whether every name of the outermost object is there once, written in whatever way.
  ///
  /// - Parameter json: A valid document of JSON whose outermost value is an object.
  /// - Returns: False also for a text that ends inside of a string.
  static func areUnique(in json: [UInt8]) -> Bool {
    var names: Set<String> = []
    var depth = 0
    var expectsName = false
    var place = json.startIndex
    while place < json.endIndex {
      switch json[place] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        expectsName = depth == 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ","): expectsName = depth == 1
      case UInt8(ascii: "\""):
        var end = place + 1
        while end < json.endIndex, json[end] != UInt8(ascii: "\"") {
          end += json[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < json.endIndex else { return false }
        if expectsName {
          let text = Data(json[place...end])
          guard let name = try? JSONDecoder().decode(String.self, from: text),
            names.insert(name).inserted
          else { return false }
          expectsName = false
        }
        place = end
      default: break
      }
      place += 1
    }
    return true
  }
}
