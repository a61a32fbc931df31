extension TimelineBuilder {
  /// The instant up to which the timeline is final: no later sample changes an item that ends at or
  /// before it.
  ///
  /// That is the beginning of the newest stay that was sure when a minute of it was over: it has
  /// lasted for ``Settings/shortestStay`` with five minutes observed, or for an hour, and it can no
  /// longer be one with the stay before it. Usually a trip is final five to ten minutes after its
  /// end, and a stay when the next place was reached. Nil while nothing is final since the clock
  /// was set back.
  public func finalEnd() -> Timestamp? {
    let end = finalItems.last?.end ?? takenEnd
    if let first, let end, first < end { return nil }
    return end
  }

  /// Returns the final items, and keeps of them no more than their end.
  mutating func takeFinalItems() -> [TimelineItem] {
    defer { finalItems.removeAll() }
    takenEnd = finalEnd()
    return finalItems
  }

  /// The open minutes above which every second one of the older half is dropped: three days.
  private static let mostOpenEpochs = 4_320

  /// Makes final what is, when the newest minutes are alike and something came before them.
  ///
  /// It depends on the samples alone, not on when anyone asks.
  mutating func commitIfDue() {
    if epochs.count >= Self.mostOpenEpochs { thin() }
    guard epochs.count >= nextCheck else { return }
    guard let rest = newestRest() else {
      nextCheck = epochs.count + 1
      return
    }
    // The longer the rest, the rarer a look at it; the first one is at five minutes.
    let count = epochs.count
    commit()
    nextCheck = epochs.count + (epochs.count < count || rest < 12 ? 1 : rest / 3)
  }

  /// Halves what is held of the older half: a silence of a minute more changes little.
  private mutating func thin() {
    let half = epochs.count / 2
    var kept = stride(from: 0, to: half, by: 2).map { epochs[$0] }
    kept += epochs[half...]
    epochs = kept
    nextCheck = epochs.count
  }

  /// The number of the newest epochs that are near each other, if they may be a stay that ends what
  /// was before; nil when they are too few or all there is.
  private func newestRest() -> Int? {
    guard let newest = epochs.last else { return nil }
    var first = epochs.count - 1
    if let here = newest.mean {
      while first > 0 {
        guard let there = epochs[first - 1].mean else {
          first -= 1
          continue
        }
        guard there.distance(to: here) <= Self.nearDistance else { break }
        first -= 1
      }
    } else {
      while first > 0, epochs[first - 1].accelerationMotion < 0, epochs[first - 1].count == 0 {
        first -= 1
      }
    }
    let length = newest.end.seconds(since: epochs[first].start)
    let isLong =
      length >= settings.shortestStay && epochs.count - first >= 5
      || length >= 3600 && epochs.count - first >= 2
    return first > 0 && isLong ? epochs.count - first : nil
  }

  /// By how much the end of a stay may still move, seconds.
  private static let edgeMargin = 90.0
  /// Fixes within this distance may be of one place, metres.
  private static let nearDistance = 150.0

  /// Makes the items before the newest stay final, if that is sure.
  private mutating func commit() {
    let timeline = inferred()
    guard let spans = timeline.parts.last else { return }
    var end: Timestamp?
    var isStay = false
    if let index = spans.lastIndex(where: { $0.isStay }), isSettled(index, in: spans) {
      end = spans[index].start
      isStay = true
    } else if timeline.parts.count > 1 {
      // Nothing joins across a gap.
      end = timeline.lastPart
    }
    guard let end, let first, end > first else { return }
    let kept = items(of: timeline).prefix { $0.end <= end }
    guard let last = kept.last, last.end == end else { return }
    finalItems += kept
    beginsWithStay = isStay
    forget(before: end)
  }

  /// Drops what was observed before an instant.
  private mutating func forget(before end: Timestamp) {
    first = end
    epochs.removeAll { $0.end <= end }
    if let located = epochs.first(where: { $0.count > 0 }) {
      beginStay(at: located.first, before: located.start)
    }
    // What began before belongs to the trip that ends there.
    silences.removeAll { $0.start < end }
    runs = runs.compactMap { $0.cut(from: end, to: Timestamp(nanoseconds: .max)) }
    open = open?.cut(from: end, to: Timestamp(nanoseconds: .max))
  }

  /// Whether a stay that goes on stays one, and begins where it does, whatever follows.
  private func isSettled(_ index: Int, in spans: [TimelineSpan]) -> Bool {
    let stay = spans[index]
    guard index > 0, !stay.epochs.isEmpty, index + 1 == spans.count || stay.duration >= 3600,
      stay.duration >= settings.shortestStay + Self.edgeMargin
    else { return false }
    // An earlier stay at this place may still be one with it.
    for earlier in spans[..<index] where earlier.isStay {
      let absence = stay.start.seconds(since: earlier.end)
      guard let apart = stay.place?.distance(to: earlier.place) else {
        if absence < 300 { return false }
        continue
      }
      guard apart < 60 else { continue }
      if absence < min(1800, earlier.duration), stay.duration < absence / 0.15 { return false }
    }
    return true
  }
}
