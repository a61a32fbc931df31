// Sums over signals, powers and lags in vectors of WIDTH floats, which hold WIDTH / 4 windows side
// by side. Each file that includes this one gives a width, and the name of the function that sums
// products of one window in wider vectors (PRODUCTS); `SignalShape` documents the sums.
#include "wide_shape.h"
#include "wide_vectors.h"

/// Rows of floats, those of `stride` / 4 windows side by side; the lanes of a vector begin at `first`.
typedef struct { int stride, first; } Rows;

INLINE Vector load(Rows rows, const float *values, ptrdiff_t index) {
  return *(const Stored *)(values + rows.stride * index + rows.first);
}

INLINE void store(Rows rows, float *results, ptrdiff_t index, Vector value) {
  *(Stored *)(results + rows.stride * index + rows.first) = value;
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

/// The number of lags whose products are summed together.
#define BLOCK 8

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

INLINE void spread(Rows rows, const LocomotionShapeInput *input, float *results) {
  const ptrdiff_t eighth = input->length / 8;
  // Copies, which no store can change.
  float *const pairs = input->pairs;
  const float *windows[WIDTH / 4];
  for (int index = 0; index < WIDTH / 4; index++) {
    windows[index] = input->samples.windows[rows.first / 4 + index];
  }
  const Vector means = *(const Stored *)(input->samples.means + rows.first);
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
      store(rows, pairs, BLOCK - 1 + pair, 0.5f * (a + b));
      previous = b;
    }
    store(rows, results, LOCOMOTION_SQUARES + quarter, square + next_square);
    store(rows, results, LOCOMOTION_SQUARE_STEPS + quarter, square_step + next_square_step);
  }
  store(rows, results, LOCOMOTION_CROSSINGS, __builtin_convertvector(crossings.count, Vector));
}

// MARK: Spectrum

INLINE void spectrum(
    Rows rows, const float *powers, const LocomotionShapeRanges *ranges, float *results) {
  for (int band = 0; band < ranges->band_count; band++) {
    Vector power = {};
    for (int bin = ranges->band_edges[band]; bin < ranges->band_edges[band + 1]; bin++) {
      power += load(rows, powers, bin);
    }
    store(rows, results, LOCOMOTION_BANDS + band, power);
  }
  Vector total = {}, moment = {}, information = {};
  Vector number = (Vector){} + (float)ranges->broad[0];
  for (int bin = ranges->broad[0]; bin < ranges->broad[1]; bin++) {
    const Vector power = load(rows, powers, bin);
    total += power;
    moment += power * number;
    // The logarithm of 0 is finite here, so that its product with 0 is 0.
    information += power * logarithm(power);
    number += 1;
  }
  Vector peak = {};
  for (int bin = ranges->peak[0]; bin < ranges->peak[1]; bin++) {
    peak = larger(load(rows, powers, bin), peak);
  }
  store(rows, results, LOCOMOTION_TOTAL, total);
  store(rows, results, LOCOMOTION_MOMENT, moment);
  store(rows, results, LOCOMOTION_INFORMATION, information);
  store(rows, results, LOCOMOTION_PEAK, peak);
}

// MARK: Periodicity

#if defined(PRODUCTS)
/// Writes what `add_products_across_the_ends` adds for one window, WIDTH / 4 lags in a vector.
void PRODUCTS(const float *padded, ptrdiff_t newest, ptrdiff_t lag, float *results);
#endif

#if defined(PRODUCTS) && WIDTH > 4
void PRODUCTS(const float *padded, ptrdiff_t newest, ptrdiff_t lag, float *results) {
  Vector sums[4 * BLOCK / WIDTH] = {};
  for (ptrdiff_t index = 0; index < lag + BLOCK - 1; index++) {
    const Vector new = repeated(*(const Sample *)(padded + 4 * (newest + index)));
    for (int next = 0; next < 4 * BLOCK / WIDTH; next++) {
      sums[next] += new * *(const Stored *)(padded + 4 * index + WIDTH * next);
    }
  }
  for (int next = 0; next < 4 * BLOCK / WIDTH; next++) {
    *(Stored *)(results + WIDTH * next) = sums[next];
  }
}
#endif

/// Adds the wrapped-around terms of the circular products at `lag` and the next seven lags: the
/// newest values times the oldest.
///
/// Eight lags at a time share the loads of the newest; `lag` + 7 is a multiple of four.
INLINE void add_products_across_the_ends(
    Rows rows, const float *padded, ptrdiff_t newest, ptrdiff_t lag, Vector sums[BLOCK]) {
#if defined(PRODUCTS) && WIDTH == 4
  PRODUCTS(padded, newest, lag, (float *)sums);
  return;
#endif
  for (ptrdiff_t index = 0; index < lag + BLOCK - 1; index += 4) {
    for (int four = 0; four < 4; four++) {
      const Vector new = load(rows, padded, newest + index + four);
      for (int next = 0; next < BLOCK; next++) {
        sums[next] += new * load(rows, padded, index + four + next);
      }
    }
  }
}

/// Finds the lag with the highest unbiased autocorrelation.
INLINE void periodicity(
    Rows rows, const LocomotionShapeInput *input, const LocomotionShapeRanges *ranges,
    float *results) {
  const ptrdiff_t count = input->length / 2;
  Vector height = (Vector){} - __builtin_inff(), best = {};
  for (ptrdiff_t lag = ranges->lags[0]; lag < ranges->lags[1]; lag += BLOCK) {
    Vector sums[BLOCK] = {};
    add_products_across_the_ends(rows, input->pairs, count - lag, lag, sums);
    for (int next = 0; next < BLOCK; next++) {
      const ptrdiff_t candidate = lag + next;
      const Vector mean = (load(rows, input->products, candidate) - sums[next]) *
                          (1 / (float)(count - candidate));
      best = mean > height ? (Vector){} + (float)candidate : best;
      height = larger(mean, height);
    }
  }
  store(rows, results, LOCOMOTION_ENERGY, load(rows, input->products, 0));
  store(rows, results, LOCOMOTION_HIGHEST_PRODUCT, height);
  store(rows, results, LOCOMOTION_BEST_LAG, best);
}

INLINE void measure_rows(
    Rows rows, const LocomotionShapeInput *input, const LocomotionShapeRanges *ranges,
    float *results) {
  spread(rows, input, results);
  spectrum(rows, input->powers, ranges, results);
  periodicity(rows, input, ranges, results);
}

static void measure(
    const LocomotionShapeInput *input, const LocomotionShapeRanges *ranges, float *results) {
  // One window is by far the most frequent case in the narrowest vectors.
  if (WIDTH == 4 && input->samples.count == 1) {
    measure_rows((Rows){4, 0}, input, ranges, results);
    return;
  }
  for (int first = 0; first < 16; first += WIDTH) {
    measure_rows((Rows){16, first}, input, ranges, results);
  }
}

const LocomotionWideShape SHAPE = {WIDTH, measure};
