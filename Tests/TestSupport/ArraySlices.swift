extension Array {
  /// All elements, without a copy.
  ///
  /// The span of a slice exists on all systems of the package, that of an array not on Apple's
  /// before 26.
  public var slice: ArraySlice<Element> { self[...] }
}
