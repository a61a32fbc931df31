// Butterflies of the real transform in vectors of WIDTH floats.
//
// Radix-4 decimation in time, in place, for real input, which computes bins 0 to N/2 alone
// (Sorensen, Jones, Heideman, Burrus, "Real-valued fast Fourier transform algorithms", IEEE ASSP
// 35(6), 1987).
#ifndef WIDE_BUTTERFLIES_H
#define WIDE_BUTTERFLIES_H

#include "wide_transform.h"
#include "wide_vectors.h"

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

/// The length of the DFTs of the first pass: N is this times a power of 4.
INLINE ptrdiff_t rows_of(const LocomotionTransformTables *tables) {
  return __builtin_ctzll((unsigned long long)tables->half) % 2 == 0 ? 8 : 16;
}

#endif
