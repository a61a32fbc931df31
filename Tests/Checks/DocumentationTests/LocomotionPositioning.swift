import LocomotionPositioning
import LocomotionSensing

private let fixes: [LocationFix] = []
