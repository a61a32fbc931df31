// The C library's elementary functions under their mathematical names, so that device modules need
// neither Foundation nor a platform-dependent import. Each is one built-in, inlined at the call.
#ifndef C_LOCOMOTION_MATH_H
#define C_LOCOMOTION_MATH_H

#define LOCOMOTION_UNARY(name)                                                                     \
  __attribute__((swift_name(#name "(_:)"))) static inline double locomotion_##name(double x) {     \
    return __builtin_##name(x);                                                                    \
  }                                                                                                \
  __attribute__((swift_name(#name "(_:)"))) static inline float locomotion_##name##f(float x) {    \
    return __builtin_##name##f(x);                                                                 \
  }

LOCOMOTION_UNARY(exp)
LOCOMOTION_UNARY(log)
LOCOMOTION_UNARY(sin)
LOCOMOTION_UNARY(cos)
LOCOMOTION_UNARY(tan)
LOCOMOTION_UNARY(asin)
LOCOMOTION_UNARY(acos)
LOCOMOTION_UNARY(atan)

__attribute__((swift_name("atan2(_:_:)"))) static inline double locomotion_atan2(double y, double x) {
  return __builtin_atan2(y, x);
}
__attribute__((swift_name("atan2(_:_:)"))) static inline float locomotion_atan2f(float y, float x) {
  return __builtin_atan2f(y, x);
}
__attribute__((swift_name("pow(_:_:)"))) static inline double locomotion_pow(double x, double y) {
  return __builtin_pow(x, y);
}
__attribute__((swift_name("pow(_:_:)"))) static inline float locomotion_powf(float x, float y) {
  return __builtin_powf(x, y);
}

// The same for four values at once, in a dozen vector instructions: polynomials on a reduced
// argument, after Moshier's Cephes library (1989). Within 2 ulp of the exact value where that is a
// normal number (`VectorFunctionTests`).
typedef float locomotion_float4 __attribute__((ext_vector_type(4)));
typedef int locomotion_int4 __attribute__((ext_vector_type(4)));

#define LOCOMOTION_LANES(signature)                                                                \
  __attribute__((swift_name(signature), always_inline)) static inline locomotion_float4

/// In each lane `a` where x > y, else `b`.
LOCOMOTION_LANES("choose(_:over:_:_:)")
locomotion_choose4(
    locomotion_float4 x, locomotion_float4 y, locomotion_float4 a, locomotion_float4 b) {
  return x > y ? a : b;
}

/// The larger of each lane; `y` where either is NaN. One vector instruction.
LOCOMOTION_LANES("larger(_:_:)")
locomotion_larger4(locomotion_float4 x, locomotion_float4 y) {
  return x > y ? x : y;
}

/// The smaller of each lane; `y` where either is NaN.
LOCOMOTION_LANES("smaller(_:_:)")
locomotion_smaller4(locomotion_float4 x, locomotion_float4 y) {
  return x < y ? x : y;
}

/// x y + z in each lane.
LOCOMOTION_LANES("product(_:_:plus:)")
locomotion_product4(locomotion_float4 x, locomotion_float4 y, locomotion_float4 z) {
  return x * y + z;
}

/// −1, all bits set, in each lane where x > y, else 0: subtracting it counts.
__attribute__((swift_name("above(_:_:)"), always_inline)) static inline locomotion_int4
locomotion_above4(locomotion_float4 x, locomotion_float4 y) {
  return x > y;
}

/// x₀ y₀ x₁ y₁: one of the one-instruction shuffles of which a transposition is made.
LOCOMOTION_LANES("alternatingFirst(_:_:)")
locomotion_alternatingFirst4(locomotion_float4 x, locomotion_float4 y) {
  return __builtin_shufflevector(x, y, 0, 4, 1, 5);
}

/// x₂ y₂ x₃ y₃.
LOCOMOTION_LANES("alternatingLast(_:_:)")
locomotion_alternatingLast4(locomotion_float4 x, locomotion_float4 y) {
  return __builtin_shufflevector(x, y, 2, 6, 3, 7);
}

/// x₀ x₁ y₀ y₁.
LOCOMOTION_LANES("firstHalves(_:_:)")
locomotion_firstHalves4(locomotion_float4 x, locomotion_float4 y) {
  return __builtin_shufflevector(x, y, 0, 1, 4, 5);
}

/// x₂ x₃ y₂ y₃.
LOCOMOTION_LANES("lastHalves(_:_:)")
locomotion_lastHalves4(locomotion_float4 x, locomotion_float4 y) {
  return __builtin_shufflevector(x, y, 2, 3, 6, 7);
}

/// x₀ x₂ y₀ y₂.
LOCOMOTION_LANES("evens(_:_:)")
locomotion_evens4(locomotion_float4 x, locomotion_float4 y) {
  return __builtin_shufflevector(x, y, 0, 2, 4, 6);
}

/// x₁ x₃ y₁ y₃.
LOCOMOTION_LANES("odds(_:_:)")
locomotion_odds4(locomotion_float4 x, locomotion_float4 y) {
  return __builtin_shufflevector(x, y, 1, 3, 5, 7);
}

/// x₁ x₂ x₃ y₀.
LOCOMOTION_LANES("later(_:before:)")
locomotion_later4(locomotion_float4 x, locomotion_float4 y) {
  return __builtin_shufflevector(x, y, 1, 2, 3, 4);
}

typedef float locomotion_float8 __attribute__((ext_vector_type(8)));

/// The number of first lanes, in ascending order, that are at most `x`.
__attribute__((swift_name("ascent(of:to:)"), always_inline)) static inline int
locomotion_ascent8(locomotion_float8 lanes, float x) {
  typedef _Bool locomotion_bool8 __attribute__((ext_vector_type(8)));
  union { locomotion_bool8 lanes; unsigned char bits; } passed;
  passed.lanes = __builtin_convertvector(lanes <= (locomotion_float8)x, locomotion_bool8);
  return __builtin_ctz(~(unsigned)passed.bits);
}

typedef signed char locomotion_byte16 __attribute__((ext_vector_type(16)));
typedef unsigned char locomotion_count16 __attribute__((ext_vector_type(16)));

/// Sixteen values truncated to integers of one byte each, saturated to −128 ... 127.
__attribute__((swift_name("bytes(_:_:_:_:)"), always_inline)) static inline locomotion_byte16
locomotion_bytes16(
    locomotion_float4 a, locomotion_float4 b, locomotion_float4 c, locomotion_float4 d) {
  typedef int locomotion_int16 __attribute__((ext_vector_type(16)));
  locomotion_int16 all;
  all.s0123 = __builtin_convertvector(a, locomotion_int4);
  all.s4567 = __builtin_convertvector(b, locomotion_int4);
  all.s89ab = __builtin_convertvector(c, locomotion_int4);
  all.scdef = __builtin_convertvector(d, locomotion_int4);
  all = __builtin_elementwise_min(
      __builtin_elementwise_max(all, (locomotion_int16)-128), (locomotion_int16)127);
  return __builtin_convertvector(all, locomotion_byte16);
}

/// 255, all bits set, in each byte where x > y, else 0: subtracting it counts.
__attribute__((swift_name("above(_:_:)"), always_inline)) static inline locomotion_count16
locomotion_above16(locomotion_byte16 x, locomotion_byte16 y) {
  return (locomotion_count16)(x > y);
}

/// The smaller of each byte.
__attribute__((swift_name("smaller(_:_:)"), always_inline)) static inline locomotion_count16
locomotion_smaller16(locomotion_count16 x, locomotion_count16 y) {
  return x < y ? x : y;
}

/// One bit for each of sixteen bytes, the lowest for the first: whether it is `a` or `b` there.
__attribute__((swift_name("places(in:of:_:)"), always_inline)) static inline unsigned short
locomotion_places16(locomotion_byte16 x, locomotion_byte16 a, locomotion_byte16 b) {
  typedef _Bool locomotion_bool16 __attribute__((ext_vector_type(16)));
  union { locomotion_bool16 lanes; unsigned short bits; } found;
  found.lanes = __builtin_convertvector((x == a) | (x == b), locomotion_bool16);
  return found.bits;
}

/// The square roots; NaN below 0.
LOCOMOTION_LANES("root(_:)") locomotion_root4(locomotion_float4 x) {
  return __builtin_elementwise_sqrt(x);
}

/// 0 for NaN.
LOCOMOTION_LANES("known(_:)") locomotion_known4(locomotion_float4 x) {
  return (locomotion_float4)((locomotion_int4)x & (x == x));
}

/// One bit for each lane, the lowest for the first: whether it is a number.
__attribute__((swift_name("knownLanes(of:)"), always_inline)) static inline unsigned char
locomotion_knownLanes4(locomotion_float4 x) {
  typedef _Bool locomotion_bool4 __attribute__((ext_vector_type(4)));
  union { locomotion_bool4 lanes; unsigned char bits; } known;
  known.lanes = __builtin_convertvector(x == x, locomotion_bool4);
  return known.bits & 15;
}

#define LOCOMOTION_VECTOR(name)                                                                    \
  __attribute__((swift_name(#name "(_:)"), always_inline)) static inline locomotion_float4         \
  locomotion_##name##4(locomotion_float4 x)

/// The argument is clamped to −87 ... 88; the result for NaN is finite.
LOCOMOTION_VECTOR(exp) {
  // Adding 1.5·2²³ rounds to an integer, which is then in the lowest bits.
  const locomotion_float4 rounder = 12582912.0f;
  locomotion_float4 limited = locomotion_smaller4(
      locomotion_larger4(x, (locomotion_float4)-87.0f), (locomotion_float4)88.0f);
  locomotion_float4 shifted = limited * 1.44269504f + rounder;
  locomotion_float4 power = shifted - rounder;
  // x − n ln 2, with ln 2 split in two parts, the first of few digits (Cody and Waite).
  locomotion_float4 r = (limited - power * 0.693359375f) + power * 2.12194440e-4f;
  locomotion_float4 p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  return (locomotion_float4)((locomotion_int4)p + ((locomotion_int4)shifted << 23));
}

/// The argument is at least the smallest normal number; for NaN and infinity the result is any
/// finite value.
LOCOMOTION_VECTOR(log) {
  locomotion_float4 normal = locomotion_larger4(x, (locomotion_float4)1.17549435e-38f);
  // x = 2ⁿ m with m from √½ to √2.
  locomotion_int4 bits = (locomotion_int4)normal - 0x3f3504f3;
  locomotion_float4 n = __builtin_convertvector(bits >> 23, locomotion_float4);
  locomotion_float4 m = (locomotion_float4)((bits & 0x007fffff) + 0x3f3504f3) - 1.0f;
  locomotion_float4 square = m * m;
  locomotion_float4 p = 7.0376836292e-2f;
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

#endif
