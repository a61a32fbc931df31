// Locations are estimated from measurements, at their times.
@_exported public import LocomotionSensing
