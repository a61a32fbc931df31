// The transforms in vectors of WIDTH floats: the last pass, which reads PARTS of the four DFTs of
// every fourth value side by side, and the entry points. Each file that includes this one says which
// function does the other passes (PASSES).
#include "wide_butterflies.h"

#if PARTS > 1
/// The other passes, in vectors of PARTS parts.
void PASSES(
    float *bins, const LocomotionTransformTables *tables, const LocomotionSource *source,
    LocomotionSourceKind kind);
#endif

// MARK: Last pass

/// The input of the last pass: four DFTs of N/8 bins.
typedef struct {
  const float *bins;
  const LocomotionTransformTables *tables;
  ptrdiff_t quarter;
  ptrdiff_t stride;  ///< Floats from one result to the next.
} Quarters;

/// The bin in a place of one of the DFTs.
INLINE Bin bin_at(Quarters q, ptrdiff_t part, ptrdiff_t place) {
  const float *bin = q.bins + 2 * WIDTH * PARTS * (part / PARTS * q.quarter + place) +
                     WIDTH * (part % PARTS);
  return (Bin){*(const Vector *)bin, *(const Vector *)(bin + WIDTH * PARTS)};
}

INLINE Radix4 real_butterfly_of(Quarters q) {
  return real_butterfly(bin_at(q, 0, 0), bin_at(q, 1, 0), bin_at(q, 2, 0), bin_at(q, 3, 0));
}

INLINE Radix4 twiddled_of(Quarters q, ptrdiff_t k) {
  const ptrdiff_t place = q.tables->places[k];
  return twiddled(
      bin_at(q, 0, place), bin_at(q, 1, place), bin_at(q, 2, place), bin_at(q, 3, place),
      q.tables->last_twiddles + 24 * (k - 1));
}

/// One bin of the spectrum.
INLINE Bin bin_of(Quarters q, ptrdiff_t k) {
  const ptrdiff_t eighth = k / q.quarter, rest = k % q.quarter;
  if (rest == 0) {
    const Radix4 reals = real_butterfly_of(q);
    switch (eighth) {
      case 0: return (Bin){reals.a.real, (Vector){}};
      case 1: return reals.c;
      case 2: return reals.b;
      case 3: return reals.d;
      default: return (Bin){reals.a.imaginary, (Vector){}};
    }
  }
  switch (eighth) {
    case 0: return bin(twiddled_of(q, rest));
    case 1: return bin_below_middle(twiddled_of(q, q.quarter - rest));
    case 2: return bin_above_middle(twiddled_of(q, rest));
    default: return bin_below_end(twiddled_of(q, q.quarter - rest));
  }
}

INLINE void store(Quarters q, float *results, ptrdiff_t index, Vector value) {
  *(Stored *)(results + q.stride * index) = value;
}

INLINE Vector result(Bin bin, LocomotionSourceKind kind, float scale) {
  return kind == LOCOMOTION_EVEN ? scale * bin.real : power(bin);
}

/// Writes the powers of the lowest bins, or their scaled real parts when the input is even.
INLINE void measure(Quarters q, LocomotionSourceKind kind, float scale, float *results, ptrdiff_t count) {
  if (count <= q.quarter) {
    for (ptrdiff_t k = 0; k < count; k++) store(q, results, k, result(bin_of(q, k), kind, scale));
    return;
  }
  const ptrdiff_t n = 2 * q.quarter;
  const Radix4 reals = real_butterfly_of(q);
#define STORE(index, bin)                                                                          \
  if (index < count) store(q, results, index, result(bin, kind, scale))
  STORE(0, ((Bin){reals.a.real, (Vector){}}));
  STORE(n / 2, reals.c);
  STORE(n, reals.b);
  STORE(n + n / 2, reals.d);
  STORE(2 * n, ((Bin){reals.a.imaginary, (Vector){}}));
  for (ptrdiff_t k = 1; k < q.quarter; k++) {
    const Radix4 p = twiddled_of(q, k);
    STORE(k, bin(p));
    STORE(n - k, bin_below_middle(p));
    STORE(n + k, bin_above_middle(p));
    STORE(2 * n - k, bin_below_end(p));
  }
#undef STORE
}

INLINE void measure_pairs(Quarters q, float *results, ptrdiff_t count) {
  const ptrdiff_t n = 2 * q.quarter;
#define STORE(index, bin)                                                                          \
  if (index < count) store(q, results, index, (0.5f * 0.5f) * power(bin))
  const Bin reals = add(bin_at(q, 0, 0), bin_at(q, 1, 0));
  const Bin others = add(bin_at(q, 2, 0), bin_at(q, 3, 0));
  STORE(0, ((Bin){reals.real + others.real, (Vector){}}));
  STORE(n / 2, ((Bin){reals.imaginary, others.imaginary}));
  STORE(n, ((Bin){reals.real - others.real, (Vector){}}));
  for (ptrdiff_t k = 1; k < q.quarter; k++) {
    const ptrdiff_t place = q.tables->places[k];
    const Bin sum = add(bin_at(q, 0, place), bin_at(q, 1, place));
    const Bin difference = add(bin_at(q, 2, place), bin_at(q, 3, place));
    const Bin other = rotate(difference, q.tables->last_twiddles + 24 * (k - 1) + 8);
    STORE(k, add(sum, other));
    STORE(n - k, subtract(sum, other));
  }
#undef STORE
}

INLINE void measure_under_hann(Quarters q, float *results, ptrdiff_t count) {
  Bin this = bin_of(q, 0), last = bin_of(q, 1);
  last.imaginary = -last.imaginary;
  for (ptrdiff_t k = 0; k < count; k++) {
    const Bin next = bin_of(q, k + 1);
    const Bin windowed = subtract(subtract(add(this, this), last), next);
    store(q, results, k, (0.25f * 0.25f) * power(windowed));
    last = this;
    this = next;
  }
}

// MARK: Entry points

/// The first address of `work` that is aligned to a cache line.
INLINE float *aligned(float *work) { return (float *)(((uintptr_t)work + 63) & ~(uintptr_t)63); }

/// The input of the last pass of some of `count` windows, after the other passes.
INLINE Quarters passed(
    const LocomotionTransformTables *tables, const LocomotionSource *source,
    LocomotionSourceKind kind, float *work, int count) {
  float *bins = aligned(work);
  PASSES(bins, tables, source, kind);
  return (Quarters){bins, tables, tables->half / 4, 4 * count};
}

/// The windows from `first` on.
INLINE LocomotionSource source_of(const LocomotionWindows *input, int first) {
  return (LocomotionSource){
      .windows = input->windows + first, .means = input->means ? input->means + 4 * first : NULL};
}

static void powers(
    const LocomotionTransformTables *tables, const LocomotionWindows *input, float *work,
    float *powers, ptrdiff_t count) {
  for (int first = 0; first < input->count; first += WIDTH / 4) {
    const LocomotionSource source = source_of(input, first);
    const Quarters quarters = passed(tables, &source, LOCOMOTION_PLAIN, work, input->count);
    measure(quarters, LOCOMOTION_PLAIN, 1, powers + 4 * first, count);
  }
}

static void powers_under_hann(
    const LocomotionTransformTables *tables, const LocomotionWindows *input, float *work,
    float *powers, ptrdiff_t count, float *pair_powers, ptrdiff_t pair_count) {
  for (int first = 0; first < input->count; first += WIDTH / 4) {
    const LocomotionSource source = source_of(input, first);
    const Quarters quarters = passed(tables, &source, LOCOMOTION_CENTRED, work, input->count);
    measure_pairs(quarters, pair_powers + 4 * first, pair_count);
    measure_under_hann(quarters, powers + 4 * first, count);
  }
}

static void autocorrelate(
    const LocomotionTransformTables *tables, const float *powers, int windows, float *work,
    float *products, ptrdiff_t count) {
  for (int first = 0; first < windows; first += WIDTH / 4) {
    const float *values = powers + 4 * first;
    const LocomotionSource source = {.windows = &values, .stride = 4 * windows};
    const Quarters quarters = passed(tables, &source, LOCOMOTION_EVEN, work, windows);
    measure(quarters, LOCOMOTION_EVEN, 0.5f / (float)tables->half, products + 4 * first, count);
  }
}

const LocomotionWideTransform TRANSFORM = {WIDTH * PARTS, powers, powers_under_hann, autocorrelate};
