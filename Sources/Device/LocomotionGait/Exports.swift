// Steps are found in measurements, at their times.
@_exported public import LocomotionSensing
