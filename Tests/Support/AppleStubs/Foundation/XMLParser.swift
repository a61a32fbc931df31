// What Apple's Foundation has and that of Linux keeps in a module of its own, in outline. It is
// checked as a part of the module that uses it.
internal import Foundation

class XMLParser: NSObject {
  init(data: Data) {}
  init(stream: InputStream) {}

  // Apple's is `unowned(unsafe)` and optional, as this one.
  weak var delegate: (any XMLParserDelegate)?
  var shouldResolveExternalEntities = false
  var parserError: (any Error)? { nil }
  var lineNumber: Int { 0 }

  @discardableResult func parse() -> Bool { false }
  func abortParsing() {}
}

/// All methods are optional on Apple's systems.
protocol XMLParserDelegate: NSObjectProtocol {
  func parser(
    _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
    qualifiedName qName: String?, attributes attributeDict: [String: String])
  func parser(
    _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
    qualifiedName qName: String?)
  func parser(_ parser: XMLParser, foundCharacters string: String)
}
