#include "allocation_counter.h"
