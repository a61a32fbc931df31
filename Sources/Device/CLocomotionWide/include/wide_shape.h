// Sums over the signals of one window, or of four at once, in the widest vectors that the machine
// has. Each window is summed by the same operations in the same order, none of them fused, so that
// the results are the same bit for bit in every width.
//
// Where there are four, channel c of window w is at 4 w + c in each row of sixteen floats.
#ifndef WIDE_SHAPE_H
#define WIDE_SHAPE_H

#include "wide_transform.h"

/// The bins and the lags that are looked at.
typedef struct {
  const int32_t *band_edges;  ///< The first bin of each band, and behind the last.
  int32_t band_count;
  int32_t broad[2];           ///< The first bin that is summed, and behind the last.
  int32_t peak[2];
  int32_t lags[2];            ///< The last is a multiple of eight from the first.
} LocomotionShapeRanges;

/// What is known of the windows.
typedef struct {
  LocomotionWindows samples;
  ptrdiff_t length;       ///< Samples in a window, a multiple of eight.
  const float *powers;    ///< Powers by bin.
  const float *products;  ///< Circular products of the means of adjacent samples, by lag.
  float *pairs;           ///< Seven rows of zeros, then room for the means of adjacent samples.
} LocomotionShapeInput;

/// The rows of results; those of the bands are the last ones.
enum {
  LOCOMOTION_SQUARES = 0,       ///< Sums of squares, by quarter of the window.
  LOCOMOTION_SQUARE_STEPS = 4,  ///< Sums of squared differences of adjacent samples, by quarter.
  LOCOMOTION_CROSSINGS = 8,     ///< The number of zero crossings, with hysteresis.
  LOCOMOTION_TOTAL,             ///< The sum over the broad bins of powers,
  LOCOMOTION_MOMENT,            ///< of these times their bin numbers,
  LOCOMOTION_INFORMATION,       ///< and of these times their logarithms.
  LOCOMOTION_PEAK,              ///< The highest of the peak's bins.
  LOCOMOTION_ENERGY,            ///< The product at lag 0.
  LOCOMOTION_HIGHEST_PRODUCT,   ///< The highest mean of the products that don't wrap around,
  LOCOMOTION_BEST_LAG,          ///< and its lag.
  LOCOMOTION_BANDS,             ///< The sum of each band.
};

/// Sums at one vector width.
typedef struct {
  /// The number of floats per vector: 4, 8 or 16.
  int width;
  /// Writes a row for each sum.
  void (*measure)(
      const LocomotionShapeInput *input, const LocomotionShapeRanges *ranges, float *results);
} LocomotionWideShape;

/// The sums of `windows` windows in vectors of at most `width` floats, as the machine has them.
const LocomotionWideShape *locomotion_wide_shape(int width, int windows);

#endif
