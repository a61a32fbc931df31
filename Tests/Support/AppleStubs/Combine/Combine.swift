// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Combine in outline: what Examples/RecorderApp uses.

public protocol ObservableObject: AnyObject {}

@propertyWrapper public struct Published<Value> {
  public var wrappedValue: Value
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}
