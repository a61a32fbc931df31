import LocomotionTraining

/// Claimed against true probability, as a drawing.
enum ReliabilityDiagram {
  private static let side = 300.0
  private static let margin = 40.0

  static func draw(_ table: ReliabilityTable, title: String) -> Markup {
    let total = table.bins.reduce(0) { $0 + $1.count }
    var drawing = Drawing(
      width: side + margin + 16, height: side + margin + 16,
      title: "Reliability: \(title)",
      description: "The share of right answers against the probability that they claimed, in "
        + "\(ReliabilityTable.binCount) intervals; \(total) windows.")
    func point(_ claimed: Double, _ right: Double) -> SIMD2<Double> {
      SIMD2(margin + claimed * side, 8 + (1 - right) * side)
    }
    for share in [0, 0.25, 0.5, 0.75, 1] {
      let low = point(share, 0)
      let left = point(0, share)
      drawing.line(low.x, 8, low.x, low.y, share == 0 ? "base" : "hair")
      drawing.line(margin, left.y, margin + side, left.y, share == 0 ? "base" : "hair")
      let label = ReportFormatting.fixed(100 * share, 0)
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
      let share = Double(bin.count) / Double(max(total, 1))
      let tip =
        "claimed \(TrainingPage.share(claimed)), right \(TrainingPage.share(right)), "
        + "\(bin.count) windows"
      drawing.add(
        """
        <circle class="bin" cx="\(centre.x)" cy="\(centre.y)" r="\(2.5 + 9 * share.squareRoot())">\
        \(Drawing.tip(tip))</circle>
        """)
    }
    drawing.add("<path class=\"curve\" d=\"\(Drawing.path(points))\"/>")
    drawing.text("claimed, %", x: margin + side, y: side + margin + 10, anchor: "end")
    return drawing.markup(class: "reliability")
  }
}
