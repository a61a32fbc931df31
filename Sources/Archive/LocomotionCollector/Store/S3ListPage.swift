internal import Foundation
internal import FoundationXML

/// A page of the answer to `ListObjectsV2`.
struct S3ListPage {
  private(set) var keys: [String] = []
  /// The token of the next page; nil on the last one.
  private(set) var next: String?

  init?(_ bytes: [UInt8]) {
    let reader = Reader()
    let parser = XMLParser(data: Data(bytes))
    parser.shouldResolveExternalEntities = false
    parser.delegate = reader
    guard parser.parse(), reader.root == "ListBucketResult" else { return nil }
    keys = reader.keys
    next = reader.isCut ? reader.token : nil
    if reader.isCut, next == nil { return nil }
  }

  private final class Reader: NSObject, XMLParserDelegate {
    var root: String?
    var keys: [String] = []
    var isCut = false
    var token: String?
    private var text = ""

    func parser(
      _ parser: XMLParser, didStartElement element: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) {
      root = root ?? element
      text = ""
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(
      _ parser: XMLParser, didEndElement element: String, namespaceURI: String?,
      qualifiedName: String?
    ) {
      switch element {
      case "Key": keys.append(text)
      case "IsTruncated": isCut = text == "true"
      case "NextContinuationToken": token = text
      default: break
      }
      text = ""
    }
  }
}
