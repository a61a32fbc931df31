/* Calls of the C library in any order with any values, by a seed: none crashes, writes beyond a
 * buffer or stores an error that the header does not name. Run it under Valgrind.
 *
 * Usage: hostile CALLS SEED */

#include <locomotion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

/* SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t any(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static int64_t below(int64_t bound) { return (int64_t)(any() % (uint64_t)bound); }

static int64_t any_time(int64_t now) {
  const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
  switch (below(8)) {
    case 0: return ends[below(7)];
    case 1: return (int64_t)any();
    case 2: return now - below(100000000000);
    default: return now + below(20000000);
  }
}

static double any_number(double usual) {
  const double ends[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 5e-324, -0.0, 3.5e38};
  uint64_t bits = any();
  double number;
  switch (below(6)) {
    case 0: return ends[below(8)];
    case 1: memcpy(&number, &bits, sizeof number); return number;
    default: return usual * (double)below(1000) / 500;
  }
}

/* Exactly so many bytes, so that what is written behind them is noticed. */
static void *room(int64_t count, size_t size) {
  void *result = malloc((size_t)(count > 0 ? count : 0) * size + (count <= 0));
  if (!result) abort();
  return result;
}

static int failures;

static void check(int32_t error, const char *what) {
  if (error >= LOCOMOTION_OK && error <= LOCOMOTION_ERROR_STATE_MODEL) return;
  fprintf(stderr, "hostile: %s: the error %d\n", what, error);
  failures++;
}

enum { PIPELINES = 4 };

int main(int argc, char **argv) {
  int64_t calls = argc > 1 ? atoll(argv[1]) : 1000, now = 1700000000000000000;
  state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  locomotion_pipeline pipelines[PIPELINES] = {0};
  for (int64_t call = 0; call < calls; call++) {
    locomotion_pipeline *slot = &pipelines[below(PIPELINES)];
    locomotion_pipeline it = below(20) ? *slot : (locomotion_pipeline)any();
    int64_t count = below(10) ? below(300) : -below(3), stride = below(30) ? 1 + below(3) : 0;
    int32_t form = (int32_t)below(below(10) ? 3 : 1000) - (below(10) == 0);
    int64_t stored = 0, places = (count > 0 ? count : 0) * (stride > 0 ? stride : 1);
    switch (below(14)) {
      case 0: {
        uint8_t *model = room(count, 1);
        for (int64_t i = 0; i < count; i++) model[i] = (uint8_t)any();
        int isBuiltIn = below(10) != 0;
        if (*slot) check(locomotion_destroy(*slot), "destroy");
        *slot = 0;
        check(locomotion_create(isBuiltIn ? NULL : model, isBuiltIn ? 0 : count,
                                (uint32_t)below(below(10) ? 2 : 9), slot), "create");
        free(model);
        break;
      }
      case 1: case 2: case 3: case 4: {
        int64_t *times = room(count, sizeof *times);
        float *values = room(places + 2, sizeof *values);
        for (int64_t i = 0; i < count; i++) times[i] = any_time(now += 10000000);
        for (int64_t i = 0; i < places + 2; i++) values[i] = (float)any_number(9.81);
        const float *y = below(30) ? values + 1 : NULL;
        if (below(3)) check(locomotion_append_accelerations(
            it, count, times, values, y, values + 2, stride), "accelerations");
        else if (below(2)) check(locomotion_append_rotation_rates(
            it, count, times, values, y, values + 2, stride), "rotation rates");
        else check(locomotion_append_pressures(it, count, times, values, stride), "pressures");
        free(times);
        free(values);
        break;
      }
      case 5: {
        locomotion_fix *fixes = room(count, sizeof *fixes);
        for (int64_t i = 0; i < count; i++)
          fixes[i] = (locomotion_fix){
              any_time(now += 1000000000), any_number(48), any_number(11), any_number(500),
              any_number(5), any_number(5), any_number(1.4), any_number(1), any_number(180),
              any_number(10)};
        check(locomotion_append_fixes(it, count, fixes), "fixes");
        free(fixes);
        break;
      }
      case 6: case 7: check(locomotion_process(it), "process"); break;
      case 8: {
        locomotion_sample *samples = room(count, sizeof *samples);
        check(below(2) ? locomotion_poll_samples(it, samples, count, &stored)
                       : locomotion_recording_samples(it, form, samples, count, &stored), "samples");
        free(samples);
        break;
      }
      case 9: {
        locomotion_fix_report *fixes = room(count, sizeof *fixes);
        check(below(2) ? locomotion_poll_fixes(it, fixes, count, &stored)
                       : locomotion_recording_fixes(it, form, fixes, count, &stored), "fixes");
        free(fixes);
        break;
      }
      case 10: {
        locomotion_timeline_item *items = room(count, sizeof *items);
        check(locomotion_timeline(it, form, items, count, &stored), "timeline");
        free(items);
        break;
      }
      case 11: {
        char name[LOCOMOTION_CUSTOM_NAME];
        int32_t behavesLike;
        locomotion_counts counts;
        check(locomotion_custom_activity(it, (int32_t)any(), name, &behavesLike), "activity");
        check(locomotion_counts_so_far(it, below(10) ? &counts : NULL), "counts");
        break;
      }
      case 12: {
        int64_t size = 0;
        check(locomotion_save(it, NULL, 0, &size), "save");
        if (size <= 0) break;
        uint8_t *bytes = room(size, 1);
        check(locomotion_save(it, bytes, size, &size), "save");
        if (below(2)) bytes[below(size)] ^= (uint8_t)any();
        if (*slot) check(locomotion_destroy(*slot), "destroy");
        *slot = 0;
        check(locomotion_restore(NULL, 0, bytes, below(4) ? size : below(size), slot), "restore");
        free(bytes);
        break;
      }
      default:
        check(below(20) ? locomotion_process(it) : below(2) ? locomotion_finish(it)
                                                            : locomotion_reset(it), "process");
    }
  }
  for (int i = 0; i < PIPELINES; i++)
    if (pipelines[i]) check(locomotion_destroy(pipelines[i]), "destroy");
  printf("%lld calls, %d failures\n", (long long)calls, failures);
  return failures != 0;
}
