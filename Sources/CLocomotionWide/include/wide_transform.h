// Real Fourier transforms of four channels, of one window or of four at once, the latter in the
// widest vectors that the machine has. Each window undergoes the same operations in the same order,
// none of them fused, so that the results are the same bit for bit in every width.
#ifndef WIDE_TRANSFORM_H
#define WIDE_TRANSFORM_H

#include <stddef.h>
#include <stdint.h>

/// A length and its tables, as `FourierTables` describes them.
typedef struct {
  ptrdiff_t half;           ///< N/2.
  const int32_t *blocks;    ///< The block of each column of the first pass.
  const float *twiddles;       ///< Six times four floats for each butterfly: see `FourierTables.Twiddle`.
  const float *last_twiddles;  ///< The same for the last pass.
  const int32_t *places;     ///< The place in a block of each frequency.
} LocomotionTransformTables;

/// One or four windows of samples of four channels, one behind the other or overlapping.
typedef struct {
  const float *windows[4];
  const float *means;  ///< Four for each window, to be taken away; or NULL.
  int count;           ///< How many windows there are: 4, or 1 at a width of 4.
} LocomotionTransformInput;

/// Transforms at one vector width.
///
/// `work` has WIDTH N + 16 floats. Every result is the four channels of each window, side by side.
typedef struct {
  /// How many floats a vector has: 4, 8 or 16.
  int width;

  /// Writes the powers of bins 0 ..< `count`.
  void (*powers)(
      const LocomotionTransformTables *tables, const LocomotionTransformInput *input, float *work,
      float *powers, ptrdiff_t count);

  /// Writes powers under Hann's window, and those of the means of neighbours, of N samples less
  /// their means.
  void (*powers_under_hann)(
      const LocomotionTransformTables *tables, const LocomotionTransformInput *input, float *work,
      float *powers, ptrdiff_t count, float *pair_powers, ptrdiff_t pair_count);

  /// Writes the circular autocorrelation of so many windows at lags 0 ..< `count` from powers
  /// 0 ... N/2.
  void (*autocorrelate)(
      const LocomotionTransformTables *tables, const float *powers, int windows, float *work,
      float *products, ptrdiff_t count);
} LocomotionWideTransform;

/// The transforms in vectors of at most `width` floats, as far as the machine has them.
const LocomotionWideTransform *locomotion_wide_transform(int width);

#endif
