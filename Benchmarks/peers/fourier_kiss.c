// The real transform of 512 values by KissFFT, single precision.

#include <math.h>
#include <kiss_fftr.h>

#include "turns.h"

static kiss_fftr_cfg plan;
static float input[512];
static kiss_fft_cpx output[257];

static void transform(void) { kiss_fftr(plan, input, output); }

int main(void) {
  plan = kiss_fftr_alloc(512, 0, NULL, NULL);
  for (int index = 0; index < 512; index++) input[index] = sinf(0.37f * (float)index);
  Participant kiss = {"KissFFT", transform, 1, 0};
  turns_take(&kiss, 1);
}
