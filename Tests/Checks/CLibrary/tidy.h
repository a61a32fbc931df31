/* Reads tidy recordings, and prints numbers as the command does. */

#ifndef TIDY_H
#define TIDY_H

#include <locomotion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 64 };

static const char *const names[] = {"t", "ax", "ay", "az", "gx", "gy", "gz", "pressure",
                                    "lat", "lon", "alt", "hacc", "speed", "course"};
enum { T, AX, GX = 4, PRESSURE = 7, LAT, LON, ALT, HACC, SPEED, COURSE, COLUMNS };

/* A file of the recording and its next two rows. */
typedef struct {
  FILE *file;
  int column[FIELDS], count;
  struct row { int64_t time; double value[COLUMNS]; } row[2];
} table;

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

/* The measurements of some rows, accelerations and rotation rates side by side. */
enum { LARGEST = 65536 };
typedef struct {
  int64_t count, rates, pressures, fixes;
  int64_t times[LARGEST], rate_times[LARGEST], pressure_times[LARGEST];
  float xyz[3 * LARGEST], rate_xyz[3 * LARGEST], hectopascals[LARGEST];
  locomotion_fix fix[LARGEST];
} batch;

/* Whether one of three values is there. */
static int is_any(const double *v) { return isfinite(v[0]) || isfinite(v[1]) || isfinite(v[2]); }

static void take_row(batch *batch, const struct row *row) {
  const double *v = row->value;
  if (!isfinite(v[PRESSURE]) || is_any(v + AX) || is_any(v + GX)) {
    for (int i = 0; i < 3; i++)
      batch->xyz[3 * batch->count + i] = isfinite(v[AX + i]) ? (float)v[AX + i] : NAN;
    batch->times[batch->count++] = row->time;
  }
  if (is_any(v + GX)) {
    for (int i = 0; i < 3; i++)
      batch->rate_xyz[3 * batch->rates + i] = isfinite(v[GX + i]) ? (float)v[GX + i] : NAN;
    batch->rate_times[batch->rates++] = row->time;
  }
  if (isfinite(v[PRESSURE])) {
    batch->hectopascals[batch->pressures] = (float)v[PRESSURE];
    batch->pressure_times[batch->pressures++] = row->time;
  }
}

static void take_fix(batch *batch, const struct row *row) {
  const double *v = row->value;
  batch->fix[batch->fixes++] = (locomotion_fix){
      row->time, v[LAT], v[LON], v[ALT], v[HACC], NAN, v[SPEED], NAN, v[COURSE], NAN};
}

/* Replaces a batch by the next `limit` rows of both files, a fix before the first acceleration that
 * is not earlier; 0 when there are none. */
static int read_batch(batch *batch, int limit, table *rows, table *locations) {
  batch->count = batch->rates = batch->pressures = batch->fixes = 0;
  int taken = 0;
  for (; taken < limit; taken++) {
    int64_t row = due(rows), fix = due(locations);
    if (row == INT64_MAX && fix == INT64_MAX) break;
    if (fix <= row) take_fix(batch, &locations->row[0]), advance(locations);
    else take_row(batch, &rows->row[0]), advance(rows);
  }
  return taken;
}

/* Opens X.csv and X.gps.csv, or a file of fixes alone; 0 when there is no file. */
static int open_recording(const char *path, table *rows, table *locations) {
  char other[4096];
  snprintf(other, sizeof other, "%.*s.gps.csv", (int)strlen(path) - 4, path);
  open_table(rows, path);
  open_table(locations, other);
  if (!rows->file) return 0;
  for (int i = 0; i < rows->count; i++) {
    if (rows->column[i] != LAT) continue;
    *locations = *rows;
    rows->row[0].time = rows->row[1].time = INT64_MIN;
    rows->file = NULL;
  }
  return 1;
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

#endif
