// Filtering fixes with Eigen's fixed-size matrices: the same steps as the package's reference in C.
//
// Usage: kalman_eigen FOLDER, the folder that `benchmark --write-inputs` has written.

#include <Eigen/Dense>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "turns.h"

using Matrix = Eigen::Matrix4d;
using Pair = Eigen::Vector2d;
using Rows = Eigen::Matrix<double, 2, 4>;

static std::vector<double> fixes;
static double sum;

static void update(
    Eigen::Vector4d &x, Matrix &p, const Rows &h, const Pair &value, double variance) {
  const Eigen::Matrix2d noise = variance * Eigen::Matrix2d::Identity();
  const Eigen::Matrix<double, 4, 2> ph = p * h.transpose();
  const Eigen::Matrix2d s = h * ph + noise;
  const Eigen::Matrix<double, 4, 2> gain = ph * s.inverse();
  x += gain * (value - h * x);
  const Matrix kept = Matrix::Identity() - gain * h;
  p = kept * p * kept.transpose() + gain * noise * gain.transpose();
}

static void filter() {
  Matrix f = Matrix::Identity(), q = Matrix::Zero();
  f(0, 2) = f(1, 3) = 1;
  for (int axis = 0; axis < 2; axis++) {
    q(axis, axis) = 2.0 / 3;
    q(axis, axis + 2) = q(axis + 2, axis) = 1;
    q(axis + 2, axis + 2) = 2;
  }
  Rows position = Rows::Zero(), velocity = Rows::Zero();
  position(0, 0) = position(1, 1) = velocity(0, 2) = velocity(1, 3) = 1;
  Eigen::Vector4d x(fixes[0], fixes[1], fixes[3], fixes[4]);
  Matrix p = Eigen::Vector4d(100, 100, 10, 10).asDiagonal();
  for (std::size_t place = 6; place < fixes.size(); place += 6) {
    const double *fix = &fixes[place];
    x = f * x;
    p = f * p * f.transpose() + q;
    update(x, p, position, Pair(fix[0], fix[1]), fix[2]);
    update(x, p, velocity, Pair(fix[3], fix[4]), fix[5]);
  }
  sum = x.sum();
}

int main(int, char **arguments) {
  const std::string folder = arguments[1];
  std::ifstream file(folder + "/fixes.npy", std::ios::binary);
  file.seekg(128);
  double value;
  while (file.read(reinterpret_cast<char *>(&value), sizeof value)) fixes.push_back(value);
  double expected;
  std::ifstream(folder + "/kalman_sum.txt") >> expected;
  filter();
  if (!(std::abs(sum - expected) < 1e-6 * std::abs(expected))) {
    std::fprintf(stderr, "ends at %.9g, the reference at %.9g\n", sum, expected);
    return 1;
  }
  Participant eigen = {"Eigen", filter, static_cast<long>(fixes.size() / 6), 0};
  turns_take(&eigen, 1);
}
