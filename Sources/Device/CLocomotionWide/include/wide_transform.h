// Real Fourier transforms of four channels, of one window or of four at once, in the widest vectors
// that the machine has. Each window is transformed by the same operations in the same order, none of
// them fused, so that the results are the same bit for bit in every width.
#ifndef WIDE_TRANSFORM_H
#define WIDE_TRANSFORM_H

#include <stddef.h>
#include <stdint.h>

/// A length and its tables, as `FourierTables` describes them.
typedef struct {
  ptrdiff_t half;              ///< N/2.
  const int32_t *blocks;       ///< The block of each column of the first pass.
  const float *twiddles;       ///< 24 floats per butterfly, as in `FourierTables.Twiddle`.
  const float *last_twiddles;  ///< The same for the last pass.
  const int32_t *places;       ///< The position in a block of each bin, in the last pass.
} LocomotionTransformTables;

/// One or four windows of samples of four channels; they may overlap.
typedef struct {
  const float *windows[4];
  const float *means;  ///< Four per window, subtracted from the samples; or NULL.
  int count;           ///< The number of windows: 4 or 1.
} LocomotionWindows;

/// How the passes before the last read their input.
typedef enum {
  LOCOMOTION_PLAIN,    ///< Samples of windows,
  LOCOMOTION_CENTRED,  ///< less their means.
  LOCOMOTION_EVEN,     ///< Bins 0 ... N/2 of an even function.
} LocomotionSourceKind;

/// The input of the passes before the last, of as many windows as a vector has.
typedef struct {
  const float *const *windows;
  const float *means;
  ptrdiff_t stride;  ///< Floats from one of the values of an even function to the next.
} LocomotionSource;

/// Transforms at one vector width.
///
/// `work` has WIDTH N + 16 floats, 4 N + 16 for one window. Every result is the four channels of each
/// window, side by side.
typedef struct {
  /// The number of floats per vector: 4, 8 or 16.
  int width;

  /// Writes the powers of bins 0 ..< `count`.
  void (*powers)(
      const LocomotionTransformTables *tables, const LocomotionWindows *input, float *work,
      float *powers, ptrdiff_t count);

  /// Writes the Hann-windowed power spectrum, and that of the means of adjacent pairs, of N samples
  /// less their means.
  void (*powers_under_hann)(
      const LocomotionTransformTables *tables, const LocomotionWindows *input, float *work,
      float *powers, ptrdiff_t count, float *pair_powers, ptrdiff_t pair_count);

  /// Writes the circular autocorrelation of `windows` windows at lags 0 ..< `count` from powers 0
  /// ... N/2.
  void (*autocorrelate)(
      const LocomotionTransformTables *tables, const float *powers, int windows, float *work,
      float *products, ptrdiff_t count);
} LocomotionWideTransform;

/// The transforms of `windows` windows in vectors of at most `width` floats, as the machine has
/// them.
const LocomotionWideTransform *locomotion_wide_transform(int width, int windows);

#endif
