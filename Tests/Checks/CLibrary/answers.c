/* Writes what the library says of measurements into files of its structs.
 *
 * Usage: answers MEASUREMENTS FOLDER [HOW MANY AT ONCE]
 * Tests/Support/StructReference says what the files hold. */

#include <locomotion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 256, LARGEST = 65536 };

typedef struct { int64_t sensor; locomotion_fix values; } measurement;

/* The measurements of a batch: accelerations and rotation rates side by side. */
typedef struct { int64_t count, times[LARGEST]; float values[3 * LARGEST]; } series;
static series sensors[3];
static locomotion_fix fixes[LARGEST];
static int64_t fix_count;

static locomotion_pipeline pipeline;
static const char *folder;

static void check(int32_t error) {
  if (error == LOCOMOTION_OK) return;
  fprintf(stderr, "%s\n", locomotion_error_text(error));
  exit(1);
}

static FILE *create(const char *form, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s%s", folder, form, name);
  FILE *file = fopen(path, "wb");
  if (!file) perror(path), exit(74);
  return file;
}

static void take(const measurement *next) {
  if (next->sensor == 3) {
    fixes[fix_count++] = next->values;
    return;
  }
  series *sensor = &sensors[next->sensor];
  float *place = sensor->values + (next->sensor == 2 ? 1 : 3) * sensor->count;
  place[0] = (float)next->values.latitude;
  if (next->sensor != 2) {
    place[1] = (float)next->values.longitude;
    place[2] = (float)next->values.altitude;
  }
  sensor->times[sensor->count++] = next->values.time;
}

static void process(void) {
  const float *a = sensors[0].values, *r = sensors[1].values;
  check(locomotion_append_accelerations(
      pipeline, sensors[0].count, sensors[0].times, a, a + 1, a + 2, 3));
  check(locomotion_append_rotation_rates(
      pipeline, sensors[1].count, sensors[1].times, r, r + 1, r + 2, 3));
  check(locomotion_append_pressures(
      pipeline, sensors[2].count, sensors[2].times, sensors[2].values, 1));
  check(locomotion_append_fixes(pipeline, fix_count, fixes));
  check(locomotion_process(pipeline));
  sensors[0].count = sensors[1].count = sensors[2].count = fix_count = 0;
}

static void poll(FILE *samples, FILE *reports) {
  locomotion_sample sample[ROOM];
  locomotion_fix_report report[ROOM];
  int64_t count;
  do {
    check(locomotion_poll_samples(pipeline, sample, ROOM, &count));
    fwrite(sample, sizeof *sample, (size_t)count, samples);
  } while (count);
  do {
    check(locomotion_poll_fixes(pipeline, report, ROOM, &count));
    fwrite(report, sizeof *report, (size_t)count, reports);
  } while (count);
}

/* Writes what a function on recordings stores in a form. */
#define WRITE(function, type, name)                                         \
  do {                                                                      \
    int64_t count = 0;                                                      \
    int32_t error = function(pipeline, form, NULL, 0, &count);              \
    if (error != LOCOMOTION_ERROR_CAPACITY) check(error);                   \
    type *found = malloc((size_t)(count + 1) * sizeof *found);              \
    check(function(pipeline, form, found, count, &count));                  \
    FILE *file = create(forms[form], name);                                 \
    fwrite(found, sizeof *found, (size_t)count, file);                      \
    fclose(file);                                                           \
    free(found);                                                            \
  } while (0)

int main(int argc, char **argv) {
  static const char *const forms[] = {"live", "lagged", "smoothed"};
  FILE *input = argc > 2 ? fopen(argv[1], "rb") : NULL;
  if (!input) return fputs("usage: answers MEASUREMENTS FOLDER [HOW MANY]\n", stderr), 2;
  folder = argv[2];
  int64_t size = argc > 3 ? atoll(argv[3]) : 4096, taken = 0;
  if (size < 1 || size > LARGEST) size = LARGEST;

  check(locomotion_create(NULL, 0, LOCOMOTION_KEEP_RECORDING, &pipeline));
  FILE *samples = create("live", ".samples"), *reports = create("live", ".fixes");
  measurement next;
  while (fread(&next, sizeof next, 1, input) == 1) {
    take(&next);
    if (++taken % size == 0) process(), poll(samples, reports);
  }
  process();
  check(locomotion_finish(pipeline));
  poll(samples, reports);
  fclose(samples), fclose(reports), fclose(input);

  for (int32_t form = LOCOMOTION_LIVE; form <= LOCOMOTION_SMOOTHED; form++) {
    if (form != LOCOMOTION_LIVE) {
      WRITE(locomotion_recording_samples, locomotion_sample, ".samples");
      WRITE(locomotion_recording_fixes, locomotion_fix_report, ".fixes");
    }
    WRITE(locomotion_timeline, locomotion_timeline_item, ".items");
  }
  locomotion_counts counts;
  check(locomotion_counts_so_far(pipeline, &counts));
  FILE *file = create("", "counts");
  fwrite(&counts, sizeof counts, 1, file);
  fclose(file);
  check(locomotion_destroy(pipeline));
  return 0;
}
