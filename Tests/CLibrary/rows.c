/* Prints the rows of `locomotion classify|locate|cadence` for a tidy recording, by the C library.
 *
 * Usage: rows classify|locate|cadence X.csv [ROWS PER BATCH [live|settled|smoothed]]
 * X.gps.csv is read, too, when it is there; X.csv may itself be a file of fixes. */

#include <locomotion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 65536, ROOM = 256, FIELDS = 64 };

static const char *const names[] = {"t", "ax", "ay", "az", "gx", "gy", "gz", "pressure",
                                    "lat", "lon", "alt", "hacc", "speed", "course"};
enum { T, AX, GX = 4, PRESSURE = 7, LAT, LON, ALT, HACC, SPEED, COURSE, COLUMNS };

/* A file of the recording and its next two rows. */
typedef struct {
  FILE *file;
  int column[FIELDS], count;
  struct row { int64_t time; double value[COLUMNS]; } row[2];
} table;

static void check(int32_t error) {
  if (error == LOCOMOTION_OK) return;
  fprintf(stderr, "%s\n", locomotion_error_text(error));
  exit(1);
}

/* Decimal seconds as nanoseconds, without the rounding of a double; 0 when there are none. */
static int nanoseconds(const char *text, int64_t *time) {
  int isNegative = *text == '-', digits = -1, isNumber = 0;
  int64_t value = 0;
  for (text += isNegative; *text >= '0' ? *text <= '9' : *text == '.'; text++) {
    if (*text == '.') digits = 0;
    else if (digits == 9) { value += *text >= '5'; break; }
    else { value = value * 10 + (*text - '0'); digits += digits >= 0; isNumber = 1; }
  }
  for (digits = digits < 0 ? 0 : digits; digits < 9; digits++) value *= 10;
  *time = isNegative ? -value : value;
  return isNumber;
}

/* Goes to the next row with a time; the one behind it is looked at, too. */
static void advance(table *table) {
  char line[4096];
  table->row[0] = table->row[1];
  table->row[1].time = INT64_MIN;
  while (table->file && fgets(line, sizeof line, table->file)) {
    int hasTime = 0;
    struct row *row = &table->row[1];
    for (int i = 0; i < COLUMNS; i++) row->value[i] = NAN;
    char *field = line;
    line[strcspn(line, "\r\n")] = 0;
    for (int i = 0; field && i < table->count; i++) {
      char *end = strchr(field, ',');
      if (end) *end++ = 0;
      if (table->column[i] == T) hasTime = nanoseconds(field, &row->time);
      else if (table->column[i] > T && *field) row->value[table->column[i]] = strtod(field, NULL);
      field = end;
    }
    if (hasTime) return;
    row->time = INT64_MIN;
  }
}

static void open_table(table *table, const char *path) {
  char line[4096];
  table->row[0].time = table->row[1].time = INT64_MIN;
  if (!(table->file = fopen(path, "r")) || !fgets(line, sizeof line, table->file)) return;
  for (char *name = strtok(line, ",\r\n"); name; name = strtok(NULL, ",\r\n")) {
    table->column[table->count] = -1;
    for (int i = 0; i < COLUMNS; i++) if (!strcmp(name, names[i])) table->column[table->count] = i;
    table->count++;
  }
  advance(table);
  advance(table);
}

/* When the next row takes its turn: not later than the one behind it. */
static int64_t due(const table *table) {
  int64_t first = table->row[0].time, second = table->row[1].time;
  return first == INT64_MIN ? INT64_MAX : second != INT64_MIN && second < first ? second : first;
}

/* A number with so many decimals, or nothing when it is unknown. */
static void number(double value, int decimals) {
  int64_t scale = 1;
  for (int i = 0; i < decimals; i++) scale *= 10;
  long long scaled = isfinite(value) ? llround(value * (double)scale) : 0;
  if (!isfinite(value)) putchar(',');
  else if (!decimals) printf(",%lld", scaled);
  else printf(",%s%lld.%0*lld", scaled < 0 ? "-" : "", llabs(scaled) / scale, decimals,
              llabs(scaled) % scale);
}

static void seconds(int64_t time) {
  char text[32];
  long long size = time < 0 ? -time : time;
  sprintf(text, "%s%lld.%09lld", time < 0 ? "-" : "", size / 1000000000, size % 1000000000);
  for (char *end = text + strlen(text); end[-1] == '0' || end[-1] == '.'; *--end = 0)
    if (end[-1] == '.') { end[-1] = 0; break; }
  fputs(text, stdout);
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

/* The next row of a batch, which is appended when there are enough. */
static int64_t times[3][LARGEST];
static float values[3][LARGEST * 3];
static int64_t counts[3];
static locomotion_fix fixes[LARGEST];
static int64_t fix_count;

static void take_row(const struct row *row) {
  const double *v = row->value;
  int onlyPressure = isfinite(v[PRESSURE]) && !isfinite(v[AX]) && !isfinite(v[AX + 1])
                     && !isfinite(v[AX + 2]) && !isfinite(v[GX]) && !isfinite(v[GX + 1])
                     && !isfinite(v[GX + 2]);
  for (int kind = 0; kind < 2; kind++) {
    const double *axes = v + (kind ? GX : AX);
    if (kind ? !isfinite(axes[0]) && !isfinite(axes[1]) && !isfinite(axes[2]) : onlyPressure)
      continue;
    times[kind][counts[kind]] = row->time;
    for (int i = 0; i < 3; i++)
      values[kind][3 * counts[kind] + i] = isfinite(axes[i]) ? (float)axes[i] : NAN;
    counts[kind]++;
  }
  if (isfinite(v[PRESSURE])) {
    times[2][counts[2]] = row->time;
    values[2][counts[2]++] = (float)v[PRESSURE];
  }
}

static void take_fix(const struct row *row) {
  const double *v = row->value;
  fixes[fix_count++] = (locomotion_fix){row->time, v[LAT], v[LON], v[ALT], v[HACC], NAN, v[SPEED],
                                        NAN, v[COURSE], NAN};
}

int main(int argc, char **argv) {
  const char *what = argc > 2 ? argv[1] : "";
  if (strcmp(what, "classify") && strcmp(what, "locate") && strcmp(what, "cadence")) {
    fputs("usage: rows classify|locate|cadence X.csv [ROWS [live|settled|smoothed]]\n", stderr);
    return 2;
  }
  int batch = argc > 3 ? atoi(argv[3]) : 4096;
  const char *mode = argc > 4 ? argv[4] : strcmp(what, "cadence") ? "live" : "settled";
  int32_t form = *mode == 'l' ? LOCOMOTION_LIVE
                 : mode[1] == 'e' ? LOCOMOTION_SETTLED : LOCOMOTION_SMOOTHED;
  if (batch < 1 || batch > LARGEST) batch = LARGEST;

  char path[4096];
  table rows = {0}, locations = {0};
  snprintf(path, sizeof path, "%.*s.gps.csv", (int)strlen(argv[2]) - 4, argv[2]);
  open_table(&rows, argv[2]);
  if (!rows.file) return perror(argv[2]), 74;
  int isTrack = 0;
  for (int i = 0; i < rows.count; i++) isTrack |= rows.column[i] == LAT;
  if (isTrack) locations = rows, rows = (table){.row = {{INT64_MIN}, {INT64_MIN}}};
  else open_table(&locations, path);

  puts(*what == 'l' ? "t,lat,lon,radius68,speed,speed_sd,course,p_stationary,moving,status"
       : what[1] == 'a' ? "t_start,t_end,cadence,confidence,steps"
       : "t_start,t_end,activity,p_stationary,p_walking,p_running,p_cycling,p_automotive,p_train");
  locomotion_pipeline pipeline;
  check(locomotion_create(NULL, 0, form ? LOCOMOTION_KEEP_RECORDING : 0, &pipeline));
  for (int taken = 0;; taken++) {
    int64_t row = due(&rows), fix = due(&locations);
    int isOver = row == INT64_MAX && fix == INT64_MAX;
    if (taken == batch || isOver) {
      check(locomotion_append_accelerations(pipeline, counts[0], times[0], values[0],
                                            values[0] + 1, values[0] + 2, 3));
      check(locomotion_append_rotation_rates(pipeline, counts[1], times[1], values[1],
                                             values[1] + 1, values[1] + 2, 3));
      check(locomotion_append_pressures(pipeline, counts[2], times[2], values[2], 1));
      check(locomotion_append_fixes(pipeline, fix_count, fixes));
      check(isOver ? locomotion_finish(pipeline) : locomotion_process(pipeline));
      if (form == LOCOMOTION_LIVE) poll(pipeline, what);
      taken = 0;
      counts[0] = counts[1] = counts[2] = fix_count = 0;
      if (isOver) break;
    }
    if (fix <= row) take_fix(&locations.row[0]), advance(&locations);
    else take_row(&rows.row[0]), advance(&rows);
  }
  if (form != LOCOMOTION_LIVE) print_recording(pipeline, what, form);
  check(locomotion_destroy(pipeline));
  return 0;
}
