#ifndef DENSE_KALMAN_H
#define DENSE_KALMAN_H

/// A constant-velocity filter over fixes a second apart, in textbook form: dense predict, then
/// position and velocity as two measurements of two rows, each in Joseph's form with general 4 x 4
/// products.
///
/// Each fix is six numbers: east and north in metres, their variance in m², east and north in m/s,
/// their variance in (m/s)². Returns the sum of the last state.
double dense_kalman_track(const double *fixes, long count);

#endif
