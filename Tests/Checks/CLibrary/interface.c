/* Holds the C library to what its header promises: misuse is an error and does no harm, a saved
 * pipeline goes on with the same answers, and buffers of any size get the same answers. */

#include <locomotion.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RATE = 100, SECONDS = 240, COUNT = RATE * SECONDS };

static int64_t times[COUNT];
static float x[COUNT], y[COUNT], z[COUNT], side_by_side[3 * COUNT], pressures[COUNT];
static locomotion_fix fixes[SECONDS];
static int failures, stride = 101;

static void expect(int isTrue, const char *what, int line) {
  if (isTrue) return;
  fprintf(stderr, "interface.c:%d: %s\n", line, what);
  failures++;
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)
#define EXPECT_ERROR(error, call) expect((call) == LOCOMOTION_##error, #call " → " #error, __LINE__)

/* A walk with a halt. */
static void prepare(void) {
  for (int i = 0; i < COUNT; i++) {
    double t = (double)i / RATE, phase = 2 * 3.14159265358979 * 1.9 * t;
    int walks = t < 100 || t > 160;
    times[i] = (int64_t)i * 10000000;
    x[i] = walks ? (float)(2 * sin(phase / 2)) : 0.02f;
    y[i] = 0.3f;
    z[i] = (float)(9.81 + (walks ? 3 * cos(phase) : 0));
    pressures[i] = (float)(1000 - t / 100);
    memcpy(side_by_side + 3 * i, (float[]){x[i], y[i], z[i]}, 3 * sizeof(float));
  }
  double metres = 0;
  for (int i = 0; i < SECONDS; i++) {
    metres += i < 100 || i > 160 ? 1.4 : 0;
    fixes[i] = (locomotion_fix){(int64_t)i * 1000000000 + 5000000, 48 + metres / 111200, 11, NAN, 5,
                                NAN, -1, NAN, NAN, NAN};
  }
}

static void append(locomotion_pipeline pipeline, int first, int end) {
  int count = end - first, fix = first / RATE, last = end / RATE;
  EXPECT_ERROR(OK, locomotion_append_accelerations(
      pipeline, count, times + first, x + first, y + first, z + first, 1));
  EXPECT_ERROR(OK, locomotion_append_pressures(
      pipeline, count, times + first, pressures + first, 1));
  EXPECT_ERROR(OK, locomotion_append_fixes(pipeline, last - fix, fixes + fix));
}

typedef struct {
  locomotion_sample samples[SECONDS + 8];
  locomotion_fix_report fixes[SECONDS + 8];
  int64_t sample_count, fix_count;
} answers;

static void poll(locomotion_pipeline pipeline, answers *all, int64_t room) {
  int64_t count;
  do {
    EXPECT_ERROR(OK, locomotion_poll_samples(
        pipeline, all->samples + all->sample_count, room, &count));
    all->sample_count += count;
  } while (count);
  do {
    EXPECT_ERROR(OK, locomotion_poll_fixes(pipeline, all->fixes + all->fix_count, room, &count));
    all->fix_count += count;
  } while (count);
}

static int same(const answers *a, const answers *b) {
  return a->sample_count == b->sample_count && a->fix_count == b->fix_count &&
         !memcmp(a->samples, b->samples, (size_t)a->sample_count * sizeof *a->samples) &&
         !memcmp(a->fixes, b->fixes, (size_t)a->fix_count * sizeof *a->fixes);
}

static answers whole, other;

static void check_answers(void) {
  locomotion_pipeline pipeline;
  EXPECT_ERROR(OK, locomotion_create(NULL, 0, LOCOMOTION_KEEP_RECORDING, &pipeline));
  append(pipeline, 0, COUNT);
  EXPECT_ERROR(OK, locomotion_finish(pipeline));
  poll(pipeline, &whole, 3);
  EXPECT(whole.sample_count == SECONDS && whole.fix_count == SECONDS);
  const locomotion_sample *last = &whole.samples[SECONDS - 2];
  EXPECT(last->activity == LOCOMOTION_ACTIVITY_WALKING && last->has_accelerations == 1);
  EXPECT(fabsf(last->cadence - 114) < 3 && last->moving == LOCOMOTION_MOVING);
  EXPECT(isnan(last->rotation_level) && isfinite(last->altitude) && last->has_fix == 1);
  EXPECT(isnan(whole.fixes[3].fix.speed) && whole.fixes[3].status == LOCOMOTION_FIX_USED);

  int64_t count = 0;
  locomotion_timeline_item items[16];
  EXPECT_ERROR(ERROR_CAPACITY, locomotion_timeline(pipeline, LOCOMOTION_LIVE, NULL, 0, &count));
  EXPECT(count > 0 && count <= 16);
  for (int32_t form = LOCOMOTION_LIVE; form <= LOCOMOTION_SMOOTHED; form++) {
    EXPECT_ERROR(OK, locomotion_timeline(pipeline, form, items, 16, &count));
    EXPECT(items[0].start == 0 && items[count - 1].end == (int64_t)SECONDS * 1000000000);
    EXPECT(items[0].type == LOCOMOTION_ITEM_TRIP && items[0].legs > 0 && items[0].is_final == 1);
    other.sample_count = other.fix_count = 0;
    EXPECT_ERROR(OK, locomotion_recording_samples(
        pipeline, form, other.samples, SECONDS, &other.sample_count));
    EXPECT_ERROR(OK, locomotion_recording_fixes(
        pipeline, form, other.fixes, SECONDS, &other.fix_count));
    EXPECT(same(&whole, &other) == (form == LOCOMOTION_LIVE));
  }
  locomotion_counts counts;
  EXPECT_ERROR(OK, locomotion_counts_so_far(pipeline, &counts));
  EXPECT(counts.accelerations.received == COUNT && counts.accelerations.kept == COUNT);
  EXPECT(counts.pressures.kept == COUNT && counts.fixes_used == SECONDS);
  EXPECT_ERROR(ERROR_FINISHED, locomotion_process(pipeline));
  EXPECT_ERROR(ERROR_FINISHED, locomotion_append_fixes(pipeline, 1, fixes));

  /* The same in other pieces, by one array, and saved and restored between them. */
  EXPECT_ERROR(OK, locomotion_reset(pipeline));
  other.sample_count = other.fix_count = 0;
  static uint8_t state[4 << 20];
  for (int first = 0, piece = 1; first < COUNT; first += 700 + 100 * piece++) {
    int end = first + 700 + 100 * piece < COUNT ? first + 700 + 100 * piece : COUNT;
    EXPECT_ERROR(OK, locomotion_append_accelerations(
        pipeline, end - first, times + first, side_by_side + 3 * first,
        side_by_side + 3 * first + 1, side_by_side + 3 * first + 2, 3));
    EXPECT_ERROR(OK, locomotion_append_pressures(
        pipeline, end - first, times + first, pressures + first, 1));
    EXPECT_ERROR(OK, locomotion_append_fixes(
        pipeline, end / RATE - first / RATE, fixes + first / RATE));
    EXPECT_ERROR(ERROR_UNPROCESSED, locomotion_save(pipeline, state, sizeof state, &count));
    EXPECT_ERROR(OK, locomotion_process(pipeline));
    if (piece % 2) poll(pipeline, &other, 8);
    EXPECT_ERROR(ERROR_CAPACITY, locomotion_save(pipeline, NULL, 0, &count));
    EXPECT_ERROR(OK, locomotion_save(pipeline, state, sizeof state, &count));
    EXPECT_ERROR(OK, locomotion_destroy(pipeline));
    EXPECT_ERROR(OK, locomotion_restore(NULL, 0, state, count, &pipeline));
  }
  EXPECT_ERROR(OK, locomotion_finish(pipeline));
  poll(pipeline, &other, 8);
  EXPECT(same(&whole, &other));
  EXPECT_ERROR(OK, locomotion_recording_samples(
      pipeline, LOCOMOTION_LIVE, other.samples, SECONDS, &count));
  EXPECT(same(&whole, &other));
  EXPECT_ERROR(OK, locomotion_destroy(pipeline));
}

static void check_misuse(void) {
  locomotion_pipeline pipeline = 0, none = 77;
  int64_t count = -7;
  locomotion_sample sample;
  EXPECT_ERROR(ERROR_NULL, locomotion_create(NULL, 0, 0, NULL));
  EXPECT_ERROR(ERROR_ARGUMENT, locomotion_create(NULL, 0, 2, &none));
  EXPECT_ERROR(ERROR_ARGUMENT, locomotion_create(NULL, -1, 0, &none));
  EXPECT_ERROR(ERROR_NULL, locomotion_create(NULL, 10, 0, &none));
  EXPECT_ERROR(ERROR_MODEL, locomotion_create((const uint8_t *)"no model", 8, 0, &none));
  EXPECT_ERROR(ERROR_ALIGNMENT, locomotion_create(NULL, 0, 0, (void *)((char *)&none + 1)));
  EXPECT(none == 77);
  EXPECT_ERROR(OK, locomotion_create(NULL, 0, 0, &pipeline));
  EXPECT(pipeline != 0);
  const uint64_t garbage[] = {0, 1, 42, UINT64_MAX, (uint64_t)(uintptr_t)&pipeline, pipeline + 1,
                              pipeline ^ (uint64_t)1 << 40};
  for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
    EXPECT_ERROR(ERROR_HANDLE, locomotion_process(garbage[i]));
    EXPECT_ERROR(ERROR_HANDLE, locomotion_destroy(garbage[i]));
    EXPECT_ERROR(ERROR_HANDLE, locomotion_poll_samples(garbage[i], &sample, 1, &count));
  }
  EXPECT_ERROR(ERROR_ARGUMENT, locomotion_append_accelerations(pipeline, -1, times, x, y, z, 1));
  EXPECT_ERROR(ERROR_ARGUMENT, locomotion_append_accelerations(
      pipeline, INT64_MAX, times, x, y, z, 1));
  EXPECT_ERROR(ERROR_ARGUMENT, locomotion_append_accelerations(pipeline, 1, times, x, y, z, 0));
  EXPECT_ERROR(ERROR_ARGUMENT, locomotion_append_accelerations(
      pipeline, 1, times, x, y, z, INT64_MAX));
  EXPECT_ERROR(ERROR_NULL, locomotion_append_accelerations(pipeline, 1, NULL, x, y, z, 1));
  EXPECT_ERROR(ERROR_NULL, locomotion_append_accelerations(pipeline, 1, times, x, y, NULL, 1));
  EXPECT_ERROR(ERROR_ALIGNMENT, locomotion_append_accelerations(
      pipeline, 1, times, (void *)((char *)x + 1), y, z, 1));
  EXPECT_ERROR(OK, locomotion_append_accelerations(pipeline, 0, NULL, NULL, NULL, NULL, 1));
  EXPECT_ERROR(ERROR_NULL, locomotion_append_fixes(pipeline, 1, NULL));
  EXPECT_ERROR(ERROR_ARGUMENT, locomotion_append_fixes(pipeline, -1, fixes));
  EXPECT_ERROR(ERROR_NULL, locomotion_append_pressures(pipeline, 1, times, NULL, 1));
  EXPECT_ERROR(ERROR_NULL, locomotion_poll_samples(pipeline, NULL, 1, &count));
  EXPECT_ERROR(ERROR_NULL, locomotion_poll_samples(pipeline, &sample, 1, NULL));
  EXPECT_ERROR(ERROR_ARGUMENT, locomotion_poll_samples(pipeline, &sample, -1, &count));
  EXPECT_ERROR(ERROR_ARGUMENT, locomotion_timeline(pipeline, 3, NULL, 0, &count));
  EXPECT_ERROR(ERROR_NOT_KEPT, locomotion_timeline(
      pipeline, LOCOMOTION_SMOOTHED, NULL, 0, &count));
  EXPECT_ERROR(ERROR_NOT_KEPT, locomotion_recording_samples(pipeline, 0, NULL, 0, &count));
  EXPECT_ERROR(ERROR_NULL, locomotion_counts_so_far(pipeline, NULL));
  EXPECT(count == -7);
  EXPECT_ERROR(OK, locomotion_poll_samples(pipeline, NULL, 0, &count));
  EXPECT(count == 0);

  /* Hostile values are no misuse. */
  int64_t clock[] = {INT64_MIN, INT64_MAX, 0, -1, INT64_MAX};
  float hostile[] = {NAN, INFINITY, -3e38f, 0, 1e30f};
  locomotion_fix fix = {INT64_MIN, NAN, INFINITY, 1e300, -1, NAN, 1e300, 0, -1e300, NAN};
  EXPECT_ERROR(OK, locomotion_append_accelerations(
      pipeline, 5, clock, hostile, hostile, hostile, 1));
  EXPECT_ERROR(OK, locomotion_append_rotation_rates(
      pipeline, 5, clock, hostile, hostile, hostile, 1));
  EXPECT_ERROR(OK, locomotion_append_pressures(pipeline, 5, clock, hostile, 1));
  EXPECT_ERROR(OK, locomotion_append_fixes(pipeline, 1, &fix));
  EXPECT_ERROR(OK, locomotion_process(pipeline));

  int64_t size;
  static uint8_t state[1 << 18];
  EXPECT_ERROR(OK, locomotion_save(pipeline, state, sizeof state, &size));
  EXPECT_ERROR(ERROR_STATE, locomotion_restore(NULL, 0, NULL, 0, &none));
  for (int64_t i = 0; i < size; i += stride) {
    EXPECT_ERROR(ERROR_STATE, locomotion_restore(NULL, 0, state, i, &none));
    state[i] ^= 1;
    EXPECT(locomotion_restore(NULL, 0, state, size, &none) >= LOCOMOTION_ERROR_STATE);
    state[i] ^= 1;
  }
  EXPECT_ERROR(OK, locomotion_destroy(pipeline));
  EXPECT_ERROR(ERROR_HANDLE, locomotion_destroy(pipeline));
  EXPECT_ERROR(ERROR_HANDLE, locomotion_save(pipeline, state, sizeof state, &size));

  for (int32_t error = -1; error < 20; error++) EXPECT(strlen(locomotion_error_text(error)) > 4);
  EXPECT(!strcmp(locomotion_activity_name(LOCOMOTION_ACTIVITY_UNKNOWN), "unknown"));
  EXPECT(locomotion_abi_version() == LOCOMOTION_ABI_VERSION);
}

static locomotion_pipeline shared;
static atomic_int busy, others, stops;

static void *use(void *unused) {
  locomotion_counts counts;
  while (!stops) {
    int32_t error = locomotion_counts_so_far(shared, &counts);
    if (error == LOCOMOTION_ERROR_BUSY) busy++;
    else if (error != LOCOMOTION_OK) others++;
  }
  return unused;
}

/* Two threads with one pipeline: each call does all of its work, or says that it did none. */
static void check_threads(void) {
  pthread_t thread;
  EXPECT_ERROR(OK, locomotion_create(NULL, 0, 0, &shared));
  EXPECT(pthread_create(&thread, NULL, use, NULL) == 0);
  int64_t taken = 0;
  for (int round = 0; round < 2000 || (!busy && round < 2000000); round++) {
    int first = round * 10 % COUNT;
    int32_t error = locomotion_append_accelerations(shared, 10, times + first, x, y, z, 1);
    if (error == LOCOMOTION_OK) taken += 10;
    /* Whichever thread comes second. */
    else if (error == LOCOMOTION_ERROR_BUSY) busy++;
    else others++;
    if (locomotion_process(shared) == LOCOMOTION_ERROR_BUSY) busy++;
  }
  stops = 1;
  pthread_join(thread, NULL);
  EXPECT_ERROR(OK, locomotion_process(shared));
  locomotion_counts counts;
  EXPECT_ERROR(OK, locomotion_counts_so_far(shared, &counts));
  EXPECT(counts.accelerations.received == taken);
  EXPECT(others == 0);
  /* Valgrind runs one thread at a time, and may change threads between calls only. */
  EXPECT(busy > 0 || stride > 101);
  EXPECT_ERROR(OK, locomotion_destroy(shared));
}

/* A drive along a road, the one line of a map by `locomotion map`: from 48.001, 11.001 to 11.019 east,
 * a primary road. */
static void check_map(void) {
  static const uint8_t map[] = {
    76, 77, 65, 80, 1, 40, 0, 0, 0, 150, 57, 150, 68, 29, 194, 169, 32, 79, 112,
    101, 110, 83, 116, 114, 101, 101, 116, 77, 97, 112, 32, 99, 111, 110, 116, 114, 105, 98,
    117, 116, 111, 114, 115, 1, 142, 147, 157, 59, 21, 174, 197, 227, 157, 2, 6, 144, 3,
    176, 59, 0, 159, 11, 0, 159, 11, 0, 159, 11, 0, 159, 11, 0, 159, 11};
  locomotion_pipeline pipeline;
  EXPECT_ERROR(OK, locomotion_create(NULL, 0, LOCOMOTION_KEEP_RECORDING, &pipeline));
  for (int i = 0; i < 80; i++) {
    locomotion_fix fix = {(int64_t)i * 1000000000, 48.001 + (i % 3) * 2e-5, 11.002 + i * 2e-4, NAN, 5,
                          NAN, 15, 0.5, 90, 2};
    EXPECT_ERROR(OK, locomotion_append_fixes(pipeline, 1, &fix));
  }
  EXPECT_ERROR(OK, locomotion_finish(pipeline));
  locomotion_timeline_item items[8];
  double lengths[8];
  int64_t count = 0;
  const int32_t form = LOCOMOTION_SMOOTHED;
  EXPECT_ERROR(OK, locomotion_timeline_on_map(
      pipeline, form, map, sizeof map, items, lengths, 8, &count));
  EXPECT(count == 2 && items[0].type == LOCOMOTION_ITEM_TRIP && isnan(lengths[0]));
  /* From the end of the first second to that of the last but one: 78 times 2e-4 degrees. */
  EXPECT(items[1].type == LOCOMOTION_ITEM_LEG && fabs(lengths[1] - 1164) < 5);
  EXPECT_ERROR(OK, locomotion_timeline_on_map(
      pipeline, form, map, sizeof map, items, NULL, 8, &count));
  EXPECT_ERROR(ERROR_CAPACITY, locomotion_timeline_on_map(
      pipeline, form, map, sizeof map, NULL, NULL, 0, &count));
  EXPECT_ERROR(ERROR_ARGUMENT, locomotion_timeline_on_map(
      pipeline, LOCOMOTION_LIVE, map, sizeof map, items, lengths, 8, &count));
  EXPECT_ERROR(ERROR_NULL, locomotion_timeline_on_map(
      pipeline, form, NULL, 1, items, lengths, 8, &count));
  EXPECT_ERROR(ERROR_ALIGNMENT, locomotion_timeline_on_map(
      pipeline, form, map, sizeof map, items, (void *)((char *)lengths + 1), 7, &count));
  for (int64_t size = 0; size < (int64_t)sizeof map; size++) {
    EXPECT_ERROR(ERROR_MAP, locomotion_timeline_on_map(
        pipeline, form, map, size, items, lengths, 8, &count));
  }
  EXPECT_ERROR(OK, locomotion_destroy(pipeline));
}

static void check_many(void) {
  static locomotion_pipeline all[200];
  for (int i = 0; i < 200; i++) EXPECT_ERROR(OK, locomotion_create(NULL, 0, 0, &all[i]));
  for (int i = 0; i < 200; i++)
    for (int j = 0; j < i; j++) EXPECT(all[i] != all[j]);
  for (int i = 0; i < 200; i++) EXPECT_ERROR(OK, locomotion_destroy(all[i]));
}

/* Saves half of the recording to a file, or goes on from the half that another build saved there. */
static void check_other_build(const char *path) {
  static uint8_t state[1 << 20];
  locomotion_pipeline pipeline;
  int64_t size;
  FILE *file = fopen(path, "rb");
  if (!file) {
    EXPECT_ERROR(OK, locomotion_create(NULL, 0, 0, &pipeline));
    append(pipeline, 0, COUNT / 2);
    EXPECT_ERROR(OK, locomotion_process(pipeline));
    EXPECT_ERROR(OK, locomotion_save(pipeline, state, sizeof state, &size));
    file = fopen(path, "wb");
    EXPECT(file && fwrite(state, 1, (size_t)size, file) == (size_t)size);
  } else {
    size = (int64_t)fread(state, 1, sizeof state, file);
    EXPECT_ERROR(OK, locomotion_restore(NULL, 0, state, size, &pipeline));
    append(pipeline, COUNT / 2, COUNT);
    EXPECT_ERROR(OK, locomotion_finish(pipeline));
    other.sample_count = other.fix_count = 0;
    poll(pipeline, &other, 8);
    EXPECT(same(&whole, &other));
  }
  if (file) fclose(file);
  EXPECT_ERROR(OK, locomotion_destroy(pipeline));
}

/* With an argument every so many bytes of a state are damaged, in place of every 101st;
 * with a second one, that file is for check_other_build. */
int main(int argc, char **argv) {
  if (argc > 1 && atoi(argv[1]) > 0) stride = atoi(argv[1]);
  prepare();
  check_answers();
  if (argc > 2) check_other_build(argv[2]);
  check_misuse();
  check_threads();
  check_map();
  check_many();
  if (failures) fprintf(stderr, "%d failures\n", failures);
  else puts("the C library does what its header states");
  return failures != 0;
}
