#include "CLocomotionMath.h"
