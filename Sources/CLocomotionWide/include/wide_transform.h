// Real Fourier transforms of four windows of four channels at once, in the widest vectors that the
// machine has. What `RealFourierTransform` does to one window, each of the four undergoes: the same
// operations in the same order, none of them fused, so that the results are the same bit for bit.
#ifndef WIDE_TRANSFORM_H
#define WIDE_TRANSFORM_H

#include <stddef.h>
#include <stdint.h>

/// A length and its tables, as `RealFourierTransform.Tables` describes them.
typedef struct {
  ptrdiff_t half;           ///< N/2.
  const int32_t *blocks;    ///< Which block each column of the first pass goes to.
  const float *turns;       ///< Six times four floats for each turn: see `Tables.Turn`.
  const float *last_turns;  ///< The same for the last pass.
  const int32_t *slots;     ///< Where the last pass finds each frequency.
} LocomotionTransformTables;

/// Four windows of samples of four channels, one behind the other or overlapping.
typedef struct {
  const float *windows[4];
  const float *means;  ///< Four for each window, to be taken away; or NULL.
} LocomotionTransformInput;

/// Transforms at one vector width.
///
/// `work` has 16 (N + 1) floats. Every result is sixteen floats, four channels of each window:
/// whoever goes on from there can do so in the same lanes.
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

  /// Writes the circular autocorrelation at lags 0 ..< `count` from powers 0 ... N/2.
  void (*autocorrelate)(
      const LocomotionTransformTables *tables, const float *powers, float *work, float *products,
      ptrdiff_t count);
} LocomotionWideTransform;

/// The transforms in vectors of at most `width` floats, as far as the machine has them.
const LocomotionWideTransform *locomotion_wide_transform(int width);

#endif
