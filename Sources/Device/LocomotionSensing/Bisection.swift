extension RandomAccessCollection {
  /// The first index from which on all elements satisfy a predicate, and before which none does.
  ///
  /// The end index when no element does. By bisection (Knuth, The Art of Computer Programming 3,
  /// section 6.2.1).
  ///
  /// - Complexity: O(log n) calls of the predicate.
  @inlinable
  package func partitioningIndex<Failure: Error>(
    where isInSecondPart: (Element) throws(Failure) -> Bool
  ) throws(Failure) -> Index {
    var low = startIndex
    var remaining = count
    while remaining > 0 {
      let half = remaining / 2
      let middle = index(low, offsetBy: half)
      if try isInSecondPart(self[middle]) {
        remaining = half
      } else {
        low = index(after: middle)
        remaining -= half + 1
      }
    }
    return low
  }
}
