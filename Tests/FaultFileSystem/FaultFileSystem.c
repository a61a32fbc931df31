#include "FaultFileSystem.h"
int locomotion_fault_register(void) { return 0; }
