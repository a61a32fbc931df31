/// One piece of work to measure.
public struct Entry {
  /// `Module/what`, unique in the suite.
  public var name: String
  /// The number of samples, fixes or windows that one iteration processes.
  public var items: Int
  /// The unit of the items, in the plural.
  public var unit: String
  /// Whether an iteration must not allocate once it has been warmed up.
  public var isAllocationFree: Bool
  /// Prepares the data and returns one iteration of the work.
  public var prepare: () -> () -> Void

  /// An entry; `prepare` runs once and untimed, and the function that it returns runs many times.
  public init(
    _ name: String, items: Int = 1, unit: String = "calls", isAllocationFree: Bool = true,
    prepare: @escaping () -> () -> Void
  ) {
    self.name = name
    self.items = items
    self.unit = unit
    self.isAllocationFree = isAllocationFree
    self.prepare = prepare
  }
}

/// Two or more entries that do comparable work, measured in turns in one run.
///
/// Machines change speed from minute to minute: only a ratio of times taken side by side is
/// meaningful. The first entry is the base of the ratios.
public struct Comparison {
  /// `Module/what`, unique in the suite.
  public var name: String
  /// The entries to compare, the base first.
  public var entries: [Entry]

  /// A comparison of `entries` with the first of them.
  public init(_ name: String, _ entries: [Entry]) {
    self.name = name
    self.entries = entries
  }
}
