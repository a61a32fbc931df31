// Sums over signals, powers and lags in vectors of WIDTH floats, which hold WIDTH / 4 windows side
// by side. Each file that includes this one gives a width; `SignalShape` documents the sums.
#include "wide_shapes.h"
#include "wide_vectors.h"

INLINE Vector load(const float *values, ptrdiff_t index, int first) {
  return *(const Stored *)(values + 16 * index + first);
}

INLINE void store(float *results, ptrdiff_t index, int first, Vector value) {
  *(Stored *)(results + 16 * index + first) = value;
}

/// The larger of each lane; `y` where either is NaN.
INLINE Vector larger(Vector x, Vector y) { return x > y ? x : y; }

/// `log(_:)` of four lanes, operation by operation.
INLINE Vector logarithm(Vector x) {
  const Vector normal = larger(x, (Vector){} + 1.17549435e-38f);
  const Integers bits = (Integers)normal - 0x3f3504f3;
  const Vector n = __builtin_convertvector(bits >> 23, Vector);
  const Vector m = (Vector)((bits & 0x007fffff) + 0x3f3504f3) - 1.0f;
  const Vector square = m * m;
  Vector p = (Vector){} + 7.0376836292e-2f;
  p = p * m - 1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m - 1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m - 1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m - 2.4999993993e-1f;
  p = p * m + 3.3333331174e-1f;
  p = p * m * square - 2.12194440e-4f * n - 0.5f * square;
  return m + p + 0.693359375f * n;
}

// MARK: Spread

/// The number of zero crossings of each lane, with hysteresis.
typedef struct { Integers count, is_above, is_known; } Crossings;

INLINE void cross(Crossings *crossings, Vector value) {
  const Vector dead_band = (Vector){} + 0.01f;
  const Integers rises = value > dead_band, falls = -dead_band > value;
  const Integers now = (crossings->is_above & ~falls) | rises;
  crossings->count -= (now ^ crossings->is_above) & crossings->is_known;
  crossings->is_known |= rises | falls;
  crossings->is_above = now;
}

/// The sums of the windows whose lanes begin at `first`.
INLINE void spread_from(
    int first, const LocomotionSignals *input, float *results, float *pairs) {
  const ptrdiff_t eighth = input->count / 8;
  const float *const *windows = input->windows + first / 4;
  const Vector means = *(const Stored *)(input->means + first);
  Crossings crossings = {};
  Vector previous = sample(windows, 0) - means;
  for (ptrdiff_t quarter = 0; quarter < 4; quarter++) {
    Vector square = {}, next_square = {}, square_step = {}, next_square_step = {};
    for (ptrdiff_t pair = quarter * eighth; pair < (quarter + 1) * eighth; pair++) {
      const Vector a = sample(windows, 2 * pair) - means;
      const Vector b = sample(windows, 2 * pair + 1) - means;
      square += a * a;
      next_square += b * b;
      const Vector step = a - previous, next_step = b - a;
      square_step += step * step;
      next_square_step += next_step * next_step;
      cross(&crossings, a);
      cross(&crossings, b);
      store(pairs, pair, first, 0.5f * (a + b));
      previous = b;
    }
    store(results, quarter, first, square + next_square);
    store(results, 4 + quarter, first, square_step + next_square_step);
  }
  store(results, 8, first, __builtin_convertvector(crossings.count, Vector));
}

static void spread(const LocomotionSignals *input, float *results, float *pairs) {
  for (int first = 0; first < 16; first += WIDTH) spread_from(first, input, results, pairs);
}

// MARK: Spectrum

INLINE void spectrum_from(
    int first, const float *powers, const LocomotionBins *bins, float *results) {
  const int bands = bins->band_count;
  for (int band = 0; band < bands; band++) {
    Vector power = {};
    for (int bin = bins->band_edges[band]; bin < bins->band_edges[band + 1]; bin++) {
      power += load(powers, bin, first);
    }
    store(results, band, first, power);
  }
  Vector total = {}, moment = {}, information = {};
  Vector number = (Vector){} + (float)bins->broad[0];
  for (int bin = bins->broad[0]; bin < bins->broad[1]; bin++) {
    const Vector power = load(powers, bin, first);
    total += power;
    moment += power * number;
    information += power * logarithm(power);
    number += 1;
  }
  Vector peak = {};
  for (int bin = bins->peak[0]; bin < bins->peak[1]; bin++) {
    peak = larger(load(powers, bin, first), peak);
  }
  store(results, bands, first, total);
  store(results, bands + 1, first, moment);
  store(results, bands + 2, first, information);
  store(results, bands + 3, first, peak);
}

static void spectrum(
    const float *powers, const LocomotionBins *bins, float *results) {
  for (int first = 0; first < 16; first += WIDTH) spectrum_from(first, powers, bins, results);
}

// MARK: Periodicity

/// The number of lags whose products are summed together.
#define BLOCK 8

INLINE void periodicity_from(
    int first, const float *products, const float *padded, const LocomotionLags *lags,
    float *results) {
  Vector height = (Vector){} - __builtin_inff(), best = {};
  for (ptrdiff_t lag = lags->first; lag < lags->end; lag += BLOCK) {
    const ptrdiff_t newest = lags->count - lag;
    Vector sums[BLOCK] = {};
    for (ptrdiff_t index = 0; index < lag + BLOCK - 1; index++) {
      const Vector new = load(padded, newest + index, first);
      for (int next = 0; next < BLOCK; next++) {
        sums[next] += new * load(padded, index + next, first);
      }
    }
    for (int next = 0; next < BLOCK; next++) {
      const ptrdiff_t candidate = lag + next;
      const Vector mean = (load(products, candidate, first) - sums[next]) *
                          (1 / (float)(lags->count - candidate));
      best = mean > height ? (Vector){} + (float)candidate : best;
      height = larger(mean, height);
    }
  }
  store(results, 0, first, height);
  store(results, 1, first, best);
}

static void periodicity(
    const float *products, const float *padded, const LocomotionLags *lags,
    float *results) {
  for (int first = 0; first < 16; first += WIDTH) {
    periodicity_from(first, products, padded, lags, results);
  }
}

const LocomotionWideShape SHAPE = {WIDTH, spread, spectrum, periodicity};
