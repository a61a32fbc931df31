// Real Fourier transforms of four windows of four channels at once, in the widest vectors that the
// machine has. Each window is transformed as by `RealFourierTransform`: the same operations in the
// same order, none of them fused, so that the results are the same bit for bit.
#ifndef WIDE_TRANSFORM_H
#define WIDE_TRANSFORM_H

#include <stddef.h>
#include <stdint.h>

/// A length and its tables, as `RealFourierTransform.Tables` describes them.
typedef struct {
  ptrdiff_t half;                 ///< N/2.
  const int32_t *digit_reversal;  ///< The block that the first pass writes each column to.
  const float *twiddles;          ///< 24 floats per butterfly, as in `Tables.Radix4Twiddles`.
  const float *last_twiddles;     ///< The same for the last pass.
  const int32_t *bin_positions;   ///< The position in a block of each bin in the last pass.
} LocomotionTransformTables;

/// Four windows of samples of four channels; they may overlap.
typedef struct {
  const float *windows[4];
  const float *means;  ///< Four per window, subtracted from the samples; or NULL.
} LocomotionTransformInput;

/// Transforms at one vector width.
///
/// `work` has 16 (N + 1) floats. Every result is sixteen floats, four channels of each window,
/// so that later stages can use the same lanes.
typedef struct {
  /// The number of floats per vector: 4, 8 or 16.
  int width;

  /// Writes the powers of bins 0 ..< `count`.
  void (*powers)(
      const LocomotionTransformTables *tables, const LocomotionTransformInput *input, float *work,
      float *powers, ptrdiff_t count);

  /// Writes the Hann-windowed power spectrum, and that of the means of adjacent pairs, of N samples
  /// less their means.
  void (*powers_under_hann)(
      const LocomotionTransformTables *tables, const LocomotionTransformInput *input, float *work,
      float *powers, ptrdiff_t count, float *pair_powers, ptrdiff_t pair_count);

  /// Writes the circular autocorrelation at lags 0 ..< `count` from powers 0 ... N/2.
  void (*autocorrelate)(
      const LocomotionTransformTables *tables, const float *powers, float *work, float *products,
      ptrdiff_t count);
} LocomotionWideTransform;

/// The transforms in vectors of at most `width` floats that the machine supports.
const LocomotionWideTransform *locomotion_wide_transform(int width);

#endif
