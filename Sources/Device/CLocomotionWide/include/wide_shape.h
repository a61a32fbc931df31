// Sums over the signals of four windows at once: those of `ShapeMeter` over one, in the same order
// and none of it fused, so that the results are the same bit for bit.
//
// In a group of sixteen floats, channel c of window w is at 4 w + c.
#ifndef WIDE_SHAPE_H
#define WIDE_SHAPE_H

#include <stddef.h>
#include <stdint.h>

/// Four windows of samples of four channels; they may overlap.
typedef struct {
  const float *windows[4];
  ptrdiff_t count;     ///< Samples in a window, a multiple of eight.
  const float *means;  ///< Sixteen, to be taken away.
} LocomotionSignals;

/// The bins that are summed.
typedef struct {
  const int32_t *band_edges;  ///< The first bin of each band, and behind the last.
  int32_t band_count;
  int32_t broad[2];           ///< First bin, and behind the last.
  int32_t peak[2];
} LocomotionBins;

/// The lags that are compared.
typedef struct {
  ptrdiff_t count;  ///< Values in a window.
  ptrdiff_t first;  ///< The first lag.
  ptrdiff_t end;    ///< Behind the last lag, a multiple of eight from the first.
} LocomotionLags;

/// Sums at one vector width.
typedef struct {
  /// The number of floats per vector: 4, 8 or 16.
  int width;

  /// Sums over samples less their means; writes the means of adjacent samples to `pairs`.
  ///
  /// Results: sums of squares by quarter of the window, sums of squared differences of adjacent
  /// samples by quarter, and the number of zero crossings, with hysteresis.
  void (*spread)(const LocomotionSignals *signals, float *results, float *pairs);

  /// Sums over `powers`.
  ///
  /// Results: the sum of each band, that of the broad bins, that of these times their bin numbers,
  /// that of these times their logarithms, and the highest of the peak's bins.
  void (*spectrum)(
      const float *powers, const LocomotionBins *bins, float *results);

  /// Compares lags by the circular `products` less the wrapped-around ones; in `padded` seven zeros
  /// precede the values.
  ///
  /// Results: the highest mean product, and its lag.
  void (*periodicity)(
      const float *products, const float *padded, const LocomotionLags *lags,
      float *results);
} LocomotionWideShape;

/// The sums in vectors of at most `width` floats that the machine supports.
const LocomotionWideShape *locomotion_wide_shape(int width);

#endif
