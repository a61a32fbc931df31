// Activities are recognised in measurements, at their times.
@_exported public import LocomotionSensing
