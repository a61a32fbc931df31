/* Prints the rows of `locomotion classify|locate|cadence` for a tidy recording, by the C library.
 *
 * Usage: rows classify|locate|cadence X.csv [ROWS PER BATCH [live|settled|smoothed]]
 * X.gps.csv is read, too, when it is there; X.csv may itself be a file of fixes. */

#include <locomotion.h>

#include "tidy.h"

enum { ROOM = 256 };

static void check(int32_t error) {
  if (error == LOCOMOTION_OK) return;
  fprintf(stderr, "%s\n", locomotion_error_text(error));
  exit(1);
}

static void print_sample(const char *what, const locomotion_sample *sample) {
  if (!sample->has_accelerations) return;
  seconds(sample->start), putchar(','), seconds(sample->end);
  if (*what == 'c' && what[1] == 'a') {
    number(sample->cadence, 2), number(sample->cadence_confidence, 4), number(sample->steps, 3);
  } else {
    printf(",%s", locomotion_activity_name(sample->activity));
    for (int i = 0; i < LOCOMOTION_ACTIVITY_COUNT; i++) number(sample->probabilities[i], 5);
  }
  putchar('\n');
}

static void print_fix(const locomotion_fix_report *fix) {
  static const char *const status[] = {"used", "relocated", "rejected"};
  seconds(fix->fix.time);
  number(fix->latitude, 8), number(fix->longitude, 8), number(fix->radius68, 2);
  number(fix->speed, 3), number(fix->speed_deviation, 3);
  number(fix->course < 359.95 ? fix->course : isnan(fix->course) ? NAN : 0, 1);
  number(1 - fix->moving_probability, 4);
  printf(",%s,%s\n", fix->moving == LOCOMOTION_MOVING ? "1" : fix->moving ? "" : "0",
         status[fix->status]);
}

static void poll(locomotion_pipeline pipeline, const char *what) {
  locomotion_sample samples[ROOM];
  locomotion_fix_report fixes[ROOM];
  int64_t count;
  do {
    check(locomotion_poll_samples(pipeline, samples, ROOM, &count));
    for (int64_t i = 0; *what == 'c' && i < count; i++) print_sample(what, &samples[i]);
  } while (count);
  do {
    check(locomotion_poll_fixes(pipeline, fixes, ROOM, &count));
    for (int64_t i = 0; *what == 'l' && i < count; i++) print_fix(&fixes[i]);
  } while (count);
}

static void print_recording(locomotion_pipeline pipeline, const char *what, int32_t form) {
  int64_t samples = 0, fixes = 0;
  locomotion_recording_samples(pipeline, form, NULL, 0, &samples);
  locomotion_recording_fixes(pipeline, form, NULL, 0, &fixes);
  locomotion_sample *sample = malloc((size_t)(samples + 1) * sizeof *sample);
  locomotion_fix_report *fix = malloc((size_t)(fixes + 1) * sizeof *fix);
  check(locomotion_recording_samples(pipeline, form, sample, samples, &samples));
  check(locomotion_recording_fixes(pipeline, form, fix, fixes, &fixes));
  for (int64_t i = 0; *what == 'c' && i < samples; i++) print_sample(what, &sample[i]);
  for (int64_t i = 0; *what == 'l' && i < fixes; i++) print_fix(&fix[i]);
  free(sample);
  free(fix);
}

static void append(locomotion_pipeline pipeline, const batch *batch) {
  const float *a = batch->xyz, *r = batch->rate_xyz;
  check(locomotion_append_accelerations(
      pipeline, batch->count, batch->times, a, a + 1, a + 2, 3));
  check(locomotion_append_rotation_rates(
      pipeline, batch->rates, batch->rate_times, r, r + 1, r + 2, 3));
  check(locomotion_append_pressures(
      pipeline, batch->pressures, batch->pressure_times, batch->hectopascals, 1));
  check(locomotion_append_fixes(pipeline, batch->fixes, batch->fix));
}

int main(int argc, char **argv) {
  const char *what = argc > 2 ? argv[1] : "";
  if (strcmp(what, "classify") && strcmp(what, "locate") && strcmp(what, "cadence")) {
    fputs("usage: rows classify|locate|cadence X.csv [ROWS [live|settled|smoothed]]\n", stderr);
    return 2;
  }
  static batch batch;
  static table rows, locations;
  int size = argc > 3 ? atoi(argv[3]) : 4096;
  /* The command's defaults. */
  const char *mode = argc > 4 ? argv[4] : strcmp(what, "cadence") ? "live" : "settled";
  int32_t form = *mode == 'l' ? LOCOMOTION_LIVE
                 : mode[1] == 'e' ? LOCOMOTION_SETTLED : LOCOMOTION_SMOOTHED;
  if (size < 1 || size > LARGEST) size = LARGEST;
  if (!open_recording(argv[2], &rows, &locations)) return perror(argv[2]), 74;

  puts(*what == 'l' ? "t,lat,lon,radius68,speed,speed_sd,course,p_stationary,moving,status"
       : what[1] == 'a' ? "t_start,t_end,cadence,confidence,steps"
       : "t_start,t_end,activity,p_stationary,p_walking,p_running,p_cycling,p_automotive,p_train");
  locomotion_pipeline pipeline;
  check(locomotion_create(NULL, 0, form ? LOCOMOTION_KEEP_RECORDING : 0, &pipeline));
  while (read_batch(&batch, size, &rows, &locations)) {
    append(pipeline, &batch);
    check(locomotion_process(pipeline));
    poll(pipeline, form == LOCOMOTION_LIVE ? what : "");
  }
  check(locomotion_finish(pipeline));
  poll(pipeline, form == LOCOMOTION_LIVE ? what : "");
  if (form != LOCOMOTION_LIVE) print_recording(pipeline, what, form);
  check(locomotion_destroy(pipeline));
  return 0;
}
