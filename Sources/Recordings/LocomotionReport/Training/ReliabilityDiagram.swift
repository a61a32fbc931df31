import LocomotionTraining

/// A reliability diagram: predicted probability against the observed frequency.
enum ReliabilityDiagram {
  private static let side = 300.0
  private static let margin = 40.0

  static func draw(_ table: ReliabilityTable, title: String) -> Markup {
    let total = table.bins.reduce(0) { $0 + $1.count }
    var drawing = Drawing(
      width: side + margin + 16, height: side + margin + 16,
      title: "Reliability: \(title)",
      description: "The fraction of right answers against the probability that they claimed, in "
        + "\(ReliabilityTable.binCount) intervals; \(total) windows.")
    func point(_ claimed: Double, _ right: Double) -> SIMD2<Double> {
      SIMD2(margin + claimed * side, 8 + (1 - right) * side)
    }
    for fraction in [0, 0.25, 0.5, 0.75, 1] {
      let low = point(fraction, 0)
      let left = point(0, fraction)
      drawing.line(low.x, 8, low.x, low.y, fraction == 0 ? "base" : "hair")
      drawing.line(margin, left.y, margin + side, left.y, fraction == 0 ? "base" : "hair")
      let label = ReportFormatting.fixed(100 * fraction, 0)
      drawing.text(label, x: low.x, y: low.y + 18, anchor: "middle")
      drawing.text(label, x: margin - 8, y: left.y + 4, anchor: "end")
    }
    let (start, end) = (point(0, 0), point(1, 1))
    drawing.add("<path class=\"ideal\" d=\"M\(start.x) \(start.y)L\(end.x) \(end.y)\"/>")
    var points: [SIMD2<Double>] = []
    for bin in table.bins {
      guard let claimed = bin.meanProbability, let right = bin.accuracy else { continue }
      let centre = point(claimed, right)
      points.append(centre)
      let fraction = Double(bin.count) / Double(max(total, 1))
      let tip =
        "claimed \(TrainingPage.fraction(claimed)), right \(TrainingPage.fraction(right)), "
        + "\(bin.count) windows"
      drawing.add(
        """
        <circle class="bin" cx="\(centre.x)" cy="\(centre.y)" r="\(2.5 + 9 * fraction.squareRoot())">\
        \(Drawing.tip(tip))</circle>
        """)
    }
    drawing.add("<path class=\"curve\" d=\"\(Drawing.path(points))\"/>")
    drawing.text("claimed, %", x: margin + side, y: side + margin + 10, anchor: "end")
    return drawing.markup(class: "reliability")
  }
}
