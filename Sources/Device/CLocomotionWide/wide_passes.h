// All passes but the last, in vectors of WIDTH floats. They hold WIDTH / 4 windows side by side, or
// WIDTH / 4 of the four DFTs of every fourth value of one window, which the last pass combines: the
// same operations on the same values.
#include <stdbool.h>

#include "wide_butterflies.h"

/// The twiddle factors of pi/8, in the layout of `FourierTables.Twiddle`.
static const float locomotion_sixteenth[24] = {
    [0] = 0.92387953f, [4] = 0.38268343f, [8] = 0.70710678f,
    [12] = 0.70710678f, [16] = 0.38268343f, [20] = 0.92387953f};

// MARK: First pass

/// The input of the first pass; what is constant when compiled says how it is read.
typedef struct {
  const float *const *windows;
  Vector mean;
  LocomotionSourceKind kind;
  ptrdiff_t stride;   ///< Floats from one of the powers of an even function to the next.
  ptrdiff_t rows;     ///< The length of the first DFTs.
  ptrdiff_t columns;  ///< Their number.
  ptrdiff_t part;     ///< The first of the DFTs of every fourth value in the vectors.
  bool parted;        ///< Vectors hold several of these, not windows.
} Source;

/// The value in one row of a column.
INLINE Vector value(const Source *source, ptrdiff_t row, ptrdiff_t column) {
  const bool mirrored = source->kind == LOCOMOTION_EVEN && row >= source->rows / 2;
  const ptrdiff_t index = mirrored ? (source->rows - row) * source->columns - column
                                   : row * source->columns + column;
  const float *const first = source->windows[0];
  Vector plain;
  if (source->parted && mirrored) {
    plain = reversed(*(const Stored *)(first + 16 * index - 4 * source->part - (WIDTH - 4)));
  } else if (source->parted) {
    plain = *(const Stored *)(first + 16 * index + 4 * source->part);
  } else if (source->kind == LOCOMOTION_EVEN) {
    plain = *(const Stored *)(first + source->stride * index);
  } else {
    plain = sample(source->windows, index);
  }
  return source->kind == LOCOMOTION_CENTRED ? plain - source->mean : plain;
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

#define VALUE(row) value(source, row, column)

INLINE void first_pass_column(Bin *block, const Source *source, ptrdiff_t column) {
  if (source->rows == 8) {
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

INLINE void first_pass(Bin *bins, const LocomotionTransformTables *tables, const Source *source) {
  for (ptrdiff_t column = 0; column < source->columns; column++) {
    const int32_t block = tables->blocks[source->parted ? 4 * column : column];
    first_pass_column(bins + block * (source->rows / 2), source, column);
  }
}

// MARK: Radix-4 passes

static void radix4_passes(Bin *bins, ptrdiff_t count, const LocomotionTransformTables *tables) {
  const float *twiddles = tables->twiddles;
  for (ptrdiff_t quarter = rows_of(tables) / 2; 4 * quarter < tables->half; quarter *= 4) {
    for (Bin *a = bins; a < bins + count; a += 4 * quarter) {
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

// MARK: Entry points

INLINE void passes_of(
    Bin *bins, const LocomotionTransformTables *tables, const LocomotionSource *input,
    LocomotionSourceKind kind, ptrdiff_t rows, bool parted) {
  const ptrdiff_t rounds = parted ? 16 / WIDTH : 1;
  const ptrdiff_t count = parted ? tables->half / 4 : tables->half;
  Source source = {
      .windows = input->windows, .kind = kind, .stride = input->stride, .rows = rows,
      .columns = 2 * count / rows, .parted = parted};
  if (kind == LOCOMOTION_CENTRED) {
    source.mean = parted ? repeated(*(const Sample *)input->means) : *(const Stored *)input->means;
  }
  for (ptrdiff_t round = 0; round < rounds; round++) {
    source.part = round * (WIDTH / 4);
    first_pass(bins, tables, &source);
    radix4_passes(bins, count, tables);
    bins += count;
  }
}

/// Writes N/2 bins: the DFTs of every fourth value one after the other, or those of a round side by
/// side.
INLINE void passes(
    void *bins, const LocomotionTransformTables *tables, const LocomotionSource *source,
    LocomotionSourceKind kind, bool parted) {
#define PASSES_OF(kind)                                                                            \
  case kind:                                                                                       \
    return rows_of(tables) == 8 ? passes_of(bins, tables, source, kind, 8, parted)                 \
                                : passes_of(bins, tables, source, kind, 16, parted)
  switch (kind) {
    PASSES_OF(LOCOMOTION_PLAIN);
    PASSES_OF(LOCOMOTION_CENTRED);
    PASSES_OF(LOCOMOTION_EVEN);
  }
#undef PASSES_OF
}
