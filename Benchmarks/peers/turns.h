// Measures in turns with other programs: each line on standard input names a participant. The
// response is one sample of it, the wall-clock and the processor nanoseconds per item.

#ifndef TURNS_H
#define TURNS_H

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct {
  const char *name;
  void (*work)(void);
  long items;
  long repetitions;  // 0 until it has been measured.
} Participant;

static double turns_nanoseconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void turns_take(Participant *participants, long count) {
  char line[256];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    Participant *participant = NULL;
    for (long index = 0; index < count; index++)
      if (strcmp(line, participants[index].name) == 0) participant = &participants[index];
    if (!participant) {
      printf("failed unknown participant %s\n", line);
      fflush(stdout);
      continue;
    }
    while (participant->repetitions == 0) {
      static long tried = 1;
      double start = turns_nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
      for (long index = 0; index < tried; index++) participant->work();
      double taken = turns_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - start;
      if (taken > 2e7) participant->repetitions = tried;
      tried = participant->repetitions ? 1 : 2 * tried;
    }
    double wall = turns_nanoseconds(CLOCK_MONOTONIC);
    double processor = turns_nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    for (long index = 0; index < participant->repetitions; index++) participant->work();
    processor = turns_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - processor;
    wall = turns_nanoseconds(CLOCK_MONOTONIC) - wall;
    double items = (double)participant->repetitions * (double)participant->items;
    printf("%.9g %.9g\n", wall / items, processor / items);
    fflush(stdout);
  }
}

#endif
