extension KinematicState {
  /// The zero-velocity update: a phone at rest is measured to have the velocity zero.
  ///
  /// A measurement of the velocity like any other (Foxlin, *Pedestrian Tracking with Shoe-Mounted
  /// Inertial Sensors*, IEEE Computer Graphics and Applications 25(6), 2005), by which the position
  /// stops to drift while the fixes go on to scatter.
  ///
  /// - Parameter deviation: The standard deviation of the speed at rest along each axis, m/s.
  mutating func updateZeroVelocity(deviation: Double) {
    update(.velocity(.zero, variance: deviation * deviation))
  }
}
