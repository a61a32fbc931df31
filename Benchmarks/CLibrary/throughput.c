/* How many samples per second the C library takes in from arrays, for batches of several sizes, and
 * how long it takes to save and to restore a pipeline. Two hours of a simulated walk at 100 Hz with
 * a location fix every second; the best of five runs.
 *
 * `throughput second|fix|state COUNT` works through so many seconds of samples, fixes alone, or saved
 * and restored states, for a program that counts instructions. */

#include <locomotion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RATE = 100, SECONDS = 7200, COUNT = RATE * SECONDS, ROOM = 512, RUNS = 5 };

static int64_t times[COUNT];
static float x[COUNT], y[COUNT], z[COUNT];
static locomotion_fix fixes[SECONDS];
static locomotion_sample samples[ROOM];
static locomotion_fix_report reports[ROOM];

static void check(int32_t error) {
  if (error == LOCOMOTION_OK) return;
  fprintf(stderr, "%s\n", locomotion_error_text(error));
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void prepare(void) {
  uint32_t noise = 1;
  for (int i = 0; i < COUNT; i++) {
    double t = (double)i / RATE, phase = 2 * 3.14159265358979 * 1.9 * t;
    noise = noise * 1664525u + 1013904223u;
    times[i] = (int64_t)i * 10000000;
    x[i] = (float)(2 * sin(phase / 2));
    y[i] = (float)(noise >> 8) / 16777216 - 0.5f;
    z[i] = (float)(9.81 + 3 * cos(phase) + sin(2 * phase));
  }
  for (int i = 0; i < SECONDS; i++)
    fixes[i] = (locomotion_fix){(int64_t)i * 1000000000 + 5000000, 48 + i * 1.4 / 111200, 11, 500,
                                5, 8, 1.4, NAN, 0, NAN};
}

/* The time of a run over the first `total` samples, 0 without them, and fixes, seconds. */
static double run(int batch, int total, int has_samples, int has_fixes) {
  locomotion_pipeline pipeline;
  int64_t count, fix = 0, seconds = 0;
  double start = now();
  check(locomotion_create(NULL, 0, 0, &pipeline));
  for (int first = 0; first < total; first += batch) {
    int size = total - first < batch ? total - first : batch;
    int64_t end = times[first + size - 1], last = fix;
    if (has_samples)
      check(locomotion_append_accelerations(
          pipeline, size, times + first, x + first, y + first, z + first, 1));
    while (has_fixes && last < SECONDS && fixes[last].time <= end) last++;
    check(locomotion_append_fixes(pipeline, last - fix, fixes + fix));
    fix = last;
    check(locomotion_process(pipeline));
    do {
      check(locomotion_poll_samples(pipeline, samples, ROOM, &count));
      seconds += count;
    } while (count);
    do check(locomotion_poll_fixes(pipeline, reports, ROOM, &count));
    while (count);
  }
  check(locomotion_finish(pipeline));
  check(locomotion_destroy(pipeline));
  if (seconds < total / RATE - 12) exit(1);
  return now() - start;
}

/* Saves and restores the pipeline of a minute; the shortest times of `turns`, seconds. */
static int64_t store(int turns, double *save, double *restore) {
  locomotion_pipeline pipeline, restored;
  static uint8_t state[1 << 20];
  int64_t size = 0;
  check(locomotion_create(NULL, 0, 0, &pipeline));
  check(locomotion_append_accelerations(pipeline, 60 * RATE, times, x, y, z, 1));
  check(locomotion_process(pipeline));
  for (int turn = 0; turn < turns; turn++) {
    double start = now();
    check(locomotion_save(pipeline, state, sizeof state, &size));
    double middle = now();
    check(locomotion_restore(NULL, 0, state, size, &restored));
    *save = fmin(*save, middle - start);
    *restore = fmin(*restore, now() - middle);
    check(locomotion_destroy(restored));
  }
  check(locomotion_destroy(pipeline));
  return size;
}

int main(int count, char **words) {
  static const int batches[] = {1, 10, 50, 100, 1000, 5000, 50000};
  double save = INFINITY, restore = INFINITY;
  prepare();
  if (count == 3) {
    int items = atoi(words[2]), is_fix = !strcmp(words[1], "fix");
    if (!strcmp(words[1], "state"))
      store(items, &save, &restore);
    else
      run(RATE, items * RATE, !is_fix, is_fix);
    return 0;
  }
  puts("batch  samples/s  times real time");
  for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
    double best = INFINITY;
    for (int turn = 0; turn < RUNS; turn++) best = fmin(best, run(batches[i], COUNT, 1, 1));
    printf("%5d %10.0f %16.0f\n", batches[i], COUNT / best, SECONDS / best);
  }
  int64_t size = store(20, &save, &restore);
  printf("a state of %lld bytes: saved in %.2f ms, restored in %.2f ms\n", (long long)size,
         1e3 * save, 1e3 * restore);
  return 0;
}
