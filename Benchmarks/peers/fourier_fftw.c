// The real transform of 512 values by FFTW: single precision, aligned, planned with FFTW_PATIENT.

#include <fftw3.h>
#include <math.h>

#include "turns.h"

static fftwf_plan plan;

static void transform(void) { fftwf_execute(plan); }

int main(void) {
  float *input = fftwf_alloc_real(512);
  fftwf_complex *output = fftwf_alloc_complex(257);
  plan = fftwf_plan_dft_r2c_1d(512, input, output, FFTW_PATIENT | FFTW_PRESERVE_INPUT);
  for (int index = 0; index < 512; index++) input[index] = sinf(0.37f * (float)index);
  Participant fftw = {"FFTW", transform, 1, 0};
  turns_take(&fftw, 1);
}
