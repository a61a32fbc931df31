import Foundation
internal import Locomotion
public import LocomotionActivityRecognition

extension UserJournal {
  /// The activity model that the user's corrections make of `base`.
  ///
  /// Every stretch of ``corrections()`` counts, a confirmation (a correction to what was answered
  /// anyway) like any other: `ActivityModel.learning(from:)`. The features of up to eight windows
  /// of each are kept in the journal, beside the edits: so learning needs no samples once they were
  /// collected. They are erased with the time that they are from, and
  /// never uploaded.
  ///
  /// The model follows from `base`, the corrections and the kept windows alone. When a correction
  /// is taken back, what it taught is gone, bit for bit; and a copy of the journal gives the same
  /// model. Give it to ``updateDays(model:)`` and to the pipeline of the next recording. In a
  /// journal that is open for reading the windows that were kept count.
  ///
  /// - Returns: The model, and what became of the corrections.
  /// - Throws: ``JournalError``.
  /// - Complexity: O(recording) when there are corrections without windows; else as
  ///   `ActivityModel.learning(from:)`.
  public func learnedModel(
    from base: ActivityModel = .default
  ) throws(JournalError) -> LearnedModel {
    if journal.access == .writing { try keepWindows() }
    let stretches = try connection.snapshot { () throws(JournalError) in
      let windows = try keptWindows()
      return try statedStretches().map { stated in
        LabelledStretch(
          activity: stated.activity,
          windows: windows.filter { $0.isInside(stated) }.compactMap {
            KeptWindow.features($0.value, count: base.featureCount)
          })
      }
    }
    return base.learning(from: stretches)
  }

  /// Collects the windows of the newest stretches that have none, from what is recorded, and
  /// removes those of stretches that are no longer stated.
  private func keepWindows() throws(JournalError) {
    let stated = try statedStretches().suffix(ActivityModel.mostStretches)
    let kept = try keptWindows()
    let missing = stated.filter { stated in !kept.contains { $0.isInside(stated) } }
    let unused = kept.filter { window in !stated.contains { window.isInside($0) } }
    guard !missing.isEmpty || !unused.isEmpty else { return }
    var found: [StretchCollector.Window] = []
    if !missing.isEmpty {
      found = try reading { (user) throws(JournalError) in
        let reading = try TimeOrderedReading(of: user, fromSample: 0, fromFix: 0, in: self)
        var found: [StretchCollector.Window] = []
        for stretch in missing { found += try windows(of: stretch, in: reading) }
        return found
      }
    }
    guard !found.isEmpty || !unused.isEmpty else { return }
    try writing { (_) throws(JournalError) in
      for window in unused { try remove(window) }
      for window in found {
        try add(
          EditRecord(
            .window, from: window.start, to: window.end, value: KeptWindow.text(window.features)))
      }
    }
  }

  private func windows(
    of stretch: ActivityCorrection, in reading: TimeOrderedReading
  ) throws(JournalError) -> [StretchCollector.Window] {
    var collector = StretchCollector(from: stretch.start, to: stretch.end)
    _ = try reading.forEachBatch(
      from: stretch.start.advanced(byNanoseconds: -KeptWindow.lead), to: stretch.end, in: self
    ) { (batch: JournalBatch) throws(JournalError) in
      collector.ingest(SensorBatch(batch))
      return true
    }
    return collector.finish()
  }

  private func keptWindows() throws(JournalError) -> [EditRecord] {
    try rows().filter { $0.kind == .window }
  }
}

extension EditRecord {
  /// Whether a kept window lies inside a stretch.
  fileprivate func isInside(_ stretch: ActivityCorrection) -> Bool {
    stretch.start <= start && end <= stretch.end
  }
}

/// How the features of a window are kept: as numbers of 16 bits in Base64.
enum KeptWindow {
  /// The time before a stretch that is read, so that its first window is whole, nanoseconds.
  static let lead: Int64 = 10_000_000_000

  static func text(_ features: [Float]) -> String {
    let halves = features.map { HalfFloat.bits(of: $0) }
    return Data(halves.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }).base64EncodedString()
  }

  /// The features in a text; nil unless it holds `count` finite ones.
  static func features(_ text: String, count: Int) -> [Float]? {
    guard let data = Data(base64Encoded: text), data.count == 2 * count else { return nil }
    let bytes = Array(data)
    let features = (0..<count).map { index in
      HalfFloat.value(of: UInt16(bytes[2 * index]) | UInt16(bytes[2 * index + 1]) << 8)
    }
    return features.allSatisfy(\.isFinite) ? features : nil
  }
}

/// Numbers of IEEE 754 binary16, which not every system has.
package enum HalfFloat {
  /// The bits of the nearest one; beyond ±65,504 that, and NaN is 0.
  package static func bits(of value: Float) -> UInt16 {
    guard value == value else { return 0 }
    let sign: UInt16 = value.sign == .minus ? 0x8000 : 0
    let magnitude = min(value.magnitude, 65_504)
    // Below 2⁻¹⁴ the spacing is 2⁻²⁴.
    guard magnitude >= 0x1p-14 else { return sign | UInt16((magnitude * 0x1p24).rounded()) }
    let exponent = Int(magnitude.exponent)
    let fraction = (magnitude.significand - 1) * 1024
    return sign | (UInt16(exponent + 15) << 10 + UInt16(fraction.rounded()))
  }

  /// The value of the bits; infinite or NaN where they are.
  package static func value(of bits: UInt16) -> Float {
    let exponent = Int(bits >> 10 & 31)
    let fraction = Float(bits & 1023)
    let magnitude: Float =
      switch exponent {
      case 0: fraction * 0x1p-24
      case 31: fraction == 0 ? .infinity : .nan
      default: (1 + fraction / 1024) * Float(sign: .plus, exponent: exponent - 15, significand: 1)
      }
    return bits & 0x8000 == 0 ? magnitude : -magnitude
  }
}
