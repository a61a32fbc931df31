/// One thing that is measured.
public struct Entry {
  /// `Module/what`, unique in the suite.
  public var name: String
  /// How many samples, fixes or windows one iteration works through.
  public var items: Int
  /// What the items are, in the plural.
  public var unit: String
  /// Whether an iteration must not allocate once it has been warmed up.
  public var isAllocationFree: Bool
  /// Prepares the data and returns one iteration of the work.
  public var prepare: () -> () -> Void

  /// An entry; `prepare` runs once and untimed, what it returns runs many times.
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

/// Two or more entries that do comparable work, measured turn by turn in one run.
///
/// Machines change speed from minute to minute: only a ratio of times taken side by side means
/// anything. The first entry is the base of the ratios.
public struct Comparison {
  /// `Module/what`, unique in the suite.
  public var name: String
  /// What is compared, the base first.
  public var entries: [Entry]

  /// A comparison of `entries` with the first of them.
  public init(_ name: String, _ entries: [Entry]) {
    self.name = name
    self.entries = entries
  }
}
