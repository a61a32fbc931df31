/// Why a location fix was not used.
public enum RejectionReason: String, Error, CaseIterable, Hashable, Sendable {
  /// A latitude or longitude that is not on Earth, or not a number.
  case impossiblePosition
  /// Exactly latitude 0, longitude 0: the mark of an uninitialised value.
  case nullIsland
  /// The reported accuracy is so bad that the fix says nothing.
  case noAccuracy
  /// The same time as the newest fix.
  case duplicate
  /// Earlier than the newest fix.
  case outOfOrder
  /// A time that no clock shows, or so far ahead that the next fix must confirm it first.
  case implausibleTime
  /// Too far from where the phone can be.
  case outlier
}

/// What the filter did with a location fix.
public enum FixStatus: Equatable, Sendable, StateElement {
  /// It improved the estimate.
  case used
  /// It, and others before it, contradicted the estimate so consistently that the filter started
  /// again from it.
  case relocated
  /// It was left out.
  case rejected(RejectionReason)

  /// Whether the filter took the fix in.
  package var isUsed: Bool { self == .used || self == .relocated }

  /// One of `used`, `relocated` and `rejected`.
  public var name: String {
    switch self {
    case .used: "used"
    case .relocated: "relocated"
    case .rejected: "rejected"
    }
  }

  package static let blank = FixStatus.used

  package mutating func pass(through archive: inout StateArchive) {
    var (isRelocated, reason): (Bool, RejectionReason?) = (self == .relocated, nil)
    if case .rejected(let own) = self { reason = own }
    archive.pass(&isRelocated)
    archive.pass(caseOf: &reason)
    guard archive.isReading else { return }
    self = reason.map { .rejected($0) } ?? (isRelocated ? .relocated : .used)
  }
}

/// What the filter made of one location fix.
public struct FixReport: Equatable, Sendable, StateElement {
  /// The fix as it came.
  public var fix: LocationFix
  /// What became of it.
  public var status = FixStatus.used
  /// The location at the fix's time, after it was taken in; nil when none is known.
  public var location: LocationEstimate?
  /// Whether the phone changed place at that time.
  public var moving = MovingDecision(state: .uncertain, probability: 0.5)
  /// What the accelerometer said in the last whole second before the fix came.
  public var acceleration: AccelerationEvidence?

  /// A fix of which no filter has said anything.
  public init(_ fix: LocationFix, acceleration: AccelerationEvidence? = nil) {
    (self.fix, self.acceleration) = (fix, acceleration)
  }

  package static let blank = FixReport(.blank)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&fix, &status, &location, &moving, &acceleration)
  }
}

/// How many fixes had which ``FixStatus``.
public struct FixCounts: Equatable, Sendable, StateArchivable {
  /// The number of fixes that were used.
  public internal(set) var used = 0
  /// The number of fixes from which the filter started again after a relocation.
  public internal(set) var relocated = 0
  /// The number of fixes whose speed was taken as missing, because the speeds of this receiver
  /// contradict its positions.
  public internal(set) var ignoredSpeeds = 0
  /// The number of rejected fixes, in the order of `RejectionReason.allCases`.
  private var rejectedByReason = SIMD8<Int>.zero

  /// No fixes at all.
  public init() {}

  /// The number of fixes rejected for one reason.
  public func rejected(_ reason: RejectionReason) -> Int {
    rejectedByReason[Self.index(reason)]
  }

  /// The number of fixes rejected for any reason.
  public var rejected: Int { rejectedByReason.wrappedSum() }

  /// The number of all fixes.
  public var received: Int { used + relocated + rejected }

  mutating func count(_ status: FixStatus) {
    switch status {
    case .used: used += 1
    case .relocated: relocated += 1
    case .rejected(let reason): rejectedByReason[Self.index(reason)] += 1
    }
  }

  private static func index(_ reason: RejectionReason) -> Int {
    RejectionReason.allCases.firstIndex(of: reason) ?? 0
  }

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&used, &relocated, &ignoredSpeeds, &rejectedByReason)
  }
}
