import Locomotion

private let output = LocomotionOutput()
