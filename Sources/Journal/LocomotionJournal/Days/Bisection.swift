extension Array {
  /// The first index at which a condition holds that holds from there on, or the end; by bisection.
  ///
  /// - Complexity: O(log n).
  func bisected(_ holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
