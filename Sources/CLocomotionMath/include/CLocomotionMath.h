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

#endif
