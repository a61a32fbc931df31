// Signals are made of measurements.
@_exported public import LocomotionSensing
