/// What a misspelt word may have meant.
package enum Spelling {
  /// The known word nearest to another one, of several alike the first; nil when it is known, or
  /// when all are far.
  ///
  /// The edit distance may be a third of the length, at most 2. It is that of Damerau (1964), in
  /// which two neighbours that change places are one edit.
  package static func nearest(to word: String, among known: [String]) -> String? {
    let nearest = known.map { ($0, editDistance(Array(word), Array($0))) }.min { $0.1 < $1.1 }
    guard let nearest, nearest.1 > 0, nearest.1 <= min(2, word.count / 3) else { return nil }
    return nearest.0
  }

  private static func editDistance(_ a: [Character], _ b: [Character]) -> Int {
    var before: [Int] = []
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
      var next = [i + 1]
      for (j, y) in b.enumerated() {
        var cost = min(row[j + 1] + 1, next[j] + 1, row[j] + (x == y ? 0 : 1))
        if i > 0, j > 0, x == b[j - 1], a[i - 1] == y { cost = min(cost, before[j - 1] + 1) }
        next.append(cost)
      }
      (before, row) = (row, next)
    }
    return row[b.count]
  }
}
