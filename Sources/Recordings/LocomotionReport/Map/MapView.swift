/// A part of the map at one size: where each point of it is in the drawing.
struct MapView {
  let size: SIMD2<Double>
  /// Points per metre.
  let scale: Double
  private let centre: SIMD2<Double>

  /// The view that shows `bounds` in `size` with a margin.
  init(_ bounds: MapBounds, size: SIMD2<Double>, margin: Double) {
    let inner = size - 2 * margin
    scale = (inner / pointwiseMax(bounds.extent, SIMD2(repeating: 1))).min()
    self.size = size
    centre = bounds.centre
  }

  func place(_ point: SIMD2<Double>) -> SIMD2<Double> {
    let offset = (point - centre) * scale
    return size / 2 + SIMD2(offset.x, -offset.y)
  }

  /// The position in metres of a point of the drawing.
  func position(_ place: SIMD2<Double>) -> SIMD2<Double> {
    let offset = (place - size / 2) / scale
    return centre + SIMD2(offset.x, -offset.y)
  }

  func shows(_ place: SIMD2<Double>, margin: Double = 0) -> Bool {
    all(place .>= SIMD2(repeating: margin)) && all(place .<= size - margin)
  }
}
