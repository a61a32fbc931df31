#include "include/dense_kalman.h"

#include <string.h>

typedef double Matrix[4][4];

/// East, north and their rates, with the full covariance.
typedef struct {
  double x[4];
  double p[4][4];
} DenseKalman;

static void multiply(Matrix a, Matrix b, Matrix result) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      double sum = 0;
      for (int k = 0; k < 4; k++) sum += a[i][k] * b[k][j];
      result[i][j] = sum;
    }
}

static void multiply_transposed(Matrix a, Matrix b, Matrix result) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      double sum = 0;
      for (int k = 0; k < 4; k++) sum += a[i][k] * b[j][k];
      result[i][j] = sum;
    }
}

/// Updates the state with a measurement of the states first and first + 1.
static void update(DenseKalman *filter, int first, const double z[2], double variance) {
  double (*p)[4] = filter->p;
  int o = first;
  double s[2][2] = {
      {p[o][o] + variance, p[o][o + 1]}, {p[o + 1][o], p[o + 1][o + 1] + variance}};
  double determinant = s[0][0] * s[1][1] - s[0][1] * s[1][0];
  double inverse[2][2] = {
      {s[1][1] / determinant, -s[0][1] / determinant},
      {-s[1][0] / determinant, s[0][0] / determinant}};
  double gain[4][2];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 2; j++)
      gain[i][j] = p[i][o] * inverse[0][j] + p[i][o + 1] * inverse[1][j];
  double difference[2] = {z[0] - filter->x[o], z[1] - filter->x[o + 1]};
  for (int i = 0; i < 4; i++)
    filter->x[i] += gain[i][0] * difference[0] + gain[i][1] * difference[1];
  Matrix a = {{0}}, product, reduced;
  for (int i = 0; i < 4; i++) {
    a[i][i] = 1;
    a[i][o] -= gain[i][0];
    a[i][o + 1] -= gain[i][1];
  }
  multiply(a, p, product);
  multiply_transposed(product, a, reduced);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      p[i][j] = reduced[i][j] +
                variance * (gain[i][0] * gain[j][0] + gain[i][1] * gain[j][1]);
}

static void step(
    DenseKalman *filter, double dt, double q, const double position[2], double position_variance,
    const double velocity[2], double velocity_variance) {
  Matrix f = {{1, 0, dt, 0}, {0, 1, 0, dt}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  Matrix product, predicted;
  double x[4] = {0};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) x[i] += f[i][k] * filter->x[k];
  memcpy(filter->x, x, sizeof x);
  multiply(f, filter->p, product);
  multiply_transposed(product, f, predicted);
  memcpy(filter->p, predicted, sizeof predicted);
  for (int i = 0; i < 2; i++) {
    filter->p[i][i] += q * dt * dt * dt / 3;
    filter->p[i][i + 2] += q * dt * dt / 2;
    filter->p[i + 2][i] += q * dt * dt / 2;
    filter->p[i + 2][i + 2] += q * dt;
  }
  update(filter, 0, position, position_variance);
  update(filter, 2, velocity, velocity_variance);
}

double dense_kalman_track(const double *fixes, long count) {
  DenseKalman filter = {
      {fixes[0], fixes[1], fixes[3], fixes[4]},
      {{100, 0, 0, 0}, {0, 100, 0, 0}, {0, 0, 10, 0}, {0, 0, 0, 10}}};
  for (long k = 1; k < count; k++) {
    const double *fix = fixes + 6 * k;
    step(&filter, 1, 2, fix, fix[2], fix + 3, fix[5]);
  }
  return filter.x[0] + filter.x[1] + filter.x[2] + filter.x[3];
}
