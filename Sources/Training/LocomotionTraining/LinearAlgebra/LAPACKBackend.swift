#if canImport(Accelerate)
  internal import Accelerate
#else
  internal import CLocomotionOpenBLAS
#endif

/// The calls into BLAS and LAPACK: the only place with pointers and with a platform's name.
///
/// Arrays are row-major. LAPACK reads them as column-major, which for a symmetric matrix exchanges
/// the triangles: our upper one is its lower one ("L"), and its A = LLᵀ is our A = UᵀU.
///
/// Callers check the shapes. No pointer escapes the call.
enum LAPACKBackend {
  /// Limits OpenBLAS, for the whole process, to one thread.
  ///
  /// Its threads spin while they wait and make problems of this package's sizes slower. Accelerate
  /// chooses its own number.
  private static let useOneThread: Void = {
    #if !canImport(Accelerate)
      openblas_set_num_threads(1)
    #endif
  }()

  /// `result` = `a` · `b`, with `a` of rows × inner and `b` of inner × columns.
  static func multiply(
    _ a: ContiguousArray<Double>, _ b: ContiguousArray<Double>,
    into result: inout ContiguousArray<Double>, rows: Int, inner: Int, columns: Int
  ) {
    guard rows > 0, inner > 0, columns > 0 else { return }
    _ = useOneThread
    unsafe a.withUnsafeBufferPointer { a in
      unsafe b.withUnsafeBufferPointer { b in
        unsafe result.withUnsafeMutableBufferPointer { c in
          unsafe cblas_dgemm(
            CblasRowMajor, CblasNoTrans, CblasNoTrans, Int32(rows), Int32(columns), Int32(inner),
            1, a.baseAddress, Int32(inner), b.baseAddress, Int32(columns), 0, c.baseAddress,
            Int32(columns))
        }
      }
    }
  }

  /// Adds `scale` · XᵀX to the upper triangle of `gram`; X is the first `rows` rows of `x`.
  static func addGram(
    of x: ContiguousArray<Double>, rows: Int, columns: Int, scale: Double,
    to gram: inout ContiguousArray<Double>
  ) {
    guard rows > 0, columns > 0 else { return }
    _ = useOneThread
    unsafe x.withUnsafeBufferPointer { x in
      unsafe gram.withUnsafeMutableBufferPointer { c in
        unsafe cblas_dsyrk(
          CblasRowMajor, CblasUpper, CblasTrans, Int32(columns), Int32(rows), scale,
          x.baseAddress, Int32(columns), 1, c.baseAddress, Int32(columns))
      }
    }
  }

  /// Replaces an upper triangle by that of XᵀX; X is the first `rows` rows of `x`.
  ///
  /// It is the one that begins at `first` of `matrix`, whose rows have `leadingDimension` elements.
  static func gram(
    of x: ContiguousArray<Float>, rows: Int, columns: Int,
    into matrix: inout ContiguousArray<Float>, at first: Int,
    leadingDimension: Int
  ) {
    guard columns > 0 else { return }
    _ = useOneThread
    unsafe x.withUnsafeBufferPointer { x in
      unsafe matrix.withUnsafeMutableBufferPointer { c in
        let triangle = unsafe UnsafeMutableBufferPointer(rebasing: c[first...])
        unsafe cblas_ssyrk(
          CblasRowMajor, CblasUpper, CblasTrans, Int32(columns), Int32(rows), 1,
          x.baseAddress, Int32(columns), 0, triangle.baseAddress, Int32(leadingDimension))
      }
    }
  }

  /// Adds `scale` · `count` elements of `x`, from `start` on, to those of `y` from `first` on.
  static func add(
    _ x: ContiguousArray<Float>, from start: Int, count: Int, scale: Float,
    to y: inout ContiguousArray<Float>, at first: Int
  ) {
    guard count > 0 else { return }
    unsafe x.withUnsafeBufferPointer { x in
      unsafe y.withUnsafeMutableBufferPointer { y in
        let from = unsafe UnsafeBufferPointer(rebasing: x[start..<start + count])
        let to = unsafe UnsafeMutableBufferPointer(rebasing: y[first..<first + count])
        unsafe cblas_saxpy(Int32(count), scale, from.baseAddress, 1, to.baseAddress, 1)
      }
    }
  }

  /// Replaces the upper triangle of `matrix` by its Cholesky factor.
  ///
  /// Returns 0, or the order of the first leading minor that isn't positive definite.
  static func factorCholesky(_ matrix: inout ContiguousArray<Double>, order: Int) -> Int {
    guard order > 0 else { return 0 }
    _ = useOneThread
    var triangle = CChar(UInt8(ascii: "L"))
    var n = Int32(order)
    var leadingDimension = n
    var info: Int32 = 0
    unsafe matrix.withUnsafeMutableBufferPointer { a in
      _ = unsafe dpotrf_(&triangle, &n, a.baseAddress, &leadingDimension, &info)
    }
    precondition(info >= 0, "expected valid arguments of dpotrf, got number \(-info) wrong")
    return Int(info)
  }

  /// Replaces the upper triangle of a positive semidefinite `matrix` by the factor U of
  /// PᵀAP = UᵀU.
  ///
  /// Returns the original column of each column of U, and the number of rows of U that are
  /// computed, the numerical rank.
  static func factorPivotedCholesky(
    _ matrix: inout ContiguousArray<Double>, order: Int
  ) -> (columns: [Int], rank: Int) {
    guard order > 0 else { return ([], 0) }
    _ = useOneThread
    var triangle = CChar(UInt8(ascii: "L"))
    var n = Int32(order)
    var leadingDimension = n
    var pivots = [Int32](repeating: 0, count: order)
    var (rank, info) = (Int32(0), Int32(0))
    // Negative: a multiple of the rounding of the largest element.
    var tolerance = -1.0
    var work = [Double](repeating: 0, count: 2 * order)
    unsafe matrix.withUnsafeMutableBufferPointer { a in
      unsafe pivots.withUnsafeMutableBufferPointer { pivots in
        unsafe work.withUnsafeMutableBufferPointer { work in
          // Accelerate takes no null here, and both have elements.
          guard let pivots = pivots.baseAddress, let work = work.baseAddress else {
            return
          }
          _ = unsafe dpstrf_(
            &triangle, &n, a.baseAddress, &leadingDimension, pivots, &rank, &tolerance, work, &info)
        }
      }
    }
    precondition(info >= 0, "expected valid arguments of dpstrf, got number \(-info) wrong")
    return (pivots.map { Int($0) - 1 }, Int(rank))
  }

  /// Replaces the right-hand sides B, order × columns, by the X of UᵀUX = B.
  static func solveCholesky(
    _ factor: ContiguousArray<Double>, order: Int, rightHandSides: inout ContiguousArray<Double>,
    columns: Int
  ) {
    guard order > 0, columns > 0 else { return }
    _ = useOneThread
    unsafe factor.withUnsafeBufferPointer { factor in
      unsafe rightHandSides.withUnsafeMutableBufferPointer { b in
        for transposition in [CblasTrans, CblasNoTrans] {
          unsafe cblas_dtrsm(
            CblasRowMajor, CblasLeft, CblasUpper, transposition, CblasNonUnit, Int32(order),
            Int32(columns), 1, factor.baseAddress, Int32(order), b.baseAddress, Int32(columns))
        }
      }
    }
  }
}
