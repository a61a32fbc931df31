internal import CLocomotionMath

/// The eigenvalues of a symmetric 3 × 3 matrix, largest first.
///
/// The trigonometric solution (Smith, "Eigenvalues of a symmetric 3 × 3 matrix", CACM 4(4), 1961)
/// in Double: exact to about 1e-15 of the largest, which is all that ratios of them need.
struct SymmetricEigenvalues {
  let first: Double
  let second: Double
  let third: Double

  /// From the diagonal xx, yy, zz and the other elements xy, yz, zx.
  init(diagonal: SIMD3<Double>, offDiagonal: SIMD3<Double>) {
    let mean = diagonal.sum() / 3
    let centred = diagonal - mean
    let spread = ((centred * centred).sum() + 2 * (offDiagonal * offDiagonal).sum()) / 6
    guard spread > 0 else {
      (first, second, third) = (mean, mean, mean)
      return
    }
    let radius = spread.squareRoot()
    let (a, b, c) = (centred.x / radius, centred.y / radius, centred.z / radius)
    let (xy, yz, zx) = (
      offDiagonal.x / radius, offDiagonal.y / radius, offDiagonal.z / radius
    )
    let determinant = a * (b * c - yz * yz) - xy * (xy * c - yz * zx) + zx * (xy * yz - b * zx)
    let angle = acos(min(1, max(-1, determinant / 2))) / 3
    first = mean + 2 * radius * cos(angle)
    third = mean + 2 * radius * cos(angle + 2 * .pi / 3)
    second = 3 * mean - first - third
  }
}
