extension Array {
  /// All elements, without a copy.
  ///
  /// The span of a slice exists on all systems of the package, that of an array not on Apple's
  /// before 26. Inlined, so that what is measured with it is not the call.
  @inlinable public var slice: ArraySlice<Element> { self[...] }
}
