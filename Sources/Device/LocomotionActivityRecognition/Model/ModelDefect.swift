extension ActivityModel {
  /// An invalid number of a model.
  public struct Defect: Hashable, Sendable, CustomStringConvertible {
    /// The name of the field of ``Parameters``; that of a term's begins with the term's, as in
    /// "rotation.means".
    public let field: String
    /// The position in the field, 0 for a single number.
    public let index: Int
    /// The value found.
    public let found: String
    /// The value expected.
    public let expected: String

    /// Texts are formed for people only: in Embedded Swift nobody reads them.
    init(
      field: @autoclosure () -> String, index: Int, found: @autoclosure () -> String,
      expected: @autoclosure () -> String
    ) {
      self.index = index
      #if hasFeature(Embedded)
        (self.field, self.found, self.expected) = ("", "", "")
      #else
        (self.field, self.found, self.expected) = (field(), found(), expected())
      #endif
    }

    /// A one-line description.
    public var description: String { "\(field)[\(index)] is \(found), expected \(expected)" }
  }

  /// The largest number of a model, so that no score can overflow.
  static let largestNumber: Float = 1e9
  /// The largest manifest, bytes.
  static let largestManifest = 1 << 20
}
