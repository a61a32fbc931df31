// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// SwiftUI in outline: what Examples/RecorderApp uses, with names and types as in Apple's reference.
// Nothing is drawn.

@_exported public import Combine

@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  public var body: Never { return fatalError("nothing is drawn") }
}

/// A view without others in it.
public protocol Leaf: View where Body == Never {}
extension Leaf { public var body: Never { return fatalError("nothing is drawn") } }

public struct TupleView<each Content: View>: Leaf {}
extension Optional: View where Wrapped: View {
  public var body: Never { return fatalError("nothing is drawn") }
}

@resultBuilder public struct ViewBuilder {
  public static func buildBlock<each Content: View>(
    _ content: repeat each Content
  ) -> TupleView<repeat each Content> { TupleView() }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}

public struct Text: Leaf {
  public init(_ content: some StringProtocol) {}
}

public struct LabeledContent: Leaf {
  public init(_ title: some StringProtocol, value: some StringProtocol) {}
}

public struct Button: Leaf {
  public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
}

public struct Section<Content: View>: Leaf {
  public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {}
}

public struct List<Content: View>: Leaf {
  public init(@ViewBuilder content: () -> Content) {}
}

public struct ForEach<Data: RandomAccessCollection, Content: View>: Leaf
where Data.Element: Identifiable {
  public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}

@MainActor @preconcurrency public protocol Scene {
  associatedtype Body: Scene
  var body: Body { get }
}

extension Never: Scene {}

extension Scene {
  public func onChange<Value: Equatable>(
    of value: Value, initial: Bool = false, _ action: @escaping () -> Void
  ) -> some Scene { self }
}

public struct WindowGroup<Content: View>: Scene {
  public init(@ViewBuilder content: () -> Content) {}
  public var body: Never { return fatalError("nothing is drawn") }
}

@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene
  var body: Body { get }
  init()
}

extension App {
  public static func main() {}
}

public enum ScenePhase: Comparable {
  case background, inactive, active
}

public struct EnvironmentValues {
  public var scenePhase: ScenePhase { .active }
}

@propertyWrapper public struct Environment<Value> {
  public let wrappedValue: Value
  public init(_ path: KeyPath<EnvironmentValues, Value>) {
    wrappedValue = EnvironmentValues()[keyPath: path]
  }
}

@MainActor @preconcurrency @propertyWrapper public struct StateObject<Object: ObservableObject> {
  public let wrappedValue: Object
  public init(wrappedValue: @autoclosure @escaping () -> Object) {
    self.wrappedValue = wrappedValue()
  }
}

@MainActor @preconcurrency @propertyWrapper public struct ObservedObject<Object: ObservableObject> {
  public var wrappedValue: Object
  public init(wrappedValue: Object) { self.wrappedValue = wrappedValue }
}
