// All that runs on the device, by one import.
@_exported public import LocomotionActivityRecognition
@_exported public import LocomotionGait
@_exported public import LocomotionPositioning
@_exported public import LocomotionSensing
@_exported public import LocomotionSignals
