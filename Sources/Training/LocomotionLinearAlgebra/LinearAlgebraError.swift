/// Why a factorisation failed.
package enum LinearAlgebraError: Error, Hashable, Sendable {
  /// The leading minor of this order, counted from 1, isn't positive definite.
  case notPositiveDefinite(minorOrder: Int)
}
