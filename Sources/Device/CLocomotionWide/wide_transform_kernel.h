// The transforms in vectors of WIDTH floats, which hold WIDTH / 4 windows side by side. Each file
// that includes this one gives a width.
//
// Radix-4 decimation in time, in place, for real input, which computes bins 0 to N/2 alone
// (Sorensen, Jones, Heideman, Burrus, "Real-valued fast Fourier transform algorithms", IEEE ASSP
// 35(6), 1987).
#include "wide_transform.h"
#include "wide_vectors.h"

/// The twiddle factors of pi/8, in the layout of `FourierTables.Twiddle`.
static const float locomotion_sixteenth[24] = {
    [0] = 0.92387953f, [4] = 0.38268343f, [8] = 0.70710678f,
    [12] = 0.70710678f, [16] = 0.38268343f, [20] = 0.92387953f};

/// A complex bin, or two real ones; adjacent in memory.
typedef struct { Vector real, imaginary; } Bin;
/// The inputs or the outputs of a radix-4 butterfly.
typedef struct { Bin a, b, c, d; } Radix4;

INLINE Bin add(Bin a, Bin b) { return (Bin){a.real + b.real, a.imaginary + b.imaginary}; }

INLINE Bin subtract(Bin a, Bin b) { return (Bin){a.real - b.real, a.imaginary - b.imaginary}; }

/// The conjugate of the difference.
INLINE Bin subtract_conjugate(Bin a, Bin b) {
  return (Bin){a.real - b.real, b.imaginary - a.imaginary};
}

INLINE Vector power(Bin a) { return a.real * a.real + a.imaginary * a.imaginary; }

/// The product with a twiddle factor cos - i sin; the table holds cos and sin four times each.
INLINE Bin rotate(Bin a, const float *angle) {
  const float cosine = angle[0], sine = angle[4];
  return (Bin){a.real * cosine + a.imaginary * sine, a.imaginary * cosine - a.real * sine};
}

/// The inputs of a butterfly: bin k of the four DFTs of every fourth value, times 1, W, W^2, W^3.
INLINE Radix4 twiddled(Bin a, Bin b, Bin c, Bin d, const float *twiddle) {
  return (Radix4){a, rotate(b, twiddle), rotate(c, twiddle + 8), rotate(d, twiddle + 16)};
}

/// -i (b - d).
INLINE Bin rotated_difference(Radix4 p) {
  return (Bin){p.b.imaginary - p.d.imaginary, p.d.real - p.b.real};
}

// Bins k, n - k, n + k and 2n - k of the DFT of 4n values.
INLINE Bin bin(Radix4 p) { return add(add(p.a, p.c), add(p.b, p.d)); }
INLINE Bin bin_below_middle(Radix4 p) {
  return subtract_conjugate(subtract(p.a, p.c), rotated_difference(p));
}
INLINE Bin bin_above_middle(Radix4 p) { return add(subtract(p.a, p.c), rotated_difference(p)); }
INLINE Bin bin_below_end(Radix4 p) { return subtract_conjugate(add(p.a, p.c), add(p.b, p.d)); }

/// The butterfly of the real bins: from bins 0 and n/2 of the four DFTs of every fourth value, bins
/// 0 and 2n, n, n/2 and 3n/2 of the DFT of 4n values.
INLINE Radix4 real_butterfly(Bin a, Bin b, Bin c, Bin d) {
  const Vector even = a.real + c.real, odd = b.real + d.real;
  const Vector real = 0.70710678f * (b.imaginary - d.imaginary);
  const Vector imaginary = -0.70710678f * (b.imaginary + d.imaginary);
  return (Radix4){
      {even + odd, even - odd},
      {a.real - c.real, d.real - b.real},
      {a.imaginary + real, imaginary - c.imaginary},
      {a.imaginary - real, imaginary + c.imaginary}};
}

// MARK: First pass

/// The input of the first pass.
typedef struct {
  const float *windows[WIDTH / 4];
  Vector mean;
  ptrdiff_t stride;  ///< Floats from one of the powers of an even function to the next.
} Source;

/// How the first pass reads its input, a compile-time constant.
typedef enum { PLAIN, CENTRED, EVEN } Kind;

/// The value in one row of a column.
INLINE Vector value(
    const Source *source, Kind kind, ptrdiff_t row, ptrdiff_t rows, ptrdiff_t columns,
    ptrdiff_t column) {
  if (kind == EVEN) {
    const ptrdiff_t index =
        row < rows / 2 ? row * columns + column : (rows - row) * columns - column;
    return *(const Stored *)(source->windows[0] + source->stride * index);
  }
  const ptrdiff_t index = row * columns + column;
  const Vector plain = sample(source->windows, index);
  return kind == CENTRED ? plain - source->mean : plain;
}

INLINE Bin dft2(Vector a, Vector b) { return (Bin){a + b, a - b}; }

/// The DFT of four values: bins 0 and 2, which are real, and bin 1.
typedef struct { Bin reals, complex; } DFT4;

INLINE DFT4 dft4(Vector a, Vector b, Vector c, Vector d) {
  return (DFT4){dft2(a + c, b + d), {a - c, d - b}};
}

INLINE void dft8(Bin *block, Bin a, Bin b, Bin c, Bin d) {
  const Radix4 bins = real_butterfly(a, b, c, d);
  block[0] = bins.a;
  block[1] = bins.c;
  block[2] = bins.b;
  block[3] = bins.d;
}

INLINE void dft16(Bin *block, DFT4 a, DFT4 b, DFT4 c, DFT4 d) {
  const Radix4 reals = real_butterfly(a.reals, b.reals, c.reals, d.reals);
  block[0] = reals.a;
  block[2] = reals.c;
  block[4] = reals.b;
  block[6] = reals.d;
  const Radix4 p = twiddled(a.complex, b.complex, c.complex, d.complex, locomotion_sixteenth);
  block[1] = bin(p);
  block[3] = bin_below_middle(p);
  block[5] = bin_above_middle(p);
  block[7] = bin_below_end(p);
}

#define VALUE(row) value(source, kind, row, rows, columns, column)

INLINE void first_pass_column(
    Bin *block, const Source *source, Kind kind, ptrdiff_t rows, ptrdiff_t columns,
    ptrdiff_t column) {
  if (rows == 8) {
    dft8(
        block, dft2(VALUE(0), VALUE(4)), dft2(VALUE(1), VALUE(5)), dft2(VALUE(2), VALUE(6)),
        dft2(VALUE(3), VALUE(7)));
  } else {
    dft16(
        block, dft4(VALUE(0), VALUE(4), VALUE(8), VALUE(12)),
        dft4(VALUE(1), VALUE(5), VALUE(9), VALUE(13)),
        dft4(VALUE(2), VALUE(6), VALUE(10), VALUE(14)),
        dft4(VALUE(3), VALUE(7), VALUE(11), VALUE(15)));
  }
}

#undef VALUE

INLINE void first_pass_of(
    Bin *bins, const LocomotionTransformTables *tables, const Source *source, Kind kind,
    ptrdiff_t rows) {
  const ptrdiff_t columns = 2 * tables->half / rows;
  for (ptrdiff_t column = 0; column < columns; column++) {
    Bin *block = bins + tables->blocks[column] * (rows / 2);
    first_pass_column(block, source, kind, rows, columns, column);
  }
}

/// The length of the DFTs of the first pass: N is this times a power of 4.
INLINE ptrdiff_t rows_of(const LocomotionTransformTables *tables) {
  return __builtin_ctzll((unsigned long long)tables->half) % 2 == 0 ? 8 : 16;
}

INLINE void first_pass(
    Bin *bins, const LocomotionTransformTables *tables, const Source *source, Kind kind) {
  if (rows_of(tables) == 8) {
    first_pass_of(bins, tables, source, kind, 8);
  } else {
    first_pass_of(bins, tables, source, kind, 16);
  }
}

// MARK: Radix-4 passes

static void radix4_passes(Bin *bins, const LocomotionTransformTables *tables) {
  const float *twiddles = tables->twiddles;
  for (ptrdiff_t quarter = rows_of(tables) / 2; 4 * quarter < tables->half; quarter *= 4) {
    for (Bin *a = bins; a < bins + tables->half; a += 4 * quarter) {
      Bin *b = a + quarter, *c = b + quarter, *d = c + quarter;
      const Radix4 reals = real_butterfly(*a, *b, *c, *d);
      *a = reals.a;
      *b = reals.b;
      *c = reals.c;
      *d = reals.d;
      for (ptrdiff_t k = 1; k < quarter; k++) {
        const Radix4 p = twiddled(a[k], b[k], c[k], d[k], twiddles + 24 * (k - 1));
        a[k] = bin(p);
        b[k] = bin_below_middle(p);
        c[k] = bin_above_middle(p);
        d[k] = bin_below_end(p);
      }
    }
    twiddles += 24 * (quarter - 1);
  }
}

// MARK: Last pass

/// The input of the last pass: four blocks of N/8 bins.
typedef struct {
  const Bin *bins;
  const LocomotionTransformTables *tables;
  ptrdiff_t quarter;
  ptrdiff_t stride;  ///< Floats from one result to the next.
} Quarters;

INLINE Radix4 real_butterfly_of(Quarters q) {
  return real_butterfly(q.bins[0], q.bins[q.quarter], q.bins[2 * q.quarter], q.bins[3 * q.quarter]);
}

INLINE Radix4 twiddled_of(Quarters q, ptrdiff_t k) {
  const Bin *a = q.bins + q.tables->places[k];
  return twiddled(
      a[0], a[q.quarter], a[2 * q.quarter], a[3 * q.quarter],
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

INLINE Vector result(Bin bin, Kind kind, float scale) {
  return kind == EVEN ? scale * bin.real : power(bin);
}

/// Writes the powers of the lowest bins, or their scaled real parts when the input is even.
INLINE void measure(Quarters q, Kind kind, float scale, float *results, ptrdiff_t count) {
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
  const Bin *a = q.bins, *b = a + q.quarter, *c = b + q.quarter, *d = c + q.quarter;
#define STORE(index, bin)                                                                          \
  if (index < count) store(q, results, index, (0.5f * 0.5f) * power(bin))
  const Bin reals = add(*a, *b), others = add(*c, *d);
  STORE(0, ((Bin){reals.real + others.real, (Vector){}}));
  STORE(n / 2, ((Bin){reals.imaginary, others.imaginary}));
  STORE(n, ((Bin){reals.real - others.real, (Vector){}}));
  for (ptrdiff_t k = 1; k < q.quarter; k++) {
    const ptrdiff_t place = q.tables->places[k];
    const Bin sum = add(a[place], b[place]);
    const Bin other = rotate(add(c[place], d[place]), q.tables->last_twiddles + 24 * (k - 1) + 8);
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
INLINE Bin *aligned(float *work) { return (Bin *)(((uintptr_t)work + 63) & ~(uintptr_t)63); }

/// The WIDTH / 4 windows from `first` on.
INLINE Source source_of(const LocomotionWindows *input, int first) {
  Source source = {};
  for (int index = 0; index < WIDTH / 4; index++) {
    source.windows[index] = input->windows[first + index];
  }
  if (input->means) source.mean = *(const Stored *)(input->means + 4 * first);
  return source;
}

static void powers(
    const LocomotionTransformTables *tables, const LocomotionWindows *input, float *work,
    float *powers, ptrdiff_t count) {
  Bin *bins = aligned(work);
  for (int first = 0; first < input->count; first += WIDTH / 4) {
    const Source source = source_of(input, first);
    first_pass(bins, tables, &source, PLAIN);
    radix4_passes(bins, tables);
    const Quarters quarters = {bins, tables, tables->half / 4, 4 * input->count};
    measure(quarters, PLAIN, 1, powers + 4 * first, count);
  }
}

static void powers_under_hann(
    const LocomotionTransformTables *tables, const LocomotionWindows *input, float *work,
    float *powers, ptrdiff_t count, float *pair_powers, ptrdiff_t pair_count) {
  Bin *bins = aligned(work);
  for (int first = 0; first < input->count; first += WIDTH / 4) {
    const Source source = source_of(input, first);
    first_pass(bins, tables, &source, CENTRED);
    radix4_passes(bins, tables);
    const Quarters quarters = {bins, tables, tables->half / 4, 4 * input->count};
    measure_pairs(quarters, pair_powers + 4 * first, pair_count);
    measure_under_hann(quarters, powers + 4 * first, count);
  }
}

static void autocorrelate(
    const LocomotionTransformTables *tables, const float *powers, int windows, float *work,
    float *products, ptrdiff_t count) {
  Bin *bins = aligned(work);
  for (int first = 0; first < windows; first += WIDTH / 4) {
    const Source source = {.windows = {powers + 4 * first}, .stride = 4 * windows};
    first_pass(bins, tables, &source, EVEN);
    radix4_passes(bins, tables);
    const Quarters quarters = {bins, tables, tables->half / 4, 4 * windows};
    measure(quarters, EVEN, 0.5f / (float)tables->half, products + 4 * first, count);
  }
}

const LocomotionWideTransform TRANSFORM = {WIDTH, powers, powers_under_hann, autocorrelate};
