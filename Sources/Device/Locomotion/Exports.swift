// What a recorder app needs, by one import. The rest of each module is there under its own name.
@_exported public import LocomotionSensing

@_exported public import enum LocomotionActivityRecognition.Activity
@_exported public import struct LocomotionActivityRecognition.ActivityDecision
@_exported public import struct LocomotionActivityRecognition.ActivityModel
@_exported public import struct LocomotionActivityRecognition.ActivityProbabilities
@_exported public import struct LocomotionActivityRecognition.CustomActivity
@_exported public import struct LocomotionActivityRecognition.CustomProbabilities
@_exported public import struct LocomotionActivityRecognition.LabelledStretch
@_exported public import struct LocomotionActivityRecognition.LearnedModel
@_exported public import enum LocomotionActivityRecognition.ModelFileError
@_exported public import struct LocomotionGait.Cadence
@_exported public import struct LocomotionPositioning.AltitudeChange
@_exported public import struct LocomotionPositioning.AltitudeFilter
@_exported public import struct LocomotionPositioning.FixCounts
@_exported public import enum LocomotionPositioning.FixStatus
@_exported public import struct LocomotionPositioning.LocationEstimate
@_exported public import struct LocomotionPositioning.MovingDecision
@_exported public import enum LocomotionPositioning.MovingState
@_exported public import struct LocomotionPositioning.MovingTransition
@_exported public import struct LocomotionPositioning.Odometer
@_exported public import enum LocomotionPositioning.RejectionReason
@_exported public import struct LocomotionSignals.IntakeCounts
